/* eight_avx2.h - 8 lanes of float as one AVX2 register: what folding 16 lanes in half leaves. */
#ifndef RAMUS_KERNELS_X86_EIGHT_AVX2_H
#define RAMUS_KERNELS_X86_EIGHT_AVX2_H

#include <immintrin.h>

typedef __m256 eight;

static inline eight eight_set(float x)
{
    return _mm256_set1_ps(x);
}

static inline eight eight_mul(eight a, eight b)
{
    return _mm256_mul_ps(a, b);
}

static inline eight eight_div(eight a, eight b)
{
    return _mm256_div_ps(a, b);
}

static inline void eight_store(float *p, eight x)
{
    _mm256_storeu_ps(p, x);
}

/* x in the first n lanes, `other` in the rest */
static inline eight eight_first(eight x, eight other, int n)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(n), number);
    return _mm256_blendv_ps(other, x, _mm256_castsi256_ps(mask));
}

/* lane i = the sum of part[i], added as lanes_sum() does: 4 + 4, 2 + 2, 1 + 1. Two parts at a time
 * share a register. */
static inline eight eight_sums(const eight part[8])
{
    eight two[4], four[2];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) // i in the low half, i + 4 in the high one
        two[i] = _mm256_add_ps(_mm256_permute2f128_ps(part[i], part[i + 4], 0x20),
                               _mm256_permute2f128_ps(part[i], part[i + 4], 0x31));
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        const __m256d a = _mm256_castps_pd(two[2 * i]), b = _mm256_castps_pd(two[2 * i + 1]);
        four[i] = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                                _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
    }
    return _mm256_add_ps(_mm256_shuffle_ps(four[0], four[1], 0x88),
                         _mm256_shuffle_ps(four[0], four[1], 0xDD));
}

/* lane i = the largest of part[i] */
static inline eight eight_maxima(const eight part[8])
{
    eight two[4], four[2];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        two[i] = _mm256_max_ps(_mm256_permute2f128_ps(part[i], part[i + 4], 0x20),
                               _mm256_permute2f128_ps(part[i], part[i + 4], 0x31));
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        const __m256d a = _mm256_castps_pd(two[2 * i]), b = _mm256_castps_pd(two[2 * i + 1]);
        four[i] = _mm256_max_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                                _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
    }
    return _mm256_max_ps(_mm256_shuffle_ps(four[0], four[1], 0x88),
                         _mm256_shuffle_ps(four[0], four[1], 0xDD));
}

#endif
