/* Five Newton-Schulz iterations X <- X (a I + b A + c A^2), where A = X^T X, on the tall one of the
 * matrix and its transpose: A then has the smaller side. Each takes the polynomial
 * a s + b s^3 + c s^5 of every singular value s. The products go through the training GEMM, a slice
 * of the depth and a block of rows at a time; of symmetric ones the upper half is computed. */
#include "train/orthogonal.h"

#include "base/status.h"

#include <string.h>

#define ITERATIONS 5
#define ROWS       96  // of a product at a time: a multiple of the height of every row of kernels
#define TERMS      256 // of a sum at a time
#define MAX_WIDTH  32  // of any row of kernels
#define STRIP      16
#define TINY       1e-30

// Jordan et al. 2024: the steepest rise from 0 that leaves the values between 0.7 and 1.2
static const ramus_real a = (ramus_real)3.4445, b = (ramus_real)-4.7750, c = (ramus_real)2.0315;

static int smaller(int x, int y)
{
    return x < y ? x : y;
}

/* to [k, n] = the transpose of x [n, k], by strips that stay in the cache. */
static void transpose(ramus_real *to, const ramus_real *x, int n, int k)
{
    for (int i = 0; i < n; i += STRIP)
        for (int j = 0; j < k; j++)
            for (int r = i; r < smaller(i + STRIP, n); r++)
                to[(ptrdiff_t)j * n + r] = x[(ptrdiff_t)r * k + j];
}

/* Copies what is above the diagonal of x [n, n] to its other side, by strips likewise. */
static void mirror(ramus_real *x, int n)
{
    for (int i = 0; i < n; i += STRIP)
        for (int j = i + 1; j < n; j++)
            for (int r = i; r < smaller(i + STRIP, j); r++)
                x[(ptrdiff_t)j * n + r] = x[(ptrdiff_t)r * n + j];
}

typedef struct {
    const ramus_gemm *gemm;
    ramus_real *packed_left, *packed_right; // [ROWS, TERMS], [TERMS, columns]
} workspace;

/* to [rows, columns] = left [rows, depth] right [depth, columns] */
typedef struct {
    ramus_real *to;
    const ramus_real *left, *right;
    int rows, depth, columns;
    bool transposed; // left is stored as [depth, rows]
    bool symmetric;  // `to` is, so only its panels at and above the diagonal are computed
} product;

/* Finds the terms start .. start + terms of `rows` rows from `top` on for a panel's `a`. */
static void find_left(ramus_gemm_job *job, const workspace *s, const product *p, int top, int rows,
                      int start, int terms)
{
    const ramus_gemm *gemm = s->gemm;
    ramus_pack_job pack = {.n_rows = rows, .columns = terms, .stride = p->depth};
    if (p->transposed) {
        pack = (ramus_pack_job){.n_rows = terms, .columns = rows, .stride = p->rows};
        pack.src = p->left + (ptrdiff_t)start * p->rows + top;
        gemm->pack_a(s->packed_left, NULL, &pack);
        job->a = s->packed_left;
        job->a_stride = 0;
        return;
    }
    job->a = pack.src = p->left + (ptrdiff_t)top * p->depth + start;
    job->a_stride = p->depth;
    if (!gemm->pack_rows) return;
    gemm->pack_rows(s->packed_left, &pack);
    job->a = s->packed_left;
    job->a_stride = job->depth;
}

/* The terms start .. start + terms of the rows top .. top + rows. */
static void add_block(const workspace *s, const product *p, int top, int start, int terms)
{
    const ramus_gemm *gemm = s->gemm;
    const int rows = smaller(ROWS, p->rows - top);
    ramus_gemm_job job = {.depth = (terms + gemm->terms - 1) / gemm->terms,
                          .n_rows = rows,
                          .c_stride = p->columns,
                          .add = start > 0};
    find_left(&job, s, p, top, rows, start, terms);
    const int first = p->symmetric ? top / gemm->width * gemm->width : 0;
    for (int column = first; column < p->columns; column += gemm->width) {
        if (p->symmetric) job.n_rows = smaller(rows, column + gemm->width - top);
        job.b = s->packed_right + (ptrdiff_t)column * job.depth;
        job.columns = smaller(gemm->width, p->columns - column);
        job.c = p->to + (ptrdiff_t)top * p->columns + column;
        gemm->panel(&job);
    }
}

static void multiply(const workspace *s, const product *p)
{
    for (int start = 0; start < p->depth; start += TERMS) {
        const int terms = smaller(TERMS, p->depth - start);
        const ramus_pack_job pack = {.src = p->right + (ptrdiff_t)start * p->columns,
                                     .stride = p->columns,
                                     .n_rows = terms,
                                     .columns = p->columns};
        s->gemm->pack_b(s->packed_right, &pack);
        for (int top = 0; top < p->rows; top += ROWS)
            add_block(s, p, top, start, terms);
    }
    if (p->symmetric) mirror(p->to, p->rows);
}

/* x / its Frobenius norm, so that no singular value is above 1. False: there is nothing in it. */
static bool normalise(ramus_real *x, size_t count)
{
    double lanes[8] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        lanes[i % 8] += (double)x[i] * (double)x[i];
    for (int j = 0; j < 8; j++)
        sum += lanes[j];
    if (sqrt(sum) < TINY) return false;
    const ramus_real factor = (ramus_real)(1 / sqrt(sum));
    for (size_t i = 0; i < count; i++)
        x[i] *= factor;
    return true;
}

/* Numbers of a packed slice of a product with this many columns. */
static size_t packed(int columns)
{
    const size_t panels = ((size_t)columns + MAX_WIDTH - 1) / MAX_WIDTH;
    return panels * MAX_WIDTH * TERMS;
}

size_t ramus_orthogonal_scratch(int n, int k)
{
    const int small = smaller(n, k);
    const size_t count = (size_t)n * (size_t)k, square = (size_t)small * (size_t)small;
    return ROWS * TERMS + packed(small) + 2 * square + 2 * count;
}

void ramus_orthogonalise(ramus_real *x, int n, int k, ramus_real *scratch, const ramus_gemm *gemm)
{
    const bool wide = n < k;
    const int rows = wide ? k : n, small = wide ? n : k;
    const size_t count = (size_t)n * (size_t)k, square = (size_t)small * (size_t)small;
    const workspace s = {gemm, scratch, scratch + ROWS * TERMS};
    ramus_real *gram = s.packed_right + packed(small), *sum = gram + square, *tall = sum + square,
               *next = tall + count;
    RAMUS_ASSERT(gemm->width <= MAX_WIDTH && ROWS % gemm->height == 0);

    if (!normalise(x, count)) {
        memset(x, 0, count * sizeof *x);
        return;
    }
    if (wide)
        transpose(tall, x, n, k);
    else
        memcpy(tall, x, count * sizeof *x);
    for (int i = 0; i < ITERATIONS; i++) {
        multiply(&s, &(product){gram, tall, tall, small, rows, small, true, true});
        multiply(&s, &(product){sum, gram, gram, small, small, small, true, true});
        for (size_t j = 0; j < square; j++)
            sum[j] = b * gram[j] + c * sum[j];
        for (size_t j = 0; j < square; j += (size_t)small + 1)
            sum[j] += a;
        multiply(&s, &(product){next, tall, sum, rows, small, small, false, false});
        ramus_real *done = tall;
        tall = next;
        next = done;
    }
    if (wide)
        transpose(x, tall, k, n);
    else
        memcpy(x, tall, count * sizeof *x);
}
