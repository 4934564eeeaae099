#include "kernels/cpu.h"

#if defined(__x86_64__)
/* The compiler's own look at cpuid; it also asks the operating system (xgetbv) whether wide
 * registers are saved. */
unsigned ramus_cpu_features(void)
{
    unsigned bits = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) bits |= RAMUS_CPU_AVX2;
    if (__builtin_cpu_supports("fma")) bits |= RAMUS_CPU_FMA;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        bits |= RAMUS_CPU_AVX512;
    if ((bits & RAMUS_CPU_AVX512) && __builtin_cpu_supports("avx512vnni")) bits |= RAMUS_CPU_VNNI;
    return bits;
}
#else
unsigned ramus_cpu_features(void)
{
    return 0;
}
#endif
