/* finite.h - whether numbers of a file are numbers: none is infinite or NaN.
 *
 * One pass at the speed of memory. The bytes of a file need no alignment. */
#ifndef RAMUS_BASE_FINITE_H
#define RAMUS_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>

/* Of n floats of 32 bits, or of 16 bits (IEEE 754 binary16). */
bool ramus_finite_floats(const void *floats, size_t n);
bool ramus_finite_halves(const void *halves, size_t n);

#endif
