/* exchange.h - one update, shared among ranks: each does some of its micro-batches, and all of them
 * end with the gradients and losses of the whole.
 *
 * Which rank does which is a function of the list and the number of ranks. Gradients are summed in
 * buckets, runs of parameters that lie side by side, each as soon as the last micro-batch of this
 * rank has passed the last node, on the way back, that reads one of them. */
#ifndef RAMUS_TRAIN_EXCHANGE_H
#define RAMUS_TRAIN_EXCHANGE_H

#include "ranks/comm.h"
#include "train/learner.h"

typedef struct ramus_exchange ramus_exchange;

/* Buckets have about `bucket_bytes`, or less where the next gradients are complete at quite another
 * time; 0: one, when the way back is over. Borrows comm (NULL:
 * alone) and learner. The caller ends *out with ramus_exchange_destroy(). */
RAMUS_CHECKED ramus_status ramus_exchange_create(ramus_exchange **out, ramus_comm *comm,
                                                 ramus_learner *learner, size_t bucket_bytes,
                                                 ramus_error *err);
void ramus_exchange_destroy(ramus_exchange *x); // NULL is fine

/* Update number `number` = 1, 2, ..: adds it to the learner's gradients, which must be zero, and to
 * what was learned, on all ranks alike. */
void ramus_exchange_learn(ramus_exchange *x, const ramus_update *update, int number);

#endif
