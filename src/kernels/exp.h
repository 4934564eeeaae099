/* exp.h - e^x for arrays, the same bits on every CPU: only + - *, a comparison and a shift.
 *
 * Cephes' expf: x = n ln 2 + r, a polynomial of degree 7 in r; relative error below 2e-7 for
 * -87 <= x <= 88, and 0 below; NaN stays NaN. Double, which only gradient tests use, takes libm's.
 */
#ifndef RAMUS_KERNELS_EXP_H
#define RAMUS_KERNELS_EXP_H

#include "kernels/real.h"

#include <stdint.h>
#include <string.h>

#ifdef RAMUS_DOUBLE
static inline double ramus_exp(double x)
{
    return exp(x);
}
#else
static inline float ramus_exp(float x)
{
    const float shift = 12582912.0f; // 1.5 * 2^23: adding it rounds to whole numbers
    const float bounded = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    const float shifted = bounded * 1.44269504f + shift, n = shifted - shift;
    const float r = (bounded - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    uint32_t bits; // the last ones of `shifted` are n
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : p * power;
}
#endif

#endif
