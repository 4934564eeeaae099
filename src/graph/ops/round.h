/* round.h - how rows are rounded; shared by the op, its backward rule and validation. */
#ifndef RAMUS_GRAPH_OPS_ROUND_H
#define RAMUS_GRAPH_OPS_ROUND_H

#include "graph/graph.h"

#include <stdint.h>

/* One output's n weights as export writes them with 8 or 4 bits (kernels/fit.h): y = whole numbers
 * times their scale, y may be w. q has room for n numbers. */
void ramus_round_output(ramus_real *y, const ramus_real *w, int n, int bits, int8_t *q);

/* Rows of the last dimension that a tensor has now: of activations, or outputs of all branches. */
int ramus_round_count(const ramus_tensor *t);

#endif
