/* bytes_sse.h - 16 bytes as one SSE register: rows of quantised numbers, and weights of 8 and 4
 * bits on their way to lanes. */
#ifndef RAMUS_KERNELS_X86_BYTES_SSE_H
#define RAMUS_KERNELS_X86_BYTES_SSE_H

#include <immintrin.h>
#include <stdint.h>

typedef __m128i bytes16;

static inline bytes16 bytes_load(const int8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

static inline void bytes_store(int8_t *p, bytes16 x)
{
    _mm_storeu_si128((void *)p, x);
}

/* Four groups of 4 bytes. */
static inline bytes16 bytes_set(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return _mm_setr_epi32(a, b, c, d);
}

/* The halves of 8 bytes, each minus 8: the low ones of a's 4 bytes, the high ones of these, then
 * those of b. */
static inline bytes16 bytes_of_halves(int32_t a, int32_t b)
{
    const __m128i both = _mm_setr_epi32(a, b, 0, 0), mask = _mm_set1_epi8(15);
    const __m128i low = _mm_and_si128(both, mask),
                  high = _mm_and_si128(_mm_srli_epi16(both, 4), mask);
    return _mm_sub_epi8(_mm_unpacklo_epi32(low, high), _mm_set1_epi8(8));
}

/* Sums of bytes: total = bytes_sum_add(total, x), beginning with bytes_sum_start(); at the end
 * bytes_sum(total, n), where n counts the bytes that were added. Here: of each byte + 128. */
typedef __m128i bytes_total;

static inline bytes_total bytes_sum_start(void)
{
    return _mm_setzero_si128();
}

static inline bytes_total bytes_sum_add(bytes_total total, bytes16 x)
{
    const __m128i above = _mm_xor_si128(x, _mm_set1_epi8(INT8_MIN));
    return _mm_add_epi64(total, _mm_sad_epu8(above, _mm_setzero_si128()));
}

static inline int32_t bytes_sum(bytes_total total, int n)
{
    return _mm_cvtsi128_si32(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total))) - 128 * n;
}

#endif
