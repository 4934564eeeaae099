/* attention.h - what attention keeps, and the longest sentence; shared by forward and training. */
#ifndef RAMUS_GRAPH_OPS_ATTENTION_H
#define RAMUS_GRAPH_OPS_ATTENTION_H

#include "graph/ops.h"
#include "graph/run.h"

/* in: q, k, v   out: mixed values, log-sum-exp [R, heads], with `look` where each row looks [R]
 * attr: ramus_attention_spec */

/* How many keys there can be for one query. */
int ramus_attention_keys(const ramus_node *n);

#endif
