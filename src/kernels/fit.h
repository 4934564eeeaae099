/* fit.h - weights as integers times a scale: of a few candidates the scale with the least squared
 * error, the first of equal ones. Used by export and by training with --quantize. The same bits on
 * every CPU. */
#ifndef RAMUS_KERNELS_FIT_H
#define RAMUS_KERNELS_FIT_H

#include "kernels/half.h"
#include "kernels/real.h"

#include <stdint.h>

/* Each returns the scale and sets q[i], w[i] ~ q[i] * scale. The weights are finite. All zero, or
 * too small for a scale: q = 0, scale 0. */

/* One output of a matrix of i8.h: q in [-127, 127], scale at most the largest |w| / 127. */
ramus_real ramus_fit_i8(int8_t *q, const ramus_real *w, int n);

/* One group of an output of a matrix of i4.h: q in [-8, 7]; the scale may be negative. */
ramus_half ramus_fit_i4(int8_t *q, const ramus_real *w, int n);

#endif
