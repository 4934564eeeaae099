/* `ramus clean`: reads pairs in chunks, judges a chunk, scores what is left of it, writes it, and
 * forgets it. */
#include "cli/clean_report.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/pair_scorer.h"
#include "cli/progress.h"
#include "cli/stop.h"

#include "data/output.h"
#include "data/pair_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS  8192 // of a chunk; the first one teaches what is usual
#define SCORED 1024 // that are scored together

typedef struct {
    ramus_texts input, output;
    const char *dropped, *model;
    double min_score;
    int source_column, target_column, examples;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"input",         RAMUS_SETTING_LIST, AT(input), "two files with a sentence a line, or one with columns, separated by tabs; plain, .gz or .xz; - is standard input (also -i)", NULL, 0, 2, ramus_setting_file, NULL},
    {"output",        RAMUS_SETTING_LIST, AT(output), "where the pairs go that are kept: two files, or one with columns; without it they are only counted (also -o)", NULL, 0, 2, ramus_setting_file, NULL},
    {"dropped",       RAMUS_SETTING_TEXT, AT(dropped), "where the others go: the rule, a tab, the pair", NULL, 0, 0, ramus_setting_file, NULL},
    {"examples",      RAMUS_SETTING_INT,  AT(examples), "pairs to show of those that a rule dropped", "0", 0, 1000, NULL, NULL},
    {"source-column", RAMUS_SETTING_INT,  AT(source_column), "column of the source sentence", "1", 1, 1000, NULL, NULL},
    {"target-column", RAMUS_SETTING_INT,  AT(target_column), "column of the translation", "2", 1, 1000, NULL, NULL},
};
static const ramus_setting score_rows[] = {
    {"model",         RAMUS_SETTING_TEXT, AT(model), "deployed model or checkpoint that scores pairs (also -m)", NULL, 0, 0, ramus_setting_file, NULL},
    {"min-score",     RAMUS_SETTING_REAL, AT(min_score), "drop pairs with a smaller log-probability, mean of the target's tokens", "-1000", -1000, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* A pair of a chunk: places in `text`, which moves while it grows. */
typedef struct {
    size_t source, source_size, target, target_size, whole, whole_size;
    ramus_clean_rule rule;
} kept_pair;

typedef struct {
    const ramus_options *o;
    const settings *s;
    ramus_clean *clean;
    ramus_pair_lines *lines;
    ramus_output *outputs[2], *dropped;
    ramus_pair_scorer scorer;
    ramus_clean_report report;
    ramus_buffer text, line;
    kept_pair pairs[PAIRS];
    int n;
    bool learnt, ended;
    ramus_progress progress;
} cleaning;

static ramus_pair_text text_of(const cleaning *w, const kept_pair *p)
{
    const char *text = w->text.data;
    return (ramus_pair_text){text + p->source, text + p->target, p->source_size, p->target_size};
}

/* Copies a text behind the others. */
static size_t put(cleaning *w, const char *text, size_t size)
{
    const size_t at = w->text.size;
    ramus_buffer_add(&w->text, text, size);
    ramus_buffer_add(&w->text, "", 1);
    return at;
}

static ramus_status read_chunk(cleaning *w, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    ramus_buffer_clear(&w->text);
    w->n = 0;
    while (!st && w->n < PAIRS) {
        ramus_pair_text pair = {0};
        st = ramus_pair_lines_next(w->lines, &pair, err);
        w->ended = !pair.source;
        if (st || w->ended) break;
        kept_pair *p = &w->pairs[w->n++];
        *p = (kept_pair){.source_size = pair.source_size, .target_size = pair.target_size};
        const char *whole = ramus_pair_lines_whole(w->lines, &p->whole_size);
        if (whole) { // both are in it
            p->whole = put(w, whole, p->whole_size);
            p->source = p->whole + (size_t)(pair.source - whole);
            p->target = p->whole + (size_t)(pair.target - whole);
        } else {
            p->source = put(w, pair.source, pair.source_size);
            p->target = put(w, pair.target, pair.target_size);
        }
    }
    if (!st) st = ramus_stop_check(err);
    return st ? st : ramus_buffer_check(&w->text, err);
}

static ramus_status learn(cleaning *w, ramus_error *err)
{
    ramus_pair_text *pairs = calloc((size_t)w->n + 1, sizeof *pairs);
    if (!pairs) return ramus_fail_memory(err, "the pairs");
    for (int i = 0; i < w->n; i++)
        pairs[i] = text_of(w, &w->pairs[i]);
    const ramus_status st = ramus_clean_learn(w->clean, pairs, w->n, err);
    w->report.expected_ratio = ramus_clean_expected_ratio(w->clean);
    w->learnt = true;
    free(pairs);
    return st;
}

/* Scores the pairs `list` of the chunk. */
static ramus_status score_some(cleaning *w, const int *list, const ramus_scored_pair *ids, int n,
                               ramus_error *err)
{
    ramus_real *log_probs = NULL;
    size_t at = 0;
    const ramus_status st = ramus_pair_scorer_run(&w->scorer, ids, n, &log_probs, err);
    for (int i = 0; i < n && !st; i++) {
        double sum = 0;
        for (int k = 0; k < ids[i].n[1]; k++)
            sum += (double)log_probs[at++];
        const double score = sum / ids[i].n[1];
        ramus_clean_report_score(&w->report, score);
        if (score < w->s->min_score) w->pairs[list[i]].rule = RAMUS_CLEAN_SCORE;
    }
    free(log_probs);
    w->scorer.ids.n = 0;
    return st ? st : ramus_stop_check(err);
}

/* A pair that is too long for the model has no score, and is dropped. */
static ramus_status score_chunk(cleaning *w, ramus_error *err)
{
    int list[SCORED], n = 0;
    ramus_scored_pair ids[SCORED];
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < w->n && !st; i++) {
        const ramus_pair_text p = text_of(w, &w->pairs[i]);
        if (w->pairs[i].rule != RAMUS_CLEAN_KEPT) continue;
        const int before = w->scorer.ids.n;
        st = ramus_pair_scorer_add(&w->scorer, &ids[n], 0, p.source, p.source_size, err);
        if (!st) st = ramus_pair_scorer_add(&w->scorer, &ids[n], 1, p.target, p.target_size, err);
        if (!st &&
            (ids[n].n[0] > RAMUS_PAIR_SCORER_LENGTH || ids[n].n[1] > RAMUS_PAIR_SCORER_LENGTH)) {
            w->pairs[i].rule = RAMUS_CLEAN_SCORE;
            w->scorer.ids.n = before;
            continue;
        }
        list[n++] = i;
        if (n < SCORED) continue;
        if (!st) st = score_some(w, list, ids, n, err);
        n = 0;
    }
    return st ? st : score_some(w, list, ids, n, err);
}

/* Writes a pair as one line with columns, `rule` first if there is one. */
static ramus_status write_line(cleaning *w, ramus_output *to, const char *rule, const kept_pair *p,
                               ramus_error *err)
{
    const ramus_pair_text pair = text_of(w, p);
    ramus_buffer_clear(&w->line);
    if (rule) ramus_buffer_print(&w->line, "%s\t", rule);
    if (p->whole_size) {
        ramus_buffer_add(&w->line, w->text.data + p->whole, p->whole_size);
    } else {
        ramus_buffer_add(&w->line, pair.source, pair.source_size);
        ramus_buffer_text(&w->line, "\t");
        ramus_buffer_add(&w->line, pair.target, pair.target_size);
    }
    ramus_buffer_text(&w->line, "\n");
    const ramus_status st = ramus_buffer_check(&w->line, err);
    return st ? st : ramus_output_write(to, w->line.data, w->line.size, err);
}

static ramus_status write_two(cleaning *w, const kept_pair *p, ramus_error *err)
{
    const ramus_pair_text pair = text_of(w, p);
    ramus_status st = ramus_output_write(w->outputs[0], pair.source, pair.source_size, err);
    if (!st) st = ramus_output_write(w->outputs[0], "\n", 1, err);
    if (!st) st = ramus_output_write(w->outputs[1], pair.target, pair.target_size, err);
    return st ? st : ramus_output_write(w->outputs[1], "\n", 1, err);
}

static ramus_status write_pair(cleaning *w, const kept_pair *p, ramus_error *err)
{
    const ramus_pair_text pair = text_of(w, p);
    const ramus_status st = ramus_clean_report_add(&w->report, p->rule, &pair, err);
    if (st) return st;
    if (p->rule != RAMUS_CLEAN_KEPT)
        return w->dropped ? write_line(w, w->dropped, ramus_clean_rule_name(p->rule), p, err)
                          : RAMUS_OK;
    if (!w->outputs[0]) return RAMUS_OK;
    return w->outputs[1] ? write_two(w, p, err) : write_line(w, w->outputs[0], NULL, p, err);
}

static ramus_status clean_chunk(cleaning *w, ramus_error *err)
{
    ramus_status st = w->learnt ? RAMUS_OK : learn(w, err);
    for (int i = 0; i < w->n && !st; i++) {
        const ramus_pair_text pair = text_of(w, &w->pairs[i]);
        st = ramus_clean_judge(w->clean, &pair, &w->pairs[i].rule, err);
    }
    if (!st && w->s->model) st = score_chunk(w, err);
    for (int i = 0; i < w->n && !st; i++)
        st = write_pair(w, &w->pairs[i], err);
    ramus_progress_update(&w->progress, (double)w->report.read);
    return st;
}

static ramus_status clean(cleaning *w, ramus_clean_spec *rules, ramus_error *err)
{
    const settings *s = w->s;
    const ramus_corpus_spec spec = {.source = s->input.items[0],
                                    .target = s->input.n == 2 ? s->input.items[1] : NULL,
                                    .source_column = s->source_column,
                                    .target_column = s->target_column};
    ramus_status st = ramus_pair_lines_open(&w->lines, &spec, err);
    if (!st) st = ramus_clean_create(&w->clean, rules, &spec, err);
    if (!st && s->model)
        st = ramus_pair_scorer_open(&w->scorer, s->model, w->o->common.threads, err);
    for (int i = 0; i < s->output.n && !st; i++) {
        st = ramus_options_check_output(w->o, s->output.items[i], "input", false, err);
        if (!st) st = ramus_output_open(&w->outputs[i], s->output.items[i], err);
    }
    if (!st) st = ramus_options_check_output(w->o, s->dropped, NULL, false, err);
    if (!st && s->dropped) st = ramus_output_open(&w->dropped, s->dropped, err);
    ramus_progress_start(&w->progress);
    while (!st && !w->ended) {
        st = read_chunk(w, err);
        if (!st) st = clean_chunk(w, err);
    }
    ramus_progress_end(&w->progress, (double)w->report.read);
    ramus_output *const all[] = {w->outputs[0], w->outputs[1], w->dropped};
    for (int i = 0; i < RAMUS_COUNT(all) && !st; i++)
        if (all[i]) st = ramus_output_commit(all[i], err);
    return st;
}

static void close_all(cleaning *w)
{
    ramus_output_close(w->outputs[0]);
    ramus_output_close(w->outputs[1]);
    ramus_output_close(w->dropped);
    ramus_pair_scorer_close(&w->scorer);
    ramus_pair_lines_close(w->lines);
    ramus_clean_destroy(w->clean);
    ramus_clean_report_free(&w->report);
    ramus_buffer_free(&w->text);
    ramus_buffer_free(&w->line);
}

/* How many of the files are standard input, or output. */
static int count_standard(const ramus_texts *files)
{
    int n = 0;
    for (int i = 0; i < files->n; i++)
        n += ramus_inputs_is_standard(files->items[i]);
    return n;
}

static ramus_status check(const ramus_options *o, const settings *s, ramus_error *err)
{
    if (o->n_arguments || s->input.n < 1 || s->input.n > 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected -i FILE FILE, or -i FILE.tsv");
    if (s->output.n > 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected -o FILE FILE, or -o FILE.tsv");
    const bool dropped = s->dropped && ramus_inputs_is_standard(s->dropped);
    if (count_standard(&s->input) > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "standard input cannot be both: expected a file for one of them");
    if (count_standard(&s->output) + dropped > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "standard output cannot be several: expected files for the others");
    if (!s->model && s->min_score > -1000)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--min-score needs a model: expected -m MODEL");
    return RAMUS_OK;
}

/* The report goes to standard output, unless pairs go there. */
static int print_report(const cleaning *w)
{
    const settings *s = w->s;
    const bool taken =
        count_standard(&s->output) > 0 || (s->dropped && ramus_inputs_is_standard(s->dropped));
    ramus_buffer out = {0};
    ramus_clean_report_print(&w->report, w->o->common.json, &out);
    if (!taken) return ramus_command_print(w->o->command, &out);
    if (!w->o->common.quiet && !out.failed) (void)fputs(out.data, stderr);
    ramus_buffer_free(&out);
    return RAMUS_EXIT_DONE;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_clean_spec rules = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Score", (ramus_settings){score_rows, RAMUS_COUNT(score_rows), &s});
    ramus_options_add_group(&o, "Rules", ramus_clean_settings(&rules));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (check(&o, &s, &err)) {
        code = ramus_command_misuse(command, &err);
        ramus_options_free(&o);
        return code;
    }
    ramus_stop_listen();
    cleaning *w = calloc(1, sizeof *w);
    if (!w) {
        (void)ramus_fail_memory(&err, "the text");
        code = ramus_command_fail(command, &err);
    } else {
        w->o = &o;
        w->s = &s;
        w->report.most_examples = s.examples;
        w->report.rng.seed = (uint64_t)o.common.seed;
        w->progress =
            (ramus_progress){.what = "cleaning", .unit = "pairs", .quiet = o.common.quiet};
        code = clean(w, &rules, &err) ? ramus_command_fail(command, &err) : print_report(w);
        close_all(w);
    }
    free(w);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_clean = {
    "clean",
    "drops the pairs of a parallel corpus that are not fit to train on",
    "-i (SOURCE TARGET | FILE.tsv) [-o (SOURCE TARGET | FILE.tsv)] [options]",
    "  ramus clean -i train.en train.de --from en --to de --examples 3   # only counts\n"
    "  ramus clean -i train.en train.de -o clean.en clean.de --from en --to de \\\n"
    "      --held-out dev.tsv test.en test.de --dropped dropped.tsv\n"
    "  xz -dc pairs.tsv.xz | ramus clean -i - -o clean.tsv.gz --max-words 50 --without numbers\n"
    "  ramus clean -i pairs.tsv -o clean.tsv -m en-de.gguf --min-score -4\n",
    .run = run,
};
