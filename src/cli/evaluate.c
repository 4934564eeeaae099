/* `ramus evaluate`: one pass over the lines of all files feeds every metric of every system.
 * Then the bootstrap compares systems, and the table or the JSON document is printed. */
#include "cli/inputs.h"
#include "cli/progress.h"

#include "base/list.h"
#include "eval/bleu.h"
#include "eval/buckets.h"
#include "eval/chrf.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SYSTEMS 64
#define MAX_REFS    16
#define BUCKETS     (RAMUS_BUCKET_EDGES + 1)

typedef struct {
    ramus_texts refs;
    const char *metrics, *source;
    int tokenization, source_tokenization, smoothing, resamples;
    bool lowercase, sentences;
} settings;

static const char *const smoothings[] = {"exp", "none", "floor", "add-k", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"ref",             RAMUS_SETTING_LIST,   AT(refs), "the reference; again for each further one", NULL, 1, 1, ramus_setting_file, NULL},
    {"tokenize",        RAMUS_SETTING_CHOICE, AT(tokenization), "how BLEU cuts words", "13a", 0, 0, ramus_tokenization_names, NULL},
    {"lowercase",       RAMUS_SETTING_FLAG,   AT(lowercase), "ignore case", NULL, 0, 0, NULL, NULL},
    {"metrics",         RAMUS_SETTING_TEXT,   AT(metrics), "which scores, separated by commas", "bleu,chrf,chrf++", 0, 0, NULL, NULL},
    {"smooth",          RAMUS_SETTING_CHOICE, AT(smoothing), "what stands for a BLEU precision of zero", "exp", 0, 0, smoothings, NULL},
    {"sentences",       RAMUS_SETTING_FLAG,   AT(sentences), "print the scores of each line, not of the corpus", NULL, 0, 0, NULL, NULL},
    {"source",          RAMUS_SETTING_TEXT,   AT(source), "the source text: adds scores by source length", NULL, 0, 0, ramus_setting_file, NULL},
    {"source-tokenize", RAMUS_SETTING_CHOICE, AT(source_tokenization), "how source words are counted", "none", 0, 0, ramus_tokenization_names, NULL},
    {"resamples",       RAMUS_SETTING_INT,    AT(resamples), "resamples of the paired bootstrap between several systems", "1000", 1, 10000000, NULL, NULL},
};
#undef AT
// clang-format on

typedef enum { BLEU, CHRF, CHRF_WORDS, METRICS } metric;
static const char *const metric_keys[METRICS] = {"bleu", "chrf", "chrf++"};
static const char *const metric_names[METRICS] = {"BLEU", "chrF2", "chrF2++"};

/* One file of translations with what has been counted of it. */
typedef struct {
    const char *path;
    ramus_lines *lines;
    ramus_bleu *bleu;
    ramus_chrf *chrf[METRICS]; // CHRF and CHRF_WORDS
    ramus_comparison compared[METRICS];
    ramus_bucket buckets[METRICS][BUCKETS]; // where there is a source
} system_scores;

typedef struct {
    const settings *s;
    const ramus_options *o;
    bool wanted[METRICS];
    int first; // metric: the one whose p-value stands for the system
    system_scores systems[MAX_SYSTEMS];
    int n_systems, n_lines;
    ramus_lines *refs[MAX_REFS], *source;
    ramus_words *words; // of the source
    int *lengths;
    size_t room;
    ramus_bootstrap test;
    ramus_progress progress;
} evaluation;

static ramus_status choose_metrics(evaluation *e, ramus_error *err)
{
    for (const char *at = e->s->metrics; *at;) {
        const size_t size = strcspn(at, ",");
        int m = 0;
        while (m < METRICS &&
               (strlen(metric_keys[m]) != size || memcmp(metric_keys[m], at, size) != 0))
            m++;
        if (m == METRICS)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "unknown metric '%.*s', expected bleu, chrf or chrf++", (int)size,
                              at);
        e->wanted[m] = true;
        at += size + (at[size] == ',');
    }
    while (e->first < METRICS && !e->wanted[e->first])
        e->first++;
    return e->first < METRICS ? RAMUS_OK : ramus_fail(err, RAMUS_BAD_ARGUMENT, "no metric given");
}

static ramus_status open_system(evaluation *e, system_scores *sys, const char *path,
                                ramus_error *err)
{
    const ramus_bleu_options bleu = {
        .tokenization = ramus_tokenization_at(e->s->tokenization),
        .smoothing = (ramus_smoothing)e->s->smoothing,
        .lowercase = e->s->lowercase,
    };
    sys->path = path;
    ramus_status st = ramus_lines_open(&sys->lines, path, err);
    if (!st && e->wanted[BLEU]) st = ramus_bleu_create(&sys->bleu, &bleu, err);
    for (int m = CHRF; m < METRICS && !st; m++) {
        const ramus_chrf_options chrf = {.word_order = m == CHRF ? 0 : 2,
                                         .lowercase = e->s->lowercase};
        if (e->wanted[m]) st = ramus_chrf_create(&sys->chrf[m], &chrf, err);
    }
    return st;
}

static ramus_status open_all(evaluation *e, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < e->s->refs.n && !st; i++)
        st = ramus_lines_open(&e->refs[i], e->s->refs.items[i], err);
    for (; e->n_systems < e->o->n_arguments && !st; e->n_systems++)
        st = open_system(e, &e->systems[e->n_systems], e->o->arguments[e->n_systems], err);
    if (!st && !e->n_systems) {
        ramus_command_note_waiting(e->o);
        st = open_system(e, &e->systems[e->n_systems++], "-", err);
    }
    if (!st && e->s->source) st = ramus_lines_open(&e->source, e->s->source, err);
    if (!st && e->s->source)
        st = ramus_words_create(&e->words, ramus_tokenization_at(e->s->source_tokenization), false,
                                err);
    return st;
}

/* Reads a line. A file with fewer or more lines than the first reference is an error. */
static ramus_status read_line(const evaluation *e, ramus_lines *from, const char *path,
                              bool expected, ramus_line *out, ramus_error *err)
{
    char *line = NULL;
    size_t size = 0;
    ramus_status st = ramus_lines_next(from, &line, &size, err);
    if (st) return st;
    *out = (ramus_line){line, size};
    if ((line != NULL) == expected) return RAMUS_OK;
    long own = e->n_lines, refs = own; // the longer one has that one, and what comes behind it
    st = ramus_lines_count(expected ? e->refs[0] : from, expected ? &refs : &own, err);
    if (st) return st;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s has %ld lines and %s has %ld: files must match line by line", path,
                      own + !expected, e->s->refs.items[0], refs + expected);
}

static ramus_status note_length(evaluation *e, ramus_line line, ramus_error *err)
{
    ramus_words_clear(e->words);
    ramus_status st = ramus_words_add(e->words, line, err);
    if (!st)
        st = RAMUS_LIST_RESERVE(e->lengths, e->room, (size_t)e->n_lines + 1, "source lengths", err);
    if (!st) e->lengths[e->n_lines] = ramus_words_count(e->words);
    return st;
}

static ramus_status add_line(system_scores *sys, ramus_line line, const ramus_line *refs,
                             int n_refs, ramus_error *err)
{
    ramus_status st = sys->bleu ? ramus_bleu_add(sys->bleu, line, refs, n_refs, err) : RAMUS_OK;
    for (int m = CHRF; m < METRICS && !st; m++)
        if (sys->chrf[m]) st = ramus_chrf_add(sys->chrf[m], line, refs, n_refs, err);
    return st;
}

static ramus_status read_all(evaluation *e, ramus_error *err)
{
    const settings *s = e->s;
    e->progress = (ramus_progress){.what = "scoring", .unit = "lines", .quiet = e->o->common.quiet};
    ramus_progress_start(&e->progress);
    for (;; e->n_lines++) {
        ramus_line refs[MAX_REFS], line;
        char *first = NULL;
        size_t size = 0;
        ramus_status st = ramus_lines_next(e->refs[0], &first, &size, err);
        const bool more = first != NULL;
        refs[0] = (ramus_line){first, size};
        for (int i = 1; i < s->refs.n && !st; i++)
            st = read_line(e, e->refs[i], s->refs.items[i], more, &refs[i], err);
        for (int i = 0; i < e->n_systems && !st; i++) {
            st = read_line(e, e->systems[i].lines, e->systems[i].path, more, &line, err);
            if (!st && more) st = add_line(&e->systems[i], line, refs, s->refs.n, err);
        }
        if (!st && e->source) st = read_line(e, e->source, s->source, more, &line, err);
        if (!st && e->source && more) st = note_length(e, line, err);
        if (st) return st;
        if (!more) break;
        ramus_progress_update(&e->progress, e->n_lines);
    }
    ramus_progress_end(&e->progress, e->n_lines);
    return e->n_lines ? RAMUS_OK
                      : ramus_fail(err, RAMUS_BAD_FORMAT, "%s has no lines", s->refs.items[0]);
}

static const ramus_stats *stats_of(const system_scores *sys, int m)
{
    return m == BLEU ? ramus_bleu_stats(sys->bleu) : ramus_chrf_stats(sys->chrf[m]);
}

static void show_resamples(void *arg, int done, int n)
{
    ramus_progress *p = arg;
    p->total = n;
    ramus_progress_update(p, done);
}

static ramus_status compare_metric(evaluation *e, int m, ramus_error *err)
{
    const ramus_stats *stats[MAX_SYSTEMS];
    ramus_comparison compared[MAX_SYSTEMS];
    for (int i = 0; i < e->n_systems; i++)
        stats[i] = stats_of(&e->systems[i], m);
    ramus_progress_start(&e->progress);
    const ramus_status st = ramus_bootstrap_compare(compared, stats, e->n_systems, &e->test, err);
    ramus_progress_end(&e->progress, e->s->resamples);
    for (int i = 0; i < e->n_systems && !st; i++)
        e->systems[i].compared[m] = compared[i];
    return st;
}

static ramus_status score_by_length(evaluation *e, int m, ramus_error *err)
{
    const ramus_stats *stats[MAX_SYSTEMS];
    ramus_bucket buckets[MAX_SYSTEMS][BUCKETS];
    ramus_bootstrap test = e->test;
    test.progress = NULL;
    for (int i = 0; i < e->n_systems; i++)
        stats[i] = stats_of(&e->systems[i], m);
    const ramus_status st = ramus_buckets_score(buckets[0], ramus_bucket_edges, RAMUS_BUCKET_EDGES,
                                                stats, e->n_systems, e->lengths, &test, err);
    for (int i = 0; i < e->n_systems && !st; i++)
        memcpy(e->systems[i].buckets[m], buckets[i], sizeof buckets[i]);
    return st;
}

/* What several systems differ in, and all of them by length. */
static ramus_status compare(evaluation *e, ramus_error *err)
{
    ramus_pool *pool = NULL;
    const int threads = e->o->common.threads ? e->o->common.threads : ramus_cores_available();
    ramus_status st = ramus_pool_create(&pool, threads, err);
    e->progress =
        (ramus_progress){.what = "bootstrap", .unit = "resamples", .quiet = e->o->common.quiet};
    e->test = (ramus_bootstrap){.n_resamples = e->s->resamples,
                                .seed = (uint64_t)e->o->common.seed,
                                .pool = pool,
                                .progress = show_resamples,
                                .arg = &e->progress};
    for (int m = 0; m < METRICS && !st; m++) {
        if (!e->wanted[m]) continue;
        if (e->n_systems > 1) st = compare_metric(e, m, err);
        if (!st && e->lengths) st = score_by_length(e, m, err);
    }
    e->test.pool = NULL;
    ramus_pool_destroy(pool);
    return st;
}

static double score_of(const system_scores *sys, int m)
{
    return m == BLEU ? ramus_bleu_corpus(sys->bleu).score : ramus_chrf_corpus(sys->chrf[m]);
}

static void signature_of(char out[RAMUS_SIGNATURE_SIZE], const evaluation *e, int m)
{
    const ramus_bootstrap *test = e->n_systems > 1 ? &e->test : NULL;
    if (m == BLEU)
        ramus_bleu_signature(out, e->systems[0].bleu, test);
    else
        ramus_chrf_signature(out, e->systems[0].chrf[m], test);
}

static void json_bleu(ramus_buffer *out, const ramus_bleu_score *b)
{
    ramus_buffer_print(
        out, "\"score\": %.10g, \"precisions\": [%.10g, %.10g, %.10g, %.10g], \"bp\": %.10g, ",
        b->score, b->precisions[0], b->precisions[1], b->precisions[2], b->precisions[3], b->bp);
    ramus_buffer_print(out, "\"sys_len\": %lld, \"ref_len\": %lld, ", (long long)b->sys_len,
                       (long long)b->ref_len);
    ramus_buffer_print(out, "\"counts\": [%lld, %lld, %lld, %lld], ", (long long)b->counts[0],
                       (long long)b->counts[1], (long long)b->counts[2], (long long)b->counts[3]);
    ramus_buffer_print(out, "\"totals\": [%lld, %lld, %lld, %lld]", (long long)b->totals[0],
                       (long long)b->totals[1], (long long)b->totals[2], (long long)b->totals[3]);
}

static void json_p(ramus_buffer *out, double p)
{
    if (isnan(p))
        ramus_buffer_text(out, ", \"p_value\": null");
    else
        ramus_buffer_print(out, ", \"p_value\": %.10g", p);
}

static void json_buckets(ramus_buffer *out, const evaluation *e, const ramus_bucket *buckets)
{
    ramus_buffer_text(out, ", \"by_source_length\": [");
    for (int i = 0; i < BUCKETS; i++) {
        const ramus_bucket *b = &buckets[i];
        ramus_buffer_print(out, "%s{\"from\": %d, ", i ? ", " : "", b->from);
        if (b->to < INT_MAX) ramus_buffer_print(out, "\"to\": %d, ", b->to - 1);
        ramus_buffer_print(out, "\"lines\": %d, \"score\": %.10g", b->n_lines, b->score);
        if (e->n_systems > 1) json_p(out, b->p_value);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]");
}

static void print_json(ramus_buffer *out, const evaluation *e)
{
    ramus_buffer_print(out, "{\"lines\": %d, \"systems\": [", e->n_lines);
    for (int i = 0; i < e->n_systems; i++) {
        const system_scores *sys = &e->systems[i];
        ramus_buffer_text(out, i ? ", {\"file\": " : "{\"file\": ");
        ramus_buffer_json(out, sys->path, strlen(sys->path));
        for (int m = 0; m < METRICS; m++) {
            char signature[RAMUS_SIGNATURE_SIZE];
            if (!e->wanted[m]) continue;
            ramus_buffer_print(out, ", \"%s\": {", metric_keys[m]);
            if (m == BLEU) {
                const ramus_bleu_score bleu = ramus_bleu_corpus(sys->bleu);
                json_bleu(out, &bleu);
            } else {
                ramus_buffer_print(out, "\"score\": %.10g", score_of(sys, m));
            }
            signature_of(signature, e, m);
            ramus_buffer_text(out, ", \"signature\": ");
            ramus_buffer_json(out, signature, strlen(signature));
            if (e->n_systems > 1) {
                ramus_buffer_print(out, ", \"mean\": %.10g, \"ci\": %.10g", sys->compared[m].mean,
                                   sys->compared[m].ci);
                json_p(out, sys->compared[m].p_value);
            }
            if (e->lengths) json_buckets(out, e, sys->buckets[m]);
            ramus_buffer_text(out, "}");
        }
        if (e->n_systems > 1) json_p(out, sys->compared[e->first].p_value);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]}\n");
}

/* One cell: the score and, with several systems, its interval and p. */
static void text_cell(ramus_buffer *out, const evaluation *e, const system_scores *sys, int m)
{
    const ramus_comparison *c = &sys->compared[m];
    ramus_buffer_print(out, "  %7.2f", score_of(sys, m));
    if (e->n_systems < 2) return;
    ramus_buffer_print(out, " +- %5.2f", c->ci);
    if (isnan(c->p_value))
        ramus_buffer_text(out, "  baseline ");
    else
        ramus_buffer_print(out, "  p %.4f%s", c->p_value, c->p_value < 0.05 ? "*" : " ");
}

/* A line: of each bucket its first length, the score and, in brackets, its lines and p. */
static void text_buckets(ramus_buffer *out, const system_scores *sys, int m)
{
    ramus_buffer_print(out, "%s of %s by source length:", metric_names[m], sys->path);
    for (int i = 0; i < BUCKETS; i++) {
        const ramus_bucket *b = &sys->buckets[m][i];
        if (b->n_lines == 0) continue;
        ramus_buffer_print(out, "  %d%s: %.2f (%d", b->from, b->to < INT_MAX ? "-" : "+", b->score,
                           b->n_lines);
        if (!isnan(b->p_value))
            ramus_buffer_print(out, ", p %.4f%s", b->p_value, b->p_value < 0.05 ? "*" : "");
        ramus_buffer_text(out, ")");
    }
    ramus_buffer_text(out, "\n");
}

static int widest_path(const evaluation *e)
{
    size_t most = 6;
    for (int i = 0; i < e->n_systems; i++)
        if (strlen(e->systems[i].path) > most) most = strlen(e->systems[i].path);
    return most < 60 ? (int)most : 60;
}

static void print_text(ramus_buffer *out, const evaluation *e)
{
    const int width = widest_path(e), cell = e->n_systems > 1 ? 29 : 9;
    ramus_buffer_print(out, "%-*s", width, "system");
    for (int m = 0; m < METRICS; m++)
        if (e->wanted[m]) ramus_buffer_print(out, "  %7s%*s", metric_names[m], cell - 9, "");
    ramus_buffer_text(out, "\n");
    for (int i = 0; i < e->n_systems; i++) {
        ramus_buffer_print(out, "%-*s", width, e->systems[i].path);
        for (int m = 0; m < METRICS; m++)
            if (e->wanted[m]) text_cell(out, e, &e->systems[i], m);
        ramus_buffer_text(out, "\n");
    }
    for (int m = 0; m < METRICS && e->lengths; m++)
        for (int i = 0; i < e->n_systems && e->wanted[m]; i++)
            text_buckets(out, &e->systems[i], m);
    for (int m = 0; m < METRICS; m++) {
        char signature[RAMUS_SIGNATURE_SIZE];
        if (!e->wanted[m]) continue;
        signature_of(signature, e, m);
        ramus_buffer_print(out, "%s signature: %s\n", metric_names[m], signature);
    }
}

/* A line of scores for each line of the text: of each system, each metric. */
static void print_sentences(ramus_buffer *out, const evaluation *e)
{
    for (int line = 0; line < e->n_lines; line++) {
        const char *tab = "";
        for (int i = 0; i < e->n_systems; i++)
            for (int m = 0; m < METRICS; m++) {
                if (!e->wanted[m]) continue;
                const system_scores *sys = &e->systems[i];
                const double score = m == BLEU ? ramus_bleu_sentence(sys->bleu, line).score
                                               : ramus_chrf_sentence(sys->chrf[m], line);
                ramus_buffer_print(out, "%s%.4f", tab, score);
                tab = "\t";
            }
        ramus_buffer_text(out, "\n");
    }
}

static void close_all(evaluation *e)
{
    for (int i = 0; i < MAX_SYSTEMS; i++) {
        ramus_lines_close(e->systems[i].lines);
        ramus_bleu_destroy(e->systems[i].bleu);
        for (int m = CHRF; m < METRICS; m++)
            ramus_chrf_destroy(e->systems[i].chrf[m]);
    }
    for (int i = 0; i < MAX_REFS; i++)
        ramus_lines_close(e->refs[i]);
    ramus_lines_close(e->source);
    ramus_words_destroy(e->words);
    free(e->lengths);
}

/* It can be read once. */
static ramus_status check_standard_input(const evaluation *e, ramus_error *err)
{
    int n = (e->o->n_arguments == 0) + ramus_inputs_is_standard(e->s->source);
    for (int i = 0; i < e->o->n_arguments; i++)
        n += ramus_inputs_is_standard(e->o->arguments[i]);
    for (int i = 0; i < e->s->refs.n; i++)
        n += ramus_inputs_is_standard(e->s->refs.items[i]);
    if (n < 2) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "standard input is asked for %d times: expected once at most", n);
}

static ramus_status check_usage(evaluation *e, ramus_error *err)
{
    if (e->s->refs.n == 0) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected --ref REFERENCE");
    if (e->s->refs.n > MAX_REFS || e->o->n_arguments > MAX_SYSTEMS)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%d references and %d systems, at most %d and %d can be given",
                          e->s->refs.n, e->o->n_arguments, MAX_REFS, MAX_SYSTEMS);
    const ramus_status st = check_standard_input(e, err);
    return st ? st : choose_metrics(e, err);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    ramus_buffer out = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;

    evaluation e = {.s = &s, .o = &o};
    if (check_usage(&e, &err)) {
        code = ramus_command_misuse(command, &err);
    } else {
        ramus_status st = open_all(&e, &err);
        if (!st) st = read_all(&e, &err);
        if (!st && !s.sentences && (e.n_systems > 1 || e.lengths)) st = compare(&e, &err);
        if (!st)
            (s.sentences ? print_sentences : o.common.json ? print_json : print_text)(&out, &e);
        code = st ? ramus_command_fail(command, &err) : ramus_command_print(command, &out);
    }
    close_all(&e);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_evaluate = {
    "evaluate",
    "BLEU, chrF2 and chrF2++ of translations; several systems: paired bootstrap",
    "--ref REFERENCE [--ref REFERENCE2] [TRANSLATION...]",
    "  ramus evaluate --ref test.de output.de\n"
    "  ramus translate -i test.en | ramus evaluate --ref test.de\n"
    "  ramus evaluate --ref test.de baseline.de better.de --source test.en\n"
    "  ramus evaluate --ref test.tok --tokenize none --lowercase --metrics bleu output.tok "
    "--json\n",
    .run = run,
};
