/* lanes_avx2.h - 16 lanes of float as two AVX2 registers. lanes/plain.h defines them. */
#ifndef RAMUS_KERNELS_X86_LANES_AVX2_H
#define RAMUS_KERNELS_X86_LANES_AVX2_H

#include "kernels/x86/bytes_sse.h"
#include "kernels/x86/eight_avx2.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    __m256 low, high;
} lanes;

static inline lanes lanes_set(float x)
{
    return (lanes){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}

static inline lanes lanes_load(const float *p)
{
    return (lanes){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

static inline void lanes_store(float *p, lanes x)
{
    _mm256_storeu_ps(p, x.low);
    _mm256_storeu_ps(p + 8, x.high);
}

/* All ones in the first n of 8 lanes. */
static inline __m256i lanes_mask8(int n)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), number);
}

/* The first n of 16 lanes; zeros in the others. */
static inline lanes lanes_load_part(const float *p, int n)
{
    return (lanes){_mm256_maskload_ps(p, lanes_mask8(n)),
                   n > 8 ? _mm256_maskload_ps(p + 8, lanes_mask8(n - 8)) : _mm256_setzero_ps()};
}

static inline void lanes_store_part(float *p, lanes x, int n)
{
    _mm256_maskstore_ps(p, lanes_mask8(n), x.low);
    if (n > 8) _mm256_maskstore_ps(p + 8, lanes_mask8(n - 8), x.high);
}

/* x in the first n lanes, `other` in the rest */
static inline lanes lanes_first(lanes x, lanes other, int n)
{
    return (lanes){_mm256_blendv_ps(other.low, x.low, _mm256_castsi256_ps(lanes_mask8(n))),
                   _mm256_blendv_ps(other.high, x.high, _mm256_castsi256_ps(lanes_mask8(n - 8)))};
}

static inline lanes lanes_add(lanes a, lanes b)
{
    return (lanes){_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

static inline lanes lanes_sub(lanes a, lanes b)
{
    return (lanes){_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}

static inline lanes lanes_mul(lanes a, lanes b)
{
    return (lanes){_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

static inline lanes lanes_div(lanes a, lanes b)
{
    return (lanes){_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}

static inline lanes lanes_sqrt(lanes x)
{
    return (lanes){_mm256_sqrt_ps(x.low), _mm256_sqrt_ps(x.high)};
}

static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes){_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

static inline lanes lanes_min(lanes a, lanes b)
{
    return (lanes){_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}

static inline lanes lanes_abs(lanes x)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (lanes){_mm256_andnot_ps(sign, x.low), _mm256_andnot_ps(sign, x.high)};
}

/* Whether any lane of a is larger than b's. */
static inline bool lanes_any_above(lanes a, lanes b)
{
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(a.low, b.low, _CMP_GT_OQ),
                                           _mm256_cmp_ps(a.high, b.high, _CMP_GT_OQ))) != 0;
}

/* 16 whole numbers as bytes, halves rounded to even; for x in [-128, 127] */
static inline bytes16 lanes_to_bytes(lanes x)
{
    const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(x.low), _mm256_cvtps_epi32(x.high));
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xD8);
    return _mm_packs_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
}

static inline lanes lanes_from_bytes(bytes16 x)
{
    return (lanes){_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(x)),
                   _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)))};
}

/* x where condition > 0, else 0 */
static inline lanes lanes_where_positive(lanes condition, lanes x)
{
    const __m256 zero = _mm256_setzero_ps();
    return (lanes){_mm256_and_ps(x.low, _mm256_cmp_ps(condition.low, zero, _CMP_GT_OQ)),
                   _mm256_and_ps(x.high, _mm256_cmp_ps(condition.high, zero, _CMP_GT_OQ))};
}

/* 0 where x < bound, else y */
static inline lanes lanes_unless_below(lanes x, lanes bound, lanes y)
{
    return (lanes){_mm256_andnot_ps(_mm256_cmp_ps(x.low, bound.low, _CMP_LT_OQ), y.low),
                   _mm256_andnot_ps(_mm256_cmp_ps(x.high, bound.high, _CMP_LT_OQ), y.high)};
}

/* 0 where bits < threshold (as unsigned numbers), else x; n lanes are read */
static inline lanes lanes_unless_bits_below(const uint32_t *bits, uint32_t threshold, lanes x,
                                            int n)
{
    const __m256i flip = _mm256_set1_epi32(INT32_MIN),
                  t = _mm256_set1_epi32((int)(threshold ^ 0x80000000u));
    const int *p = (const int *)bits;
    const __m256i low = _mm256_xor_si256(_mm256_maskload_epi32(p, lanes_mask8(n)), flip);
    const __m256i high =
        n > 8 ? _mm256_xor_si256(_mm256_maskload_epi32(p + 8, lanes_mask8(n - 8)), flip) : flip;
    return (lanes){_mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(t, low)), x.low),
                   _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(t, high)), x.high)};
}

static inline __m256 times_power8(__m256 x, __m256 shifted)
{
    const __m256i n = _mm256_add_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(127));
    return _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(n, 23)));
}

static inline lanes lanes_times_power(lanes x, lanes shifted)
{
    return (lanes){times_power8(x.low, shifted.low), times_power8(x.high, shifted.high)};
}

static inline lanes lanes_join(eight low, eight high)
{
    return (lanes){low, high};
}

static inline eight lanes_low(lanes x)
{
    return x.low;
}

static inline eight lanes_high(lanes x)
{
    return x.high;
}

/* The sums of lane i and lane i + 8. */
static inline eight lanes_fold(lanes x)
{
    return _mm256_add_ps(x.low, x.high);
}

/* The larger of lane i and lane i + 8. */
static inline eight lanes_fold_max(lanes x)
{
    return _mm256_max_ps(x.low, x.high);
}

/* The tree of the definition: 8 + 8, 4 + 4, 2 + 2, 1 + 1. */
static inline float lanes_sum(lanes x)
{
    const eight half = lanes_fold(x);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
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
#define WORDS 4
typedef __m256i words;

static inline words words_set(uint32_t x)
{
    return _mm256_set1_epi64x(x);
}

/* first, first + 1, .. */
static inline words words_from(uint64_t first)
{
    return _mm256_add_epi64(_mm256_set1_epi64x((long long)first), _mm256_setr_epi64x(0, 1, 2, 3));
}

static inline words words_xor(words a, words b)
{
    return _mm256_xor_si256(a, b);
}

/* The product; its upper half is words_high(). */
static inline words words_mul(words a, words b)
{
    return _mm256_mul_epu32(a, b);
}

static inline words words_high(words product)
{
    return _mm256_srli_epi64(product, 32);
}

/* to[4 i + j] = number i of x[j] */
static inline void words_store(uint32_t *to, const words x[4])
{
    const __m256i a = _mm256_blend_epi32(x[0], _mm256_slli_epi64(x[1], 32), 0xAA);
    const __m256i b = _mm256_blend_epi32(x[2], _mm256_slli_epi64(x[3], 32), 0xAA);
    const __m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
    _mm256_storeu_si256((void *)to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((void *)(to + 8), _mm256_permute2x128_si256(even, odd, 0x31));
}

#endif
