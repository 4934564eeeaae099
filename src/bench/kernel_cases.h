/* kernel_cases.h - one description of every kernel of kernels.h: what it reads and writes, for
 * tests and for benchmarks. train_kernel_cases.h has those of train.h.
 *
 * A case has buffers of floats; `run` calls the kernel of a table on them. Whatever a kernel may
 * write is in a buffer, so that two rows can be compared by their buffers alone. */
#ifndef RAMUS_BENCH_KERNEL_CASES_H
#define RAMUS_BENCH_KERNEL_CASES_H

#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 9

typedef enum kernel_class { bounded, exact } kernel_class;

/* A slot of a table, which is a ramus_kernels or a ramus_train_kernels. */
typedef struct kernel_slot {
    const char *name;
    kernel_class class;
    size_t offset;
} kernel_slot;

typedef struct kernel_case {
    const char *name;
    const char *slot; // the kernel that it calls
    int n_buffers;
    int (*length)(int n, int buffer); // floats of a buffer at size n
    void (*run)(const void *table, float *const *b, int n);
} kernel_case;

/* Which rows are listed: the same for every row of kernels. */
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

static inline void run_linear(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    static const int rows[] = {0, 2, 4};
    ramus_linear_job job = {
        .n = 9, .k = n, .n_rows = 5, .x = b[0], .w = b[1], .bias = b[2], .y = b[3]};
    k->linear(&job);
    job.rows = rows, job.n_rows = 3, job.scale = b[4], job.scale_stride = 1, job.bias = NULL,
    job.y = b[5];
    k->linear(&job);
}

/* 11 quantised rows of n values, in buffers of floats: q, scales and sums */
#define ROWS_I8 11
static inline int length_rows_i8(int n, int buffer)
{
    const int lengths[] = {ROWS_I8 * n, ROWS_I8 * ramus_i8_stride(n) / 4, ROWS_I8, ROWS_I8};
    return lengths[buffer];
}

static inline void run_quantize(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
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

/* Weights are the bytes of floats; bytes in the padding of tiles must not matter. */
static inline void run_linear_i8(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    static const int rows[] = {1, 2, 5, 7, 10};
    int8_t *w = (int8_t *)(void *)b[4];
    for (size_t i = 0; i < ramus_i8_size(37, n); i++)
        w[i] = w[i] < -127 ? -127 : w[i];
    run_quantize(table, b, n);
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
 * are arbitrary bits of halves; infinities and NaN become 1. */
static inline int length_linear_i4(int n, int buffer)
{
    const int lengths[] = {(int)(ramus_i4_size(37, n) / 4), (int)(ramus_i4_scales(37, n) / 2),
                           ROWS_I8 * 40, ROWS_I8 * ramus_i4_groups(n), 37};
    return buffer < 3 ? length_rows_i8(n, buffer) : lengths[buffer - 3];
}

static inline void run_linear_i4(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
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

/* a quantised row, and the sums of its groups */
static inline int length_sum_groups(int n, int buffer)
{
    return buffer == 0 ? ramus_i8_stride(n) / 4 : ramus_i4_groups(n);
}

static inline void run_sum_groups(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    int8_t *q = (int8_t *)(void *)b[0];
    for (int i = 0; i < ramus_i8_stride(n); i++)
        q[i] = i >= n ? 0 : q[i] < -127 ? -127 : q[i];
    k->sum_groups((int32_t *)(void *)b[1], q, n);
}

/* y, row (whole tiles of one output), bias, signal, y again */
static inline int length_embed_i8(int n, int buffer)
{
    return buffer == 1 ? (int)(ramus_i8_size(16, n) / 4) : n;
}

static inline void run_embed_i8(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
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

static inline void run_embed_i4(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    const int8_t *w = (const int8_t *)(void *)b[1];
    ramus_half *half = (ramus_half *)(void *)b[5];
    for (size_t i = 0; i < ramus_i4_scales(16, n); i++)
        if ((half[i] & 0x7c00) == 0x7c00) half[i] = 0x3c00; // infinities and NaN: 1
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

static inline void run_top_k(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->top_k((int *)(void *)b[1], b[0], n, 1);
    k->top_k((int *)(void *)b[1] + 1, b[0], n, n < 5 ? n : 5);
}

static inline void run_log_sum_exp(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    int best = 0;
    ramus_kernels_ref.top_k(&best, b[0], n, 1);
    b[1][0] = k->log_sum_exp(b[0], n, b[0][best]);
}

static inline void run_softmax(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    b[2][0] = k->softmax(b[0], b[1], n);
    k->softmax(b[1], b[1], n);
}

/* y, sum, x, residual, gain, bias, stats (in a buffer of n + 2) */
static inline int length_norm(int n, int buffer)
{
    return buffer == 6 ? 4 : n;
}

static inline void run_norm(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->norm(b[0], b[1], b[6], b[2], b[3], b[4], b[5], 1e-5f, n);
    k->norm(b[2], b[3], b[6] + 2, b[2], NULL, b[4], b[5], 1e-6f, n);
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

static inline void run_attention(const void *table, float *const *b, int n)
{
    run_attention_of(table, b, n, 8, 16); // as in the preset tiny
}

static inline void run_attention_wide(const void *table, float *const *b, int n)
{
    run_attention_of(table, b, n, 3, 32);
}

static inline void run_attention_ragged(const void *table, float *const *b, int n)
{
    run_attention_of(table, b, n, 6, 20);
}

/* 4 heads of n channels, 3 taps of 5 each: taps, v, out; the same again with a list of rows: out;
 * 1 head of n channels and a tap: out */
static inline int length_convolution(int n, int buffer)
{
    const int lengths[] = {4 * 5, 6 * 4 * n, 4 * n, 4 * n, n};
    return lengths[buffer];
}

static inline void run_convolution(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    static const int rows[] = {5, 0, 3};
    ramus_convolution_job job = {
        .n = 3, .heads = 4, .size = n, .stride = 5, .taps = b[0], .v = b[1], .out = b[2]};
    k->convolution(&job);
    job.rows = rows, job.taps = b[0] + 2, job.out = b[3];
    k->convolution(&job);
    job.n = 1, job.heads = 1, job.out = b[4];
    k->convolution(&job);
}

/* y, x */
static inline int length_glu(int n, int buffer)
{
    return buffer == 0 ? n : 2 * n;
}

static inline void run_glu(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->glu(b[0], b[1], n);
}

static inline void run_embed(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->embed(b[0], b[1], 1.5f, b[2], b[3], n);
    k->embed(b[4], NULL, 1.5f, NULL, b[3], n);
}

static inline void run_add(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->add(b[0], b[1], b[2], n);
    k->add(b[1], b[1], b[2], n);
}

static inline void run_axpy(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->axpy(b[0], 0.7f, b[1], n);
}

static inline void run_relu(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->relu(b[0], n);
}

static inline void run_swish(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->swish(b[1], b[0], n);
    k->swish(b[0], b[0], n);
}

static inline void run_gelu(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    k->gelu(b[1], b[0], n);
    k->gelu(b[0], b[0], n);
}

static inline void run_cross_entropy(const void *table, float *const *b, int n)
{
    const ramus_kernels *k = table;
    b[1][0] = (float)k->cross_entropy(b[0], n, n / 2, 0.9, 0.1 / n);
}

#define CASE_SLOT(name, type, class) {#name, class, offsetof(ramus_kernels, name)},
static const kernel_slot kernel_slots[] = {RAMUS_KERNEL_SLOTS(CASE_SLOT)};
#undef CASE_SLOT

static const kernel_case kernel_cases[] = {
    {"linear", "linear", 6, length_linear, run_linear},
    {"quantize", "quantize", 4, length_rows_i8, run_quantize},
    {"linear_i8", "linear_i8", 8, length_linear_i8, run_linear_i8},
    {"linear_i4", "linear_i4", 8, length_linear_i4, run_linear_i4},
    {"sum_groups", "sum_groups", 2, length_sum_groups, run_sum_groups},
    {"softmax", "softmax", 3, length_n, run_softmax},
    {"log_sum_exp", "log_sum_exp", 2, length_search, run_log_sum_exp},
    {"top_k", "top_k", 2, length_search, run_top_k},
    {"norm", "norm", 7, length_norm, run_norm},
    {"attention", "attention", 7, length_attention, run_attention},
    {"attention_wide", "attention", 7, length_attention, run_attention_wide},
    {"attention_ragged", "attention", 7, length_attention, run_attention_ragged},
    {"convolution", "convolution", 5, length_convolution, run_convolution},
    {"embed", "embed", 5, length_n, run_embed},
    {"embed_i8", "embed_i8", 5, length_embed_i8, run_embed_i8},
    {"embed_i4", "embed_i4", 6, length_embed_i4, run_embed_i4},
    {"add", "add", 3, length_n, run_add},
    {"axpy", "axpy", 2, length_n, run_axpy},
    {"relu", "relu", 1, length_n, run_relu},
    {"swish", "swish", 2, length_n, run_swish},
    {"gelu", "gelu", 2, length_n, run_gelu},
    {"glu", "glu", 2, length_glu, run_glu},
    {"cross_entropy", "cross_entropy", 2, length_n, run_cross_entropy},
};

#endif
