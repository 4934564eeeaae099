/* `ramus tokenize` and `ramus detokenize`: line by line, a worker function each for pieces and
 * for ids. */
#include "cli/inputs.h"
#include "cli/stop.h"

#include "data/output.h"
#include "text/tokenizer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *vocab, *output;
    ramus_texts inputs;
    bool ids;
    double sample;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"vocab",  RAMUS_SETTING_TEXT, AT(vocab), "the .model file", NULL, 0, 0, ramus_setting_file, NULL},
    {"ids",    RAMUS_SETTING_FLAG, AT(ids), "ids, not pieces", NULL, 0, 0, NULL, NULL},
    {"input",  RAMUS_SETTING_LIST, AT(inputs), "files to read, one after the other; else TEXT, else standard input (also -i)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"output", RAMUS_SETTING_TEXT, AT(output), "the file to write, packed if it ends with .gz or .xz; else standard output (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"sample", RAMUS_SETTING_REAL, AT(sample), "tokenize: draw a segmentation; sharpness (unigram) or share of merges left out (bpe); 0: the best one", "0", 0, 1e6, NULL, NULL},
};
#undef AT
// clang-format on

/* A command's work on one line: writes the result, without line feed, to `out`. */
typedef struct worker worker;
typedef ramus_status line_fn(worker *w, const char *line, size_t size, ramus_error *err);

struct worker {
    const settings *s;
    line_fn *work;
    ramus_vocab *vocab;
    ramus_tokenizer *tokenizer;
    ramus_ids ids;
    ramus_buffer out;
    ramus_sampling sampling;
    ramus_output *file;
};

static ramus_status tokenize_line(worker *w, const char *line, size_t size, ramus_error *err)
{
    const bool sample = w->s->sample > 0;
    if (!w->s->ids && !sample)
        return ramus_tokenizer_encode_pieces(w->tokenizer, line, size, &w->out, err);
    w->ids.n = 0;
    const ramus_status st =
        sample ? ramus_tokenizer_sample(w->tokenizer, line, size, &w->sampling, &w->ids, err)
               : ramus_tokenizer_encode(w->tokenizer, line, size, &w->ids, err);
    for (int i = 0; i < w->ids.n && !st; i++) {
        if (i) ramus_buffer_text(&w->out, " ");
        if (w->s->ids)
            ramus_buffer_print(&w->out, "%d", w->ids.data[i]);
        else
            ramus_buffer_text(&w->out, ramus_vocab_piece(w->vocab, w->ids.data[i]));
    }
    w->sampling.rng.batch++;
    return st;
}

/* Reads the numbers of a line; it is followed by a byte that is no digit. */
static ramus_status read_ids(ramus_ids *ids, const char *line, size_t size, ramus_error *err)
{
    const char *end = line + size;
    ids->n = 0;
    while (line < end) {
        char *after = NULL;
        if (*line == ' ' || *line == '\t' || *line == '\r') {
            line++;
            continue;
        }
        errno = 0;
        const long id = strtol(line, &after, 10);
        if (after == line || after > end || errno || id < 0 || id > INT_MAX ||
            (after < end && !strchr(" \t\r", *after)))
            return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.*s' is not an id",
                              (int)strcspn(line, " \t\r\n"), line);
        const ramus_status st = ramus_ids_add(ids, (int)id, err);
        if (st) return st;
        line = after;
    }
    return RAMUS_OK;
}

static ramus_status detokenize_line(worker *w, const char *line, size_t size, ramus_error *err)
{
    if (!w->s->ids) return ramus_vocab_decode_pieces(w->vocab, line, size, &w->out, err);
    const ramus_status st = read_ids(&w->ids, line, size, err);
    return st ? st : ramus_vocab_decode(w->vocab, w->ids.data, w->ids.n, &w->out, err);
}

static ramus_status do_line(worker *w, const char *line, size_t size, ramus_error *err)
{
    ramus_buffer_clear(&w->out);
    ramus_status st = w->work(w, line, size, err);
    ramus_buffer_text(&w->out, "\n");
    if (!st) st = ramus_buffer_check(&w->out, err);
    return st ? st : ramus_output_write(w->file, w->out.data, w->out.size, err);
}

/* All lines of a file; what is ready on a pipe is written before the next line is waited for. */
static ramus_status do_file(worker *w, ramus_lines *lines, const char *name, ramus_error *err)
{
    for (long number = 1;; number++) {
        char *line = NULL;
        size_t size = 0;
        ramus_status st = ramus_stop_check(err);
        if (!st && !ramus_lines_ready(lines)) st = ramus_output_flush(w->file, err);
        if (!st) st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) return st;
        const char kept = line[size];
        line[size] = '\0'; // numbers end here
        st = do_line(w, line, size, err);
        line[size] = kept;
        if (st) {
            char where[256];
            (void)snprintf(where, sizeof where, "%.200s, line %ld", name, number);
            return ramus_fail_in(err, st, where);
        }
    }
}

static ramus_status do_all(worker *w, const ramus_options *o, ramus_error *err)
{
    ramus_inputs *in = NULL;
    ramus_lines *lines = NULL;
    const char *name = NULL;
    ramus_status st = ramus_vocab_load(&w->vocab, w->s->vocab, err);
    if (!st) st = ramus_tokenizer_create(&w->tokenizer, w->vocab, err);
    if (!st) st = ramus_inputs_open(&in, &w->s->inputs, o, err);
    if (!st) st = ramus_output_open(&w->file, w->s->output, err);
    w->sampling = (ramus_sampling){w->s->sample, {(uint64_t)o->common.seed, 0, 0, 0}};
    while (!st && !(st = ramus_inputs_next(in, &lines, &name, err)) && lines)
        st = do_file(w, lines, name, err);
    if (!st) st = ramus_output_commit(w->file, err);
    ramus_output_close(w->file);
    ramus_inputs_close(in);
    return st;
}

static int run_lines(const ramus_command *command, int argc, char **argv, line_fn *work)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    worker w = {.s = &s, .work = work};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    ramus_status st = ramus_inputs_check(&s.inputs, &o, &err);
    if (!s.vocab) st = ramus_fail(&err, RAMUS_BAD_ARGUMENT, "expected --vocab FILE.model");
    ramus_stop_listen();
    if (st) {
        code = ramus_command_misuse(command, &err);
    } else if (ramus_options_check_output(&o, s.output, "input", false, &err) ||
               do_all(&w, &o, &err)) {
        code = ramus_command_fail(command, &err);
    }
    ramus_ids_free(&w.ids);
    ramus_buffer_free(&w.out);
    ramus_tokenizer_destroy(w.tokenizer);
    ramus_vocab_destroy(w.vocab);
    ramus_options_free(&o);
    return code;
}

static int run_tokenize(const ramus_command *command, int argc, char **argv)
{
    return run_lines(command, argc, argv, tokenize_line);
}

static int run_detokenize(const ramus_command *command, int argc, char **argv)
{
    return run_lines(command, argc, argv, detokenize_line);
}

const ramus_command ramus_command_tokenize = {
    "tokenize",
    "text -> pieces or ids",
    "--vocab FILE.model [-i FILE...] [-o FILE] [TEXT...]",
    "  ramus tokenize --vocab joint.model \"Where is the station?\"\n"
    "  ramus tokenize --vocab joint.model --ids -i corpus.txt.xz -o corpus.ids\n",
    .run = run_tokenize,
    .without = "json threads",
};

const ramus_command ramus_command_detokenize = {
    "detokenize",
    "pieces or ids -> text",
    "--vocab FILE.model [-i FILE...] [-o FILE] [PIECES...]",
    "  ramus tokenize --vocab joint.model --ids < a.txt | ramus detokenize --vocab joint.model "
    "--ids\n",
    .run = run_detokenize,
    .without = "json threads seed",
};
