/* kernels.h - arithmetic on arrays: a table of function pointers, one row per CPU family.
 *
 * ramus_kernels_ref is the definition of each. Kernels do not allocate, lock, thread, log or fail.
 * Pointers must not overlap unless a comment says that they may.
 *
 * Exact kernels are all that translating calls: every row gives the reference's bits. Sums run in
 * 16 lanes, element i in lane i % 16, and the lanes are added as a tree (8 + 8, 4 + 4, 2 + 2,
 * 1 + 1); multiply and add stay separate; exp is ours (exp.h).
 *
 * Bounded kernels serve training only: any order of summation; the bound is stated with each. */
#ifndef RAMUS_KERNELS_KERNELS_H
#define RAMUS_KERNELS_KERNELS_H

#include "base/rng.h"
#include "kernels/i4.h"
#include "kernels/i8.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A linear map y = w x + bias on listed rows.
 *   x [., k]   w [n, k]   bias [n] or NULL   y [., n]
 * With `scale` each row's result is multiplied by its own number and added to y. */
typedef struct ramus_linear_job {
    int n, k;
    const int *rows; // which rows of x and y take part; NULL: 0 .. n_rows - 1
    int n_rows;
    const ramus_real *scale; // of row r: scale[r * scale_stride]; NULL: y is set, not added to
    int scale_stride;
    const ramus_real *x, *w, *bias;
    ramus_real *y;
} ramus_linear_job;

/* A matrix product on listed rows r, for a panel of columns j that was packed beforehand:
 *   sum[r][j] = sum_t a(r, t) b[t][j]
 *   c[r][j]   = [c[r][j] if add] + scale[r] * (sum[r][j] + bias[j])
 *   dscale[r] += sum_j sum[r][j] x[r][j], if dscale */
typedef struct ramus_gemm_job {
    int depth; // terms of a sum
    const ramus_real *a;
    ptrdiff_t a_stride; // a(r, t) = a[r * a_stride + t]; 0: as pack_a packs it
    const int *rows;    // rows of a and c; NULL: 0 .. n_rows - 1
    int n_rows;
    const ramus_real *b; // [depth][width of ramus_gemm], zeros behind the last column
    int columns;         // of them count, 1 .. width
    ramus_real *c;       // c[r][j] = c[r * c_stride + j]
    ptrdiff_t c_stride;
    bool add;
    const ramus_real *bias;  // [columns] or NULL: none
    const ramus_real *scale; // of row r: scale[r * scale_stride]; NULL: 1
    int scale_stride;
    const ramus_real *x; // strided like c
    ramus_real *dscale;  // strided like scale; or NULL
} ramus_gemm_job;

/* Rows to be packed: numbers src[r][0 .. columns) of the listed rows r, each times scale[r]. */
typedef struct ramus_pack_job {
    const ramus_real *src;
    ptrdiff_t stride;
    const int *rows; // NULL: 0 .. n_rows - 1
    int n_rows, columns;
    const ramus_real *scale; // of row r: scale[r * scale_stride]; NULL: 1
    int scale_stride;
} ramus_pack_job;

/* The products of training. Bounded: |error| <= depth * epsilon * sum of the terms' magnitudes. The
 * order of summation of one element depends on depth alone, never on rows, columns or threads. */
typedef struct ramus_gemm {
    int height, width; // rows and columns that are computed at once
    void (*panel)(const ramus_gemm_job *job);
    /* Packs the job's rows by panels of `width` columns, to[column / width][row][column % width],
     * with zeros behind the last column. */
    void (*pack_b)(ramus_real *to, const ramus_pack_job *job);
    /* The same by groups of `height` columns. sums[j] += the sum of column j, unless NULL. */
    void (*pack_a)(ramus_real *to, ramus_real *sums, const ramus_pack_job *job);
    /* For benchmarks: arithmetic in registers and nothing else. Returns how many operations. */
    double (*peak)(long rounds);
} ramus_gemm;

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

/* Numbers from what all heads have of one key to what they have of the next. */
static inline int ramus_attention_stride(int heads)
{
    return (heads + 7) / 8 * 8;
}

/* Many query rows of one attention head: training. Query i sees the keys 0 .. seen + i * more - 1.
 * Rows of q, k, v and out are `stride` apart, and so are those of their gradients. */
typedef struct ramus_attention_block {
    int queries, keys, size, stride; // keys: as many as the last query sees
    int seen, more;                  // more: 1 where a query sees one key more than the one before
    ramus_real scale;
    const ramus_real *q, *k, *v;
    const ramus_real *keep; // [queries, keys] dropout factors, NULL: all 1
    ramus_real *out, *lse;  // forward: set; backward: read. lse of query i: lse[i * lse_stride]
    int lse_stride;
    const ramus_real *dout;
    ramus_real *dq, *dk, *dv; // added to
    ramus_real *scratch;      // ramus_attention_scratch() numbers
} ramus_attention_block;

/* Enough for every row: keys and values by columns, padded; queries, gradients and keys by rows,
 * padded; probabilities and their gradients. */
static inline size_t ramus_attention_scratch(int queries, int keys, int size)
{
    const size_t k = ((size_t)keys + 31) / 32 * 32, channels = ((size_t)size + 31) / 32 * 32;
    const size_t rows = (size_t)queries + 12;
    return 2 * k * ((size_t)size + rows) + channels * ((size_t)keys + 2 * rows);
}

/* Rows of layer normalisation, backward; the kernel `norm` made sum and stats. */
typedef struct ramus_norm_job {
    int rows, n;
    const ramus_real *dy, *sum; // [rows, n]
    const ramus_real *stats;    // [rows, 2]
    const ramus_real *gain;     // [n]
    ramus_real *dx, *dresidual; // [rows, n] added to, the same numbers; NULL: not asked for
    ramus_real *dgain, *dbias;  // [n] added to
} ramus_norm_job;

/* One update of Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).
 */
typedef struct ramus_adam {
    ramus_real rate, beta1, beta2, epsilon;
    ramus_real correction1, correction2; // 1 / (1 - beta^step)
    ramus_real decay;                    // 0: plain Adam
    ramus_real grad_scale;               // gradients are multiplied by it first (clipping)
} ramus_adam;

typedef struct ramus_kernels {
    const char *isa;
    unsigned needs; // RAMUS_CPU_ bits

    /* exact: y[r,:] = w x[r,:] + bias, or y[r,:] += scale[r] * (w x[r,:] + bias) */
    void (*linear)(const ramus_linear_job *job);
    const ramus_gemm *gemm; // bounded

    /* exact: x in steps of *scale = max / 127, max the largest |x|: q[i] = x[i] * (127 / max),
     * rounded to the nearest whole number, halves to even. Zeros behind q[n - 1] up to
     * ramus_i8_stride(n); *sum = the sum of q. max below 1e-30: zeros, *scale = 0. Infinities count
     * as the largest float; NaN does not count for max and becomes 127. */
    void (*quantize)(int8_t *q, ramus_real *scale, int32_t *sum, const ramus_real *x, int n);
    void (*linear_i8)(const ramus_linear_i8_job *job); // exact
    void (*linear_i4)(const ramus_linear_i8_job *job); // exact; see i4.h
    /* exact: sums[g] = the sum of group g of a quantised row of n numbers (i4.h) */
    void (*sum_groups)(int32_t *sums, const int8_t *q, int n);

    /* exact: y[i] = exp(x[i] - max) / sum, y may be x. Returns log sum exp x. n >= 1 */
    ramus_real (*softmax)(ramus_real *y, const ramus_real *x, int n);
    /* exact: what softmax returns and nothing else; top: the largest of x */
    ramus_real (*log_sum_exp)(const ramus_real *x, int n, ramus_real top);
    /* exact: best[0 .. k - 1] = where the k largest of x are, largest first; of equal ones, the
     * first comes first. 1 <= k <= n */
    void (*top_k)(int *best, const ramus_real *x, int n, int k);

    /* exact: sum = x + residual (residual may be NULL; `sum` may be x then);
     * y = (sum - mean) / sqrt(variance + 1e-5) * gain + bias, y may be x. stats = {mean, 1 /
     * sqrt(..)} */
    void (*norm)(ramus_real *y, ramus_real *sum, ramus_real stats[2], const ramus_real *x,
                 const ramus_real *residual, const ramus_real *gain, const ramus_real *bias, int n);
    /* bounded (a few epsilon of the row's largest gradient; gain and bias: rows * epsilon): adds
     * the gradients of norm with respect to `sum`, gain and bias */
    void (*norm_backward)(const ramus_norm_job *job);

    /* exact */
    void (*attention)(const ramus_attention_job *job);
    /* bounded (a few n * epsilon, n keys or queries): the same for a block of queries; and its
     * gradients, added to dq, dk, dv */
    void (*attention_train)(const ramus_attention_block *job);
    void (*attention_backward)(const ramus_attention_block *job);

    /* exact: y = row * scale + bias + signal; row or bias may be NULL: left out */
    void (*embed)(ramus_real *y, const ramus_real *row, ramus_real scale, const ramus_real *bias,
                  const ramus_real *signal, int n);
    /* exact: the same with one output of an 8-bit matrix, row = w + ramus_i8_row(n, output) */
    void (*embed_i8)(ramus_real *y, const int8_t *row, ramus_real scale, const ramus_real *bias,
                     const ramus_real *signal, int n);
    /* exact: the same with one of a 4-bit matrix: row[i] times (scale times its group's) */
    void (*embed_i4)(ramus_real *y, const ramus_i4_row *row, ramus_real scale,
                     const ramus_real *bias, const ramus_real *signal, int n);

    void (*add)(ramus_real *y, const ramus_real *a, const ramus_real *b,
                int n);                                                    // exact, y may be a
    void (*axpy)(ramus_real *y, ramus_real a, const ramus_real *x, int n); // exact, y += a * x
    void (*relu)(ramus_real *y, int n);                                    // exact, in place
    void (*relu_backward)(ramus_real *dy, const ramus_real *y, int n); // exact: dy = 0 where y <= 0

    /* exact: out[i] = the bits of element `first` + i, as ramus_rng_fill() gives them */
    void (*random)(uint32_t *out, const ramus_rng *rng, uint64_t first, int n);

    /* exact: y[i] = bits[i] < threshold ? 0 : x[i] * scale, y may be x */
    void (*dropout)(ramus_real *y, const ramus_real *x, const uint32_t *bits, uint32_t threshold,
                    ramus_real scale, int n);

    /* Label-smoothed cross-entropy of one row of n logits: weight `high` on the label, `low` on
     * every other word. Returns lse - sum_i weight_i logit_i. With `gradient`, logits become
     * (softmax - weight) * gradient. exact without gradient, bounded (4 epsilon) with it */
    double (*cross_entropy)(ramus_real *logits, int n, int label, double high, double low,
                            const ramus_real *gradient);

    /* exact: g = grad_scale * grad[i];  m[i] = beta1 m[i] + (1 - beta1) g;  v[i] = beta2 v[i] + (1
     * - beta2) g g; w[i] -= rate * (m[i] correction1 / (sqrt(v[i] correction2) + epsilon) + decay
     * w[i]) */
    void (*adam)(ramus_real *w, ramus_real *m, ramus_real *v, const ramus_real *grad, int n,
                 const ramus_adam *how);
} ramus_kernels;

extern const ramus_kernels ramus_kernels_ref;

#endif
