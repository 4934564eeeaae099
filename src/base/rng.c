/* Philox gives 128 bits for a counter; element i is one of the four words of block i / 4. Normal
 * numbers come in pairs, by Box-Muller. */
#include "base/rng.h"

#include <math.h>

#define PI 3.14159265358979323846

void ramus_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0; // constants of the paper, table 2
        const uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u; // golden ratio
        k1 += 0xBB67AE85u; // sqrt(3) - 1
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static void block_at(const ramus_rng *rng, uint64_t block, uint32_t out[4])
{
    const uint32_t key[2] = {(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)block, rng->op, rng->batch, rng->update};
    ramus_philox(out, counter, key);
}

uint32_t ramus_rng_bits(const ramus_rng *rng, uint64_t element)
{
    uint32_t out[4];
    block_at(rng, element / 4, out);
    return out[element % 4];
}

void ramus_rng_fill(const ramus_rng *rng, uint32_t *out, uint64_t first, int n)
{
    int i = 0;
    while (i < n) {
        uint32_t block[4];
        block_at(rng, (first + (uint64_t)i) / 4, block);
        for (uint64_t j = (first + (uint64_t)i) % 4; j < 4 && i < n; j++)
            out[i++] = block[j];
    }
}

double ramus_rng_uniform(const ramus_rng *rng, uint64_t element)
{
    return ramus_rng_bits(rng, element) * (1.0 / 4294967296.0);
}

double ramus_rng_normal(const ramus_rng *rng, uint64_t element)
{
    uint32_t out[4];
    block_at(rng, element / 2, out); // Box-Muller: two words give one pair of normal numbers
    const uint32_t *word = out + element % 2 * 2;
    const double radius = (word[0] + 0.5) * (1.0 / 4294967296.0);
    const double angle = word[1] * (2 * PI / 4294967296.0);
    return sqrt(-2 * log(radius)) * cos(angle);
}
