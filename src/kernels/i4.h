/* i4.h - matrices of 4-bit integers: their layout in memory.
 *
 * A matrix of n outputs by k inputs holds integers in [-8, 7]. Each output has a scale, a finite
 * half, for every group of 64 inputs. It lies in tiles of 64 bytes, [n / 16][k / 8][16][4], one for
 * 16 outputs and 8 inputs: byte j of an output has inputs j (low bits) and 4 + j (high bits), each
 * plus 8. So the low and the high halves of a tile's bytes are two tiles of i8.h. Outputs are
 * padded to 16 and inputs to 64 with zeros, that is 8 in each half. Scales lie as
 * [n / 16][k / 64][16]. Rows of activations are those of i8.h.
 *
 * The product (the kernel linear_i4) is that of ramus_linear_i8_job with this value:
 *   sum[g] = sum of w[j,i] x[r,i] over the inputs i of group g, an integer: never rounded
 *   total  = 0, then total + sum[g] * w_half[j,g] for each group in turn
 *   value  = total * x_scale[r] + bias[j]
 * x_sum has a sum for each group of a row: x_sum[r * groups + g], as the kernel sum_groups gives
 * them. */
#ifndef RAMUS_KERNELS_I4_H
#define RAMUS_KERNELS_I4_H

#include "kernels/half.h"
#include "kernels/i8.h"

#define RAMUS_I4_TILE_INPUTS 8
#define RAMUS_I4_GROUP       64 // inputs that share a scale
#define RAMUS_I4_GROUP_TILES (RAMUS_I4_GROUP / RAMUS_I4_TILE_INPUTS)

/* Groups of inputs that an output has. */
static inline int ramus_i4_groups(int k)
{
    return (k + RAMUS_I4_GROUP - 1) / RAMUS_I4_GROUP;
}

/* Tiles that lie behind each other for the same outputs. */
static inline int ramus_i4_tiles(int k)
{
    return ramus_i4_groups(k) * RAMUS_I4_GROUP_TILES;
}

/* The byte with input i of output o; in its high bits where i % 8 >= 4. */
static inline size_t ramus_i4_byte(int k, int o, int i)
{
    const size_t tile = (size_t)(o / RAMUS_I8_OUTPUTS) * (size_t)ramus_i4_tiles(k) +
                        (size_t)(i / RAMUS_I4_TILE_INPUTS);
    return tile * RAMUS_I8_TILE + (size_t)(o % RAMUS_I8_OUTPUTS) * RAMUS_I8_INPUTS +
           (size_t)(i % RAMUS_I8_INPUTS);
}

static inline size_t ramus_i4_size(int n, int k) // bytes of a matrix without its scales
{
    return (size_t)((n + RAMUS_I8_OUTPUTS - 1) / RAMUS_I8_OUTPUTS) * (size_t)ramus_i4_tiles(k) *
           RAMUS_I8_TILE;
}

/* Where the scale of output o for its group g is. */
static inline size_t ramus_i4_scale(int k, int o, int g)
{
    return ((size_t)(o / RAMUS_I8_OUTPUTS) * (size_t)ramus_i4_groups(k) + (size_t)g) *
               RAMUS_I8_OUTPUTS +
           (size_t)(o % RAMUS_I8_OUTPUTS);
}

static inline size_t ramus_i4_scales(int n, int k) // their number, with padding
{
    return ramus_i4_scale(k, (n + RAMUS_I8_OUTPUTS - 1) / RAMUS_I8_OUTPUTS * RAMUS_I8_OUTPUTS, 0);
}

static inline size_t ramus_i4_bytes(int n, int k) // of a matrix with its scales
{
    return ramus_i4_size(n, k) + ramus_i4_scales(n, k) * sizeof(ramus_half);
}

/* Where an output begins, its weights and its scales; of a multiple of 16: where a row of tiles
 * does. */
typedef struct ramus_i4_row {
    const int8_t *w;
    const ramus_half *scale;
} ramus_i4_row;

static inline ramus_i4_row ramus_i4_row_of(const int8_t *w, const ramus_half *scale, int k, int o)
{
    return (ramus_i4_row){w + ramus_i4_byte(k, o, 0), scale + ramus_i4_scale(k, o, 0)};
}

/* The same at its group g. */
static inline ramus_i4_row ramus_i4_group(ramus_i4_row row, ptrdiff_t g)
{
    return (ramus_i4_row){row.w + g * RAMUS_I4_GROUP_TILES * RAMUS_I8_TILE,
                          row.scale + g * RAMUS_I8_OUTPUTS};
}

/* Input i of the output that begins at w. */
static inline int ramus_i4_get(const int8_t *w, int i)
{
    const int tile = i / RAMUS_I4_TILE_INPUTS, high = i / RAMUS_I8_INPUTS % 2;
    const uint8_t both = (uint8_t)w[tile * RAMUS_I8_TILE + i % RAMUS_I8_INPUTS];
    return (high ? both >> 4 : both & 15) - 8;
}

static inline void ramus_i4_set(int8_t *w, int i, int value)
{
    const int tile = i / RAMUS_I4_TILE_INPUTS, high = i / RAMUS_I8_INPUTS % 2;
    int8_t *both = w + tile * RAMUS_I8_TILE + i % RAMUS_I8_INPUTS;
    const int other = high ? *both & 0x0f : *both & 0xf0;
    *both = (int8_t)(other | (value + 8) << (high ? 4 : 0));
}

#endif
