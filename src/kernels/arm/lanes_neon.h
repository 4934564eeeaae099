/* lanes_neon.h - 16 lanes of float as four NEON registers: what quads.inc asks for. */
#ifndef RAMUS_KERNELS_ARM_LANES_NEON_H
#define RAMUS_KERNELS_ARM_LANES_NEON_H

#include "kernels/lanes/quad.h"

#include <arm_neon.h>
#include <stdbool.h>

static inline quad quad_select(quad_int mask, quad a, quad b)
{
    return vbslq_f32((uint32x4_t)mask, a, b);
}

static inline bool quad_any(quad_int mask)
{
    return vmaxvq_u32((uint32x4_t)mask) != 0;
}

static inline quad quad_sqrt(quad x)
{
    return vsqrtq_f32(x);
}

static inline quad quad_add_pairs(quad a, quad b)
{
    return vpaddq_f32(a, b);
}

static inline quad_int quad_add_bytes(quad_int total, bytes16 x)
{
    return vpadalq_s16(total, vpaddlq_s8(x));
}

static inline quad_bits quad_mul_bits(quad_bits *high, quad_bits a, quad_bits b)
{
    const uint32x4_t first = (uint32x4_t)vmull_u32(vget_low_u32(a), vget_low_u32(b));
    const uint32x4_t second = (uint32x4_t)vmull_high_u32(a, b);
    *high = vuzp2q_u32(first, second);
    return vuzp1q_u32(first, second);
}

#include "kernels/lanes/quads.inc"

#endif
