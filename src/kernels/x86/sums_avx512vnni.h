/* sums_avx512vnni.h - 16 sums of 8-bit products as one AVX-512 register. sums_avx2.h has the same
 * functions. */
#ifndef RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H
#define RAMUS_KERNELS_X86_SUMS_AVX512VNNI_H

#include "kernels/x86/lanes_avx512.h"

#include <stddef.h>
#include <string.h>

#define HEIGHT 8 // rows at once: enough sums to hide most of the 5 cycles of a multiplication

typedef __m512i sums;

/* The multiplication wants one side unsigned: w + 128. What that adds to every sum is 128 times the
 * sum of x, taken off beforehand. Sums wrap around, so nothing is lost in between. */
static inline sums sums_start(int32_t x_sum)
{
    return _mm512_set1_epi32(-128 * x_sum);
}

static inline __attribute__((always_inline)) void
sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at, const int rows)
{
    const __m512i w = _mm512_xor_si512(_mm512_loadu_si512(tile), _mm512_set1_epi8(INT8_MIN));
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        int32_t four;
        memcpy(&four, x[r] + at, sizeof four);
        s[r] = _mm512_dpbusd_epi32(s[r], w, _mm512_set1_epi32(four));
    }
}

static inline lanes sums_lanes(sums s)
{
    return _mm512_cvtepi32_ps(s);
}

#endif
