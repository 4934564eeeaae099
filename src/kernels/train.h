/* train.h - arithmetic on arrays that only training needs: the other half of kernels.h, with rows
 * and rules of its own. libramus does not have it.
 *
 * Bounded kernels may add in any order and fuse; the bound of their error is stated with each.
 * Exact ones give the reference's bits in every row, as all of kernels.h do. */
#ifndef RAMUS_KERNELS_TRAIN_H
#define RAMUS_KERNELS_TRAIN_H

#include "base/rng.h"
#include "kernels/kernels.h"

/* A matrix product on listed rows r, for a panel of columns j that was packed beforehand:
 *   sum[r][j] = sum_t a(r, t) b[t][j]
 *   c[r][j]   = [c[r][j] if add] + scale[r] * (sum[r][j] + bias[j])
 *   dscale[r] += sum_j sum[r][j] x[r][j], if dscale */
typedef struct ramus_gemm_job {
    int depth; // numbers of a packed row, each with ramus_gemm.terms terms of a sum
    const ramus_real *a;
    ptrdiff_t a_stride; // a(r, t) = a[r * a_stride + t]; 0: as pack_a packs it
    const int *rows;    // rows of a and c; NULL: 0 .. n_rows - 1
    bool in_order;      // the rows of a are 0 .. n_rows - 1 and `rows` those of c alone
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
 * order of summation of one element depends on depth alone, never on rows, columns or threads.
 *
 * A packed number holds one term of a sum, or two, each in the 16 bits of a bfloat16: terms t and
 * t + 1 for an even t, the lower half first, zero behind the last one. */
typedef struct ramus_gemm {
    int height, width; // rows and columns that are computed at once
    int terms;         // in a packed number
    void (*panel)(const ramus_gemm_job *job);
    /* Packs rows for a panel's `a`, to[row][column / terms]. NULL: it reads them as they are. */
    void (*pack_rows)(ramus_real *to, const ramus_pack_job *job);
    /* Packs the job's rows, which are terms of sums, by panels of `width` columns,
     * to[column / width][row / terms][column % width], with zeros behind the last column. */
    void (*pack_b)(ramus_real *to, const ramus_pack_job *job);
    /* The same by groups of `height` columns. sums[j] += the sum of column j, unless NULL. */
    void (*pack_a)(ramus_real *to, ramus_real *sums, const ramus_pack_job *job);
    /* For benchmarks: arithmetic in registers and nothing else. Returns how many operations. */
    double (*peak)(long rounds);
} ramus_gemm;

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

/* One row and head of a convolution, backward: rows of v are `stride` apart. */
typedef struct ramus_convolution_back {
    int n, size; // taps and the rows of v that they meet; channels of the head
    ptrdiff_t stride;
    const ramus_real *taps, *v, *dout; // [n], [n, size], [size]
    ramus_real *dtaps, *dv;            // added to
} ramus_convolution_back;

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

/* Adds the gradients of norm with respect to `sum`, gain and bias. Bounded: a few epsilon of the
 * row's largest gradient; gain and bias: rows * epsilon. */
typedef void ramus_norm_backward_fn(const ramus_norm_job *job);

/* Attention of a block of queries; and its gradients, added to dq, dk, dv. Bounded: a few n *
 * epsilon, n keys or queries. */
typedef void ramus_attention_train_fn(const ramus_attention_block *job);
typedef void ramus_attention_backward_fn(const ramus_attention_block *job);

/* dtaps[k] += dout . v[k], dv[k] += taps[k] dout. Bounded: size * epsilon. */
typedef void ramus_convolution_backward_fn(const ramus_convolution_back *job);

/* The same result as cross_entropy, and in *nll the one without smoothing; logits become (softmax -
 * weight) * gradient. Bounded: 4 epsilon.
 */
typedef double ramus_cross_entropy_gradient_fn(ramus_real *logits, int n, int label, double high,
                                               double low, ramus_real gradient, double *nll);

/* dy = 0 where y <= 0 */
typedef void ramus_relu_backward_fn(ramus_real *dy, const ramus_real *y, int n);

/* dx[i] += dy[i] * f'(x[i]), f of ramus_activation_fn */
typedef void ramus_activation_backward_fn(ramus_real *dx, const ramus_real *dy, const ramus_real *x,
                                          int n);

/* dx += the gradient of ramus_glu_fn. x, dx [2 n] */
typedef void ramus_glu_backward_fn(ramus_real *dx, const ramus_real *dy, const ramus_real *x,
                                   int n);

/* out[i] = the bits of element `first` + i, as ramus_rng_fill() gives them */
typedef void ramus_random_fn(uint32_t *out, const ramus_rng *rng, uint64_t first, int n);

/* y[i] = bits[i] < threshold ? 0 : x[i] * scale, y may be x */
typedef void ramus_dropout_fn(ramus_real *y, const ramus_real *x, const uint32_t *bits,
                              uint32_t threshold, ramus_real scale, int n);

/* g = grad_scale * grad[i];  m[i] = beta1 m[i] + (1 - beta1) g;  v[i] = beta2 v[i] + (1 - beta2) g
 * g; w[i] -= rate * (m[i] correction1 / (sqrt(v[i] correction2) + epsilon) + decay w[i]) */
typedef void ramus_adam_fn(ramus_real *w, ramus_real *m, ramus_real *v, const ramus_real *grad,
                           int n, const ramus_adam *how);

/* As RAMUS_KERNEL_SLOTS. */
// clang-format off
#define RAMUS_TRAIN_SLOTS(SLOT)                                                     \
    SLOT(gemm,                   const ramus_gemm,                bounded)          \
    SLOT(gemm_bf16,              const ramus_gemm,                bounded)          \
    SLOT(norm_backward,          ramus_norm_backward_fn,          bounded)          \
    SLOT(attention_train,        ramus_attention_train_fn,        bounded)          \
    SLOT(attention_backward,     ramus_attention_backward_fn,     bounded)          \
    SLOT(convolution_backward,   ramus_convolution_backward_fn,   bounded)          \
    SLOT(cross_entropy_gradient, ramus_cross_entropy_gradient_fn, bounded)          \
    SLOT(relu_backward,          ramus_relu_backward_fn,          exact)            \
    SLOT(swish_backward,         ramus_activation_backward_fn,    exact)            \
    SLOT(gelu_backward,          ramus_activation_backward_fn,    exact)            \
    SLOT(glu_backward,           ramus_glu_backward_fn,           exact)            \
    SLOT(random,                 ramus_random_fn,                 exact)            \
    SLOT(dropout,                ramus_dropout_fn,                exact)            \
    SLOT(adam,                   ramus_adam_fn,                   exact)
// clang-format on

typedef struct ramus_train_kernels {
    const char *isa;
    unsigned needs;
    RAMUS_TRAIN_SLOTS(RAMUS_SLOT_FIELD)
} ramus_train_kernels;

extern const ramus_train_kernels ramus_train_kernels_ref;

#endif
