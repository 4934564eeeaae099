/* fold.h - from the weights that are trained to those that are used, and back. */
#ifndef RAMUS_MODEL_FOLD_H
#define RAMUS_MODEL_FOLD_H

#include "model/param.h"

/* The part that the branches of a parameter share in training, or NULL. */
const ramus_weight *ramus_weights_shared(const ramus_weights *w, const ramus_weight *item);

/* folded = the weights of a training graph with shared parts added to their branches, clipped to
 * learned ranges if they have such, and what only training uses left out. `folded` was created from
 * a graph of the same arch that is not for training. */
void ramus_weights_fold(ramus_weights *folded, const ramus_weights *trained);

/* The reverse: what branches share becomes their mean, and a branch what differs from it. */
void ramus_weights_unfold(ramus_weights *trained, const ramus_weights *folded);

#endif
