/* exp and log reduce the argument and sum a short series; sin and cos reduce to a quarter turn.
 * Every step is one rounded operation of double, so the bits are the same on every platform. */
#include "base/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 and pi / 2 in parts: the leading ones have trailing zero bits, so that a product with an
 * integer of up to 20 bits is exact. */
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW  1.90821492927058770002e-10
#define PIO2_1   1.57079632673412561417e+00
#define PIO2_2   6.07710050630396597660e-11
#define PIO2_3   2.02226624879595063154e-21

/* Rounds to the nearest integer, |x| < 2^51. */
static double nearest(double x)
{
    const double shift = 6755399441055744.0; // 1.5 * 2^52
    volatile double moved = x + shift;       // volatile: some targets keep extra bits in registers
    return moved - shift;
}

static double power_of_two(int n) // -1022 <= n <= 1023
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double ramus_math_exp(double x)
{
    if (x < -708) return 0;
    if (!(x <= 709)) return x + (double)INFINITY; // NaN stays NaN
    const double n = nearest(x * 1.44269504088896340736);
    const double r = (x - n * LN2_HIGH) - n * LN2_LOW; // |r| <= 0.35
    double sum = 1;
    for (int i = 14; i > 0; i--)
        sum = 1 + sum * r / i;
    return sum * power_of_two((int)n);
}

double ramus_math_log(double x)
{
    if (x != x) return x;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        exponent++;
    }
    const double s = (m - 1) / (m + 1), square = s * s; // |s| <= 0.172
    double sum = 0;
    for (int i = 23; i > 0; i -= 2)
        sum = sum * square + 1.0 / i;
    return exponent * LN2_HIGH + (2 * s * sum + exponent * LN2_LOW);
}

double ramus_math_pow(double x, double y)
{
    return ramus_math_exp(y * ramus_math_log(x));
}

/* sin(x) for quarter 0, cos(x) for quarter 1: one more quarter turn is a step on the circle. */
static double circle(double x, int quarter)
{
    const double n = nearest(x * 0.63661977236758134308);
    const double r = ((x - n * PIO2_1) - n * PIO2_2) - n * PIO2_3; // |r| <= pi / 4
    const double square = r * r;
    const unsigned turn = (unsigned)((int)n + quarter) & 3;
    double sum = 1;
    if (turn & 1) {
        for (int i = 18; i > 0; i -= 2)
            sum = 1 - sum * square / (i * (i - 1));
    } else {
        for (int i = 19; i > 1; i -= 2)
            sum = 1 - sum * square / (i * (i - 1));
        sum *= r;
    }
    return turn & 2 ? -sum : sum;
}

double ramus_math_sin(double x)
{
    return circle(x, 0);
}

double ramus_math_cos(double x)
{
    return circle(x, 1);
}

void ramus_math_flush_tiny(void)
{
#ifdef __SSE2__
    const unsigned int results = 0x8000, operands = 0x0040; // bits of MXCSR
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | results | operands);
#endif
}
