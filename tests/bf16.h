/* bf16.h - bfloat16 for tests, told by arithmetic: the nearest number of 8 binary digits. */
#ifndef RAMUS_TESTS_BF16_H
#define RAMUS_TESTS_BF16_H

#include <math.h>

/* x, normal or zero, with halves rounded to even. */
static inline double bf16_nearest(double x)
{
    int exponent = 0;
    const double digits = frexp(x, &exponent); // 0.5 <= |digits| < 1
    return ldexp(nearbyint(ldexp(digits, 8)), exponent - 8);
}

#endif
