/* sums_dotprod.h - the functions of sums_neon.h with the instruction that multiplies four bytes by
 * four and adds their products to a sum of 32 bits. */
#ifndef RAMUS_KERNELS_ARM_SUMS_DOTPROD_H
#define RAMUS_KERNELS_ARM_SUMS_DOTPROD_H

#include "kernels/arm/halves_neon.h"
#include "kernels/i4.h"

#define HEIGHT    4        // rows at once: 16 of the 32 registers
#define HEIGHT_I4 4        // of 4-bit numbers
#define TILES     2        // at once where there is one row
#define GROUPS    4        // tiles behind each other that are taken at once
#define STRAIGHT  SIZE_MAX // bytes: a matrix that large is read as it lies

typedef struct {
    int32x4_t q[4];
} sums;

static inline sums sums_of(int32_t x)
{
    const int32x4_t all = vdupq_n_s32(x);
    return (sums){{all, all, all, all}};
}

/* What sums begin with, given the sum of x. */
static inline sums sums_start(int32_t x_sum)
{
    (void)x_sum;
    return sums_of(0);
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs. */
static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        int32_t four;
        memcpy(&four, x[r] + at, sizeof four);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            s[r].q[i] = vdotq_s32(s[r].q[i], bytes_load(tile + i * 16),
                                  vreinterpretq_s8_s32(vdupq_n_s32(four)));
    }
}

/* s + the products of w with four of 16 inputs: `lane` is a constant where this is called, as the
 * instruction wants it. */
static inline __attribute__((always_inline)) int32x4_t dot_lane(int32x4_t s, int8x16_t w,
                                                                int8x16_t x, const int lane)
{
    switch (lane) {
    case 0:
        return vdotq_laneq_s32(s, w, x, 0);
    case 1:
        return vdotq_laneq_s32(s, w, x, 1);
    case 2:
        return vdotq_laneq_s32(s, w, x, 2);
    default:
        return vdotq_laneq_s32(s, w, x, 3);
    }
}

/* GROUPS tiles behind each other, `rows` rows. Loads stand together so that the compiler joins two
 * of them. */
static inline __attribute__((always_inline)) void
sums_add_groups(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    int8x16_t inputs[HEIGHT];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        inputs[r] = bytes_load(x[r] + at);
#pragma GCC unroll 4
    for (int g = 0; g < GROUPS; g++)
#pragma GCC unroll 2
        for (int i = 0; i < 4; i += 2) {
            const int8_t *at_w = tile + g * RAMUS_I8_TILE + i * 16;
            int8x16_t a = bytes_load(at_w), b = bytes_load(at_w + 16);
            __asm__("" : "+w"(a), "+w"(b)); // both now: one instruction
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                s[r].q[i] = dot_lane(s[r].q[i], a, inputs[r], g);
                s[r].q[i + 1] = dot_lane(s[r].q[i + 1], b, inputs[r], g);
            }
        }
}

static inline lanes sums_lanes(sums s)
{
    return (lanes){{vcvtq_f32_s32(s.q[0]), vcvtq_f32_s32(s.q[1]), vcvtq_f32_s32(s.q[2]),
                    vcvtq_f32_s32(s.q[3])}};
}

/* Two tiles of weights + 8 behind each other by 16 inputs, `rows` rows. */
static inline __attribute__((always_inline)) void
halves_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    int8x16_t inputs[HEIGHT_I4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        inputs[r] = bytes_load(x[r] + at);
#pragma GCC unroll 2
    for (int t = 0; t < 2; t++)
#pragma GCC unroll 2
        for (int i = 0; i < 4; i += 2) {
            const int8_t *at_w = tile + t * RAMUS_I8_TILE + i * 16;
            int8x16_t a = bytes_load(at_w), b = bytes_load(at_w + 16);
            __asm__("" : "+w"(a), "+w"(b)); // both now: one instruction
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                s[r].q[i] = dot_lane(s[r].q[i], halves_low(a), inputs[r], 2 * t);
                s[r].q[i] = dot_lane(s[r].q[i], halves_high(a), inputs[r], 2 * t + 1);
                s[r].q[i + 1] = dot_lane(s[r].q[i + 1], halves_low(b), inputs[r], 2 * t);
                s[r].q[i + 1] = dot_lane(s[r].q[i + 1], halves_high(b), inputs[r], 2 * t + 1);
            }
        }
}

/* Group g of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale. 8 times the sum of x is
 * what weights + 8 make of x. */
static inline __attribute__((always_inline)) void group_add(lanes *total, ramus_i4_row w,
                                                            const int8_t *const *x,
                                                            const int32_t *const *x_sum,
                                                            ptrdiff_t g, const int rows)
{
    sums s[HEIGHT_I4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        s[r] = sums_of(-8 * x_sum[r][g]);
#pragma GCC unroll 1
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i += 2)
        halves_add(s, w.w + i * RAMUS_I8_TILE, x, g * RAMUS_I4_GROUP + i * RAMUS_I4_TILE_INPUTS,
                   rows);
    const lanes scale = load_scales(w.scale);
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        total[r] = lanes_add(total[r], lanes_mul(sums_lanes(s[r]), scale));
}

#include "kernels/arm/tiles.inc"

#endif
