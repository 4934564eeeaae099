/* All systems take turns in every round: an update, then its products alone. Medians go to the
 * table, sums per node to the list of ops. */
#include "bench/train.h"

#include "bench/systems.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/rng.h"
#include "grad/grad.h"
#include "train/exchange.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_OPS    32
#define MAX_LENGTH 120
#define RATE       1e-4

/* Where the time of an update goes: seconds of all runs. */
typedef struct {
    const char *name;
    double forward, backward, products; // products: of both, alone
} op_time;

/* One model that is timed, with one random batch. */
typedef struct {
    ramus_bench_system is;
    ramus_learner *learner;
    ramus_exchange *exchange;
    ramus_optimizer *optimizer;
    ramus_update update;
    double *step, *gemm;        // [runs] seconds
    double *over, *ratio;       // [runs] step / gemm, step / the first system's of that round
    double *talk;               // [runs] share of the step that went into communication
    double *seconds, *products; // [nodes][2]
    double optimizing;          // seconds of all runs: norm and update
    size_t bytes;               // of activations, gradients, weights and moments
} system_run;

/* Random sentence pairs that fill an update: a micro-batch for each rank. */
typedef struct {
    ramus_pair *pairs;
    int *ids;
    ramus_batch all, *batches;
    int n_batches, max_tokens, max_length;
} text;

static int bounded(double x, int least, int most)
{
    return x < least ? least : x > most ? most : (int)x;
}

/* Lengths like those of real sentences: log-normal, 28 on average, source and target nearly equal.
 */
static void draw_lengths(text *t, int tokens, const ramus_rng *rng)
{
    ramus_batch *b = &t->all;
    for (int i = 0; b->target_tokens < tokens; i++) {
        const double target = 25 * exp(0.5 * ramus_rng_normal(rng, 2 * (uint64_t)i));
        const int length = bounded(target, 2, MAX_LENGTH);
        const double factor = exp(0.2 * ramus_rng_normal(rng, 2 * (uint64_t)i + 1));
        ramus_pair *p = &t->pairs[b->n++];
        p->target_length = bounded(length, 1, tokens - b->target_tokens);
        p->source_length = bounded(p->target_length * factor, 1, MAX_LENGTH);
        b->target_tokens += p->target_length;
        b->source_tokens += p->source_length;
        if (p->target_length > t->max_length) t->max_length = p->target_length;
        if (p->source_length > t->max_length) t->max_length = p->source_length;
    }
}

/* Frequent tokens have small ids: the frequency of token i is about 1 / i. */
static void draw_words(int *ids, int n, int words, const ramus_rng *rng, uint64_t first)
{
    for (int i = 0; i < n; i++)
        ids[i] = bounded(pow(words, ramus_rng_uniform(rng, first + (uint64_t)i)) - 1, 0, words - 1);
}

/* Cuts the pairs into pieces of nearly equal target tokens, at most one for each rank. */
static void cut_text(text *t, int ranks)
{
    int64_t sum = 0;
    for (int i = 0; i < t->all.n; i++) {
        const int64_t end = (int64_t)t->all.target_tokens * t->n_batches / ranks;
        if (sum >= end) t->batches[t->n_batches++] = (ramus_batch){.pairs = t->pairs + i};
        ramus_batch *b = &t->batches[t->n_batches - 1];
        b->n++;
        b->source_tokens += t->pairs[i].source_length;
        b->target_tokens += t->pairs[i].target_length;
        sum += t->pairs[i].target_length;
        if (b->source_tokens > t->max_tokens) t->max_tokens = b->source_tokens;
        if (b->target_tokens > t->max_tokens) t->max_tokens = b->target_tokens;
    }
}

static ramus_status draw_text(text *t, const ramus_bench_train *bench, uint64_t seed, int ranks,
                              ramus_error *err)
{
    const size_t tokens = (size_t)bench->tokens;
    const ramus_rng rng = {.seed = seed, .op = 1}, words = {.seed = seed, .op = 2};
    t->pairs = calloc(tokens, sizeof *t->pairs);
    t->ids = calloc(tokens + tokens * MAX_LENGTH, sizeof *t->ids);
    t->batches = calloc((size_t)ranks, sizeof *t->batches);
    if (!t->pairs || !t->ids || !t->batches) return ramus_fail_memory(err, "a benchmark");
    draw_lengths(t, bench->tokens, &rng);
    int *at = t->ids;
    for (int i = 0; i < t->all.n; i++) {
        ramus_pair *p = &t->pairs[i];
        const uint64_t first = (uint64_t)(at - t->ids);
        p->source = at;
        draw_words(at, p->source_length, bench->arch.source_vocab, &words, first);
        at += p->source_length;
        p->target = at;
        draw_words(at, p->target_length, bench->arch.target_vocab, &words, first + MAX_LENGTH);
        at += p->target_length;
    }
    cut_text(t, ranks);
    return RAMUS_OK;
}

static size_t bytes_of(const system_run *s)
{
    size_t numbers = s->learner->weights->size + s->learner->grads->size;
    const ramus_optimizer_state *state = ramus_optimizer_remembers(s->optimizer);
    const ramus_weights *kept[] = {state->first, state->second, state->average};
    for (int i = 0; i < RAMUS_COUNT(kept); i++)
        if (kept[i]) numbers += kept[i]->size;
    return ramus_arena_mark(s->learner->run->memory) + numbers * sizeof(ramus_real);
}

/* Who computes, and with what random numbers. */
typedef struct {
    ramus_pool *pool;
    ramus_comm *comm;
    uint64_t seed;
} crew;

static ramus_status system_create(system_run *s, const ramus_bench_train *bench, const text *t,
                                  const crew *c, ramus_error *err)
{
    const ramus_learner_spec spec = {.arch = &s->is.arch,
                                     .objective = &bench->objective,
                                     .tokens = t->max_tokens,
                                     .max_length = t->max_length,
                                     .seed = c->seed,
                                     .pool = c->pool};
    ramus_optimizer_options options = {0};
    const ramus_settings table = ramus_optimizer_settings(&options);
    ramus_settings_default(&table);
    options.products = bench->objective.products;
    ramus_status st = ramus_learner_create(&s->learner, &spec, err);
    if (!st)
        st = ramus_exchange_create(&s->exchange, c->comm, s->learner,
                                   (size_t)(bench->bucket_mb * 1e6), err);
    if (!st)
        st = ramus_optimizer_create(&s->optimizer, &options, s->learner->weights, c->pool, err);
    if (st) return st;
    const size_t runs = (size_t)bench->runs, nodes = (size_t)s->learner->graph->n_nodes;
    s->step = calloc(5 * runs + 4 * nodes, sizeof *s->step);
    if (!s->step) return ramus_fail_memory(err, "a benchmark");
    s->gemm = s->step + runs;
    s->over = s->gemm + runs;
    s->ratio = s->over + runs;
    s->talk = s->ratio + runs;
    s->seconds = s->talk + runs;
    s->products = s->seconds + 2 * nodes;
    s->update =
        (ramus_update){t->batches, t->n_batches, t->all.source_tokens, t->all.target_tokens};
    s->bytes = bytes_of(s);
    return RAMUS_OK;
}

static void system_destroy(system_run *s)
{
    ramus_optimizer_destroy(s->optimizer);
    ramus_exchange_destroy(s->exchange);
    ramus_learner_destroy(s->learner);
    free(s->step);
}

/* One update. Returns its seconds. */
static double time_step(system_run *s, int number, ramus_bench_clock *clock)
{
    ramus_learner *l = s->learner;
    const double start = clock();
    ramus_exchange_learn(s->exchange, &s->update, number);
    const double middle = ramus_clock_now();
    const double norm = ramus_optimizer_norm(s->optimizer, l->grads);
    (void)ramus_optimizer_step(s->optimizer, l->weights, l->grads, RATE, norm);
    if (l->run->probe) s->optimizing += ramus_clock_now() - middle;
    return clock() - start;
}

/* The products of the last update again, alone. Returns their seconds. */
static double time_products(system_run *s, ramus_bench_clock *clock)
{
    ramus_learner *l = s->learner;
    const double start = clock();
    ramus_grad_products(l->run);
    const double seconds = clock() - start;
    memset(l->grads->data, 0, l->grads->size * sizeof *l->grads->data);
    return seconds;
}

/* All systems in turn, round after round; the first round warms up. */
static void time_rounds(system_run *systems, int n, int runs, ramus_bench_clock *clock,
                        ramus_comm *comm)
{
    for (int round = -1; round < runs; round++)
        for (int i = 0; i < n; i++) {
            system_run *s = &systems[i];
            const ramus_probe step_probe = {.seconds = s->seconds},
                              product_probe = {.seconds = s->products};
            s->learner->run->probe = round < 0 ? NULL : &step_probe;
            (void)ramus_comm_max(comm, 0); // all begin together
            const double start = ramus_clock_now(), talk = ramus_comm_seconds(comm);
            const double step = time_step(s, round + 2, clock);
            const double share = (ramus_comm_seconds(comm) - talk) / (ramus_clock_now() - start);
            s->learner->run->probe = round < 0 ? NULL : &product_probe;
            const double gemm = time_products(s, clock);
            s->learner->run->probe = NULL;
            if (round < 0) continue;
            s->step[round] = step;
            s->gemm[round] = gemm;
            s->over[round] = step / gemm;
            s->ratio[round] = step / systems[0].step[round];
            s->talk[round] = share;
        }
}

/* Adds up the nodes of each op, in the order in which they first run. */
static int op_times(op_time *times, const system_run *s)
{
    int n = 0;
    const ramus_graph *g = s->learner->graph;
    for (int i = 0; i < g->n_nodes; i++) {
        int at = 0;
        while (at < n && strcmp(times[at].name, g->nodes[i]->op->name) != 0)
            at++;
        RAMUS_ASSERT(at < MAX_OPS);
        if (at == n) times[n++] = (op_time){.name = g->nodes[i]->op->name};
        const size_t node = 2 * (size_t)i;
        times[at].forward += s->seconds[node];
        times[at].backward += s->seconds[node + 1];
        times[at].products += s->products[node] + s->products[node + 1];
    }
    return n;
}

/* The most memory that the process ever had. */
static double process_bytes(void)
{
    struct rusage use = {0};
    return getrusage(RUSAGE_SELF, &use) ? 0 : (double)use.ru_maxrss * 1024;
}

static void print_json(ramus_buffer *out, system_run *s, int runs)
{
    op_time times[MAX_OPS];
    const int n = op_times(times, s);
    const double ms = 1000.0 / runs, step = ramus_bench_median(s->step, runs);
    ramus_buffer_text(out, "{\"system\": ");
    ramus_buffer_json(out, s->is.name, strlen(s->is.name));
    ramus_buffer_print(out,
                       ", \"tokens_per_second\": %.1f, \"step_ms\": %.3f, \"gemm_ms\": %.3f, "
                       "\"step_over_gemm\": %.4f, \"ratio\": %.4f, \"peak_bytes\": %zu, "
                       "\"process_peak_bytes\": %.0f, \"runs\": %d, \"communication\": %.4f, "
                       "\"optimizer_ms\": %.3f, \"ops\": {",
                       (double)s->update.target_tokens / step, step * 1000,
                       ramus_bench_median(s->gemm, runs) * 1000, ramus_bench_median(s->over, runs),
                       ramus_bench_median(s->ratio, runs), s->bytes, process_bytes(), runs,
                       ramus_bench_median(s->talk, runs), s->optimizing * ms);
    for (int i = 0; i < n; i++)
        ramus_buffer_print(
            out, "%s\"%s\": {\"forward_ms\": %.3f, \"backward_ms\": %.3f, \"gemm_ms\": %.3f}",
            i ? ", " : "", times[i].name, times[i].forward * ms, times[i].backward * ms,
            times[i].products * ms);
    ramus_buffer_text(out, "}}\n");
}

static void print_ops(ramus_buffer *out, const system_run *s, int runs)
{
    op_time times[MAX_OPS];
    const int n = op_times(times, s);
    const double ms = 1000.0 / runs;
    ramus_buffer_print(out, "\n%-16s %10s %10s %10s   mean ms of an update\n", s->is.name,
                       "forward", "backward", "GEMM");
    for (int i = 0; i < n; i++)
        ramus_buffer_print(out, "  %-14s %10.2f %10.2f %10.2f\n", times[i].name,
                           times[i].forward * ms, times[i].backward * ms, times[i].products * ms);
    ramus_buffer_print(out, "  %-14s %10s %10.2f\n", "optimizer", "", s->optimizing * ms);
}

static void print_text(ramus_buffer *out, system_run *systems, int n, int runs, int ranks)
{
    ramus_buffer_print(out, "%-10s %10s %10s %10s %10s %8s %10s\n", "system", "tokens/s", "step ms",
                       "GEMM ms", "step/GEMM", "ratio", "memory MB");
    for (int i = 0; i < n; i++) {
        system_run *s = &systems[i];
        const double step = ramus_bench_median(s->step, runs);
        ramus_buffer_print(out, "%-10s %10.0f %10.1f %10.1f %10.3f %8.3f %10.1f\n", s->is.name,
                           (double)s->update.target_tokens / step, step * 1000,
                           ramus_bench_median(s->gemm, runs) * 1000,
                           ramus_bench_median(s->over, runs), ramus_bench_median(s->ratio, runs),
                           (double)s->bytes / 1e6);
    }
    ramus_buffer_print(out, "process    %61.1f\n", process_bytes() / 1e6);
    for (int i = 0; i < n && ranks > 1; i++)
        ramus_buffer_print(
            out, "%-10s %d ranks, %.1f %% of the time of this one in communication\n",
            systems[i].is.name, ranks, 100 * ramus_bench_median(systems[i].talk, runs));
    for (int i = 0; i < n; i++)
        print_ops(out, &systems[i], runs);
}

/* Creates and times all systems, whose names are set. */
static ramus_status measure(system_run *systems, int n, const ramus_bench_train *bench,
                            const crew *c, ramus_error *err)
{
    text t = {0};
    ramus_status st = draw_text(&t, bench, c->seed, ramus_comm_ranks(c->comm), err);
    for (int i = 0; i < n && !st; i++)
        st = system_create(&systems[i], bench, &t, c, err);
    st = ramus_comm_agree(c->comm, st, err);
    if (!st)
        time_rounds(systems, n, bench->runs, bench->cpu ? ramus_clock_cpu : ramus_clock_now,
                    c->comm);
    free(t.pairs);
    free(t.ids);
    free(t.batches);
    return st;
}

ramus_status ramus_bench_train_check(const ramus_bench_train *bench, ramus_error *err)
{
    ramus_bench_system named[RAMUS_BENCH_SYSTEMS] = {0};
    int n = 0;
    return ramus_bench_systems(named, &n, &bench->arch, bench->compare, err);
}

ramus_status ramus_bench_train_run(ramus_buffer *out, const ramus_bench_train *bench,
                                   const ramus_bench_how *how, ramus_error *err)
{
    system_run systems[RAMUS_BENCH_SYSTEMS] = {0};
    ramus_bench_system named[RAMUS_BENCH_SYSTEMS] = {0};
    crew c = {.comm = how->comm, .seed = how->seed};
    const int threads = how->threads ? how->threads : ramus_cores_available();
    const int ranks = ramus_comm_ranks(c.comm);
    int n = 0;
    ramus_status st = ramus_bench_systems(named, &n, &bench->arch, bench->compare, err);
    for (int i = 0; i < n; i++)
        systems[i].is = named[i];
    ramus_math_flush_tiny(); // as `ramus train` does
    if (!st) st = ramus_pool_create(&c.pool, threads, err);
    st = ramus_comm_agree(c.comm, st, err);
    if (!st) st = measure(systems, n, bench, &c, err);
    if (!st && ramus_comm_rank(c.comm) == 0) {
        for (int i = 0; i < n && how->json; i++)
            print_json(out, &systems[i], bench->runs);
        if (!how->json) print_text(out, systems, n, bench->runs, ranks);
        st = ramus_buffer_check(out, err);
    }
    for (int i = 0; i < n; i++)
        system_destroy(&systems[i]);
    ramus_pool_destroy(c.pool);
    return st;
}
