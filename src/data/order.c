/* Two keyed permutations: one mixes the places of an epoch, one orders each pass through a
 * corpus. Nothing is stored per pair. */
#include "data/order.h"

#include "base/hash.h"
#include "data/shuffle.h"

#include <math.h>
#include <stdlib.h>

#define MOST_WEIGHT 1e6

/* What random numbers are for. */
enum { PLACES, PAIRS };

typedef struct part {
    const ramus_corpus *corpus;
    int64_t kept;
    int64_t begin, n; // its places in an epoch before they are mixed
} part;

struct ramus_order {
    uint64_t seed;
    int64_t count;
    int n_parts;
    part parts[];
};

ramus_status ramus_order_create(ramus_order **out, const ramus_corpus *const *corpora,
                                const double *weights, int n, uint64_t seed, ramus_error *err)
{
    if (n < 1) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "no corpus to train on");
    ramus_order *o = calloc(1, sizeof *o + (size_t)n * sizeof *o->parts);
    if (!o) return ramus_fail_memory(err, "the order of training");
    o->seed = ramus_hash(seed, "order", 5);
    o->n_parts = n;
    for (int i = 0; i < n; i++) {
        part *p = &o->parts[i];
        if (!(weights[i] > 0 && weights[i] <= MOST_WEIGHT)) {
            free(o);
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "corpus %d has weight %g, expected one above 0 and at most %g", i + 1,
                              weights[i], MOST_WEIGHT);
        }
        p->corpus = corpora[i];
        p->kept = ramus_corpus_count(corpora[i])->kept;
        p->begin = o->count;
        p->n = llround(weights[i] * (double)p->kept);
        if (p->n < 1) p->n = 1;
        o->count += p->n;
    }
    *out = o;
    return RAMUS_OK;
}

void ramus_order_destroy(ramus_order *o)
{
    free(o);
}

int64_t ramus_order_count(const ramus_order *o)
{
    return o->count;
}

void ramus_order_at(const ramus_order *o, int64_t epoch, int64_t place, const ramus_corpus **corpus,
                    int64_t *pair)
{
    ramus_shuffle shuffle;
    const ramus_rng places = {o->seed, (uint32_t)epoch, 0, PLACES};
    ramus_shuffle_init(&shuffle, o->count, &places);
    const int64_t mixed = ramus_shuffle_at(&shuffle, place);
    int c = 0;
    while (mixed >= o->parts[c].begin + o->parts[c].n)
        c++;
    const part *p = &o->parts[c];

    const int64_t along = epoch * p->n + mixed - p->begin;
    const ramus_rng pass = {o->seed, (uint32_t)(along / p->kept), (uint32_t)c, PAIRS};
    ramus_shuffle_init(&shuffle, p->kept, &pass);
    *corpus = p->corpus;
    *pair = ramus_shuffle_at(&shuffle, along % p->kept);
}
