/* Kernels come from the cases that the tests use, then products of 8 and 4 bits at the shapes of
 * the presets. Rows are timed in turn, round after round; the best round of each counts. */
#include "bench/kernels.h"

#include "base/clock.h"
#include "bench/products.h"
#include "bench/train_kernel_cases.h"
#include "kernels/cpu.h"
#include "kernels/select.h"
#include "kernels/select_train.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS 0.002 // of one timing

static const int sizes[] = {16, 128, 512};

/* The tables that are timed in turn: those of translation, or those of training. */
typedef struct {
    const void *at[RAMUS_BENCH_ROWS];
    const char *isa[RAMUS_BENCH_ROWS];
    int n;
} tables;

/* Seconds of one call: as many calls as fill a timing. */
static double time_call(const kernel_case *c, const void *table, float *const *buffers, int n)
{
    const double start = ramus_clock_now();
    double now = 0;
    int calls = 0;
    do {
        for (int i = 0; i < 8; i++)
            c->run(table, buffers, n);
        calls += 8;
        now = ramus_clock_now();
    } while (now - start < SECONDS);
    return (now - start) / calls;
}

/* Values near 1, so that nothing overflows however often a kernel runs over its own result. */
static void fill(const kernel_case *c, float *const *buffers, int n)
{
    for (int i = 0; i < c->n_buffers; i++) {
        RAMUS_ASSERT(buffers[i] != NULL);
        for (int j = 0; j < c->length(n, i); j++)
            buffers[i][j] = 0.5f + (float)((i * 31 + j * 7) % 64) / 128;
    }
}

/* All rows in turn, round after round. */
static ramus_status time_case(ramus_buffer *out, const kernel_case *c, int n, const tables *t,
                              const ramus_bench_products *how, ramus_error *err)
{
    float *buffers[MAX_BUFFERS] = {0};
    double best[RAMUS_BENCH_ROWS] = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < c->n_buffers && !st; i++) {
        buffers[i] = malloc((size_t)c->length(n, i) * sizeof(float));
        if (!buffers[i]) st = ramus_fail_memory(err, "a benchmark");
    }
    for (int run = 0; run < how->runs && !st; run++)
        for (int i = 0; i < t->n; i++) {
            fill(c, buffers, n);
            const double seconds = time_call(c, t->at[i], buffers, n);
            if (run == 0 || seconds < best[i]) best[i] = seconds;
        }
    for (int i = 0; i < t->n && !st; i++)
        ramus_buffer_print(out,
                           how->json
                               ? "{\"kernel\": \"%s\", \"size\": %d, \"isa\": \"%s\", \"ns\": "
                                 "%.1f, \"ratio\": %.2f}\n"
                               : "%-24s %5d  %-10s %12.1f ns  %6.2f\n",
                           c->name, n, t->isa[i], best[i] * 1e9, best[0] / best[i]);
    for (int i = 0; i < MAX_BUFFERS; i++)
        free(buffers[i]);
    return st;
}

/* Every row that this CPU has up to RAMUS_ISA, laid over those before it. */
static ramus_status choose_tables(ramus_bench_products *how, tables *t, ramus_error *err)
{
    const char *cap = NULL;
    const ramus_status st = ramus_kernels_cap(&cap, err);
    bool below = !st;
    for (int i = 0; below && i < ramus_kernels_count() && how->n_tables < RAMUS_BENCH_ROWS; i++) {
        const ramus_kernels *row = ramus_kernels_at(i);
        below = !cap || strcmp(row->isa, cap) != 0;
        if (!ramus_cpu_has(row->needs)) continue;
        (void)ramus_kernels_select(&how->tables[how->n_tables++], row->isa);
        t->at[t->n] = &how->tables[t->n];
        t->isa[t->n++] = row->isa;
    }
    return st;
}

/* The same of training, which has no row for some of them. */
static void choose_train_tables(ramus_train_kernels *own, tables *train, const tables *t)
{
    for (int i = 0; i < t->n; i++) {
        ramus_train_kernels *table = &own[train->n];
        (void)ramus_train_kernels_select(table, t->isa[i]);
        if (strcmp(table->isa, t->isa[i]) != 0) continue;
        train->at[train->n] = table;
        train->isa[train->n++] = table->isa;
    }
}

#define N_SIZES RAMUS_COUNT(sizes)
#define N_CASES (RAMUS_COUNT(kernel_cases) * N_SIZES)
#define N_TRAIN (RAMUS_COUNT(train_cases) * N_SIZES)

int ramus_bench_kernels_count(void)
{
    return N_CASES + N_TRAIN + ramus_bench_products_count();
}

ramus_status ramus_bench_kernels_run(ramus_buffer *out, int part, int runs, bool json,
                                     ramus_error *err)
{
    ramus_bench_products how = {.runs = runs, .json = json};
    ramus_train_kernels own[RAMUS_BENCH_ROWS];
    tables t = {.n = 0}, train = {.n = 0};
    const ramus_status st = choose_tables(&how, &t, err);
    if (st) return st;
    const int size = sizes[part % N_SIZES];
    if (part < N_CASES) return time_case(out, &kernel_cases[part / N_SIZES], size, &t, &how, err);
    part -= N_CASES;
    choose_train_tables(own, &train, &t);
    if (part < N_TRAIN)
        return time_case(out, &train_cases[part / N_SIZES], size, &train, &how, err);
    return ramus_bench_products_run(out, part - N_TRAIN, &how, err);
}
