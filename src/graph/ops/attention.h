/* attention.h - how attention is cut into jobs; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_ATTENTION_H
#define RAMUS_GRAPH_OPS_ATTENTION_H

#include "graph/ops.h"
#include "graph/run.h"

/* in: q, k, v   out: mixed values, log-sum-exp [R, heads]   attr: ramus_attention_spec */

/* The job of query row r and head h. `scratch` has room for the probabilities and the dropout
 * factors of the longest sentence. */
ramus_attention_job ramus_attention_part(const ramus_run *run, const ramus_node *n, int r, int h,
                                         void *scratch);

#endif
