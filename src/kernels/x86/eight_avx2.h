/* eight_avx2.h - 8 lanes of float as one AVX2 register: what folding 16 lanes in half leaves. */
#ifndef RAMUS_KERNELS_X86_EIGHT_AVX2_H
#define RAMUS_KERNELS_X86_EIGHT_AVX2_H

#include <immintrin.h>
#include <stddef.h>

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

static inline eight eight_load(const float *p)
{
    return _mm256_loadu_ps(p);
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

/* Steps of a sum of 8 lanes, 4 + 4, 2 + 2, 1 + 1, for two vectors in one: a and b keep a half each.
 */
static inline eight eight_add4(eight a, eight b)
{
    return _mm256_add_ps(_mm256_blend_ps(a, b, 0xF0), _mm256_permute2f128_ps(a, b, 0x21));
}

static inline eight eight_add2(eight a, eight b)
{
    const __m256d crossed = _mm256_shuffle_pd(_mm256_castps_pd(a), _mm256_castps_pd(b), 0x5);
    return _mm256_add_ps(_mm256_blend_ps(a, b, 0xCC), _mm256_castpd_ps(crossed));
}

static inline eight eight_add1(eight a, eight b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xDD));
}

/* to[c * stride + j] = row[j][c] for c, j < 8 */
static inline void eight_transpose(float *to, ptrdiff_t stride, const float *const row[8])
{
    eight a[8], b[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 2) {
        const eight even = eight_load(row[i]), odd = eight_load(row[i + 1]);
        a[i] = _mm256_unpacklo_ps(even, odd);
        a[i + 1] = _mm256_unpackhi_ps(even, odd);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) { // b[i]: columns i % 4 and i % 4 + 4 of rows i / 4 * 4 ..
        const eight x = a[i / 4 * 4 + i % 4 / 2], y = a[i / 4 * 4 + i % 4 / 2 + 2];
        b[i] = i % 2 ? _mm256_shuffle_ps(x, y, 0xEE) : _mm256_shuffle_ps(x, y, 0x44);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        eight_store(to + c * stride, _mm256_permute2f128_ps(b[c], b[c + 4], 0x20));
        eight_store(to + (c + 4) * stride, _mm256_permute2f128_ps(b[c], b[c + 4], 0x31));
    }
}

#endif
