/* Kernels come from the cases that the tests use, then products of 8 and 4 bits at the shapes of
 * the presets. Rows are timed in turn, round after round; the best round of each counts. */
#include "bench/kernels.h"

#include "base/clock.h"
#include "bench/kernel_cases.h"
#include "bench/products.h"
#include "kernels/select.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS 0.002 // of one timing

static const int sizes[] = {16, 128, 512};

/* Seconds of one call: as many calls as fill a timing. */
static double time_call(const kernel_case *c, const ramus_kernels *k, float *const *buffers, int n)
{
    const double start = ramus_clock_now();
    double now = 0;
    int calls = 0;
    do {
        for (int i = 0; i < 8; i++)
            c->run(k, buffers, n);
        calls += 8;
        now = ramus_clock_now();
    } while (now - start < SECONDS);
    return (now - start) / calls;
}

/* Numbers near 1, so that nothing overflows however often a kernel runs over its own result. */
static void fill(const kernel_case *c, float *const *buffers, int n)
{
    for (int i = 0; i < c->n_buffers; i++) {
        RAMUS_ASSERT(buffers[i] != NULL);
        for (int j = 0; j < c->length(n, i); j++)
            buffers[i][j] = 0.5f + (float)((i * 31 + j * 7) % 64) / 128;
    }
}

/* Every row that this CPU has, the rows before it laid under. */
static void choose_tables(ramus_bench_products *how)
{
    for (int i = 0; i < ramus_kernels_count() && how->n_tables < RAMUS_BENCH_ROWS; i++) {
        const ramus_kernels *row = ramus_kernels_at(i);
        const bool first = i == 0 || strcmp(row->isa, ramus_kernels_at(i - 1)->isa) != 0;
        if (!first || !ramus_kernels_usable(row)) continue;
        (void)ramus_kernels_select(&how->tables[how->n_tables++], row->isa);
    }
}

/* All rows in turn, round after round. */
static ramus_status time_case(ramus_buffer *out, const kernel_case *c, int n,
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
        for (int i = 0; i < how->n_tables; i++) {
            fill(c, buffers, n);
            const double seconds = time_call(c, &how->tables[i], buffers, n);
            if (run == 0 || seconds < best[i]) best[i] = seconds;
        }
    for (int i = 0; i < how->n_tables && !st; i++)
        ramus_buffer_print(out,
                           how->json
                               ? "{\"kernel\": \"%s\", \"size\": %d, \"isa\": \"%s\", \"ns\": "
                                 "%.1f, \"ratio\": %.2f}\n"
                               : "%-24s %5d  %-10s %12.1f ns  %6.2f\n",
                           c->name, n, how->tables[i].isa, best[i] * 1e9, best[0] / best[i]);
    for (int i = 0; i < MAX_BUFFERS; i++)
        free(buffers[i]);
    return st;
}

#define N_CASES (RAMUS_COUNT(kernel_cases) * RAMUS_COUNT(sizes))

int ramus_bench_kernels_count(void)
{
    return N_CASES + ramus_bench_products_count();
}

ramus_status ramus_bench_kernels_run(ramus_buffer *out, int part, int runs, bool json,
                                     ramus_error *err)
{
    ramus_bench_products how = {.runs = runs, .json = json};
    choose_tables(&how);
    if (part >= N_CASES) return ramus_bench_products_run(out, part - N_CASES, &how, err);
    return time_case(out, &kernel_cases[part / RAMUS_COUNT(sizes)],
                     sizes[part % RAMUS_COUNT(sizes)], &how, err);
}
