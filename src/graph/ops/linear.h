/* linear.h - how a routed linear map is cut into jobs; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_LINEAR_H
#define RAMUS_GRAPH_OPS_LINEAR_H

#include "graph/run.h"

/* in: x, weight, bias or NULL, probs (mixed only), order (routed only)   out: y */
typedef struct ramus_linear_attr {
    int branches, top_k; // 1, 1 when dense
    bool mix, relu;
} ramus_linear_attr;

/* The part of node n that concerns `branch` and the rows first .. last - 1; n_rows may come out 0.
 */
ramus_linear_job ramus_linear_part(const ramus_node *n, int branch, int first, int last);

#endif
