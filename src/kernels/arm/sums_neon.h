/* sums_neon.h - 16 sums of products of 8-bit numbers, and of 4-bit by 8-bit numbers, with what
 * every 64-bit ARM has. sums_dotprod.h has the same functions.
 *
 * A multiplication of 8 bytes gives 8 products of 16 bits, those of two outputs. Two such products,
 * at most 2 * 127 * 127, fit into 16 bits. So tiles are taken in pairs, and pairs of products are
 * added to sums of 32 bits. */
#ifndef RAMUS_KERNELS_ARM_SUMS_NEON_H
#define RAMUS_KERNELS_ARM_SUMS_NEON_H

#include "kernels/arm/halves_neon.h"
#include "kernels/i4.h"

#define HEIGHT    2        // rows at once: 16 of the 32 registers
#define HEIGHT_I4 2        // of 4-bit numbers
#define TILES     2        // at once where there is one row
#define GROUPS    4        // tiles behind each other that are taken at once
#define STRAIGHT  SIZE_MAX // bytes: a matrix that large is read as it lies

typedef struct { // two parts of each output's sum
    int32x4_t parts[8];
} sums;

/* What sums begin with, given the sum of x. */
static inline sums sums_start(int32_t x_sum)
{
    (void)x_sum;
    return (sums){{{0}}};
}

/* Four inputs, again and again. */
static inline int8x16_t load_inputs(const int8_t *x)
{
    int32_t four;
    memcpy(&four, x, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs. */
static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++) {
        const int8x16_t inputs = load_inputs(x[r] + at);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const int8x16_t w = bytes_load(tile + i * 16);
            int32x4_t *to = &s[r].parts[2 * i];
            to[0] = vpadalq_s16(to[0], vmull_s8(vget_low_s8(w), vget_low_s8(inputs)));
            to[1] = vpadalq_s16(to[1], vmull_high_s8(w, inputs));
        }
    }
}

/* Four of 16 inputs, again and again. */
static inline __attribute__((always_inline)) int8x16_t inputs_at(int8x16_t x, const int lane)
{
    const int32x4_t all = vreinterpretq_s32_s8(x);
    return vreinterpretq_s8_s32((quad_int){all[lane], all[lane], all[lane], all[lane]});
}

/* Four outputs: 16 bytes of two tiles behind each other, by the inputs of both. */
static inline void add_pair(int32x4_t *to, int8x16_t w0, int8x16_t w1, int8x16_t x0, int8x16_t x1)
{
    const int16x8_t low = vmull_s8(vget_low_s8(w0), vget_low_s8(x0));
    const int16x8_t high = vmull_high_s8(w0, x0);
    to[0] = vpadalq_s16(to[0], vmlal_s8(low, vget_low_s8(w1), vget_low_s8(x1)));
    to[1] = vpadalq_s16(to[1], vmlal_high_s8(high, w1, x1));
}

/* GROUPS tiles behind each other, `rows` rows. Loads stand together so that the compiler joins two
 * of them. */
static inline __attribute__((always_inline)) void
sums_add_groups(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    int8x16_t inputs[HEIGHT];
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++)
        inputs[r] = bytes_load(x[r] + at);
#pragma GCC unroll 2
    for (int g = 0; g < GROUPS; g += 2) {
        int8x16_t x0[HEIGHT], x1[HEIGHT];
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++) {
            x0[r] = inputs_at(inputs[r], g);
            x1[r] = inputs_at(inputs[r], g + 1);
        }
#pragma GCC unroll 2
        for (int i = 0; i < 4; i += 2) {
            const int8_t *w = tile + g * RAMUS_I8_TILE + i * 16;
            const int8x16_t a0 = bytes_load(w), b0 = bytes_load(w + 16);
            const int8x16_t a1 = bytes_load(w + RAMUS_I8_TILE),
                            b1 = bytes_load(w + RAMUS_I8_TILE + 16);
#pragma GCC unroll 2
            for (int r = 0; r < rows; r++) {
                add_pair(&s[r].parts[2 * i], a0, a1, x0[r], x1[r]);
                add_pair(&s[r].parts[2 * i + 2], b0, b1, x0[r], x1[r]);
            }
        }
    }
}

static inline lanes sums_lanes(sums s)
{
    return (lanes){{vcvtq_f32_s32(vpaddq_s32(s.parts[0], s.parts[1])),
                    vcvtq_f32_s32(vpaddq_s32(s.parts[2], s.parts[3])),
                    vcvtq_f32_s32(vpaddq_s32(s.parts[4], s.parts[5])),
                    vcvtq_f32_s32(vpaddq_s32(s.parts[6], s.parts[7]))}};
}

/* Four parts of each output's sum for one group of inputs. Weights + 8 are at most 15, and 16
 * products of at most 15 * 127 fit into 16 bits. */
typedef struct {
    int16x8_t parts[8];
} group_sums;

/* Tile i of a group. */
static inline __attribute__((always_inline)) void
group_sums_add(group_sums *s, const int8_t *w, ptrdiff_t i, const int8_t *const *x, const int rows)
{
    int8x16_t low_x[HEIGHT_I4], high_x[HEIGHT_I4];
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++) {
        low_x[r] = load_inputs(x[r] + i * RAMUS_I4_TILE_INPUTS);
        high_x[r] = load_inputs(x[r] + i * RAMUS_I4_TILE_INPUTS + RAMUS_I8_INPUTS);
    }
#pragma GCC unroll 2
    for (int p = 0; p < 4; p += 2) {
        const int8_t *at_w = w + i * RAMUS_I8_TILE + p * 16;
        int8x16_t both[2] = {bytes_load(at_w), bytes_load(at_w + 16)};
        __asm__("" : "+w"(both[0]), "+w"(both[1])); // both now: one instruction
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            const int8x16_t low = halves_low(both[h]), high = halves_high(both[h]);
#pragma GCC unroll 2
            for (int r = 0; r < rows; r++) {
                int16x8_t *to = &s[r].parts[2 * (p + h)];
                to[0] = vmlal_s8(to[0], vget_low_s8(low), vget_low_s8(low_x[r]));
                to[1] = vmlal_high_s8(to[1], low, low_x[r]);
                to[0] = vmlal_s8(to[0], vget_low_s8(high), vget_low_s8(high_x[r]));
                to[1] = vmlal_high_s8(to[1], high, high_x[r]);
            }
        }
    }
}

/* total + the sums times their scales; 8 x_sum is what weights + 8 made of x. */
static inline lanes group_sums_end(lanes total, const group_sums *s, int32_t x_sum,
                                   const ramus_half *scale)
{
    const int32x4_t above = vdupq_n_s32(8 * x_sum);
    const lanes factor = load_scales(scale);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        const int32x4_t sum =
            vpaddq_s32(vpaddlq_s16(s->parts[2 * p]), vpaddlq_s16(s->parts[2 * p + 1]));
        total.q[p] += vcvtq_f32_s32(sum - above) * factor.q[p];
    }
    return total;
}

/* Group g of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale */
static inline __attribute__((always_inline)) void group_add(lanes *total, ramus_i4_row w,
                                                            const int8_t *const *x,
                                                            const int32_t *const *x_sum,
                                                            ptrdiff_t g, const int rows)
{
    group_sums s[HEIGHT_I4] = {0};
    const int8_t *at[HEIGHT_I4];
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++)
        at[r] = x[r] + g * RAMUS_I4_GROUP;
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++)
        group_sums_add(s, w.w, i, at, rows);
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++)
        total[r] = group_sums_end(total[r], &s[r], x_sum[r][g], w.scale);
}

#include "kernels/arm/tiles.inc"

#endif
