/* shuffle.h - a random order of 0 .. n - 1 with access to any place, without memory. */
#ifndef RAMUS_DATA_SHUFFLE_H
#define RAMUS_DATA_SHUFFLE_H

#include "base/rng.h"

#include <stdint.h>

#define RAMUS_SHUFFLE_ROUNDS 6

typedef struct ramus_shuffle {
    int64_t n;
    int half; // bits of half an integer
    uint32_t keys[RAMUS_SHUFFLE_ROUNDS];
} ramus_shuffle;

/* An order of n >= 1 integers; each `rng` gives its own. */
void ramus_shuffle_init(ramus_shuffle *s, int64_t n, const ramus_rng *rng);

/* The integer at place i of 0 .. n - 1. Each stands at exactly one place. */
int64_t ramus_shuffle_at(const ramus_shuffle *s, int64_t i);

#endif
