/* math.h - elementary functions with the same bits on every platform.
 *
 * libm differs between C libraries; a translation must not. These use only + - * / and moves of
 * bits, in double, and are meant for what is computed once per row or per start-up. Errors are
 * below 1e-15 relative (sin and cos: absolute) for the arguments named. */
#ifndef RAMUS_BASE_MATH_H
#define RAMUS_BASE_MATH_H

double ramus_math_exp(double x);           // 0 below -708, infinite above 709; NaN stays NaN
double ramus_math_log(double x);           // x normal and > 0; NaN stays NaN
double ramus_math_pow(double x, double y); // x normal and > 0
double ramus_math_sin(double x);           // |x| <= 1e6
double ramus_math_cos(double x);           // |x| <= 1e6

/* From here on this thread, and every one that it starts, flushes subnormals (below 1.2e-38) to
 * zero. For training: gradients can become subnormal, and some CPUs compute with subnormals a
 * hundred times slower. Not for translation, whose bits are the same on every CPU: only x86 can do
 * this, elsewhere it has no effect. */
void ramus_math_flush_tiny(void);

#endif
