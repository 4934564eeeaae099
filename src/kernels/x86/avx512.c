/* AVX-512, exact: no fused instruction is asked for, and the compiler may not fuse
 * (-ffp-contract=off). */
#include "kernels/cpu.h"
#include "kernels/x86/lanes_avx512.h"

#include "kernels/lanes/exact.inc"

extern const ramus_kernels ramus_kernels_avx512;
const ramus_kernels ramus_kernels_avx512 = {
    .isa = "avx512", .needs = RAMUS_CPU_AVX512, EXACT_KERNELS};
