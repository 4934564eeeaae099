/* AVX2, exact: compiled with -mavx2 -mf16c and without -mfma. */
#include "kernels/cpu.h"
#include "kernels/x86/sums_avx2.h"

#include "kernels/lanes/exact.inc"

#include "kernels/lanes/i8.inc"

#include "kernels/lanes/i4.inc"

extern const ramus_kernels ramus_kernels_avx2;
const ramus_kernels ramus_kernels_avx2 = {.isa = "avx2",
                                          .needs = RAMUS_CPU_AVX2,
                                          EXACT_KERNELS,
                                          .linear_i8 = linear_i8,
                                          .linear_i4 = linear_i4};
