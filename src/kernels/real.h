/* real.h - the float type of training and of the float32 model: float, and double in gradient
 * tests, so that the code that trains is the code that finite differences check. */
#ifndef RAMUS_KERNELS_REAL_H
#define RAMUS_KERNELS_REAL_H

#include <math.h>

#ifdef RAMUS_DOUBLE
typedef double ramus_real;
#define ramus_sqrt sqrt
#else
typedef float ramus_real;
#define ramus_sqrt sqrtf
#endif

#endif
