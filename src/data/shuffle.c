/* A Feistel network permutes the integers of 2 * half bits; values that are too large walk on
 * until one is below n. */
#include "data/shuffle.h"

#include "base/status.h"

/* Fewer bits per half give too few orders; more make walks longer for a small n. */
#define LEAST_HALF 3

void ramus_shuffle_init(ramus_shuffle *s, int64_t n, const ramus_rng *rng)
{
    RAMUS_ASSERT(n >= 1 && n <= INT64_C(1) << 60);
    s->n = n;
    s->half = LEAST_HALF;
    while (INT64_C(1) << 2 * s->half < n)
        s->half++;
    ramus_rng_fill(rng, s->keys, 0, RAMUS_SHUFFLE_ROUNDS);
}

/* `half` bits that depend on all bits of x and of the key. */
static uint64_t scramble(uint64_t x, uint32_t key, int half)
{
    x = (x ^ (uint64_t)key << 32 ^ key) * UINT64_C(0x9E3779B97F4A7C15); // golden ratio
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return x >> (64 - half);
}

/* A Feistel network: one to one on integers of 2 * half bits, whatever scramble() does. */
static uint64_t permute(const ramus_shuffle *s, uint64_t x)
{
    uint64_t left = x >> s->half, right = x & ((UINT64_C(1) << s->half) - 1);
    for (int round = 0; round < RAMUS_SHUFFLE_ROUNDS; round++) {
        const uint64_t next = left ^ scramble(right, s->keys[round], s->half);
        left = right;
        right = next;
    }
    return left << s->half | right;
}

int64_t ramus_shuffle_at(const ramus_shuffle *s, int64_t i)
{
    RAMUS_ASSERT(i >= 0 && i < s->n);
    uint64_t x = (uint64_t)i;
    do // walks along a cycle of the permutation to its next value below n: still one to one
        x = permute(s, x);
    while (x >= (uint64_t)s->n);
    return (int64_t)x;
}
