/* variation.h - pairs encoded anew for each use of them: with noise, or with a random
 * segmentation.
 *
 * The result depends on the seed and on the place where a pair is used, not on the thread. */
#ifndef RAMUS_DATA_VARIATION_H
#define RAMUS_DATA_VARIATION_H

#include "data/batches.h"
#include "text/tokenizer.h"

/* A pair and the place in training where it is used. */
typedef struct ramus_use {
    const ramus_corpus *corpus;
    int64_t pair;
    int64_t epoch, place;
} ramus_use;

/* Uses that one thread takes together, and their results. */
typedef struct ramus_uses {
    const ramus_use *items;
    int n;
    ramus_pair *pairs; // [n]: set for each use
    ramus_ids ids;     // the new ids of the pairs; memory is kept for the next time
} ramus_uses;

typedef struct ramus_variation ramus_variation;

/* Checks and keeps what `spec` says of noise and sampling; *out is NULL when it wants none. The
 * caller ends *out with ramus_variation_destroy(). */
RAMUS_CHECKED ramus_status ramus_variation_create(ramus_variation **out,
                                                  const ramus_batches_spec *spec, ramus_error *err);
void ramus_variation_destroy(ramus_variation *v); // NULL is fine

/* Sets the pairs of `uses`, valid until it is run again. `thread` is that of the pool, or 0. */
RAMUS_CHECKED ramus_status ramus_variation_run(ramus_variation *v, ramus_uses *uses, int thread,
                                               ramus_error *err);

#endif
