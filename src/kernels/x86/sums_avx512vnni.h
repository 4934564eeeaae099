/* sums_avx512vnni.h - 16 sums of 8-bit products as one AVX-512 register. sums_avx2.h has the same
 * functions. */
#ifndef RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H
#define RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H

#include "kernels/x86/lanes_avx512.h"

#include <stddef.h>
#include <string.h>

#define HEIGHT   8 // rows at once: enough sums to hide most of the 5 cycles of a multiplication
#define TILES    4 // at once where there is one row
#define STRAIGHT SIZE_MAX

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

#endif
