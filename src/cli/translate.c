#include "cli/command.h"
#include "cli/progress.h"

#include "base/pool.h"
#include "text/sentences.h"
#include "text/tokenizer.h"
#include "train/decoder.h"
#include "train/lines.h"
#include "train/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES      1024 // that are translated together
#define MAX_LENGTH 256  // tokens of a piece, EOS included: longer lines are split
#define EXTRA      50   // tokens that a translation may have more than its source

typedef struct {
    const char *model, *input, *output;
    int beam;
    double length_penalty;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"model",          RAMUS_SETTING_TEXT, AT(model), "checkpoint of a training run (also -m)", NULL, 0, 0, NULL, NULL},
    {"input",          RAMUS_SETTING_TEXT, AT(input), "file to translate, one sentence a line; plain, .gz or .xz (also -i; default: the arguments, else standard input)", NULL, 0, 0, NULL, NULL},
    {"output",         RAMUS_SETTING_TEXT, AT(output), "file to write (also -o; default: standard output)", NULL, 0, 0, NULL, NULL},
    {"beam",           RAMUS_SETTING_INT,  AT(beam), "hypotheses of the search; 1: greedy", "4", 1, 64, NULL, NULL},
    {"length-penalty", RAMUS_SETTING_REAL, AT(length_penalty), "exponent of the length in scores", "0.6", 0, 10, NULL, NULL},
};
#undef AT
// clang-format on

/* A part of a line that goes through the model at once. */
typedef struct {
    int line;         // in the chunk
    int first, n;     // its ids
    size_t separator; // what stands behind it: bytes of `separators`
    size_t separator_at;
} piece;

typedef struct {
    ramus_model *model;
    ramus_tokenizer *tok;
    ramus_decoder *decoder;
    ramus_pool *pool;
    FILE *out;

    ramus_ids ids;
    ramus_buffer separators;
    piece *pieces;
    int n_pieces, capacity, n_lines;
    ramus_progress progress;
    double done;
} translation;

static ramus_status open_model(translation *t, const settings *s, const ramus_options *o,
                               ramus_error *err)
{
    ramus_status st = ramus_model_load(&t->model, s->model, err);
    if (!st) st = ramus_tokenizer_create(&t->tok, t->model->vocabs[0], err);
    if (!st)
        st = ramus_pool_create(
            &t->pool, o->common.threads ? o->common.threads : ramus_cores_available(), err);
    if (st) return st;
    const ramus_decoder_spec spec = {
        .arch = &t->model->arch,
        .weights = t->model->weights,
        .max_length = MAX_LENGTH,
        .search = {.beam = s->beam,
                   .greedy = s->beam == 1,
                   .length_penalty = s->length_penalty,
                   .length_ratio = 1,
                   .extra_length = EXTRA,
                   .eos = ramus_vocab_eos(t->model->vocabs[1])},
        .pool = t->pool,
    };
    return ramus_decoder_create(&t->decoder, &spec, err);
}

static void close_model(translation *t)
{
    ramus_decoder_destroy(t->decoder);
    ramus_pool_destroy(t->pool);
    ramus_tokenizer_destroy(t->tok);
    ramus_model_close(t->model);
    ramus_ids_free(&t->ids);
    ramus_buffer_free(&t->separators);
    free(t->pieces);
}

/* How many tokens a part has; the ids are forgotten again. */
static int count_tokens(void *arg, const char *text, size_t size)
{
    translation *t = arg;
    const int first = t->ids.n;
    if (ramus_tokenizer_encode(t->tok, text, size, &t->ids, NULL)) return MAX_LENGTH;
    const int n = t->ids.n - first;
    t->ids.n = first;
    return n;
}

static ramus_status add_piece(translation *t, const char *text, size_t size, const char *separator,
                              size_t separator_size, ramus_error *err)
{
    if (t->n_pieces == t->capacity) {
        const int capacity = t->capacity ? 2 * t->capacity : LINES;
        piece *grown = realloc(t->pieces, (size_t)capacity * sizeof *grown);
        if (!grown) return ramus_fail_memory(err, "the text");
        t->pieces = grown;
        t->capacity = capacity;
    }
    piece p = {.line = t->n_lines,
               .first = t->ids.n,
               .separator = separator_size,
               .separator_at = t->separators.size};
    ramus_buffer_add(&t->separators, separator, separator_size);
    ramus_status st = ramus_tokenizer_encode(t->tok, text, size, &t->ids, err);
    if (!st && t->ids.n - p.first > MAX_LENGTH - 1) t->ids.n = p.first + MAX_LENGTH - 1;
    if (!st) st = ramus_ids_add(&t->ids, ramus_vocab_eos(t->model->vocabs[0]), err);
    if (st) return st;
    p.n = t->ids.n - p.first;
    if (p.n == 1) { // nothing to translate
        t->ids.n = p.first;
        return RAMUS_OK;
    }
    t->pieces[t->n_pieces++] = p;
    return RAMUS_OK;
}

static ramus_status add_line(translation *t, const char *text, size_t size, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    if (count_tokens(t, text, size) < MAX_LENGTH) {
        st = add_piece(t, text, size, "", 0, err);
    } else {
        ramus_sentences s;
        ramus_sentence one;
        ramus_sentences_init(&s, NULL, text, size);
        ramus_sentences_limit(&s, MAX_LENGTH - 1, count_tokens, t);
        while (!st && ramus_sentences_next(&s, &one))
            st = add_piece(t, text + one.start, one.size, text + one.start + one.size,
                           one.separator, err);
    }
    t->n_lines++;
    return st;
}

static ramus_status write_lines(translation *t, const ramus_decoded *decoded, ramus_error *err)
{
    ramus_buffer text = {0};
    ramus_status st = RAMUS_OK;
    for (int line = 0, i = 0; line < t->n_lines && !st; line++) {
        for (; i < t->n_pieces && t->pieces[i].line == line && !st; i++) {
            const piece *p = &t->pieces[i];
            st = ramus_vocab_decode(t->model->vocabs[1], decoded[i].ids, decoded[i].length, &text,
                                    err);
            ramus_buffer_add(&text, t->separators.data + p->separator_at, p->separator);
        }
        ramus_buffer_text(&text, "\n");
    }
    if (!st) st = ramus_buffer_check(&text, err);
    if (!st && (fwrite(text.data, 1, text.size, t->out) != text.size || fflush(t->out)))
        st = ramus_fail(err, RAMUS_IO, "cannot write the translation: %s", strerror(errno));
    ramus_buffer_free(&text);
    return st;
}

/* Translates the lines that were added and forgets them. */
static ramus_status flush(translation *t, ramus_error *err)
{
    const size_t n = (size_t)t->n_pieces;
    if (t->n_lines == 0) return RAMUS_OK;
    ramus_buffer_text(&t->separators, "");
    ramus_source *sources = calloc(n + 1, sizeof *sources);
    ramus_decoded *decoded = calloc(n + 1, sizeof *decoded);
    ramus_status st = RAMUS_OK;
    if (!sources || !decoded) {
        st = ramus_fail_memory(err, "the text");
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        sources[i] =
            (ramus_source){.ids = t->ids.data + t->pieces[i].first, .length = t->pieces[i].n};
    st = ramus_decoder_run(t->decoder, sources, (int)n, decoded, err);
    if (!st) st = write_lines(t, decoded, err);
done:
    for (size_t i = 0; decoded && i < n; i++)
        free(decoded[i].ids);
    free(decoded);
    free(sources);
    t->done += t->n_lines;
    ramus_progress_update(&t->progress, t->done);
    t->n_lines = t->n_pieces = t->ids.n = 0;
    ramus_buffer_clear(&t->separators);
    return st;
}

static ramus_status translate_file(translation *t, const char *path, ramus_error *err)
{
    ramus_lines *lines = NULL;
    ramus_status st = ramus_lines_open(&lines, path, err);
    while (!st) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        st = add_line(t, line, size, err);
        if (!st && t->n_lines == LINES) st = flush(t, err);
    }
    if (!st) st = flush(t, err);
    ramus_lines_close(lines);
    return st;
}

static ramus_status translate(translation *t, const settings *s, const ramus_options *o,
                              ramus_error *err)
{
    ramus_status st = open_model(t, s, o, err);
    if (st) return st;
    if (s->output) {
        t->out = fopen(s->output, "wb");
        if (!t->out)
            return ramus_fail(err, RAMUS_IO, "%s: cannot open: %s", s->output, strerror(errno));
    }
    ramus_progress_start(&t->progress);
    for (int i = 0; i < o->n_arguments && !st; i++)
        st = add_line(t, o->arguments[i], strlen(o->arguments[i]), err);
    if (!st)
        st = o->n_arguments ? flush(t, err) : translate_file(t, s->input ? s->input : "-", err);
    ramus_progress_end(&t->progress, t->done);
    if (s->output && fclose(t->out) && !st)
        st = ramus_fail(err, RAMUS_IO, "%s: cannot write: %s", s->output, strerror(errno));
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    translation t = {.out = stdout,
                     .progress = {"translating", "lines", 0, o.common.quiet, 0, 0, false, false}};
    if (!s.model || (s.input && o.n_arguments)) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                         s.model ? "both -i FILE and text are given: expected one of them"
                                 : "expected -m CHECKPOINT");
        code = ramus_command_fail(command, &err, RAMUS_WRONG_USAGE);
    } else {
        if (translate(&t, &s, &o, &err)) code = ramus_command_fail(command, &err, RAMUS_FAILED);
        close_model(&t);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_translate = {
    "translate",
    "translates text with a trained model",
    "-m CHECKPOINT [-i FILE] [-o FILE] [TEXT...]",
    "  ramus translate -m run/average.safetensors -i test.en -o test.out\n"
    "  ramus translate -m run/average.safetensors \"Two dogs run across the grass.\"\n",
    run,
};
