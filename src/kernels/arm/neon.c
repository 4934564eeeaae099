/* NEON as every 64-bit ARM has it, exact: vmlaq_f32 and vfmaq_f32 appear nowhere, and the compiler
 * may not fuse (-ffp-contract=off). */
#include "kernels/arm/sums_neon.h"

#include "kernels/lanes/exact.inc"

#include "kernels/lanes/i8.inc"

#include "kernels/lanes/i4.inc"

extern const ramus_kernels ramus_kernels_neon;
const ramus_kernels ramus_kernels_neon = {
    .isa = "neon", EXACT_KERNELS, .linear_i8 = linear_i8, .linear_i4 = linear_i4};
