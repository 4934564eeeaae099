/* clip.h - which range a row has; shared by clipping, its backward rule and folding. */
#ifndef RAMUS_GRAPH_OPS_TRAIN_CLIP_H
#define RAMUS_GRAPH_OPS_TRAIN_CLIP_H

#include "graph/graph.h"

#define RAMUS_LEAST_RANGE ((ramus_real)1e-3) // smaller learned ranges count as this

static inline ramus_real ramus_clip_limit(ramus_real range)
{
    return range > RAMUS_LEAST_RANGE ? range : RAMUS_LEAST_RANGE;
}

/* in: x or weight, ranges [N], branches of the rows or NULL
 * out: y, and what each row adds to its range's gradient (training only)
 * The range of row r of the node's input. */
int ramus_clip_branch(const ramus_node *n, int r);

#endif
