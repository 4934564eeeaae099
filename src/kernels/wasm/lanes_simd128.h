/* lanes_simd128.h - 16 lanes of float as four vectors of WebAssembly: what quads.inc asks for. */
#ifndef RAMUS_KERNELS_WASM_LANES_SIMD128_H
#define RAMUS_KERNELS_WASM_LANES_SIMD128_H

#include "kernels/lanes/quad.h"

#include <stdbool.h>
#include <wasm_simd128.h>

/* In C's own notation, for then the compiler knows a maximum when it sees one. */
static inline quad quad_select(quad_int mask, quad a, quad b)
{
    return (quad)(((quad_int)a & mask) | ((quad_int)b & ~mask));
}

static inline bool quad_any(quad_int mask)
{
    return wasm_v128_any_true((v128_t)mask);
}

static inline quad quad_sqrt(quad x)
{
    return (quad)wasm_f32x4_sqrt((v128_t)x);
}

static inline quad quad_add_pairs(quad a, quad b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

static inline quad_int quad_add_bytes(quad_int total, bytes16 x)
{
    return total +
           (quad_int)wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extadd_pairwise_i8x16((v128_t)x));
}

static inline quad_bits quad_mul_bits(quad_bits *high, quad_bits a, quad_bits b)
{
    const quad_bits first = (quad_bits)wasm_u64x2_extmul_low_u32x4((v128_t)a, (v128_t)b);
    const quad_bits second = (quad_bits)wasm_u64x2_extmul_high_u32x4((v128_t)a, (v128_t)b);
    *high = __builtin_shufflevector(first, second, 1, 3, 5, 7);
    return __builtin_shufflevector(first, second, 0, 2, 4, 6);
}

#include "kernels/lanes/quads.inc"

#endif
