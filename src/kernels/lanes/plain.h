/* plain.h - the definition of lanes: what every primitive gives, one lane after the other. A CPU
 * family has a header with the same functions (x86/lanes_avx2.h); tests build the kernels with this
 * one, and so a new family can take it function by function.
 *
 * NaN: arithmetic hands it on, and a comparison with it is false. So lanes_max(a, b) and
 * lanes_min(a, b) give b beside a NaN, and kernels put what should remain second. Which NaN an
 * operation hands on, and its sign, is not defined. */
#ifndef RAMUS_KERNELS_LANES_PLAIN_H
#define RAMUS_KERNELS_LANES_PLAIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float x[16];
} lanes;

typedef struct { // what folding 16 lanes in half leaves
    float x[8];
} eight;

typedef struct {
    int8_t x[16];
} bytes16;

/* A lane i of the result is `value`, which may use i. */
#define EACH(type, n, value)                                                                       \
    type out_ = {{0}};                                                                             \
    for (int i = 0; i < (n); i++)                                                                  \
        out_.x[i] = (value);                                                                       \
    return out_

static inline lanes lanes_set(float x)
{
    EACH(lanes, 16, x);
}

static inline lanes lanes_load(const float *p)
{
    EACH(lanes, 16, p[i]);
}

static inline void lanes_store(float *p, lanes x)
{
    memcpy(p, x.x, sizeof x.x);
}

/* The first n of 16 lanes, n >= 0; zeros in the others. Nothing behind them is read. */
static inline lanes lanes_load_part(const float *p, int n)
{
    EACH(lanes, 16, i < n ? p[i] : 0);
}

static inline void lanes_store_part(float *p, lanes x, int n)
{
    for (int i = 0; i < n && i < 16; i++)
        p[i] = x.x[i];
}

/* x in the first n lanes, `other` in the rest; n may be below 0 or above 16 */
static inline lanes lanes_first(lanes x, lanes other, int n)
{
    EACH(lanes, 16, i < n ? x.x[i] : other.x[i]);
}

static inline lanes lanes_add(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] + b.x[i]);
}

static inline lanes lanes_sub(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] - b.x[i]);
}

static inline lanes lanes_mul(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] * b.x[i]);
}

static inline lanes lanes_div(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] / b.x[i]);
}

static inline lanes lanes_sqrt(lanes x) // rounded correctly
{
    EACH(lanes, 16, sqrtf(x.x[i]));
}

static inline lanes lanes_max(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] > b.x[i] ? a.x[i] : b.x[i]);
}

static inline lanes lanes_min(lanes a, lanes b)
{
    EACH(lanes, 16, a.x[i] < b.x[i] ? a.x[i] : b.x[i]);
}

static inline lanes lanes_abs(lanes x)
{
    EACH(lanes, 16, fabsf(x.x[i]));
}

/* Whether any lane of a is larger than b's. */
static inline bool lanes_any_above(lanes a, lanes b)
{
    bool any = false;
    for (int i = 0; i < 16; i++)
        any |= a.x[i] > b.x[i];
    return any;
}

/* x where condition > 0, else 0 */
static inline lanes lanes_where_positive(lanes condition, lanes x)
{
    EACH(lanes, 16, condition.x[i] > 0 ? x.x[i] : 0);
}

/* 0 where x < bound, else y */
static inline lanes lanes_unless_below(lanes x, lanes bound, lanes y)
{
    EACH(lanes, 16, x.x[i] < bound.x[i] ? 0 : y.x[i]);
}

/* 0 where bits < threshold (as unsigned numbers), else x; n lanes are read */
static inline lanes lanes_unless_bits_below(const uint32_t *bits, uint32_t threshold, lanes x,
                                            int n)
{
    EACH(lanes, 16, i < n && bits[i] >= threshold ? x.x[i] : 0);
}

/* x * 2^n, normal where x is no NaN. n is whole, -126 .. 127; its bits are the last ones of
 * `shifted`, which is n + 1.5 * 2^23. */
static inline float times_power(float x, float shifted)
{
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

static inline lanes lanes_times_power(lanes x, lanes shifted)
{
    EACH(lanes, 16, times_power(x.x[i], shifted.x[i]));
}

/* The nearest whole numbers, halves to even; x in [-128, 127], no NaN */
static inline bytes16 lanes_to_bytes(lanes x)
{
    EACH(bytes16, 16, (int8_t)((x.x[i] + 12582912.0f) - 12582912.0f)); // 1.5 * 2^23 rounds
}

static inline lanes lanes_from_bytes(bytes16 x)
{
    EACH(lanes, 16, (float)x.x[i]);
}

static inline lanes lanes_join(eight low, eight high)
{
    EACH(lanes, 16, i < 8 ? low.x[i] : high.x[i - 8]);
}

static inline eight lanes_low(lanes x)
{
    EACH(eight, 8, x.x[i]);
}

static inline eight lanes_high(lanes x)
{
    EACH(eight, 8, x.x[i + 8]);
}

static inline eight lanes_fold(lanes x)
{
    EACH(eight, 8, x.x[i] + x.x[i + 8]);
}

static inline eight lanes_fold_max(lanes x) // of numbers, no NaN
{
    EACH(eight, 8, x.x[i] > x.x[i + 8] ? x.x[i] : x.x[i + 8]);
}

/* The tree of the definition: 8 + 8, 4 + 4, 2 + 2, 1 + 1. */
static inline float lanes_sum(lanes x)
{
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            x.x[i] += x.x[i + half];
    return x.x[0];
}

static inline float lanes_largest(lanes x) // of numbers, no NaN
{
    float best = x.x[0];
    for (int i = 1; i < 16; i++)
        best = x.x[i] > best ? x.x[i] : best;
    return best;
}

static inline eight eight_set(float x)
{
    EACH(eight, 8, x);
}

static inline eight eight_load(const float *p)
{
    EACH(eight, 8, p[i]);
}

static inline void eight_store(float *p, eight x)
{
    memcpy(p, x.x, sizeof x.x);
}

static inline eight eight_mul(eight a, eight b)
{
    EACH(eight, 8, a.x[i] * b.x[i]);
}

static inline eight eight_div(eight a, eight b)
{
    EACH(eight, 8, a.x[i] / b.x[i]);
}

/* x in the first n lanes, `other` in the rest */
static inline eight eight_first(eight x, eight other, int n)
{
    EACH(eight, 8, i < n ? x.x[i] : other.x[i]);
}

/* Steps of a sum of 8 lanes, 4 + 4, 2 + 2, 1 + 1, for two vectors in one: a and b keep a half each.
 */
static inline eight eight_add4(eight a, eight b)
{
    EACH(eight, 8, i < 4 ? a.x[i] + a.x[i + 4] : b.x[i] + b.x[i - 4]);
}

static inline eight eight_add2(eight a, eight b)
{
    EACH(eight, 8, i % 4 < 2 ? a.x[i] + a.x[i + 2] : b.x[i] + b.x[i - 2]);
}

static inline eight eight_add1(eight a, eight b)
{
    EACH(eight, 8,
         i % 4 < 2 ? a.x[i / 4 * 4 + i % 2 * 2] + a.x[i / 4 * 4 + i % 2 * 2 + 1]
                   : b.x[i / 4 * 4 + i % 2 * 2] + b.x[i / 4 * 4 + i % 2 * 2 + 1]);
}

/* to[c * stride + j] = row[j][c] for c, j < 8 */
static inline void eight_transpose(float *to, ptrdiff_t stride, const float *const row[8])
{
    for (int c = 0; c < 8; c++)
        for (int j = 0; j < 8; j++)
            to[c * stride + j] = row[j][c];
}

static inline bytes16 bytes_load(const int8_t *p)
{
    EACH(bytes16, 16, p[i]);
}

static inline void bytes_store(int8_t *p, bytes16 x)
{
    memcpy(p, x.x, sizeof x.x);
}

/* Four groups of 4 bytes. */
static inline bytes16 bytes_set(int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t all[] = {a, b, c, d};
    bytes16 out;
    memcpy(out.x, all, sizeof out.x);
    return out;
}

/* The halves of 8 bytes, each minus 8: the low ones of a's 4 bytes, the high ones of these, then
 * those of b. */
static inline bytes16 bytes_of_halves(int32_t a, int32_t b)
{
    const bytes16 both = bytes_set(a, a, b, b);
    EACH(bytes16, 16, (int8_t)(((uint8_t)both.x[i] >> (i % 8 < 4 ? 0 : 4) & 15) - 8));
}

/* Sums of bytes: total = bytes_sum_add(total, x), beginning with bytes_sum_start(); at the end
 * bytes_sum(total, n), where n counts the bytes that were added. */
typedef int32_t bytes_total;

static inline bytes_total bytes_sum_start(void)
{
    return 0;
}

static inline bytes_total bytes_sum_add(bytes_total total, bytes16 x)
{
    for (int i = 0; i < 16; i++)
        total += x.x[i];
    return total;
}

static inline int32_t bytes_sum(bytes_total total, int n)
{
    (void)n;
    return total;
}

/* For training: whole numbers of 32 bits, WORDS of them, whose products have 64. */
#define WORDS 4
typedef struct {
    uint64_t x[WORDS];
} words;

static inline words words_set(uint32_t x)
{
    EACH(words, WORDS, x);
}

/* first, first + 1, .. */
static inline words words_from(uint64_t first)
{
    EACH(words, WORDS, first + (uint64_t)i);
}

static inline words words_xor(words a, words b)
{
    EACH(words, WORDS, a.x[i] ^ b.x[i]);
}

/* The product; its upper half is words_high(). */
static inline words words_mul(words a, words b)
{
    EACH(words, WORDS, (uint64_t)(uint32_t)a.x[i] * (uint32_t)b.x[i]);
}

static inline words words_high(words product)
{
    EACH(words, WORDS, product.x[i] >> 32);
}

/* to[4 i + j] = number i of x[j] */
static inline void words_store(uint32_t *to, const words x[4])
{
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < 4; j++)
            to[4 * i + j] = (uint32_t)x[j].x[i];
}

#endif
