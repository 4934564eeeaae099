/* batch.h - sentence pairs that go through a full graph together. */
#ifndef RAMUS_MODEL_BATCH_H
#define RAMUS_MODEL_BATCH_H

#include "graph/graph.h"

/* One pair as ids, EOS included. */
typedef struct ramus_pair {
    const int *source, *target;
    int source_length, target_length;
} ramus_pair;

/* A micro-batch: the pairs that one pass computes together. */
typedef struct ramus_batch {
    const ramus_pair *pairs;
    int n;
    int source_tokens, target_tokens;
} ramus_batch;

/* Sets the inputs of a full graph to the pairs of a batch. `lengths` is scratch for batch->n
 * integers. */
void ramus_batch_set(ramus_graph *g, const ramus_batch *batch, int *lengths);

#endif
