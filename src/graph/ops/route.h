/* route.h - the parts of routing that ops share: the op route, its noisy form, and benchmarks. */
#ifndef RAMUS_GRAPH_OPS_ROUTE_H
#define RAMUS_GRAPH_OPS_ROUTE_H

#include "graph/ops.h"
#include "graph/run.h"

/* in[0]: logits   out: probs, order, index */
typedef struct ramus_route_attr {
    int branches, top_k;
    bool sparse;
} ramus_route_attr;

/* Gives a new node of such an op its input and its outputs. */
ramus_route ramus_route_make(ramus_graph *g, ramus_node *n, ramus_tensor *logits);

/* index of a row = the branches with the largest logits */
void ramus_route_choose(const ramus_run *run, const ramus_node *n, int row,
                        const ramus_real *logits);
/* probs of a row whose branches are chosen, unless nobody reads them */
void ramus_route_weigh(const ramus_run *run, const ramus_node *n, int row,
                       const ramus_real *logits);
/* Runs `body`, which fills in index and probs of its rows, then groups the rows by branch. */
void ramus_route_run(ramus_run *run, const ramus_node *n, ramus_rows_body *body);

#endif
