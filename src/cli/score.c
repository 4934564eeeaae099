/* `ramus score`: collects pairs into chunks, scores a chunk in one call, prints it, and forgets
 * it. */
#include "cli/inputs.h"
#include "cli/pair_scorer.h"
#include "cli/progress.h"

#include "data/pair_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS 1024 // that are scored together
#define LONG  256  // tokens from which on translating would split a line

typedef struct {
    const char *model, *source, *target, *input;
    int source_column, target_column;
    bool tokens;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"model",         RAMUS_SETTING_TEXT, AT(model), "deployed model, checkpoint, or folder of a training run (also -m)", NULL, 0, 0, ramus_setting_file, NULL},
    {"source",        RAMUS_SETTING_TEXT, AT(source), "file of source sentences, one a line; plain, .gz or .xz", NULL, 0, 0, ramus_setting_file, NULL},
    {"target",        RAMUS_SETTING_TEXT, AT(target), "file of their translations", NULL, 0, 0, ramus_setting_file, NULL},
    {"input",         RAMUS_SETTING_TEXT, AT(input), "file with both in columns, separated by tabs; - is standard input (also -i)", NULL, 0, 0, ramus_setting_file, NULL},
    {"source-column", RAMUS_SETTING_INT,  AT(source_column), "column of the source sentence", "1", 1, 1000, NULL, NULL},
    {"target-column", RAMUS_SETTING_INT,  AT(target_column), "column of the translation", "2", 1, 1000, NULL, NULL},
    {"tokens",        RAMUS_SETTING_FLAG, AT(tokens), "print each token with its log-probability as well", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* A pair of lines: places in `text`, which moves while it grows. */
typedef struct {
    ramus_scored_pair ids;
    size_t text[2], size[2];
} line_pair;

typedef struct {
    const ramus_options *o;
    const settings *s;
    ramus_pair_scorer scorer;
    ramus_buffer text; // with --json
    line_pair lines[PAIRS];
    int n;
    long long read;     // lines before this chunk
    double sum, tokens; // log-probability of everything so far
    ramus_progress progress;
} scoring;

static ramus_status add_side(scoring *w, line_pair *l, int side, const char *text, size_t size,
                             ramus_error *err)
{
    static const char *const names[] = {"source", "target"};
    const ramus_status st = ramus_pair_scorer_add(&w->scorer, &l->ids, side, text, size, err);
    if (st) return st;
    const int n = l->ids.n[side];
    const long long line = w->read + w->n + 1;
    if (n > RAMUS_PAIR_SCORER_LENGTH)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "line %lld: the %s has %d tokens, expected at most %d", line, names[side],
                          n, RAMUS_PAIR_SCORER_LENGTH);
    if (n > LONG)
        ramus_command_note(w->o, "line %lld: the %s has %d tokens; translating splits such lines",
                           line, names[side], n);
    if (!w->o->common.json) return RAMUS_OK;
    l->text[side] = w->text.size;
    l->size[side] = size;
    ramus_buffer_add(&w->text, text, size);
    return ramus_buffer_check(&w->text, err);
}

static void print_tokens(const scoring *w, const line_pair *l, const ramus_real *log_probs,
                         ramus_buffer *out)
{
    const bool json = w->o->common.json;
    const ramus_vocab *target = w->scorer.model->vocabs[1];
    const int *ids = w->scorer.ids.data + l->ids.first[1];
    ramus_buffer_text(out, json ? ", \"token_log_probs\": [" : "\t");
    for (int i = 0; i < l->ids.n[1]; i++) {
        const char *piece = ramus_vocab_piece(target, ids[i]);
        if (i) ramus_buffer_text(out, json ? ", " : " ");
        if (json) {
            ramus_buffer_text(out, "{\"piece\": ");
            ramus_buffer_json(out, piece, strlen(piece));
            ramus_buffer_print(out, ", \"log_prob\": %.6f}", (double)log_probs[i]);
        } else {
            ramus_buffer_print(out, "%s %.4f", piece, (double)log_probs[i]);
        }
    }
    ramus_buffer_text(out, json ? "]" : "");
}

static void print_pair(scoring *w, const line_pair *l, const ramus_real *log_probs,
                       ramus_buffer *out)
{
    double sum = 0;
    for (int i = 0; i < l->ids.n[1]; i++)
        sum += (double)log_probs[i];
    w->sum += sum;
    w->tokens += l->ids.n[1];
    if (w->o->common.json) {
        ramus_buffer_text(out, "{\"source\": ");
        ramus_buffer_json(out, w->text.data ? w->text.data + l->text[0] : "", l->size[0]);
        ramus_buffer_text(out, ", \"target\": ");
        ramus_buffer_json(out, w->text.data ? w->text.data + l->text[1] : "", l->size[1]);
        ramus_buffer_print(out, ", \"log_prob\": %.6f, \"tokens\": %d, \"per_token\": %.6f", sum,
                           l->ids.n[1], sum / l->ids.n[1]);
    } else {
        ramus_buffer_print(out, "%.4f\t%d", sum, l->ids.n[1]);
    }
    if (w->s->tokens) print_tokens(w, l, log_probs, out);
    ramus_buffer_text(out, w->o->common.json ? "}\n" : "\n");
}

/* Scores the collected pairs, prints them and empties the chunk. Sets *code when that fails. */
static ramus_status flush(scoring *w, int *code, ramus_error *err)
{
    ramus_scored_pair pairs[PAIRS];
    ramus_buffer out = {0};
    ramus_real *log_probs = NULL;
    size_t at = 0;
    for (int i = 0; i < w->n; i++)
        pairs[i] = w->lines[i].ids;
    const ramus_status st = ramus_pair_scorer_run(&w->scorer, pairs, w->n, &log_probs, err);
    for (int i = 0; i < w->n && !st; i++) {
        print_pair(w, &w->lines[i], log_probs + at, &out);
        at += (size_t)w->lines[i].ids.n[1];
    }
    if (!st && w->n) *code = ramus_command_print(w->o->command, &out);
    free(log_probs);
    w->read += w->n;
    w->n = w->scorer.ids.n = 0;
    ramus_buffer_clear(&w->text);
    ramus_progress_update(&w->progress, (double)w->read);
    return st;
}

static ramus_status score_lines(scoring *w, ramus_pair_lines *lines, int *code, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    while (!st && *code == RAMUS_EXIT_DONE) {
        ramus_pair_text text = {0};
        st = ramus_pair_lines_next(lines, &text, err);
        if (st || !text.source) break;
        line_pair *l = &w->lines[w->n];
        st = add_side(w, l, 0, text.source, text.source_size, err);
        if (!st) st = add_side(w, l, 1, text.target, text.target_size, err);
        if (!st && ++w->n == PAIRS) st = flush(w, code, err);
    }
    if (!st && *code == RAMUS_EXIT_DONE) st = flush(w, code, err);
    return st;
}

static int score(scoring *w)
{
    const settings *s = w->s;
    const ramus_corpus_spec spec = {.source = s->input ? s->input : s->source,
                                    .target = s->input ? NULL : s->target,
                                    .source_column = s->source_column,
                                    .target_column = s->target_column};
    ramus_error err = {0};
    ramus_pair_lines *lines = NULL;
    int code = RAMUS_EXIT_DONE;
    ramus_status st = ramus_pair_scorer_open(&w->scorer, s->model, w->o->common.threads, &err);
    if (!st) st = ramus_pair_lines_open(&lines, &spec, &err);
    ramus_progress_start(&w->progress);
    if (!st) st = score_lines(w, lines, &code, &err);
    ramus_progress_end(&w->progress, (double)w->read);
    ramus_pair_lines_close(lines);
    if (st) return ramus_command_fail(w->o->command, &err);
    if (code == RAMUS_EXIT_DONE && w->read)
        ramus_command_note(w->o, "%lld pairs, %.0f tokens: log-probability %.2f, perplexity %.4f",
                           w->read, w->tokens, w->sum, exp(-w->sum / w->tokens));
    return code;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    const bool two = s.source && s.target && !s.input, one = s.input && !s.source && !s.target;
    const bool twice =
        two && ramus_inputs_is_standard(s.source) && ramus_inputs_is_standard(s.target);
    if (!s.model || o.n_arguments || two == one || twice) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                         !s.model ? "expected -m MODEL"
                         : twice  ? "standard input cannot be both: expected a file for one of them"
                                  : "expected --source FILE and --target FILE, or -i FILE.tsv");
        code = ramus_command_misuse(command, &err);
    } else {
        scoring *w = calloc(1, sizeof *w);
        if (!w) {
            (void)ramus_fail_memory(&err, "the text");
            code = ramus_command_fail(command, &err);
        } else {
            w->o = &o;
            w->s = &s;
            w->progress =
                (ramus_progress){.what = "scoring", .unit = "lines", .quiet = o.common.quiet};
            code = score(w);
            ramus_pair_scorer_close(&w->scorer);
            ramus_buffer_free(&w->text);
        }
        free(w);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_score = {
    "score",
    "how probable given translations are",
    "-m MODEL (--source FILE --target FILE | -i FILE.tsv) [--tokens]",
    "  ramus score -m en-de.gguf --source test.en --target test.de\n"
    "  ramus score -m en-de.gguf -i pairs.tsv --tokens --json\n",
    .run = run,
    .without = "seed",
};
