/* Features by cpuid on x86, from the operating system on 64-bit ARM; other CPUs report none. */
#include "kernels/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Not features that clang's __builtin_cpu_supports knows. */
static bool has_f16c(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static bool has_bf16(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 5);
}

/* The compiler's own look at cpuid; it also asks the operating system (xgetbv) whether wide
 * registers are saved. */
static unsigned features(void)
{
    unsigned bits = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && has_f16c()) bits |= RAMUS_CPU_AVX2;
    if (__builtin_cpu_supports("fma")) bits |= RAMUS_CPU_FMA;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        bits |= RAMUS_CPU_AVX512;
    if ((bits & RAMUS_CPU_AVX512) && __builtin_cpu_supports("avx512vnni")) bits |= RAMUS_CPU_VNNI;
    if ((bits & RAMUS_CPU_AVX512) && has_bf16()) bits |= RAMUS_CPU_BF16;
    return bits;
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static unsigned features(void)
{
    const unsigned long dotprod = 1ul << 20; // HWCAP_ASIMDDP of asm/hwcap.h
    return getauxval(AT_HWCAP) & dotprod ? RAMUS_CPU_DOTPROD : 0;
}
#elif defined(__aarch64__) && defined(__APPLE__)
#include <stddef.h>
#include <sys/sysctl.h>

static unsigned features(void)
{
    int has = 0;
    size_t size = sizeof has;
    const int failed = sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &size, NULL, 0);
    return !failed && has ? RAMUS_CPU_DOTPROD : 0;
}
#else
static unsigned features(void)
{
    return 0;
}
#endif

bool ramus_cpu_has(unsigned needs)
{
    return (needs & ~features()) == 0;
}
