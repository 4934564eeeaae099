/* sums_simd128.h - 16 sums of products of bytes, and scales of 16 bits, as vectors of WebAssembly.
 *
 * Bytes are widened to 16 bits; the instruction that multiplies eight of them and adds products in
 * pairs is one that every CPU has. So each output has two parts of its sum. */
#ifndef RAMUS_KERNELS_WASM_SUMS_SIMD128_H
#define RAMUS_KERNELS_WASM_SUMS_SIMD128_H

#include "kernels/i4.h"
#include "kernels/wasm/lanes_simd128.h"

#include <stddef.h>

typedef struct { // two parts of each output's sum
    v128_t parts[8];
} sums;

static inline quad_int add_pairs(v128_t a, v128_t b)
{
    return __builtin_shufflevector((quad_int)a, (quad_int)b, 0, 2, 4, 6) +
           __builtin_shufflevector((quad_int)a, (quad_int)b, 1, 3, 5, 7);
}

static inline lanes sums_lanes(sums s)
{
    EACH_QUAD(__builtin_convertvector(add_pairs(s.parts[2 * i], s.parts[2 * i + 1]), quad));
}

/* Floats of 16 bits, finite: each is a number of 31 bits times 2^112. */
static inline quad load_halves(const ramus_half *h)
{
    const v128_t size = wasm_i32x4_shl(wasm_i32x4_load16x4(h), 13); // its top bits are the sign
    return (quad)wasm_v128_and(size, wasm_i32x4_const_splat((int32_t)0x8fffe000)) * 0x1p112f;
}

#endif
