/* activation.h - what smooth activations are made of: x * sigmoid(x) is swish, x * cdf(x) gelu.
 *
 * Only + - * / and exp.h, so the bits are the same on every CPU. The cdf of the normal distribution
 * is that of Abramowitz and Stegun 1964, 7.1.26: an error of at most 1e-7. Double, which only
 * gradient tests use, takes libm's. */
#ifndef RAMUS_KERNELS_ACTIVATION_H
#define RAMUS_KERNELS_ACTIVATION_H

#include "kernels/exp.h"

#define RAMUS_CDF_P       0.23164189f  // 0.3275911 / sqrt 2
#define RAMUS_CDF_A1      0.127414796f // half of theirs
#define RAMUS_CDF_A2      (-0.142248368f)
#define RAMUS_CDF_A3      0.7107068705f
#define RAMUS_CDF_A4      (-0.7265760135f)
#define RAMUS_CDF_A5      0.5307027145f
#define RAMUS_NORMAL_AT_0 0.398942280401432678 // 1 / sqrt(2 pi)

/* 1 / (1 + e^-x) */
static inline ramus_real ramus_sigmoid(ramus_real x)
{
    const ramus_real e = ramus_exp(x < 0 ? x : -x);
    return (e + (x > 0 ? 1 - e : 0)) / (1 + e);
}

/* The share of the normal distribution below x. */
static inline ramus_real ramus_normal_cdf(ramus_real x)
{
#ifdef RAMUS_DOUBLE
    return erfc(-x / sqrt(2)) / 2;
#else
    const float t = 1.0f / (1.0f + RAMUS_CDF_P * (x < 0 ? -x : x));
    float p = RAMUS_CDF_A5;
    p = p * t + RAMUS_CDF_A4;
    p = p * t + RAMUS_CDF_A3;
    p = p * t + RAMUS_CDF_A2;
    p = p * t + RAMUS_CDF_A1;
    const float above = (p * t) * ramus_exp((x * x) * -0.5f); // of |x|
    return above + (x > 0 ? 1.0f - 2.0f * above : 0.0f);
#endif
}

/* The derivatives of swish and gelu. */
static inline ramus_real ramus_swish_slope(ramus_real x)
{
    const ramus_real s = ramus_sigmoid(x);
    return s * (1 + x * (1 - s));
}

static inline ramus_real ramus_gelu_slope(ramus_real x)
{
    const ramus_real density =
        ramus_exp((x * x) * (ramus_real)-0.5) * (ramus_real)RAMUS_NORMAL_AT_0;
    return ramus_normal_cdf(x) + x * density;
}

#endif
