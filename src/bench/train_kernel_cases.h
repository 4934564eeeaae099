/* train_kernel_cases.h - the kernels of train.h in the manner of kernel_cases.h. */
#ifndef RAMUS_BENCH_TRAIN_KERNEL_CASES_H
#define RAMUS_BENCH_TRAIN_KERNEL_CASES_H

#include "bench/kernel_cases.h"
#include "kernels/train.h"

/* Three rows: dy, sum, gain, dx, dresidual, dgain, dbias */
static inline int length_norm_backward(int n, int buffer)
{
    return buffer == 2 || buffer > 4 ? n : 3 * n;
}

static inline void run_norm_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    const float stats[6] = {0.3f, 1.7f, -0.2f, 0.6f, 0, 1};
    const ramus_norm_job job = {.rows = 3,
                                .n = n,
                                .dy = b[0],
                                .sum = b[1],
                                .stats = stats,
                                .gain = b[2],
                                .dx = b[3],
                                .dresidual = b[4],
                                .dgain = b[5],
                                .dbias = b[6]};
    k->norm_backward(&job);
}

/* One head, n queries in rows 24 apart and as many keys: q, k, v, dout, out and lse, dq, dk, dv.
 * Forward alone leaves the last three out. */
static inline int length_attention_train(int n, int buffer)
{
    return buffer == 4 ? 26 * n : 24 * n;
}

/* Forward with one table, backward with the other: every query sees all keys; then one more each.
 */
static inline void run_attention_block(const ramus_train_kernels *forward,
                                       const ramus_train_kernels *backward, float *const *b, int n,
                                       int size, bool keep)
{
    float *factors = malloc((size_t)n * (size_t)n * sizeof *factors);
    for (int i = 0; i < n * n; i++)
        factors[i] = i % 5 ? 1.25f : 0;
    ramus_attention_block job = {.queries = n,
                                 .keys = n,
                                 .size = size,
                                 .stride = 24,
                                 .seen = n,
                                 .scale = 0.25f,
                                 .q = b[0],
                                 .k = b[1],
                                 .v = b[2],
                                 .dout = b[3],
                                 .out = b[4],
                                 .lse = b[4] + 24 * (ptrdiff_t)n,
                                 .lse_stride = 1,
                                 .dq = b[5],
                                 .dk = b[6],
                                 .dv = b[7],
                                 .keep = keep ? factors : NULL};
    job.scratch = malloc(ramus_attention_scratch(n, n, size) * sizeof *job.scratch);
    forward->attention_train(&job);
    if (backward) backward->attention_backward(&job);
    job.seen = 1, job.more = 1, job.lse += n;
    forward->attention_train(&job);
    if (backward) backward->attention_backward(&job);
    free(job.scratch);
    free(factors);
}

static inline void run_attention_train(const void *table, float *const *b, int n)
{
    run_attention_block(table, NULL, b, n, 16, false);
}

static inline void run_attention_train_ragged(const void *table, float *const *b, int n)
{
    run_attention_block(table, NULL, b, n, 20, true);
}

static inline void run_attention_backward(const void *table, float *const *b, int n)
{
    run_attention_block(table, table, b, n, 16, false);
}

static inline void run_attention_backward_ragged(const void *table, float *const *b, int n)
{
    run_attention_block(table, table, b, n, 20, true);
}

static inline void run_relu_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    k->relu_backward(b[1], b[0], n);
}

static inline void run_swish_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    k->swish_backward(b[0], b[1], b[2], n);
}

static inline void run_gelu_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    k->gelu_backward(b[0], b[1], b[2], n);
}

/* Floats are their bits here. */
static inline void run_random(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    const ramus_rng rng = {0x123456789ABCDEFu, 7, 3, 11};
    k->random((uint32_t *)(void *)b[0], &rng, 0x3FFFFFFF0u, n);
    k->random((uint32_t *)(void *)b[1], &rng, (uint64_t)n, n);
}

static inline void run_dropout(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    uint32_t *bits = malloc((size_t)n * sizeof *bits);
    for (int i = 0; i < n; i++)
        bits[i] = (uint32_t)i * 2654435761u;
    k->dropout(b[0], b[1], bits, 0x90000000u, 1.25f, n);
    free(bits);
}

static inline void run_cross_entropy_gradient(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    double nll = 0;
    b[1][0] = (float)k->cross_entropy_gradient(b[0], n, n / 2, 0.9, 0.1 / n, 0.5f, &nll);
    b[2][0] = (float)nll;
}

static inline void run_adam(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    const ramus_adam how = {1e-3f, 0.9f, 0.98f, 1e-9f, 1.5f, 1.25f, 0.01f, 0.5f};
    for (int i = 0; i < n; i++)
        b[2][i] = b[2][i] < 0 ? -b[2][i] : b[2][i]; // second moments
    k->adam(b[0], b[1], b[2], b[3], n, &how);
}

/* A product with three in four rows, then again, added with scale and its gradient; and the weight
 * gradient of the same. a [37, n], w [n, 27], c [37, 27], bias [27], scale [37], dscale [37], dw
 * [27, n], sums [27], dy [37, 27] */
static inline int length_gemm(int n, int buffer)
{
    const int lengths[] = {37 * n, 27 * n, 37 * 27, 27, 37, 37, 27 * n, 27, 37 * 27};
    return lengths[buffer];
}

/* Room for n rows, each a row of panels or groups of so many columns. */
static inline float *gemm_room(int n, int columns, int width)
{
    return malloc((size_t)((columns + width - 1) / width * width) * (size_t)n * sizeof(float));
}

static inline void run_gemm_rows(const ramus_gemm *g, float *const *b, const ramus_pack_job *in)
{
    const int n = in->columns, numbers = (n + g->terms - 1) / g->terms;
    float *w = gemm_room(n, 27, g->width), *a = gemm_room(37, n, 1);
    g->pack_b(w, &(ramus_pack_job){.src = b[1], .stride = 27, .n_rows = n, .columns = 27});
    if (g->pack_rows) g->pack_rows(a, in);
    for (int first = 0; first < 27; first += g->width) {
        ramus_gemm_job job = {.depth = numbers,
                              .a = g->pack_rows ? a : b[0],
                              .a_stride = numbers,
                              .rows = in->rows,
                              .in_order = g->pack_rows != NULL,
                              .n_rows = in->n_rows,
                              .b = w + (ptrdiff_t)first * numbers,
                              .columns = 27 - first < g->width ? 27 - first : g->width,
                              .c = b[2] + first,
                              .c_stride = 27,
                              .bias = b[3] + first};
        g->panel(&job);
        job.add = true, job.scale = b[4], job.scale_stride = 1, job.x = b[8] + first,
        job.dscale = b[5];
        g->panel(&job);
    }
    free(a);
    free(w);
}

static inline void run_gemm_weights(const ramus_gemm *g, float *const *b, const ramus_pack_job *in)
{
    const int n = in->columns, numbers = (in->n_rows + g->terms - 1) / g->terms;
    float *a = gemm_room(in->n_rows, 27, g->height), *x = gemm_room(in->n_rows, n, g->width);
    const ramus_pack_job dy = {.src = b[8],
                               .stride = 27,
                               .rows = in->rows,
                               .n_rows = in->n_rows,
                               .columns = 27,
                               .scale = b[4],
                               .scale_stride = 1};
    g->pack_a(a, b[7], &dy);
    g->pack_b(x, in);
    for (int first = 0; first < n; first += g->width) {
        const ramus_gemm_job job = {.depth = numbers,
                                    .a = a,
                                    .n_rows = 27,
                                    .b = x + (ptrdiff_t)first * numbers,
                                    .columns = n - first < g->width ? n - first : g->width,
                                    .c = b[6] + first,
                                    .c_stride = n,
                                    .add = true};
        g->panel(&job);
    }
    free(x);
    free(a);
}

static inline void run_products(const ramus_gemm *g, float *const *b, int n)
{
    int rows[37], n_rows = 0;
    for (int r = 0; r < 37; r++)
        if (r % 4 != 1) rows[n_rows++] = r;
    const ramus_pack_job in = {
        .src = b[0], .stride = n, .rows = rows, .n_rows = n_rows, .columns = n};
    run_gemm_rows(g, b, &in);
    run_gemm_weights(g, b, &in);
}

static inline void run_gemm(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    run_products(k->gemm, b, n);
}

static inline void run_gemm_bf16(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    run_products(k->gemm_bf16, b, n);
}

/* 7 taps meet 7 rows that are n + 3 apart: taps, v, dout, dtaps, dv */
static inline int length_convolution_backward(int n, int buffer)
{
    const int lengths[] = {7, 7 * (n + 3), n, 7, 7 * (n + 3)};
    return lengths[buffer];
}

static inline void run_convolution_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    const ramus_convolution_back job = {.n = 7,
                                        .size = n,
                                        .stride = n + 3,
                                        .taps = b[0],
                                        .v = b[1],
                                        .dout = b[2],
                                        .dtaps = b[3],
                                        .dv = b[4]};
    k->convolution_backward(&job);
}

/* dy, x, dx */
static inline int length_glu_backward(int n, int buffer)
{
    return buffer == 0 ? n : 2 * n;
}

static inline void run_glu_backward(const void *table, float *const *b, int n)
{
    const ramus_train_kernels *k = table;
    k->glu_backward(b[2], b[0], b[1], n);
}

#define CASE_SLOT(name, type, class) {#name, class, offsetof(ramus_train_kernels, name)},
static const kernel_slot train_slots[] = {RAMUS_TRAIN_SLOTS(CASE_SLOT)};
#undef CASE_SLOT

static const kernel_case train_cases[] = {
    {"gemm", "gemm", 9, length_gemm, run_gemm},
    {"gemm_bf16", "gemm_bf16", 9, length_gemm, run_gemm_bf16},
    {"norm_backward", "norm_backward", 7, length_norm_backward, run_norm_backward},
    {"attention_train", "attention_train", 5, length_attention_train, run_attention_train},
    {"attention_train_ragged", "attention_train", 5, length_attention_train,
     run_attention_train_ragged},
    {"attention_backward", "attention_backward", 8, length_attention_train, run_attention_backward},
    {"attention_backward_ragged", "attention_backward", 8, length_attention_train,
     run_attention_backward_ragged},
    {"convolution_backward", "convolution_backward", 5, length_convolution_backward,
     run_convolution_backward},
    {"cross_entropy_gradient", "cross_entropy_gradient", 3, length_n, run_cross_entropy_gradient},
    {"relu_backward", "relu_backward", 2, length_n, run_relu_backward},
    {"swish_backward", "swish_backward", 3, length_n, run_swish_backward},
    {"gelu_backward", "gelu_backward", 3, length_n, run_gelu_backward},
    {"glu_backward", "glu_backward", 3, length_glu_backward, run_glu_backward},
    {"random", "random", 2, length_n, run_random},
    {"dropout", "dropout", 2, length_n, run_dropout},
    {"adam", "adam", 4, length_n, run_adam},
};

#endif
