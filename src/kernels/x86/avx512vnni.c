/* AVX-512 with VNNI, exact: the products of 8-bit and 4-bit numbers; everything else is the row
 * avx512. */
#include "kernels/cpu.h"
#include "kernels/x86/sums_avx512vnni.h"

#include "kernels/lanes/part.inc"

#include "kernels/lanes/i8.inc"

#include "kernels/lanes/i4.inc"

extern const ramus_kernels ramus_kernels_avx512vnni;
const ramus_kernels ramus_kernels_avx512vnni = {.isa = "avx512vnni",
                                                .needs = RAMUS_CPU_AVX512 | RAMUS_CPU_VNNI,
                                                .linear_i8 = linear_i8,
                                                .linear_i4 = linear_i4};
