/* `ramus vocab`: hands the text to the SentencePiece plugin, then reports how finely the
 * vocabulary cuts each side. */
#include "cli/command.h"
#include "cli/progress.h"

#include "base/pool.h"
#include "base/writer.h"
#include "data/lines.h"
#include "data/vocab_files.h"
#include "text/tokenizer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define USUAL_SIZE    8000
#define SUMMARY_LINES 100000 // of each file, for the summary

typedef struct {
    ramus_texts input;
    const char *output, *user;
    int size, type, column;
    double coverage;
    bool byte_fallback, split_digits;
} settings;

static const char *const types[] = {"unigram", "bpe", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"input",         RAMUS_SETTING_LIST,   AT(input), "text, one sentence a line; plain, .gz or .xz; .tsv: with columns", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"output",        RAMUS_SETTING_TEXT,   AT(output), "the .model file to write (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"size",          RAMUS_SETTING_INT,    AT(size), "pieces; 0: 8000, or as many as the text gives", "0", 0, 1000000, NULL, NULL},
    {"type",          RAMUS_SETTING_CHOICE, AT(type), "how text is cut", "unigram", 0, 0, types, NULL},
    {"column",        RAMUS_SETTING_INT,    AT(column), "column of .tsv files to learn from; 0: all of them (a joint vocabulary)", "0", 0, 1000, NULL, NULL},
    {"coverage",      RAMUS_SETTING_REAL,   AT(coverage), "share of the characters that get a piece", "0.9995", 0.9, 1, NULL, NULL},
    {"byte-fallback", RAMUS_SETTING_SWITCH, AT(byte_fallback), "other characters become bytes, not <unk>", "on", 0, 0, NULL, NULL},
    {"split-digits",  RAMUS_SETTING_SWITCH, AT(split_digits), "every digit is a piece", "on", 0, 0, NULL, NULL},
    {"user-symbols",  RAMUS_SETTING_TEXT,   AT(user), "pieces that are never cut, separated by commas", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* Pieces and words of one side of one file. */
typedef struct {
    double pieces, words, texts;
} tally;

static ramus_status count_text(tally *t, ramus_tokenizer *tok, ramus_ids *ids, const char *text,
                               size_t size, ramus_error *err)
{
    ids->n = 0;
    const ramus_status st = ramus_tokenizer_encode(tok, text, size, ids, err);
    if (st) return st;
    bool inside = false;
    for (size_t i = 0; i < size; i++) {
        const bool space = isspace((unsigned char)text[i]) != 0;
        t->words += !space && !inside;
        inside = !space;
    }
    t->pieces += ids->n;
    t->texts++;
    return RAMUS_OK;
}

/* How finely the new vocabulary cuts each side of each file. */
static ramus_status summarise(const settings *s, const char *path, ramus_tokenizer *tok,
                              ramus_error *err)
{
    ramus_lines *lines = NULL;
    ramus_ids ids = {0};
    tally sides[3] = {{0}};
    const bool columns = ramus_lines_have_columns(path);
    char *line = NULL;
    size_t size = 0;
    ramus_status st = ramus_lines_open(&lines, path, err);
    for (int n = 0; !st && n < SUMMARY_LINES; n++) {
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        for (int side = columns ? 1 : 0; side <= (columns ? 2 : 0) && !st; side++) {
            size_t field_size = 0;
            const char *text = ramus_lines_field(line, size, side, &field_size);
            if (text && (!s->column || !columns || s->column == side))
                st = count_text(&sides[side], tok, &ids, text, field_size, err);
        }
    }
    for (int side = 0; side < 3 && !st; side++)
        if (sides[side].words > 0) {
            (void)fprintf(stderr, "%s", path);
            if (side) (void)fprintf(stderr, ", column %d", side);
            (void)fprintf(stderr, ": %.2f pieces a word, %.1f a line (%.0f lines)\n",
                          sides[side].pieces / sides[side].words,
                          sides[side].pieces / sides[side].texts, sides[side].texts);
        }
    ramus_ids_free(&ids);
    ramus_lines_close(lines);
    return st;
}

static ramus_status save(const char *path, const ramus_buffer *model, ramus_error *err)
{
    ramus_writer *w = NULL;
    ramus_status st = ramus_writer_create(&w, path, err);
    if (!st) st = ramus_writer_write(w, model->data, model->size, err);
    if (!st) st = ramus_writer_commit(w, err);
    ramus_writer_destroy(w);
    return st;
}

static void show(void *arg, double n_texts)
{
    ramus_progress_update(arg, n_texts);
}

static ramus_status train(const settings *s, const ramus_options *o, ramus_error *err)
{
    ramus_progress progress = {.what = "reading", .unit = "texts", .quiet = o->common.quiet};
    ramus_vocab_file files[RAMUS_MAX_TEXTS];
    double n_texts = 0;
    ramus_buffer model = {0};
    ramus_vocab *vocab = NULL;
    ramus_tokenizer *tok = NULL;
    const ramus_vocab_training training = {
        .size = s->size ? s->size : USUAL_SIZE,
        .at_most = s->size == 0,
        .type = types[s->type],
        .coverage = s->coverage,
        .byte_fallback = s->byte_fallback,
        .split_digits = s->split_digits,
        .user = s->user,
        .threads = o->common.threads ? o->common.threads : ramus_cores_available(),
        .quiet = true,
    };
    const ramus_vocab_files in = {
        .files = files, .n = s->input.n, .every = 1, .progress = show, .arg = &progress};
    for (int i = 0; i < s->input.n; i++)
        files[i] = (ramus_vocab_file){s->input.items[i], s->column};
    ramus_progress_start(&progress);
    ramus_status st = ramus_vocab_train_files(&model, &n_texts, &in, &training, err);
    ramus_progress_end(&progress, n_texts);
    if (!st) st = ramus_vocab_parse(&vocab, model.data, model.size, err);
    if (!st) st = save(s->output, &model, err);
    if (!st) st = ramus_tokenizer_create(&tok, vocab, err);
    if (!st)
        ramus_command_note(o, "%s: %d pieces from %.0f texts%s", s->output,
                           ramus_vocab_count(vocab), n_texts,
                           training.at_most && ramus_vocab_count(vocab) < training.size
                               ? ": as many as this text gives"
                               : "");
    for (int i = 0; i < s->input.n && !st && !o->common.quiet; i++)
        st = summarise(s, s->input.items[i], tok, err);
    ramus_tokenizer_destroy(tok);
    ramus_vocab_destroy(vocab);
    ramus_buffer_free(&model);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (s.input.n == 0 || !s.output || o.n_arguments > 0) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT, "expected --input FILE... and -o FILE.model");
        code = ramus_command_misuse(command, &err);
    } else if (ramus_options_check_output(&o, s.output, NULL, false, &err) || train(&s, &o, &err)) {
        code = ramus_command_fail(command, &err);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_vocab = {
    "vocab",
    "trains a SentencePiece vocabulary",
    "--input FILE... -o FILE.model [options]",
    "  ramus vocab --input train.en train.de --size 8000 -o joint.model\n"
    "  ramus vocab --input corpus.tsv.xz -o joint.model\n"
    "  ramus vocab --input corpus.tsv.xz --column 2 --size 32000 -o target.model\n",
    .run = run,
    .without = "json seed",
};
