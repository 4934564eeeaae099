/* norm.h - layer normalisation: what forward and backward share. */
#ifndef RAMUS_GRAPH_OPS_NORM_H
#define RAMUS_GRAPH_OPS_NORM_H

#include "graph/run.h"

/* in: x, gain, bias, residual or NULL   out: y, x + residual, {mean, 1 / deviation} */

#define RAMUS_NORM_BLOCK 64 // rows whose gradients of gain and bias are summed together

/* Floats of run->shared for the sums of all blocks: gain and bias of each. */
size_t ramus_norm_sums(const ramus_node *n, int rows);

#endif
