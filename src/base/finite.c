/* An exponent of ones means infinite or NaN. Adding 1 to an exponent carries into the sign exactly
 * then. Blocks have no branch inside, so that the compiler can use vectors. */
#include "base/finite.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 1024

bool ramus_finite_floats(const void *floats, size_t n)
{
    uint32_t carried = 0;
    for (size_t at = 0; at < n && !(carried >> 31); at += BLOCK) {
        uint32_t bits[BLOCK];
        const size_t count = n - at < BLOCK ? n - at : BLOCK;
        memcpy(bits, (const char *)floats + at * sizeof *bits, count * sizeof *bits);
#pragma GCC unroll 4
        for (size_t i = 0; i < count; i++)
            carried |= (bits[i] & 0x7f800000) + 0x00800000;
    }
    return !(carried >> 31);
}

bool ramus_finite_halves(const void *halves, size_t n)
{
    uint16_t carried = 0;
    for (size_t at = 0; at < n && !(carried >> 15); at += BLOCK) {
        uint16_t bits[BLOCK];
        const size_t count = n - at < BLOCK ? n - at : BLOCK;
        memcpy(bits, (const char *)halves + at * sizeof *bits, count * sizeof *bits);
#pragma GCC unroll 4
        for (size_t i = 0; i < count; i++)
            carried = (uint16_t)(carried | ((bits[i] & 0x7c00) + 0x0400));
    }
    return !(carried >> 15);
}
