/* sums_avx512vnni.h - 16 sums of products of 8-bit numbers, and of 4-bit by 8-bit numbers, as one
 * AVX-512 register. sums_avx2.h has the same functions. */
#ifndef RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H
#define RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H

#include "kernels/i4.h"
#include "kernels/x86/lanes_avx512.h"

#include <stddef.h>
#include <string.h>

#define HEIGHT    8 // rows at once: enough sums to hide most of the 5 cycles of a multiplication
#define HEIGHT_I4 8 // of 4-bit numbers
#define TILES     4 // at once where there is one row
#define STRAIGHT  SIZE_MAX

typedef __m512i sums;

/* What sums begin with, given the sum of x: the multiplication wants one side unsigned, w + 128,
 * which adds 128 times that sum. Sums wrap around, so nothing is lost in between. */
static inline sums sums_start(int32_t x_sum)
{
    return _mm512_set1_epi32(-128 * x_sum);
}

static inline __m512i load_weights(const int8_t *tile)
{
    return _mm512_xor_si512(_mm512_loadu_si512(tile), _mm512_set1_epi8(INT8_MIN));
}

static inline __m512i load_inputs(const int8_t *x)
{
    int32_t four;
    memcpy(&four, x, sizeof four);
    return _mm512_set1_epi32(four);
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs. */
static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    const __m512i w = load_weights(tile);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        s[r] = _mm512_dpbusd_epi32(s[r], w, load_inputs(x[r] + at));
}

/* One row, tiles that are `apart` bytes from each other. */
static inline __attribute__((always_inline)) void
sums_add_tiles(sums *s, const int8_t *tile, ptrdiff_t apart, const int8_t *x, const int tiles)
{
    const __m512i four = load_inputs(x);
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        s[t] = _mm512_dpbusd_epi32(s[t], load_weights(tile + t * apart), four);
}

static inline lanes sums_lanes(sums s)
{
    return _mm512_cvtepi32_ps(s);
}

/* The weights + 8 in the low and in the high bits of a tile. */
typedef struct {
    __m512i low, high;
} nibbles;

static inline nibbles nibbles_load(const int8_t *tile)
{
    const __m512i w = _mm512_loadu_si512(tile), mask = _mm512_set1_epi8(15);
    return (nibbles){_mm512_and_si512(w, mask), _mm512_and_si512(_mm512_srli_epi16(w, 4), mask)};
}

/* s += w x for the 8 inputs of a tile; weights + 8 are unsigned, as the multiplication wants. */
static inline sums nibbles_add(sums s, nibbles w, const int8_t *x)
{
    s = _mm512_dpbusd_epi32(s, w.low, load_inputs(x));
    return _mm512_dpbusd_epi32(s, w.high, load_inputs(x + RAMUS_I8_INPUTS));
}

static inline lanes group_end(lanes total, sums s, const ramus_half *scale)
{
    const lanes factor = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)scale));
    return lanes_add(total, lanes_mul(sums_lanes(s), factor));
}

/* One group of inputs, one row, `tiles` rows of tiles of `groups` groups each:
 * total[t] += (w x) * scale */
static inline __attribute__((always_inline)) void group_add_tiles(lanes *total, ramus_i4_row w,
                                                                  int groups, const int8_t *x,
                                                                  int32_t x_sum, const int tiles)
{
    sums s[TILES];
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        s[t] = _mm512_set1_epi32(-8 * x_sum);
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++)
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++) {
            const int8_t *tile = ramus_i4_group(w, (ptrdiff_t)t * groups).w + i * RAMUS_I8_TILE;
            s[t] = nibbles_add(s[t], nibbles_load(tile), x + i * RAMUS_I4_TILE_INPUTS);
        }
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
        total[t] = group_end(total[t], s[t], ramus_i4_group(w, (ptrdiff_t)t * groups).scale);
}

/* One group of inputs, g, of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale */
static inline __attribute__((always_inline)) void group_add(lanes *total, ramus_i4_row w,
                                                            const int8_t *const *x,
                                                            const int32_t *const *x_sum,
                                                            ptrdiff_t g, const int rows)
{
    sums s[HEIGHT];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        s[r] = _mm512_set1_epi32(-8 * x_sum[r][g]);
    for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++) {
        const nibbles weights = nibbles_load(w.w + i * RAMUS_I8_TILE);
        const ptrdiff_t at = g * RAMUS_I4_GROUP + i * RAMUS_I4_TILE_INPUTS;
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            s[r] = nibbles_add(s[r], weights, x[r] + at);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        total[r] = group_end(total[r], s[r], w.scale);
}

#endif
