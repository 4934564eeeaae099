/* ngrams.h - how many n-grams two sequences of symbols have in common.
 *
 * Exact: an n-gram is numbered by the pair (number of its first n - 1 symbols, last symbol), and
 * pairs are compared whole. A ramus_ngrams starts as {0}, grows to the longest sequences it has
 * seen and then allocates no more; one thread. */
#ifndef RAMUS_EVAL_NGRAMS_H
#define RAMUS_EVAL_NGRAMS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ramus_ngrams {
    uint32_t *symbols; // [n_symbols] of all references
    size_t n_symbols, symbol_room;
    struct ramus_ngram_reference *references;
    size_t n_references, reference_room;
    struct ramus_ngram_place *places; // of the hypothesis, then of the references
    size_t place_room;
    struct ramus_ngram *entries; // [n_entries] by number
    size_t n_entries, entry_room;
    struct ramus_ngram_slot *slots; // [slot_capacity] of which the first 2^bits are looked at
    size_t slot_capacity;
    int bits;
    uint32_t stamp;
} ramus_ngrams;

void ramus_ngrams_free(ramus_ngrams *g); // back to {0}

/* Forgets the references. */
void ramus_ngrams_clear(ramus_ngrams *g);

/* Adds a reference; the symbols are copied. */
RAMUS_CHECKED ramus_status ramus_ngrams_add(ramus_ngrams *g, const uint32_t *symbols, int n,
                                            ramus_error *err);

/* matches[k] = how many n-grams of k + 1 symbols, k < order, of the hypothesis are in a reference,
 * each counted no more often than it occurs in the reference that has most of it. */
RAMUS_CHECKED ramus_status ramus_ngrams_match(ramus_ngrams *g, const uint32_t *hypothesis, int n,
                                              int order, int32_t *matches, ramus_error *err);

#endif
