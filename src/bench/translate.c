/* All systems take turns in every round: the sentences, then their products alone. Medians of
 * times and of ratios go to the table. */
#include "bench/translate.h"

#include "bench/search.h"

#include "base/clock.h"
#include "convert/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPS 32

static const char *const types[] = {
    [RAMUS_EXPORT_F32] = "f32", [RAMUS_EXPORT_I8] = "int8", [RAMUS_EXPORT_I4] = "int4", NULL};
static const char *const word_types[] = {
    [RAMUS_EXPORT_WORDS_I8] = "int8", [RAMUS_EXPORT_WORDS_I4] = "int4", NULL};

// clang-format off
#define AT(field) offsetof(ramus_bench_translate, field)
static const ramus_setting rows[] = {
    {"model",         RAMUS_SETTING_LIST,   AT(models), "translate: files to measure in place of random weights (also -m)", NULL, 0, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"input",         RAMUS_SETTING_TEXT,   AT(input), "translate: with --model, a text whose first lines are translated, in place of random tokens (also -i)", NULL, 0, 0, ramus_setting_file, NULL},
    {"sentences",     RAMUS_SETTING_INT,    AT(sentences), "translate: lines of --input", "50", 1, 1000000, NULL, NULL},
    {"type",          RAMUS_SETTING_TEXT,   AT(types), "translate: type of random weights, f32, int8 or int4; several, separated by commas, are timed interleaved", "int8", 0, 0, NULL, NULL},
    {"embeddings",    RAMUS_SETTING_CHOICE, AT(words), "translate: type of random embeddings and softmax, unless f32", "int8", 0, 0, word_types, NULL},
    {"source-length", RAMUS_SETTING_INT,    AT(source_length), "translate: tokens of a random source sentence", "30", 1, 1024, NULL, NULL},
    {"target-length", RAMUS_SETTING_INT,    AT(target_length), "translate: tokens of its translation, exactly", "30", 1, 1024, NULL, NULL},
    {"beam",          RAMUS_SETTING_INT,    AT(beam), "translate: hypotheses of the search; 1: greedy", "4", 1, 64, NULL, NULL},
    {"batch",         RAMUS_SETTING_INT,    AT(batch), "translate: sentences that each of --threads translates together; 0: one after the other on one thread", "0", 0, RAMUS_BENCH_BATCH, NULL, NULL},
    {"ops",           RAMUS_SETTING_FLAG,   AT(ops), "translate: print the time of each kind of op as well", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_bench_translate_settings(ramus_bench_translate *bench)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), bench};
}

/* Seconds of each round, and ratios of that round: whole over products, and both over the first
 * system's. */
typedef struct {
    double *whole, *products, *over, *ratio, *product_ratio; // [runs]
    double *op, *op_products;                                // [nodes][2], [nodes]: of all runs
} times;

typedef struct {
    const char *name;
    double whole, products;
} op_time;

/* What is printed about a system. */
typedef struct {
    const char *name;
    double ms, products_ms, per_second, ratio, over, product_ratio;
    double bytes, bytes_ratio; // of a sentence, of the first system's
    double branches;
    double source_tokens, target_tokens; // of a sentence
    op_time ops[MAX_OPS];                // ms of a batch
    int n_ops;
} report;

static ramus_status times_create(times *t, const ramus_bench_search *s, int runs, ramus_error *err)
{
    const size_t n = (size_t)runs;
    const size_t nodes = (size_t)ramus_search_get_run(s->searches[0])->graph->n_nodes;
    t->whole = calloc(5 * n + 3 * nodes, sizeof *t->whole);
    if (!t->whole) return ramus_fail_memory(err, "a benchmark");
    t->products = t->whole + n;
    t->over = t->products + n;
    t->ratio = t->over + n;
    t->product_ratio = t->ratio + n;
    t->op = t->product_ratio + n;
    t->op_products = t->op + 2 * nodes;
    return RAMUS_OK;
}

/* One more run, with a look at the clock around each node. */
static ramus_status time_ops(ramus_bench_search *s, times *t, ramus_pool *pool, ramus_error *err)
{
    ramus_run *run = ramus_search_get_run(s->searches[0]);
    const ramus_probe probe = {.seconds = t->op};
    run->probe = &probe;
    const ramus_status st = ramus_bench_search_translate(s, pool, err);
    run->probe = NULL;
    for (int i = 0; i < s->n_batches && !st; i += s->threads)
        ramus_record_replay(&s->records[i], run->kernels, t->op_products);
    return st;
}

/* All systems in turn, round after round. */
static ramus_status time_rounds(ramus_bench_search *systems, times *t, int n,
                                const ramus_bench_translate *bench, ramus_pool *pool,
                                ramus_error *err)
{
    ramus_bench_clock *clock = bench->cpu ? ramus_clock_cpu : ramus_clock_now;
    ramus_status st = RAMUS_OK;
    for (int round = 0; round < bench->runs; round++)
        for (int i = 0; i < n && !st; i++) {
            const double start = clock();
            st = ramus_bench_search_translate(&systems[i], pool, err);
            const double middle = clock();
            ramus_bench_search_multiply(&systems[i], pool);
            const double end = clock();
            t[i].whole[round] = middle - start;
            t[i].products[round] = end - middle;
            t[i].over[round] = (middle - start) / (end - middle);
            t[i].ratio[round] = t[i].whole[round] / t[0].whole[round];
            t[i].product_ratio[round] = t[i].products[round] / t[0].products[round];
            if (!st && bench->ops) st = time_ops(&systems[i], &t[i], pool, err);
        }
    return st;
}

/* Adds up the nodes of each op, in the order in which they first run. */
static void sum_ops(report *r, const ramus_bench_search *s, const times *t, double ms)
{
    const ramus_graph *g = ramus_search_get_run(s->searches[0])->graph;
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        if (n->phase == RAMUS_WEIGHTS) continue;
        int at = 0;
        while (at < r->n_ops && strcmp(r->ops[at].name, n->op->name) != 0)
            at++;
        RAMUS_ASSERT(at < MAX_OPS);
        if (at == r->n_ops) r->ops[r->n_ops++] = (op_time){.name = n->op->name};
        r->ops[at].whole += t->op[2 * (size_t)i] * ms;
        r->ops[at].products += t->op_products[n->number] * ms;
    }
}

static report summarize(const ramus_bench_search *s, times *t, const ramus_bench_translate *bench)
{
    const int runs = bench->runs, in_turn = (s->n_batches + s->threads - 1) / s->threads;
    const double whole = ramus_bench_median(t->whole, runs);
    ramus_branch_count count = {0};
    double tokens = 0, bytes = 0, sources = 0;
    for (int i = 0; i < s->n_batches; i++) {
        const ramus_branch_count one = ramus_record_branches(&s->records[i]);
        count.sublayers += one.sublayers;
        count.branches += one.branches;
        bytes += ramus_record_bytes(&s->records[i]);
        tokens += s->tokens[i];
    }
    for (int i = 0; i < s->n_sentences; i++)
        sources += s->lengths[i];
    report r = {
        .name = s->is.name,
        .ms = whole / in_turn * 1000,
        .products_ms = ramus_bench_median(t->products, runs) / in_turn * 1000,
        .per_second = tokens / whole,
        .ratio = ramus_bench_median(t->ratio, runs),
        .over = ramus_bench_median(t->over, runs),
        .product_ratio = ramus_bench_median(t->product_ratio, runs),
        .bytes = bytes / s->n_sentences,
        .branches = count.sublayers > 0 ? count.branches / count.sublayers : 1,
        .source_tokens = sources / s->n_sentences,
        .target_tokens = tokens / s->n_sentences,
    };
    if (bench->ops) sum_ops(&r, s, t, 1000.0 / runs / in_turn);
    return r;
}

static void print_json(ramus_buffer *out, const report *r, const ramus_bench_translate *bench,
                       int threads)
{
    ramus_buffer_text(out, "{\"system\": ");
    ramus_buffer_json(out, r->name, strlen(r->name));
    ramus_buffer_print(
        out,
        ", \"median_ms\": %.4f, \"matvec_ms\": %.4f, \"tokens_per_second\": %.1f, "
        "\"ratio\": %.4f, \"bytes_per_sentence\": %.0f, \"distinct_branches\": %.4f, "
        "\"step_ratio\": %.4f, \"matvec_ratio\": %.4f, \"bytes_ratio\": %.4f, "
        "\"source_tokens\": %.2f, \"target_tokens\": %.2f, \"beam\": %d, "
        "\"batch\": %d, \"threads\": %d, \"runs\": %d, \"clock\": \"%s\"",
        r->ms, r->products_ms, r->per_second, r->ratio, r->bytes, r->branches, r->over,
        r->product_ratio, r->bytes_ratio, r->source_tokens, r->target_tokens, bench->beam,
        bench->batch, threads, bench->runs, bench->cpu ? "cpu" : "elapsed");
    for (int i = 0; i < r->n_ops; i++)
        ramus_buffer_print(out, "%s\"%s\": {\"ms\": %.4f, \"matvec_ms\": %.4f}",
                           i ? ", " : ", \"ops\": {", r->ops[i].name, r->ops[i].whole,
                           r->ops[i].products);
    ramus_buffer_text(out, r->n_ops ? "}}\n" : "}\n");
}

static void print_ops(ramus_buffer *out, const report *r)
{
    double sum = 0;
    ramus_buffer_print(out, "\n%-16s %10s %10s\n", r->name, "ms", "matvec ms");
    for (int i = 0; i < r->n_ops; i++) {
        ramus_buffer_print(out, "  %-14s %10.3f %10.3f\n", r->ops[i].name, r->ops[i].whole,
                           r->ops[i].products);
        sum += r->ops[i].whole;
    }
    ramus_buffer_print(out, "  %-14s %10.3f\n", "all of them", sum);
}

static void print_text(ramus_buffer *out, const report *r, int n)
{
    ramus_buffer_print(out, "%-16s %10s %10s %12s %10s %8s %8s %9s %8s %8s\n", "system",
                       "median ms", "matvec ms", "ms/matvec ms", "tokens/s", "ratio", "matvec",
                       "MB/sent.", "bytes", "branches");
    for (int i = 0; i < n; i++)
        ramus_buffer_print(out, "%-16s %10.3f %10.3f %12.3f %10.0f %8.3f %8.3f %9.2f %8.3f %8.3f\n",
                           r[i].name, r[i].ms, r[i].products_ms, r[i].over, r[i].per_second,
                           r[i].ratio, r[i].product_ratio, r[i].bytes / 1e6, r[i].bytes_ratio,
                           r[i].branches);
    for (int i = 0; i < n; i++)
        if (r[i].n_ops) print_ops(out, &r[i]);
}

static ramus_status check_options(const ramus_bench_translate *bench, const ramus_bench_how *how,
                                  ramus_error *err)
{
    if (bench->input && !bench->models.n)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--input is given without --model: text needs a model's vocabulary");
    if (bench->models.n && bench->compare)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both --compare and --model are given: expected one of them");
    if (bench->models.n > RAMUS_BENCH_SYSTEMS)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d models are given, expected at most %d",
                          bench->models.n, RAMUS_BENCH_SYSTEMS);
    if (!bench->batch && how->threads > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "threads is %d without --batch: one sentence has one thread",
                          how->threads);
    return RAMUS_OK;
}

static ramus_status measure(ramus_bench_search *systems, times *t, int n,
                            const ramus_bench_translate *bench, const ramus_bench_how *how,
                            ramus_error *err)
{
    ramus_pool *pool = NULL;
    const int given = how->threads ? how->threads : ramus_cores_available();
    ramus_status st = ramus_pool_create(&pool, bench->batch ? given : 1, err);
    for (int i = 0; i < n && !st; i++) {
        const char *path = bench->models.n ? bench->models.items[i] : NULL;
        st = ramus_bench_search_init(&systems[i], bench, path, how->seed, pool, err);
        if (!st) st = times_create(&t[i], &systems[i], bench->runs, err);
    }
    if (!st) st = time_rounds(systems, t, n, bench, pool, err);
    ramus_pool_destroy(pool);
    return st;
}

static void print(ramus_buffer *out, const ramus_bench_search *systems, times *t, int n,
                  const ramus_bench_translate *bench, bool json)
{
    report r[RAMUS_BENCH_SYSTEMS];
    for (int i = 0; i < n; i++) {
        r[i] = summarize(&systems[i], &t[i], bench);
        r[i].bytes_ratio = r[i].bytes / r[0].bytes;
        if (json) print_json(out, &r[i], bench, systems[i].threads);
    }
    if (!json) print_text(out, r, n);
}

/* Each of the systems with each of the types. */
static ramus_status add_types(ramus_bench_search *systems, int *n, const ramus_bench_system *named,
                              const ramus_bench_translate *bench, ramus_error *err)
{
    const int n_named = *n;
    const bool several = strchr(bench->types, ',') != NULL;
    *n = 0;
    for (const char *at = bench->types; at;) {
        const size_t size = strcspn(at, ",");
        int type = 0;
        while (types[type] && (strlen(types[type]) != size || memcmp(types[type], at, size) != 0))
            type++;
        if (!types[type])
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "type has '%.*s', expected f32, int8 or int4", (int)size, at);
        for (int i = 0; i < n_named; i++) {
            if (*n == RAMUS_BENCH_SYSTEMS)
                return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                                  "compare and type name more than %d systems",
                                  RAMUS_BENCH_SYSTEMS);
            ramus_bench_search *s = &systems[(*n)++];
            s->is = named[i];
            s->dtypes =
                ramus_export_dtypes((ramus_export_type)type, (ramus_export_words)bench->words);
            const size_t used = strlen(s->is.name);
            if (several)
                (void)snprintf(s->is.name + used, sizeof s->is.name - used, " %s", types[type]);
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    return RAMUS_OK;
}

/* The systems that are compared, without models yet. */
static ramus_status name_systems(ramus_bench_search *systems, int *n,
                                 const ramus_bench_translate *bench, ramus_error *err)
{
    ramus_bench_system named[RAMUS_BENCH_SYSTEMS] = {0};
    *n = bench->models.n;
    if (*n) return RAMUS_OK;
    const ramus_status st = ramus_bench_systems(named, n, &bench->arch, bench->compare, err);
    return st ? st : add_types(systems, n, named, bench, err);
}

ramus_status ramus_bench_translate_check(const ramus_bench_translate *bench,
                                         const ramus_bench_how *how, ramus_error *err)
{
    ramus_bench_search systems[RAMUS_BENCH_SYSTEMS] = {0};
    int n = 0;
    const ramus_status st = check_options(bench, how, err);
    return st ? st : name_systems(systems, &n, bench, err);
}

ramus_status ramus_bench_translate_run(ramus_buffer *out, const ramus_bench_translate *bench,
                                       const ramus_bench_how *how, ramus_error *err)
{
    ramus_bench_search systems[RAMUS_BENCH_SYSTEMS] = {0};
    times t[RAMUS_BENCH_SYSTEMS] = {0};
    int n = 0;
    ramus_status st = name_systems(systems, &n, bench, err);
    if (!st) st = measure(systems, t, n, bench, how, err);
    if (!st) {
        print(out, systems, t, n, bench, how->json);
        st = ramus_buffer_check(out, err);
    }
    for (int i = 0; i < n; i++) {
        free(t[i].whole);
        ramus_bench_search_free(&systems[i]);
    }
    return st;
}
