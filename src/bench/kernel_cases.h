/* kernel_cases.h - one description of every kernel: what it reads and writes, for tests and for
 * benchmarks.
 *
 * A case has buffers of numbers; `run` calls the kernel of a table on them. Whatever a kernel may
 * write is in a buffer, so that two rows can be compared by their buffers alone. */
#ifndef RAMUS_BENCH_KERNEL_CASES_H
#define RAMUS_BENCH_KERNEL_CASES_H

#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 8

typedef struct kernel_case {
    const char *name;
    bool exact;
    int n_buffers;
    int (*length)(int n, int buffer); // numbers of a buffer at size n
    void (*run)(const ramus_kernels *k, float *const *b, int n);
} kernel_case;

/* What selects rows and bits: fixed, so that every row sees the same. */
static inline int case_row(int i, int n)
{
    return (i * 7 + 3) % n;
}

static inline int length_n(int n, int buffer)
{
    return buffer >= 0 ? n : 0;
}

/* linear: x [5, n], w [9, n], bias [9], y [5, 9], scale [5] */
static inline int length_linear(int n, int buffer)
{
    const int lengths[] = {5 * n, 9 * n, 9, 5 * 9, 5, 5 * 9};
    return lengths[buffer];
}

static inline void run_linear(const ramus_kernels *k, float *const *b, int n)
{
    static const int rows[] = {0, 2, 4};
    ramus_linear_job job = {
        .n = 9, .k = n, .n_rows = 5, .x = b[0], .w = b[1], .bias = b[2], .y = b[3]};
    k->linear(&job);
    job.rows = rows, job.n_rows = 3, job.scale = b[4], job.scale_stride = 1, job.bias = NULL,
    job.y = b[5];
    k->linear(&job);
}

/* 11 quantised rows of n numbers, in buffers of floats: q, scales and sums */
#define ROWS_I8 11
static inline int length_rows_i8(int n, int buffer)
{
    const int lengths[] = {ROWS_I8 * n, ROWS_I8 * ramus_i8_stride(n) / 4, ROWS_I8, ROWS_I8};
    return lengths[buffer];
}

static inline void run_quantize(const ramus_kernels *k, float *const *b, int n)
{
    int8_t *q = (int8_t *)(void *)b[1];
    int32_t *sums = (int32_t *)(void *)b[3];
    for (int r = 0; r < ROWS_I8; r++)
        k->quantize(q + r * ramus_i8_stride(n), b[2] + r, sums + r, b[0] + r * n, n);
}

/* x, q, scales and sums as above; w [37, n] and its scales, bias [37], y [11, 40] */
static inline int length_linear_i8(int n, int buffer)
{
    const int lengths[] = {(int)(ramus_i8_size(37, n) / 4), 37, 37, ROWS_I8 * 40};
    return buffer < 4 ? length_rows_i8(n, buffer) : lengths[buffer - 4];
}

/* Weights are the bytes of floats; what stands where tiles are padded must not matter. */
static inline void run_linear_i8(const ramus_kernels *k, float *const *b, int n)
{
    static const int rows[] = {1, 2, 5, 7, 10};
    int8_t *w = (int8_t *)(void *)b[4];
    for (size_t i = 0; i < ramus_i8_size(37, n); i++)
        w[i] = w[i] < -127 ? -127 : w[i];
    run_quantize(k, b, n);
    ramus_linear_i8_job job = {.n = 37,
                               .k = n,
                               .n_rows = ROWS_I8,
                               .relu = true,
                               .x = (const int8_t *)(void *)b[1],
                               .x_scale = b[2],
                               .x_sum = (const int32_t *)(void *)b[3],
                               .w = w,
                               .w_scale = b[5],
                               .y = b[7],
                               .y_stride = 40};
    k->linear_i8(&job);
    job.rows = rows, job.n_rows = 5, job.scale = b[0], job.scale_stride = n, job.bias = b[6],
    job.relu = false;
    k->linear_i8(&job);
    job.rows = rows + 4, job.n_rows = 1;
    k->linear_i8(&job);
}

/* x, q and scales as above; w [37, n] and its scales, y [11, 40], sums of groups, bias [37]. Scales
 * are bits of floats as they come; what is no number is made one. */
static inline int length_linear_i4(int n, int buffer)
{
    const int lengths[] = {(int)(ramus_i4_size(37, n) / 4), (int)(ramus_i4_scales(37, n) / 2),
                           ROWS_I8 * 40, ROWS_I8 * ramus_i4_groups(n), 37};
    return buffer < 3 ? length_rows_i8(n, buffer) : lengths[buffer - 3];
}

static inline void run_linear_i4(const ramus_kernels *k, float *const *b, int n)
{
    static const int rows[] = {1, 2, 5, 7, 10};
    int8_t *q = (int8_t *)(void *)b[1];
    int32_t *sums = (int32_t *)(void *)b[6], sum = 0;
    ramus_half *half = (ramus_half *)(void *)b[4];
    for (size_t i = 0; i < ramus_i4_scales(37, n); i++)
        if ((half[i] & 0x7c00) == 0x7c00) half[i] = 0x3c00; // 1
    for (int r = 0; r < ROWS_I8; r++) {
        k->quantize(q + r * ramus_i8_stride(n), b[2] + r, &sum, b[0] + r * n, n);
        k->sum_groups(sums + r * ramus_i4_groups(n), q + r * ramus_i8_stride(n), n);
    }
    ramus_linear_i8_job job = {.n = 37,
                               .k = n,
                               .n_rows = ROWS_I8,
                               .relu = true,
                               .x = q,
                               .x_scale = b[2],
                               .x_sum = sums,
                               .w = (const int8_t *)(void *)b[3],
                               .w_half = half,
                               .y = b[5],
                               .y_stride = 40};
    k->linear_i4(&job);
    job.rows = rows, job.n_rows = 5, job.scale = b[0], job.scale_stride = n, job.bias = b[7],
    job.relu = false;
    k->linear_i4(&job);
    job.rows = rows + 4, job.n_rows = 1;
    k->linear_i4(&job);
}

/* y, row (whole tiles of one output), bias, signal, y again */
static inline int length_embed_i8(int n, int buffer)
{
    return buffer == 1 ? (int)(ramus_i8_size(16, n) / 4) : n;
}

static inline void run_embed_i8(const ramus_kernels *k, float *const *b, int n)
{
    const int8_t *w = (const int8_t *)(void *)b[1];
    k->embed_i8(b[0], w + ramus_i8_row(n, 15), 1.5f, b[2], b[3], n);
    k->embed_i8(b[4], w + ramus_i8_row(n, 3), 0.25f, NULL, b[3], n);
}

/* y, tiles of 16 outputs, bias, signal, y again, scales */
static inline int length_embed_i4(int n, int buffer)
{
    if (buffer == 5) return (int)(ramus_i4_scales(16, n) / 2);
    return buffer == 1 ? (int)(ramus_i4_size(16, n) / 4) : n;
}

static inline void run_embed_i4(const ramus_kernels *k, float *const *b, int n)
{
    const int8_t *w = (const int8_t *)(void *)b[1];
    ramus_half *half = (ramus_half *)(void *)b[5];
    for (size_t i = 0; i < ramus_i4_scales(16, n); i++)
        if ((half[i] & 0x7c00) == 0x7c00) half[i] = 0x3c00; // what is no number: 1
    const ramus_i4_row last = ramus_i4_row_of(w, half, n, 15),
                       third = ramus_i4_row_of(w, half, n, 3);
    k->embed_i4(b[0], &last, 1.5f, b[2], b[3], n);
    k->embed_i4(b[4], &third, 0.25f, NULL, b[3], n);
}

/* x; what comes out */
static inline int length_search(int n, int buffer)
{
    return buffer == 0 ? n : 8;
}

static inline void run_top_k(const ramus_kernels *k, float *const *b, int n)
{
    k->top_k((int *)(void *)b[1], b[0], n, 1);
    k->top_k((int *)(void *)b[1] + 1, b[0], n, n < 5 ? n : 5);
}

static inline void run_log_sum_exp(const ramus_kernels *k, float *const *b, int n)
{
    int best = 0;
    ramus_kernels_ref.top_k(&best, b[0], n, 1);
    b[1][0] = k->log_sum_exp(b[0], n, b[0][best]);
}

static inline void run_softmax(const ramus_kernels *k, float *const *b, int n)
{
    b[2][0] = k->softmax(b[0], b[1], n);
    k->softmax(b[1], b[1], n);
}

/* y, sum, x, residual, gain, bias, stats (in a buffer of n + 2) */
static inline int length_norm(int n, int buffer)
{
    return buffer == 6 ? 4 : n;
}

static inline void run_norm(const ramus_kernels *k, float *const *b, int n)
{
    k->norm(b[0], b[1], b[6], b[2], b[3], b[4], b[5], n);
    k->norm(b[2], b[3], b[6] + 2, b[2], NULL, b[4], b[5], n);
}

/* Three rows: dy, sum, gain, dx, dresidual, dgain, dbias */
static inline int length_norm_backward(int n, int buffer)
{
    return buffer == 2 || buffer > 4 ? n : 3 * n;
}

static inline void run_norm_backward(const ramus_kernels *k, float *const *b, int n)
{
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

/* 8 heads or 6, n keys: q, k, v, p, out; the same again with a list of keys: p, out */
static inline int length_attention(int n, int buffer)
{
    const int p = 8 * (n + 1);
    const int lengths[] = {128, 128 * n, 128 * n, p, 128, p, 128};
    return lengths[buffer];
}

static inline void run_attention_of(const ramus_kernels *k, float *const *b, int n, int heads,
                                    int size)
{
    int rows[64];
    const int listed = n < 64 ? n : 64;
    for (int i = 0; i < listed; i++)
        rows[i] = case_row(i, n);
    ramus_attention_job job = {.n = n,
                               .heads = heads,
                               .size = size,
                               .scale = 0.25f,
                               .q = b[0],
                               .k = b[1],
                               .v = b[2],
                               .p = b[3],
                               .out = b[4]};
    k->attention(&job);
    job.n = listed, job.rows = rows, job.p = b[5], job.out = b[6];
    k->attention(&job);
}

static inline void run_attention(const ramus_kernels *k, float *const *b, int n)
{
    run_attention_of(k, b, n, 8, 16); // as in the preset tiny
}

static inline void run_attention_wide(const ramus_kernels *k, float *const *b, int n)
{
    run_attention_of(k, b, n, 3, 32);
}

static inline void run_attention_ragged(const ramus_kernels *k, float *const *b, int n)
{
    run_attention_of(k, b, n, 6, 20);
}

/* One head, n queries in rows 24 apart and as many keys: q, k, v, dout, out and lse, dq, dk, dv */
static inline int length_attention_train(int n, int buffer)
{
    return buffer == 4 ? 26 * n : 24 * n;
}

/* Forward, then backward with what it left: every query sees all keys; then one more each. */
static inline void run_attention_train_of(const ramus_kernels *k, float *const *b, int n, int size,
                                          bool keep)
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
    k->attention_train(&job);
    k->attention_backward(&job);
    job.seen = 1, job.more = 1, job.lse += n;
    k->attention_train(&job);
    k->attention_backward(&job);
    free(job.scratch);
    free(factors);
}

static inline void run_attention_train(const ramus_kernels *k, float *const *b, int n)
{
    run_attention_train_of(k, b, n, 16, false);
}

static inline void run_attention_train_ragged(const ramus_kernels *k, float *const *b, int n)
{
    run_attention_train_of(k, b, n, 20, true);
}

static inline void run_embed(const ramus_kernels *k, float *const *b, int n)
{
    k->embed(b[0], b[1], 1.5f, b[2], b[3], n);
    k->embed(b[4], NULL, 1.5f, NULL, b[3], n);
}

static inline void run_add(const ramus_kernels *k, float *const *b, int n)
{
    k->add(b[0], b[1], b[2], n);
    k->add(b[1], b[1], b[2], n);
}

static inline void run_axpy(const ramus_kernels *k, float *const *b, int n)
{
    k->axpy(b[0], 0.7f, b[1], n);
}

static inline void run_relu(const ramus_kernels *k, float *const *b, int n)
{
    k->relu_backward(b[1], b[0], n);
    k->relu(b[0], n);
}

/* Floats are their bits here. */
static inline void run_random(const ramus_kernels *k, float *const *b, int n)
{
    const ramus_rng rng = {0x123456789ABCDEFu, 7, 3, 11};
    k->random((uint32_t *)(void *)b[0], &rng, 0x3FFFFFFF0u, n);
    k->random((uint32_t *)(void *)b[1], &rng, (uint64_t)n, n);
}

static inline void run_dropout(const ramus_kernels *k, float *const *b, int n)
{
    uint32_t *bits = malloc((size_t)n * sizeof *bits);
    for (int i = 0; i < n; i++)
        bits[i] = (uint32_t)i * 2654435761u;
    k->dropout(b[0], b[1], bits, 0x90000000u, 1.25f, n);
    free(bits);
}

static inline void run_cross_entropy(const ramus_kernels *k, float *const *b, int n)
{
    b[1][0] = (float)k->cross_entropy(b[0], n, n / 2, 0.9, 0.1 / n, NULL);
}

static inline void run_cross_entropy_gradient(const ramus_kernels *k, float *const *b, int n)
{
    const float gradient = 0.5f;
    b[1][0] = (float)k->cross_entropy(b[0], n, n / 2, 0.9, 0.1 / n, &gradient);
}

static inline void run_adam(const ramus_kernels *k, float *const *b, int n)
{
    const ramus_adam how = {1e-3f, 0.9f, 0.98f, 1e-9f, 1.5f, 1.25f, 0.01f, 0.5f};
    for (int i = 0; i < n; i++)
        b[2][i] = b[2][i] < 0 ? -b[2][i] : b[2][i]; // second moments
    k->adam(b[0], b[1], b[2], b[3], n, &how);
}

/* A product with 37 rows of which 3 of 4 are listed, 27 columns, depth n; then the weight gradient
 * of the same. a [37, n], w [27, n], c [37, 27], bias [27], scale [37], dscale [37], dw [27, n],
 * sums [27] */
static inline int length_gemm(int n, int buffer)
{
    const int lengths[] = {37 * n, 27 * n, 37 * 27, 27, 37, 37, 27 * n, 27};
    return lengths[buffer];
}

static inline void run_gemm(const ramus_kernels *k, float *const *b, int n)
{
    const ramus_gemm *g = k->gemm;
    const int panels = (27 + g->width - 1) / g->width, groups = (27 + g->height - 1) / g->height;
    int rows[37], n_rows = 0;
    for (int r = 0; r < 37; r++)
        if (r % 4 != 1) rows[n_rows++] = r;
    float *w = calloc((size_t)panels * (size_t)n * (size_t)g->width, sizeof *w);
    for (int j = 0; j < 27; j++)
        for (int t = 0; t < n; t++)
            w[(j / g->width * n + t) * g->width + j % g->width] = b[1][j * n + t];
    for (int p = 0; p < panels; p++) {
        const int first = p * g->width, columns = 27 - first < g->width ? 27 - first : g->width;
        ramus_gemm_job job = {.depth = n,
                              .a = b[0],
                              .a_stride = n,
                              .rows = rows,
                              .n_rows = n_rows,
                              .b = w + (ptrdiff_t)first * n,
                              .columns = columns,
                              .c = b[2] + first,
                              .c_stride = 27,
                              .bias = b[3] + first};
        g->panel(&job);
        job.add = true, job.scale = b[4], job.scale_stride = 1, job.x = b[2] + first,
        job.dscale = b[5];
        g->panel(&job);
    }
    free(w);

    float *a = malloc((size_t)groups * (size_t)g->height * (size_t)n_rows * sizeof *a);
    const int inputs = (n + g->width - 1) / g->width;
    float *x = malloc((size_t)inputs * (size_t)g->width * (size_t)n_rows * sizeof *x);
    const ramus_pack_job dy = {.src = b[2],
                               .stride = 27,
                               .rows = rows,
                               .n_rows = n_rows,
                               .columns = 27,
                               .scale = b[4],
                               .scale_stride = 1};
    const ramus_pack_job in = {
        .src = b[0], .stride = n, .rows = rows, .n_rows = n_rows, .columns = n};
    g->pack_a(a, b[7], &dy);
    g->pack_b(x, &in);
    for (int first = 0; first < n; first += g->width) {
        const ramus_gemm_job job = {.depth = n_rows,
                                    .a = a,
                                    .n_rows = 27,
                                    .b = x + (ptrdiff_t)first * n_rows,
                                    .columns = n - first < g->width ? n - first : g->width,
                                    .c = b[6] + first,
                                    .c_stride = n,
                                    .add = true};
        g->panel(&job);
    }
    free(x);
    free(a);
}

static const kernel_case kernel_cases[] = {
    {"linear", true, 6, length_linear, run_linear},
    {"quantize", true, 4, length_rows_i8, run_quantize},
    {"linear_i8", true, 8, length_linear_i8, run_linear_i8},
    {"linear_i4", true, 8, length_linear_i4, run_linear_i4},
    {"softmax", true, 3, length_n, run_softmax},
    {"log_sum_exp", true, 2, length_search, run_log_sum_exp},
    {"top_k", true, 2, length_search, run_top_k},
    {"norm", true, 7, length_norm, run_norm},
    {"attention", true, 7, length_attention, run_attention},
    {"attention_wide", true, 7, length_attention, run_attention_wide},
    {"attention_ragged", true, 7, length_attention, run_attention_ragged},
    {"embed", true, 5, length_n, run_embed},
    {"embed_i8", true, 5, length_embed_i8, run_embed_i8},
    {"embed_i4", true, 6, length_embed_i4, run_embed_i4},
    {"add", true, 3, length_n, run_add},
    {"axpy", true, 2, length_n, run_axpy},
    {"relu", true, 2, length_n, run_relu},
    {"random", true, 2, length_n, run_random},
    {"dropout", true, 2, length_n, run_dropout},
    {"cross_entropy", true, 2, length_n, run_cross_entropy},
    {"adam", true, 4, length_n, run_adam},
    {"gemm", false, 8, length_gemm, run_gemm},
    {"norm_backward", false, 7, length_norm_backward, run_norm_backward},
    {"attention_train", false, 8, length_attention_train, run_attention_train},
    {"attention_train_ragged", false, 8, length_attention_train, run_attention_train_ragged},
    {"cross_entropy_gradient", false, 2, length_n, run_cross_entropy_gradient},
};

#endif
