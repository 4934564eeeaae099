/* order.h - which pair of which corpus comes at which place of an epoch.
 *
 * Every corpus is an endless sequence, pass after pass through all of its pairs, each pass in an
 * order of its own. An epoch takes the next part of each sequence, as long as the corpus's weight
 * says, and mixes these parts. Read-only once created: any number of threads. */
#ifndef RAMUS_DATA_ORDER_H
#define RAMUS_DATA_ORDER_H

#include "data/corpus.h"

typedef struct ramus_order ramus_order;

/* Weights are above 0 and at most 1e6. The caller ends *out with ramus_order_destroy(); corpora
 * must outlive it. */
RAMUS_CHECKED ramus_status ramus_order_create(ramus_order **out, const ramus_corpus *const *corpora,
                                              const double *weights, int n, uint64_t seed,
                                              ramus_error *err);
void ramus_order_destroy(ramus_order *o); // NULL is fine

int64_t ramus_order_count(const ramus_order *o); // places of an epoch

/* Sets *corpus and *pair for place 0 .. count - 1 of an epoch. */
void ramus_order_at(const ramus_order *o, int64_t epoch, int64_t place, const ramus_corpus **corpus,
                    int64_t *pair);

#endif
