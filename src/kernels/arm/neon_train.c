/* NEON with fused multiply-add, for training: 5 rows by 16 columns are 20 of the 32 registers. */
#include "kernels/arm/lanes_neon.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    EACH_QUAD(vfmaq_f32(c.q[i], a.q[i], b.q[i]));
}

static inline lanes group_load(const float *p)
{
    return (lanes){{quad_load(p), quad_load(p + 4)}};
}

static inline void group_store(float *p, lanes x)
{
    quad_store(p, x.q[0]);
    quad_store(p + 4, x.q[1]);
}

#define GROUP   8
#define HEIGHT  5
#define VECTORS 1
#include "kernels/lanes/train.inc"

extern const ramus_train_kernels ramus_train_kernels_neon;
const ramus_train_kernels ramus_train_kernels_neon = {.isa = "neon", TRAIN_KERNELS};
