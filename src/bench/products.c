/* One block of weights and rows per shape; float, 8-bit and 4-bit products run on it in turn,
 * row of kernels after row of kernels. */
#include "bench/products.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BATCH 64
#define SECONDS   0.002 // of one timing
#define LONGEST   1.0   // after that many seconds no further round begins

static const struct {
    int n, k;
} shapes[] = {{128, 128},  {512, 128},  {128, 512},   {256, 256},  {1024, 256},
              {256, 1024}, {8000, 128}, {37056, 128}, {37056, 256}};
static const int batches[] = {1, 4, 16, 64};

enum { FLOATS, EIGHT, FOUR, KINDS };

/* The products on the same sizes, all zeros: times do not depend on values. */
typedef struct {
    ramus_linear_i8_job packed[KINDS]; // EIGHT and FOUR
    ramus_linear_job f32;
    void *block[16];
    int n_blocks;
} product;

/* `size` bytes at a multiple of 64, as tensors lie in a model. NULL: no memory. */
static void *block_of(product *p, size_t size)
{
    void *block = aligned_alloc(64, (size + 63) / 64 * 64);
    if (block) memset(block, 0, size);
    p->block[p->n_blocks++] = block;
    return block;
}

static void free_product(product *p)
{
    for (int i = 0; i < p->n_blocks; i++)
        free(p->block[i]);
}

static ramus_status make_product(product *p, int n, int k, ramus_error *err)
{
    const size_t outputs = (size_t)n * sizeof(float), inputs = (size_t)k * sizeof(float);
    const float *scale = block_of(p, MAX_BATCH * sizeof(float));
    const float *row = block_of(p, outputs); // scales of the outputs, bias
    float *y = block_of(p, MAX_BATCH * outputs);
    const size_t sums = (size_t)ramus_i4_groups(k) * sizeof(int32_t);
    ramus_linear_i8_job packed = {.n = n,
                                  .k = k,
                                  .x = block_of(p, MAX_BATCH * (size_t)ramus_i8_stride(k)),
                                  .x_scale = scale,
                                  .x_sum = block_of(p, MAX_BATCH * sums),
                                  .w = block_of(p, ramus_i8_size(n, k)),
                                  .w_scale = row,
                                  .bias = row,
                                  .y = y,
                                  .y_stride = n};
    p->packed[EIGHT] = packed;
    packed.w = block_of(p, ramus_i4_size(n, k));
    packed.w_half = block_of(p, ramus_i4_scales(n, k) * sizeof(ramus_half));
    p->packed[FOUR] = packed;
    p->f32 = (ramus_linear_job){.n = n,
                                .k = k,
                                .x = block_of(p, MAX_BATCH * inputs),
                                .w = block_of(p, outputs * (size_t)k),
                                .bias = row,
                                .y = y};
    for (int i = 0; i < p->n_blocks; i++)
        if (!p->block[i]) return ramus_fail_memory(err, "a benchmark");
    return RAMUS_OK;
}

/* Seconds of one call: as many calls as fill a timing. */
static double time_call(const ramus_kernels *k, const product *p, int kind)
{
    const double start = ramus_clock_now();
    double now = 0;
    int calls = 0;
    do {
        if (kind == EIGHT)
            k->linear_i8(&p->packed[EIGHT]);
        else if (kind == FOUR)
            k->linear_i4(&p->packed[FOUR]);
        else
            k->linear(&p->f32);
        calls++;
        now = ramus_clock_now();
    } while (now - start < SECONDS);
    return (now - start) / calls;
}

static void print_line(ramus_buffer *out, const product *p, int kind, const char *isa,
                       const double seconds[KINDS], bool json)
{
    const ramus_linear_i8_job *job = &p->packed[kind];
    const int n = job->n, k = job->k, rows = job->n_rows;
    const double bytes = kind == EIGHT ? (double)ramus_i8_size(n, k) : (double)ramus_i4_bytes(n, k);
    ramus_buffer_print(
        out,
        json ? "{\"kernel\": \"linear_i%d\", \"outputs\": %d, \"inputs\": %d, \"rows\": %d, "
               "\"isa\": \"%s\", \"us\": %.3f, \"gmacs\": %.2f, \"gbytes\": %.2f, "
               "\"faster_than_float\": %.2f}\n"
             : "linear_i%d %5d x %-4d rows %2d  %-10s %10.2f us %7.2f GMAC/s %6.2f GB/s "
               "of weights %6.2f x float\n",
        kind == EIGHT ? 8 : 4, n, k, rows, isa, seconds[kind] * 1e6,
        (double)n * k * rows / seconds[kind] / 1e9, bytes / seconds[kind] / 1e9,
        seconds[FLOATS] / seconds[kind]);
}

/* The reference row, which takes long, is left out where there is a faster one. */
static void time_batch(ramus_buffer *out, product *p, int rows, const ramus_bench_products *how)
{
    const int slowest = how->n_tables > 1;
    double best[RAMUS_BENCH_ROWS][KINDS] = {{0}};
    p->packed[EIGHT].n_rows = p->packed[FOUR].n_rows = p->f32.n_rows = rows;
    const double start = ramus_clock_now();
    for (int run = 0; run < how->runs && (!run || ramus_clock_now() - start < LONGEST); run++)
        for (int t = slowest; t < how->n_tables; t++)
            for (int kind = 0; kind < KINDS; kind++) {
                const double seconds = time_call(&how->tables[t], p, kind);
                if (run == 0 || seconds < best[t][kind]) best[t][kind] = seconds;
            }
    for (int t = slowest; t < how->n_tables; t++)
        for (int kind = EIGHT; kind < KINDS; kind++)
            print_line(out, p, kind, how->tables[t].isa, best[t], how->json);
}

int ramus_bench_products_count(void)
{
    return RAMUS_COUNT(shapes);
}

ramus_status ramus_bench_products_run(ramus_buffer *out, int shape, const ramus_bench_products *how,
                                      ramus_error *err)
{
    product p = {0};
    const ramus_status st = make_product(&p, shapes[shape].n, shapes[shape].k, err);
    for (int i = 0; i < RAMUS_COUNT(batches) && !st; i++)
        time_batch(out, &p, batches[i], how);
    free_product(&p);
    return st;
}
