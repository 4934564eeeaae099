/* bf16.h - bfloat16: the upper 16 bits of a float, 8 binary digits with its range. */
#ifndef RAMUS_KERNELS_BF16_H
#define RAMUS_KERNELS_BF16_H

#include "kernels/real.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each number becomes the nearest bfloat16, halves to even; too large: infinity. */
static inline void ramus_bf16_round(ramus_real *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float value = (float)x[i];
        uint32_t bits = 0;
        memcpy(&bits, &value, sizeof bits);
        const uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
        const uint32_t kept = (bits & 0x7fffffff) > 0x7f800000 ? bits : nearest; // not a number
        const uint32_t upper = kept & 0xffff0000;
        memcpy(&value, &upper, sizeof value);
        x[i] = value;
    }
}

#endif
