/* exchange.h - one update, shared among ranks: each does some of its micro-batches, and all get the
 * gradients and losses of the whole update.
 *
 * The assignment is a function of the list and the number of ranks. Gradients are summed in
 * buckets, runs of neighbouring parameters. A bucket's sum starts when the backward pass of this
 * rank's last micro-batch has completed it. */
#ifndef RAMUS_TRAIN_EXCHANGE_H
#define RAMUS_TRAIN_EXCHANGE_H

#include "ranks/comm.h"
#include "train/learner.h"

typedef struct ramus_exchange ramus_exchange;

/* Buckets have about `bucket_bytes`, or less where the next gradients are complete at quite another
 * time; 0: one bucket, summed after the backward pass. Borrows comm (NULL: alone) and learner. The
 * caller ends *out with ramus_exchange_destroy(). */
RAMUS_CHECKED ramus_status ramus_exchange_create(ramus_exchange **out, ramus_comm *comm,
                                                 ramus_learner *learner, size_t bucket_bytes,
                                                 ramus_error *err);
void ramus_exchange_destroy(ramus_exchange *x); // NULL is fine

/* Update number `number` = 1, 2, ..: adds its gradients to the learner's, which must be zero, and
 * its losses to the learner's sums; the same on all ranks. */
void ramus_exchange_learn(ramus_exchange *x, const ramus_update *update, int number);

#endif
