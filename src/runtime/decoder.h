/* decoder.h - many sentences through a model: length-sorted batches, one search per thread.
 *
 * The result does not depend on batches or threads. One thread calls, the pool's threads help. */
#ifndef RAMUS_RUNTIME_DECODER_H
#define RAMUS_RUNTIME_DECODER_H

#include "model/transformer.h"
#include "runtime/search.h"

typedef struct ramus_decoder_spec {
    const ramus_arch *arch;
    const ramus_weights *weights; // of a graph that is not for training
    int max_length;               // tokens of a source sentence, EOS included
    ramus_search_options search;
    ramus_pool *pool;
} ramus_decoder_spec;

typedef struct ramus_decoded {
    int *ids; // EOS not included; the caller frees it
    int length;
    double score; // 0 where the search leaves scores out
} ramus_decoded;

typedef struct ramus_decoder ramus_decoder;

/* Borrows arch, weights and pool. The caller ends *out with ramus_decoder_destroy(). */
RAMUS_CHECKED ramus_status ramus_decoder_create(ramus_decoder **out, const ramus_decoder_spec *spec,
                                                ramus_error *err);
void ramus_decoder_destroy(ramus_decoder *d); // NULL is fine

/* Translates n sentences of at most max_length tokens; out[i] is the best translation of
 * sentence i. After a failure out holds what was done; the caller frees the ids in any case. */
RAMUS_CHECKED ramus_status ramus_decoder_run(ramus_decoder *d, const ramus_source *sentences, int n,
                                             ramus_decoded *out, ramus_error *err);

#endif
