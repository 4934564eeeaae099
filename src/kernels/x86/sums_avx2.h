/* sums_avx2.h - 16 sums of 8-bit products as two AVX2 registers. sums_avx512vnni.h has the same
 * functions. */
#ifndef RAMUS_KERNELS_X86_SUMS_AVX2_H
#define RAMUS_KERNELS_X86_SUMS_AVX2_H

#include "kernels/x86/lanes_avx2.h"

#include <stddef.h>
#include <string.h>

#define HEIGHT   6            // rows at once: 12 of the 16 registers
#define TILES    2            // at once where there is one row
#define STRAIGHT (512 * 1024) // bytes: a matrix that large is read fastest as it lies

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

#endif
