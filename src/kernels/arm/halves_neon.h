/* halves_neon.h - matrices of 4 bits on NEON: their weights plus 8, and their scales. */
#ifndef RAMUS_KERNELS_ARM_HALVES_NEON_H
#define RAMUS_KERNELS_ARM_HALVES_NEON_H

#include "kernels/arm/lanes_neon.h"
#include "kernels/half.h"

static inline int8x16_t halves_low(int8x16_t both)
{
    return both & 15;
}

static inline int8x16_t halves_high(int8x16_t both)
{
    return (int8x16_t)vshrq_n_u8((uint8x16_t)both, 4);
}

/* The scales of 16 outputs. */
static inline lanes load_scales(const ramus_half *scale)
{
    const float16x8_t first = vreinterpretq_f16_u16(vld1q_u16(scale)),
                      second = vreinterpretq_f16_u16(vld1q_u16(scale + 8));
    return (lanes){{vcvt_f32_f16(vget_low_f16(first)), vcvt_high_f32_f16(first),
                    vcvt_f32_f16(vget_low_f16(second)), vcvt_high_f32_f16(second)}};
}

#endif
