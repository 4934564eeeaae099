/* sums_simd128.h - 16 sums of products of 8-bit numbers, and of 4-bit by 8-bit numbers, as vectors
 * of WebAssembly. arm/sums_neon.h has the same functions.
 *
 * Bytes are widened to 16 bits; the instruction that multiplies eight of them and adds products in
 * pairs is one that every CPU has. So each output has two parts of its sum. */
#ifndef RAMUS_KERNELS_WASM_SUMS_SIMD128_H
#define RAMUS_KERNELS_WASM_SUMS_SIMD128_H

#include "kernels/i4.h"
#include "kernels/wasm/lanes_simd128.h"

#include <stddef.h>

#define HEIGHT    4        // rows at once
#define HEIGHT_I4 2        // of 4-bit numbers
#define TILES     1        // at once where there is one row
#define STRAIGHT  SIZE_MAX // bytes: a matrix that large is read as it lies

typedef struct { // two parts of each output's sum
    v128_t parts[8];
} sums;

/* What sums begin with, given the sum of x. */
static inline sums sums_start(int32_t x_sum)
{
    (void)x_sum;
    return (sums){{{0}}};
}

/* Four inputs, twice. */
static inline v128_t load_inputs(const int8_t *x)
{
    return wasm_i16x8_extend_low_i8x16(wasm_v128_load32_splat(x));
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs. */
static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    v128_t inputs[HEIGHT];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        inputs[r] = load_inputs(x[r] + at);
    __asm__("" : "+r"(tile)); // else every load's address is computed anew
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const v128_t w = wasm_i16x8_load8x8(tile + 8 * i);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            s[r].parts[i] = wasm_i32x4_add(s[r].parts[i], wasm_i32x4_dot_i16x8(w, inputs[r]));
    }
}

/* One row, tiles that are `apart` bytes from each other. */
static inline __attribute__((always_inline)) void
sums_add_tiles(sums *s, const int8_t *tile, ptrdiff_t apart, const int8_t *x, const int tiles)
{
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        sums_add(&s[t], tile + t * apart, &x, 0, 1);
}

static inline quad_int add_pairs(v128_t a, v128_t b)
{
    return __builtin_shufflevector((quad_int)a, (quad_int)b, 0, 2, 4, 6) +
           __builtin_shufflevector((quad_int)a, (quad_int)b, 1, 3, 5, 7);
}

static inline lanes sums_lanes(sums s)
{
    EACH_QUAD(__builtin_convertvector(add_pairs(s.parts[2 * i], s.parts[2 * i + 1]), quad));
}

/* Floats of 16 bits: what is finite is a number of 31 bits times 2^112. */
static inline quad load_halves(const ramus_half *h)
{
    const quad_bits all = (quad_bits)wasm_u32x4_load16x4(h), size = (all & 0x7fff) << 13;
    const quad finite = (quad)size * 0x1p112f;
    const quad_bits infinite = size | 0x7f800000;
    const quad x = quad_select((quad_int)(size >= 0x0f800000), (quad)infinite, finite);
    return (quad)((quad_bits)x | (all & 0x8000) << 16);
}

/* Group g of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale. Weights count 8 more than
 * they are; 8 x_sum is what that makes of x. */
static inline __attribute__((always_inline)) void group_add(lanes *total, ramus_i4_row w,
                                                            const int8_t *const *x,
                                                            const int32_t *const *x_sum,
                                                            ptrdiff_t g, const int rows)
{
    for (int q = 0; q < 4; q++) { // of four outputs
        v128_t s[HEIGHT_I4][2] = {{{0}}};
#pragma GCC unroll 1
        for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++) {
            const v128_t both = wasm_v128_load(w.w + i * RAMUS_I8_TILE + q * 16);
            const v128_t low = wasm_v128_and(both, wasm_i8x16_splat(15)),
                         high = wasm_u8x16_shr(both, 4);
            const ptrdiff_t at = g * RAMUS_I4_GROUP + i * RAMUS_I4_TILE_INPUTS;
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                const v128_t x0 = load_inputs(x[r] + at),
                             x1 = load_inputs(x[r] + at + RAMUS_I8_INPUTS);
                s[r][0] = wasm_i32x4_add(
                    s[r][0], wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(low), x0));
                s[r][1] = wasm_i32x4_add(
                    s[r][1], wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(low), x0));
                s[r][0] = wasm_i32x4_add(
                    s[r][0], wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(high), x1));
                s[r][1] = wasm_i32x4_add(
                    s[r][1], wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(high), x1));
            }
        }
        const quad scale = load_halves(w.scale + 4 * q);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const quad_int sum = add_pairs(s[r][0], s[r][1]) - 8 * x_sum[r][g];
            total[r].q[q] += __builtin_convertvector(sum, quad) * scale;
        }
    }
}

/* One group of inputs, one row, `tiles` rows of tiles of `groups` groups each:
 * total[t] += (w x) * scale */
static inline __attribute__((always_inline)) void group_add_tiles(lanes *total, ramus_i4_row w,
                                                                  int groups, const int8_t *x,
                                                                  int32_t x_sum, const int tiles)
{
    const int32_t *sum = &x_sum;
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        group_add(&total[t], ramus_i4_group(w, (ptrdiff_t)t * groups), &x, &sum, 0, 1);
}

#endif
