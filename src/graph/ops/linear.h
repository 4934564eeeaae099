/* linear.h - how a routed linear map is cut into jobs; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_LINEAR_H
#define RAMUS_GRAPH_OPS_LINEAR_H

#include "graph/run.h"

/* in: x, weight, bias or NULL, probs (mixed only), order (routed only)   out: y */
typedef struct ramus_linear_attr {
    int branches, top_k; // 1, 1 when dense
    bool mix, relu;
} ramus_linear_attr;

/* The rows from first to last - 1 that `branch` of the routed node n serves, ascending. */
const int *ramus_linear_rows(const ramus_node *n, int branch, int first, int last, int *n_rows);

#endif
