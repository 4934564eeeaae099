/* dropout.h - which elements are dropped is a function of (seed, update, micro-batch, node,
 * element), so that the backward rule draws the same ones again. */
#ifndef RAMUS_GRAPH_OPS_TRAIN_DROPOUT_H
#define RAMUS_GRAPH_OPS_TRAIN_DROPOUT_H

#include "graph/train_run.h"

/* y = x with elements dropped; x and y are row `row`. `bits` has room for one word per element.
 */
void ramus_dropout_row(const ramus_run *run, const ramus_node *n, ramus_real *y,
                       const ramus_real *x, int row, uint32_t *bits);

#endif
