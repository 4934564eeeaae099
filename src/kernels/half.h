/* half.h - floats of 16 bits (IEEE 754 binary16), for the scales of 4-bit matrices. */
#ifndef RAMUS_KERNELS_HALF_H
#define RAMUS_KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

typedef uint16_t ramus_half;

static inline float ramus_half_float(ramus_half h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, rest = h & 0x3ff;
    if (exponent == 0) { // zero or subnormal: an integer multiple of 2^-24
        const float size = (float)rest * 0x1p-24f;
        return sign ? -size : size;
    }
    const uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | rest << 13;
    float x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The nearest one, halves to even; too large: infinity. */
static inline ramus_half ramus_half_of(float x)
{
    uint32_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return (ramus_half)(sign | 0x7e00); // NaN
    if (size >= 0x477ff000) return (ramus_half)(sign | 0x7c00);
    const int exponent = (int)(size >> 23) - 127;
    if (exponent < -25) return (ramus_half)sign;
    const uint32_t digits = exponent < -126 ? 0 : (size & 0x7fffff) | 0x800000;
    const int drop = exponent < -14 ? -1 - exponent : 13; // digits that do not fit
    const uint32_t kept = digits >> drop, lost = digits & ((1u << drop) - 1),
                   half = 1u << (drop - 1);
    const uint32_t up = lost > half || (lost == half && (kept & 1)) ? 1 : 0;
    const uint32_t base = exponent < -14 ? 0 : (uint32_t)(exponent + 14) << 10;
    return (ramus_half)(sign | (base + kept + up)); // a carry moves into the exponent
}

#endif
