/* lanes_avx512.h - 16 lanes of float as one AVX-512 register. lanes/plain.h defines them. */
#ifndef RAMUS_KERNELS_X86_LANES_AVX512_H
#define RAMUS_KERNELS_X86_LANES_AVX512_H

#include "kernels/x86/bytes_sse.h"
#include "kernels/x86/eight_avx2.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef __m512 lanes;

static inline __mmask16 lanes_mask(int n)
{
    return (__mmask16)(n >= 16 ? 0xFFFFu : n <= 0 ? 0 : (1u << n) - 1);
}

static inline lanes lanes_set(float x)
{
    return _mm512_set1_ps(x);
}

static inline lanes lanes_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void lanes_store(float *p, lanes x)
{
    _mm512_storeu_ps(p, x);
}

/* The first n of 16 lanes; zeros in the others. */
static inline lanes lanes_load_part(const float *p, int n)
{
    return _mm512_maskz_loadu_ps(lanes_mask(n), p);
}

static inline void lanes_store_part(float *p, lanes x, int n)
{
    _mm512_mask_storeu_ps(p, lanes_mask(n), x);
}

/* x in the first n lanes, `other` in the rest */
static inline lanes lanes_first(lanes x, lanes other, int n)
{
    return _mm512_mask_blend_ps(lanes_mask(n), other, x);
}

static inline lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}

static inline lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}

static inline lanes lanes_mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}

static inline lanes lanes_div(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}

static inline lanes lanes_sqrt(lanes x)
{
    return _mm512_sqrt_ps(x);
}

static inline lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}

static inline lanes lanes_min(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}

static inline lanes lanes_abs(lanes x)
{
    return _mm512_abs_ps(x);
}

/* Whether any lane of a is larger than b's. */
static inline bool lanes_any_above(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}

/* 16 whole numbers as bytes, halves rounded to even; for x in [-128, 127] */
static inline bytes16 lanes_to_bytes(lanes x)
{
    return _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(x));
}

static inline lanes lanes_from_bytes(bytes16 x)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(x));
}

/* x where condition > 0, else 0 */
static inline lanes lanes_where_positive(lanes condition, lanes x)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(condition, _mm512_setzero_ps(), _CMP_GT_OQ), x);
}

/* 0 where x < bound, else y */
static inline lanes lanes_unless_below(lanes x, lanes bound, lanes y)
{
    return _mm512_maskz_mov_ps((__mmask16)~_mm512_cmp_ps_mask(x, bound, _CMP_LT_OQ), y);
}

/* 0 where bits < threshold (as unsigned numbers), else x; n lanes are read */
static inline lanes lanes_unless_bits_below(const uint32_t *bits, uint32_t threshold, lanes x,
                                            int n)
{
    const __m512i b = _mm512_maskz_loadu_epi32(lanes_mask(n), bits);
    return _mm512_maskz_mov_ps(
        (__mmask16)~_mm512_cmplt_epu32_mask(b, _mm512_set1_epi32((int)threshold)), x);
}

static inline lanes lanes_times_power(lanes x, lanes shifted)
{
    const __m512i n = _mm512_add_epi32(_mm512_castps_si512(shifted), _mm512_set1_epi32(127));
    return _mm512_mul_ps(x, _mm512_castsi512_ps(_mm512_slli_epi32(n, 23)));
}

static inline lanes lanes_join(eight low, eight high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

static inline eight lanes_low(lanes x)
{
    return _mm512_castps512_ps256(x);
}

static inline eight lanes_high(lanes x)
{
    return _mm512_extractf32x8_ps(x, 1);
}

/* The sums of lane i and lane i + 8. */
static inline eight lanes_fold(lanes x)
{
    return _mm256_add_ps(_mm512_castps512_ps256(x), lanes_high(x));
}

/* The larger of lane i and lane i + 8. */
static inline eight lanes_fold_max(lanes x)
{
    return _mm256_max_ps(_mm512_castps512_ps256(x), lanes_high(x));
}

/* The tree of the definition: 8 + 8, 4 + 4, 2 + 2, 1 + 1. */
static inline float lanes_sum(lanes x)
{
    const eight half = lanes_fold(x);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* The same sums of 16 vectors in one, vector i's in lane i. First four times four of them, i, i +
 * 4, i + 8 and i + 12; then of what these gave for i = 0 .. 3. A step adds two halves for two
 * vectors in one addition. */
#define LANES_SUMS
static inline lanes lanes_sums_begin(lanes a, lanes b, lanes c, lanes d)
{
    const lanes ab = _mm512_add_ps(_mm512_mask_blend_ps(0xFF00, a, b),
                                   _mm512_shuffle_f32x4(a, b, _MM_SHUFFLE(1, 0, 3, 2)));
    const lanes cd = _mm512_add_ps(_mm512_mask_blend_ps(0xFF00, c, d),
                                   _mm512_shuffle_f32x4(c, d, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)),
                         _mm512_shuffle_f32x4(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* a and b by their lanes i and i + 2 of four. */
static inline lanes lanes_sums_halve(lanes a, lanes b)
{
    const __m512d crossed = _mm512_shuffle_pd(_mm512_castps_pd(a), _mm512_castps_pd(b), 0x55);
    return _mm512_add_ps(_mm512_mask_blend_ps(0xCCCC, a, b), _mm512_castpd_ps(crossed));
}

static inline lanes lanes_sums_end(const lanes x[4])
{
    const lanes a = lanes_sums_halve(x[0], x[1]), b = lanes_sums_halve(x[2], x[3]);
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)),
                         _mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

static inline float lanes_largest(lanes x)
{
    const eight half = lanes_fold_max(x);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* Whole numbers of 32 bits, WORDS of them, each in 64 bits of which the upper half means nothing.
 */
#define WORDS 8
typedef __m512i words;

static inline words words_set(uint32_t x)
{
    return _mm512_set1_epi64(x);
}

/* first, first + 1, .. */
static inline words words_from(uint64_t first)
{
    return _mm512_add_epi64(_mm512_set1_epi64((long long)first),
                            _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline words words_xor(words a, words b)
{
    return _mm512_xor_si512(a, b);
}

/* The product; its upper half is words_high(). */
static inline words words_mul(words a, words b)
{
    return _mm512_mul_epu32(a, b);
}

static inline words words_high(words product)
{
    return _mm512_srli_epi64(product, 32);
}

/* to[4 i + j] = number i of x[j] */
static inline void words_store(uint32_t *to, const words x[4])
{
    const __m512i a = _mm512_mask_blend_epi32(0xAAAA, x[0], _mm512_slli_epi64(x[1], 32));
    const __m512i b = _mm512_mask_blend_epi32(0xAAAA, x[2], _mm512_slli_epi64(x[3], 32));
    const __m512i even = _mm512_unpacklo_epi64(a, b), odd = _mm512_unpackhi_epi64(a, b);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(even, low, odd));
    _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi64(even, high, odd));
}

#endif
