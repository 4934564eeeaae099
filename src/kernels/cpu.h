/* cpu.h - the instruction sets that CPU and operating system offer. */
#ifndef RAMUS_KERNELS_CPU_H
#define RAMUS_KERNELS_CPU_H

#include <stdbool.h>

enum {
    RAMUS_CPU_AVX2 = 1, // with F16C
    RAMUS_CPU_FMA = 2,
    RAMUS_CPU_AVX512 = 4,  // F, BW, DQ and VL
    RAMUS_CPU_VNNI = 8,    // AVX-512 VNNI
    RAMUS_CPU_BF16 = 16,   // AVX-512 BF16
    RAMUS_CPU_DOTPROD = 32 // 64-bit ARM: products of four bytes, added up
};

bool ramus_cpu_has(unsigned needs); // all of these bits

#endif
