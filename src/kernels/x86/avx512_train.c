/* AVX-512, for training: 12 rows by 32 columns are 24 of the 32 registers. */
#include "kernels/cpu.h"
#include "kernels/x86/lanes_avx512.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}

#define group_load(p)     lanes_load(p)
#define group_store(p, x) lanes_store(p, x)
#define GROUP             16
#define HEIGHT            12
#define VECTORS           2
#include "kernels/lanes/train.inc"

extern const ramus_train_kernels ramus_train_kernels_avx512;
const ramus_train_kernels ramus_train_kernels_avx512 = {
    .isa = "avx512", .needs = RAMUS_CPU_AVX512, TRAIN_KERNELS};
