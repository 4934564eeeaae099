/* route.h - what a route node keeps; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_ROUTE_H
#define RAMUS_GRAPH_OPS_ROUTE_H

#include "graph/run.h"

/* in: logits, noise width or NULL   out: probs, order, index, noisy or NULL */
typedef struct ramus_route_attr {
    int branches, top_k;
    bool sparse, bare;
} ramus_route_attr;

/* log(1 + e^x) */
double ramus_softplus(double x);

#endif
