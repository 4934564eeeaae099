/* round.h - the rows that are rounded; shared by the ops round and clip and their backward rules.
 */
#ifndef RAMUS_GRAPH_OPS_TRAIN_ROUND_H
#define RAMUS_GRAPH_OPS_TRAIN_ROUND_H

#include "graph/graph.h"

/* Rows of the last dimension that a tensor has now: of activations, or outputs of all branches. */
int ramus_round_count(const ramus_tensor *t);

#endif
