/* sums_avx2.h - 16 sums of products of 8-bit numbers, and of 4-bit by 8-bit numbers, as two AVX2
 * registers. lanes/plain_sums.h defines the functions. */
#ifndef RAMUS_KERNELS_X86_SUMS_AVX2_H
#define RAMUS_KERNELS_X86_SUMS_AVX2_H

#include "kernels/i4.h"
#include "kernels/x86/lanes_avx2.h"

#include <stddef.h>
#include <string.h>

#define HEIGHT    6            // rows at once: 12 of the 16 registers
#define HEIGHT_I4 4            // of 4-bit numbers
#define TILES     2            // at once where there is one row
#define STRAIGHT  (512 * 1024) // bytes: a matrix that large is read fastest as it lies

typedef struct {
    __m256i half[2];
} sums;

/* What sums begin with, given the sum of x. */
static inline sums sums_start(int32_t x_sum)
{
    (void)x_sum;
    return (sums){{_mm256_setzero_si256(), _mm256_setzero_si256()}};
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs. The multiplication wants one side unsigned:
 * |w|, and x with w's sign. Both lie in [-127, 127], so a pair of products, at most 2 * 127 * 127,
 * fits into 16 bits. */
static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const __m256i w = _mm256_loadu_si256((const void *)(tile + h * 32)),
                      size = _mm256_abs_epi8(w);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, x[r] + at, sizeof four);
            const __m256i with_sign = _mm256_sign_epi8(_mm256_set1_epi32(four), w);
            const __m256i pairs = _mm256_maddubs_epi16(size, with_sign);
            s[r].half[h] = _mm256_add_epi32(s[r].half[h], _mm256_madd_epi16(pairs, ones));
        }
    }
}

/* One row, tiles that are `apart` bytes from each other: |x|, and w with x's sign. */
static inline __attribute__((always_inline)) void
sums_add_tiles(sums *s, const int8_t *tile, ptrdiff_t apart, const int8_t *x, const int tiles)
{
    const __m256i ones = _mm256_set1_epi16(1);
    int32_t four;
    memcpy(&four, x, sizeof four);
    const __m256i sign = _mm256_set1_epi32(four), size = _mm256_abs_epi8(sign);
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            const __m256i w = _mm256_loadu_si256((const void *)(tile + t * apart + h * 32));
            const __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(w, sign));
            s[t].half[h] = _mm256_add_epi32(s[t].half[h], _mm256_madd_epi16(pairs, ones));
        }
}

static inline lanes sums_lanes(sums s)
{
    return (lanes){_mm256_cvtepi32_ps(s.half[0]), _mm256_cvtepi32_ps(s.half[1])};
}

/* What belongs to the low and to the high bits of 32 bytes: weights + 8, or 16 sums of 16 bits.
 * The multiplication wants one side unsigned, which weights + 8 are; a pair of products is at most
 * 2 * 15 * 127, and 8 such pairs, one of each tile of a group, fit into 16 bits. */
typedef struct {
    __m256i low, high;
} nibbles;

static inline nibbles nibbles_load(const int8_t *p)
{
    const __m256i w = _mm256_loadu_si256((const void *)p), mask = _mm256_set1_epi8(15);
    return (nibbles){_mm256_and_si256(w, mask), _mm256_and_si256(_mm256_srli_epi16(w, 4), mask)};
}

/* Four inputs for the low bits, the next four for the high ones. */
static inline nibbles nibbles_inputs(const int8_t *x)
{
    int32_t low, high;
    memcpy(&low, x, sizeof low);
    memcpy(&high, x + RAMUS_I8_INPUTS, sizeof high);
    return (nibbles){_mm256_set1_epi32(low), _mm256_set1_epi32(high)};
}

static inline void nibbles_add(nibbles *s, nibbles w, nibbles x)
{
    s->low = _mm256_add_epi16(s->low, _mm256_maddubs_epi16(w.low, x.low));
    s->high = _mm256_add_epi16(s->high, _mm256_maddubs_epi16(w.high, x.high));
}

/* total + the sums times their scales; 8 x_sum is what weights + 8 made of x. */
static inline __m256 nibbles_end(__m256 total, nibbles s, int32_t x_sum, const ramus_half *scale)
{
    const __m256i ones = _mm256_set1_epi16(1);
    const __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(s.low, ones), _mm256_madd_epi16(s.high, ones));
    const __m256 value = _mm256_cvtepi32_ps(_mm256_sub_epi32(sum, _mm256_set1_epi32(8 * x_sum)));
    const __m256 factor = _mm256_cvtph_ps(_mm_loadu_si128((const void *)scale));
    return _mm256_add_ps(total, _mm256_mul_ps(value, factor));
}

/* One group of inputs, one row, `tiles` rows of tiles of `groups` groups each:
 * total[t] += (w x) * scale */
static inline __attribute__((always_inline)) void group_add_tiles(lanes *total, ramus_i4_row w,
                                                                  int groups, const int8_t *x,
                                                                  int32_t x_sum, const int tiles)
{
    const nibbles zero = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    nibbles s[TILES][2];
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        s[t][0] = s[t][1] = zero;
#pragma GCC unroll 2 // else sums leave the registers
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++) {
        const nibbles inputs = nibbles_inputs(x + i * RAMUS_I4_TILE_INPUTS);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++) {
            const int8_t *tile = ramus_i4_group(w, (ptrdiff_t)t * groups).w + i * RAMUS_I8_TILE;
            nibbles_add(&s[t][0], nibbles_load(tile), inputs);
            nibbles_add(&s[t][1], nibbles_load(tile + 32), inputs);
        }
    }
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++) {
        const ramus_half *scale = ramus_i4_group(w, (ptrdiff_t)t * groups).scale;
        total[t].low = nibbles_end(total[t].low, s[t][0], x_sum, scale);
        total[t].high = nibbles_end(total[t].high, s[t][1], x_sum, scale + 8);
    }
}

/* The sums of half a row of tiles for `rows` rows. */
static inline __attribute__((always_inline)) void
half_group(nibbles *s, const int8_t *w, const int8_t *const *x, ptrdiff_t at, const int rows)
{
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        s[r] = (nibbles){_mm256_setzero_si256(), _mm256_setzero_si256()};
#pragma GCC unroll 1 // else sums leave the registers
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++) {
        const nibbles weights = nibbles_load(w + i * RAMUS_I8_TILE);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            nibbles_add(&s[r], weights, nibbles_inputs(x[r] + at + i * RAMUS_I4_TILE_INPUTS));
    }
}

/* One group of inputs, g, of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale */
static inline __attribute__((always_inline)) void group_add(lanes *total, ramus_i4_row w,
                                                            const int8_t *const *x,
                                                            const int32_t *const *x_sum,
                                                            ptrdiff_t g, const int rows)
{
    nibbles s[HEIGHT];
    if (rows == 1) {
        group_add_tiles(total, w, 0, x[0] + g * RAMUS_I4_GROUP, x_sum[0][g], 1);
        return;
    }
    half_group(s, w.w, x, g * RAMUS_I4_GROUP, rows);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        total[r].low = nibbles_end(total[r].low, s[r], x_sum[r][g], w.scale);
    half_group(s, w.w + 32, x, g * RAMUS_I4_GROUP, rows);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        total[r].high = nibbles_end(total[r].high, s[r], x_sum[r][g], w.scale + 8);
}

#endif
