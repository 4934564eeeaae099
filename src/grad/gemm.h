/* gemm.h - matrix products of training on the rows of an activation: blocks, packing, threads.
 *
 * Work is cut into blocks that depend on sizes alone and every element is summed by one thread in a
 * fixed order, so the thread count changes no bit. A routed product takes the list of rows of each
 * branch. It reads and stores rows through the list and never moves them.
 */
#ifndef RAMUS_GRAD_GEMM_H
#define RAMUS_GRAD_GEMM_H

#include "graph/train_run.h"

/* The rows first .. last - 1 that branch b serves; arg is the product's. A dense product has no
 * such function. */
typedef const int *ramus_gemm_rows_fn(const void *arg, int branch, int first, int last,
                                      int *n_rows);

/* c[r][:] = [c[r][:] +] scale[r] * (w_b a[r][:] + bias_b), or with w_b transposed. */
typedef struct ramus_gemm_rows {
    int n_rows, branches;
    ramus_gemm_rows_fn *rows_of; // NULL: dense, one branch
    const void *arg;
    int depth, columns; // floats in a row of a, in a row of c
    bool transposed;    // w is [depth, columns], else [columns, depth]
    const ramus_real *a, *w, *bias;
    ramus_real *c;
    bool add;
    const ramus_real *scale; // [n_rows, branches] or NULL
    const ramus_real *x;     // [n_rows, columns], for dscale
    ramus_real *dscale;      // [n_rows, branches]: += sum of (w_b a[r]) * x[r]; or NULL
} ramus_gemm_rows;

/* Packs the weights into run->train->shared (ramus_gemm_packed() floats for each branch), then
 * computes.
 */
void ramus_gemm_rows_run(ramus_run *run, const ramus_gemm_rows *g);

/* The two halves, for weights that serve several products: packing, to `packed`, and the product.
 */
void ramus_gemm_rows_pack(ramus_run *run, const ramus_gemm_rows *g, ramus_real *packed);
void ramus_gemm_rows_compute(ramus_run *run, const ramus_gemm_rows *g, const ramus_real *packed);

/* dw_b += sum over the rows r of branch b of scale[r] * dy[r] x[r]^T;  dbias_b += sum of scale[r] *
 * dy[r] */
typedef struct ramus_gemm_weights {
    int n_rows, branches;
    ramus_gemm_rows_fn *rows_of;
    const void *arg;
    int outputs, inputs;      // dw is [branches, outputs, inputs]
    const ramus_real *dy, *x; // [n_rows, outputs], [n_rows, inputs]
    const ramus_real *scale;  // [n_rows, branches] or NULL
    ramus_real *dw, *dbias;   // dbias may be NULL
} ramus_gemm_weights;

void ramus_gemm_weights_run(ramus_run *run, const ramus_gemm_weights *g);

/* Room: floats of one packed branch with these columns and depth; bytes of a thread's scratch in
 * ramus_gemm_weights_run(). Enough for every row of kernels. */
size_t ramus_gemm_packed(int columns, int depth);
size_t ramus_gemm_scratch(int inputs);

#endif
