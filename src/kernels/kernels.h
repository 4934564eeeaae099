/* kernels.h - arithmetic on arrays for translation: a table of functions, one row per CPU family.
 * train.h has the kernels that only training needs.
 *
 * ramus_kernels_ref is the definition of each. Kernels do not allocate, lock, thread, log or fail.
 * Pointers must not overlap unless a comment says that they may.
 *
 * All kernels here are exact: every row gives the reference's bits. Sums run in 16 lanes, element i
 * in lane i % 16, and the lanes are added as a tree (8 + 8, 4 + 4, 2 + 2, 1 + 1); multiply and add
 * stay separate; exp is ours (exp.h). */
#ifndef RAMUS_KERNELS_KERNELS_H
#define RAMUS_KERNELS_KERNELS_H

#include "kernels/i4.h"
#include "kernels/i8.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A linear map y = w x + bias on listed rows.
 *   x [., k]   w [n, k]   bias [n] or NULL   y [., n]
 * With `scale` each row's result is multiplied by its own factor and added to y. */
typedef struct ramus_linear_job {
    int n, k;
    const int *rows; // which rows of x and y take part; NULL: 0 .. n_rows - 1
    int n_rows;
    const ramus_real *scale; // of row r: scale[r * scale_stride]; NULL: y is set, not added to
    int scale_stride;
    const ramus_real *x, *w, *bias;
    ramus_real *y;
} ramus_linear_job;

/* One query row over n keys. Head h has the channels h * size .. (h + 1) * size - 1 of each row.
 *   score[j] = scale * q . k[j]   e[j] = exp(score[j] - the largest score)   r = 1 / sum_j e[j]
 *   out = r sum_j e[j] v[j]                                    all of them, and q, k[j], v[j]: of h
 * The sum of e is that of the even j and that of the odd j, added; that of e v goes by j. */
typedef struct ramus_attention_job {
    int n, heads, size; // n >= 1
    const int *rows;    // rows of the keys; NULL: 0 .. n - 1
    ramus_real scale;
    const ramus_real *q, *k, *v; // [heads * size], [., heads * size]
    ramus_real *p;   // out: [n + 1, stride] e of all heads, key by key, then r; zeros behind a row
    ramus_real *out; // [heads * size]
} ramus_attention_job;

/* Floats from the values of all heads for one key to those for the next. */
static inline int ramus_attention_stride(int heads)
{
    return (heads + 7) / 8 * 8;
}

/* One row of a depth-wise convolution: n taps of each head meet n rows of v, in order.
 *   out[j] = sum_k taps[h * stride + k] v[row k][j]      h the head of channel j, as in attention
 */
typedef struct ramus_convolution_job {
    int n, heads, size, stride; // n >= 1
    const int *rows;            // rows of v; NULL: 0 .. n - 1
    const ramus_real *taps;     // [heads, stride]
    const ramus_real *v;        // [., heads * size]
    ramus_real *out;            // [heads * size]
} ramus_convolution_job;

/* y[r,:] = w x[r,:] + bias, or y[r,:] += scale[r] * (w x[r,:] + bias) */
typedef void ramus_linear_fn(const ramus_linear_job *job);

/* x in steps of *scale = max / 127, max the largest |x|: q[i] = x[i] * (127 / max), rounded to the
 * nearest integer, halves to even. Zeros behind q[n - 1] up to ramus_i8_stride(n); *sum = the sum
 * of q. max below 1e-30: zeros, *scale = 0. Infinities count as the largest float; NaN does not
 * count for max and becomes 127. */
typedef void ramus_quantize_fn(int8_t *q, ramus_real *scale, int32_t *sum, const ramus_real *x,
                               int n);

/* The product of i8.h; that of i4.h. */
typedef void ramus_linear_i8_fn(const ramus_linear_i8_job *job);
typedef void ramus_linear_i4_fn(const ramus_linear_i8_job *job);

/* sums[g] = the sum of group g of a quantised row of n values (i4.h) */
typedef void ramus_sum_groups_fn(int32_t *sums, const int8_t *q, int n);

/* y[i] = exp(x[i] - max) / sum, y may be x. Returns log sum exp x. n >= 1 */
typedef ramus_real ramus_softmax_fn(ramus_real *y, const ramus_real *x, int n);

/* Only what softmax returns; top: the largest of x. */
typedef ramus_real ramus_log_sum_exp_fn(const ramus_real *x, int n, ramus_real top);

/* best[0 .. k - 1] = where the k largest of x are, largest first; of equal ones, the first comes
 * first. 1 <= k <= n */
typedef void ramus_top_k_fn(int *best, const ramus_real *x, int n, int k);

/* sum = x + residual (residual may be NULL; `sum` may be x then);
 * y = (sum - mean) / sqrt(variance + epsilon) * gain + bias, y may be x.
 * stats = {mean, 1 / sqrt(..)} */
typedef void ramus_norm_fn(ramus_real *y, ramus_real *sum, ramus_real stats[2], const ramus_real *x,
                           const ramus_real *residual, const ramus_real *gain,
                           const ramus_real *bias, ramus_real epsilon, int n);

typedef void ramus_attention_fn(const ramus_attention_job *job);

typedef void ramus_convolution_fn(const ramus_convolution_job *job);

/* y = row * scale + bias + signal; row or bias may be NULL: left out */
typedef void ramus_embed_fn(ramus_real *y, const ramus_real *row, ramus_real scale,
                            const ramus_real *bias, const ramus_real *signal, int n);

/* The same with one output of an 8-bit matrix, row = w + ramus_i8_row(n, output). */
typedef void ramus_embed_i8_fn(ramus_real *y, const int8_t *row, ramus_real scale,
                               const ramus_real *bias, const ramus_real *signal, int n);

/* The same with one of a 4-bit matrix: row[i] times (scale times its group's). */
typedef void ramus_embed_i4_fn(ramus_real *y, const ramus_i4_row *row, ramus_real scale,
                               const ramus_real *bias, const ramus_real *signal, int n);

/* y = a + b, y may be a */
typedef void ramus_add_fn(ramus_real *y, const ramus_real *a, const ramus_real *b, int n);

/* y += a * x */
typedef void ramus_axpy_fn(ramus_real *y, ramus_real a, const ramus_real *x, int n);

/* y = 0 where it is not positive */
typedef void ramus_relu_fn(ramus_real *y, int n);

/* y[i] = f(x[i]) of activation.h, y may be x */
typedef void ramus_activation_fn(ramus_real *y, const ramus_real *x, int n);

/* y[i] = x[i] * sigmoid(x[n + i]), the sigmoid of activation.h */
typedef void ramus_glu_fn(ramus_real *y, const ramus_real *x, int n);

/* Label-smoothed cross-entropy of one row of n logits: weight `high` on the label, `low` on every
 * other token. Returns lse - sum_i weight_i logit_i. */
typedef double ramus_cross_entropy_fn(const ramus_real *logits, int n, int label, double high,
                                      double low);

/* Every slot of the table, SLOT(name, type, class): the struct, the overlay of rows and the tests
 * are made from this list. */
// clang-format off
#define RAMUS_KERNEL_SLOTS(SLOT)                          \
    SLOT(linear,        ramus_linear_fn,        exact)    \
    SLOT(quantize,      ramus_quantize_fn,      exact)    \
    SLOT(linear_i8,     ramus_linear_i8_fn,     exact)    \
    SLOT(linear_i4,     ramus_linear_i4_fn,     exact)    \
    SLOT(sum_groups,    ramus_sum_groups_fn,    exact)    \
    SLOT(softmax,       ramus_softmax_fn,       exact)    \
    SLOT(log_sum_exp,   ramus_log_sum_exp_fn,   exact)    \
    SLOT(top_k,         ramus_top_k_fn,         exact)    \
    SLOT(norm,          ramus_norm_fn,          exact)    \
    SLOT(attention,     ramus_attention_fn,     exact)    \
    SLOT(convolution,   ramus_convolution_fn,   exact)    \
    SLOT(embed,         ramus_embed_fn,         exact)    \
    SLOT(embed_i8,      ramus_embed_i8_fn,      exact)    \
    SLOT(embed_i4,      ramus_embed_i4_fn,      exact)    \
    SLOT(add,           ramus_add_fn,           exact)    \
    SLOT(axpy,          ramus_axpy_fn,          exact)    \
    SLOT(relu,          ramus_relu_fn,          exact)    \
    SLOT(swish,         ramus_activation_fn,    exact)    \
    SLOT(gelu,          ramus_activation_fn,    exact)    \
    SLOT(glu,           ramus_glu_fn,           exact)    \
    SLOT(cross_entropy, ramus_cross_entropy_fn, exact)
// clang-format on

#define RAMUS_SLOT_FIELD(name, type, class) type *name;

/* A row, and what rows laid over each other give. A row leaves a slot NULL where the slower row's
 * function serves it. */
typedef struct ramus_kernels {
    const char *isa;
    unsigned needs; // RAMUS_CPU_ bits
    RAMUS_KERNEL_SLOTS(RAMUS_SLOT_FIELD)
} ramus_kernels;

extern const ramus_kernels ramus_kernels_ref;

#endif
