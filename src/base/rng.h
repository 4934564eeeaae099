/* rng.h - random numbers without a state: a function of what they are for.
 *
 * Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Element i
 * is the same whatever was drawn before it, on every thread, after every resume. */
#ifndef RAMUS_BASE_RNG_H
#define RAMUS_BASE_RNG_H

#include <stdint.h>

/* What the numbers are for. Each different key gives an independent sequence of 2^34 numbers. */
typedef struct ramus_rng {
    uint64_t seed;
    uint32_t update; // training step; 0 for initial weights
    uint32_t batch;  // micro-batch within the update
    uint32_t op;     // node of the graph, or parameter
} ramus_rng;

/* The block cipher itself: 128 bits from a 128-bit counter and a 64-bit key. */
void ramus_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

uint32_t ramus_rng_bits(const ramus_rng *rng, uint64_t element);  // 32 random bits
double ramus_rng_uniform(const ramus_rng *rng, uint64_t element); // in [0, 1), 32 bits fine
double ramus_rng_normal(const ramus_rng *rng, uint64_t element);  // mean 0, deviation 1

/* out[i] = bits of element `first` + i: the same numbers, four at a time. */
void ramus_rng_fill(const ramus_rng *rng, uint32_t *out, uint64_t first, int n);

#endif
