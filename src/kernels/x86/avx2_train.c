/* AVX2 with fused multiply-add, for training: 6 rows by 16 columns are 12 of the 16 registers. */
#include "kernels/cpu.h"
#include "kernels/x86/lanes_avx2.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes){_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}

static inline lanes group_load(const float *p)
{
    return (lanes){_mm256_loadu_ps(p), _mm256_setzero_ps()};
}

static inline void group_store(float *p, lanes x)
{
    _mm256_storeu_ps(p, x.low);
}

#define GROUP   8
#define HEIGHT  6
#define VECTORS 1
#include "kernels/lanes/train.inc"

extern const ramus_train_kernels ramus_train_kernels_avx2;
const ramus_train_kernels ramus_train_kernels_avx2 = {
    .isa = "avx2", .needs = RAMUS_CPU_AVX2 | RAMUS_CPU_FMA, TRAIN_KERNELS};
