/* i8.h - matrices of 8-bit integers: their layout in memory, and the product with one.
 *
 * A matrix of n outputs by k inputs holds integers in [-127, 127]; each output has a scale. It lies
 * in tiles of 64 bytes, [n / 16][k / 4][16][4], padded with zeros to whole tiles. So a vector of 4,
 * 8 or 16 sums reads it in place, on every CPU, in a mapped file. Aligned to 64 is fastest. A row
 * of activations is quantised when it is needed (the kernel `quantize`); such rows are
 * ramus_i8_stride(k) bytes apart. Sums have 32 bits and are never rounded. */
#ifndef RAMUS_KERNELS_I8_H
#define RAMUS_KERNELS_I8_H

#include "kernels/half.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMUS_I8_OUTPUTS 16 // of a tile
#define RAMUS_I8_INPUTS  4
#define RAMUS_I8_TILE    64 // bytes

#define RAMUS_I8_MOST_INPUTS 131072 // so many products of 127 by 127 fit 32 bits

/* Bytes from one quantised row of k values to the next. */
static inline int ramus_i8_stride(int k)
{
    return (k + 63) / 64 * 64;
}

/* Tiles that lie behind each other for the same outputs. */
static inline int ramus_i8_groups(int k)
{
    return (k + RAMUS_I8_INPUTS - 1) / RAMUS_I8_INPUTS;
}

/* Where output `o` begins: its input i is at [i / 4 * 64 + i % 4] from there. */
static inline size_t ramus_i8_row(int k, int o)
{
    const size_t tiles = (size_t)(o / RAMUS_I8_OUTPUTS) * (size_t)ramus_i8_groups(k);
    return tiles * RAMUS_I8_TILE + (size_t)(o % RAMUS_I8_OUTPUTS) * RAMUS_I8_INPUTS;
}

static inline size_t ramus_i8_offset(int i) // of an input from the beginning of its output
{
    return (size_t)(i / RAMUS_I8_INPUTS) * RAMUS_I8_TILE + (size_t)(i % RAMUS_I8_INPUTS);
}

static inline size_t ramus_i8_size(int n, int k) // bytes of a matrix
{
    return ramus_i8_row(k, (n + RAMUS_I8_OUTPUTS - 1) / RAMUS_I8_OUTPUTS * RAMUS_I8_OUTPUTS);
}

/* A linear map on listed rows r of quantised activations:
 *   value  = (sum_i w[j,i] x[r,i]) * (w_scale[j] * x_scale[r]) + bias[j]
 *   y[r,j] = value, or y[r,j] + scale[r] * value
 * and with relu 0 where that is not positive. Weights are read once for all rows. The same job
 * serves matrices of 4 bits, see i4.h. */
typedef struct ramus_linear_i8_job {
    int n, k;
    const int *rows; // which rows of x and y take part; NULL: 0 .. n_rows - 1
    int n_rows;
    const ramus_real *scale; // of row r: scale[r * scale_stride]; NULL: y is set, not added to
    int scale_stride;
    bool relu;
    const int8_t *x; // as `quantize` makes rows, its scales and its sums
    const ramus_real *x_scale;
    const int32_t *x_sum;
    const int8_t *w;           // [n, k] in tiles
    const ramus_real *w_scale; // 8 bits
    const ramus_half *w_half;  // 4 bits
    const ramus_real *bias;    // [n] or NULL
    ramus_real *y;
    ptrdiff_t y_stride; // y[r,j] = y[r * y_stride + j]
} ramus_linear_i8_job;

#endif
