/* WebAssembly with vectors of 128 bits, exact: nothing relaxed. */
#include "kernels/wasm/sums_simd128.h"

#define SMALL_CODE // a page loads it
#include "kernels/lanes/exact.inc"

#include "kernels/wasm/wide.inc"

#include "kernels/wasm/wide_i4.inc"

extern const ramus_kernels ramus_kernels_simd128;
const ramus_kernels ramus_kernels_simd128 = {
    .isa = "simd128", EXACT_KERNELS, .linear_i8 = linear_i8, .linear_i4 = linear_i4};
