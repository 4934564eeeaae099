/* quad.h - vectors of 128 bits in the notation that gcc and clang share, for CPU families whose
 * registers have that size. quads.inc makes 16 lanes of four of them. */
#ifndef RAMUS_KERNELS_LANES_QUAD_H
#define RAMUS_KERNELS_LANES_QUAD_H

#include <stdint.h>

typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_int __attribute__((vector_size(16))); // comparisons give -1 or 0
typedef uint32_t quad_bits __attribute__((vector_size(16)));
typedef int8_t bytes16 __attribute__((vector_size(16)));

#endif
