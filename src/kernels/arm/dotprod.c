/* NEON with dot products of bytes, exact: the products of 8-bit and 4-bit numbers; everything else
 * is the row neon. */
#include "kernels/arm/sums_dotprod.h"
#include "kernels/cpu.h"

#include "kernels/lanes/part.inc"

#include "kernels/lanes/i8.inc"

#include "kernels/lanes/i4.inc"

extern const ramus_kernels ramus_kernels_dotprod;
const ramus_kernels ramus_kernels_dotprod = {
    .isa = "dotprod", .needs = RAMUS_CPU_DOTPROD, .linear_i8 = linear_i8, .linear_i4 = linear_i4};
