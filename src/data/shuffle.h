/* shuffle.h - a random order of 0 .. n - 1 of which any place can be asked for, without memory. */
#ifndef RAMUS_DATA_SHUFFLE_H
#define RAMUS_DATA_SHUFFLE_H

#include "base/rng.h"

#include <stdint.h>

#define RAMUS_SHUFFLE_ROUNDS 6

typedef struct ramus_shuffle {
    int64_t n;
    int half; // bits of half a number
    uint32_t keys[RAMUS_SHUFFLE_ROUNDS];
} ramus_shuffle;

/* Of n >= 1 numbers; another `rng`, another order. */
void ramus_shuffle_init(ramus_shuffle *s, int64_t n, const ramus_rng *rng);

/* What stands at place i of 0 .. n - 1: each number at exactly one place. */
int64_t ramus_shuffle_at(const ramus_shuffle *s, int64_t i);

#endif
