/* attention.h - what forward and training share: the longest sentence, and which keys are dropped.
 */
#ifndef RAMUS_GRAPH_OPS_ATTENTION_H
#define RAMUS_GRAPH_OPS_ATTENTION_H

#include "graph/ops.h"
#include "graph/run.h"

/* in: q, k, v   out: mixed values, log-sum-exp [R, heads], with `look` where each row looks [R]
 * attr: ramus_attention_spec */

#define RAMUS_ATTENTION_QUERIES 96 // that training takes at a time

/* How many keys there can be for one query. */
int ramus_attention_keys(const ramus_node *n);

/* Dropout factors of one query row and head: fixed by node, row, head and key. */
void ramus_attention_keep(ramus_real *keep, const ramus_run *run, const ramus_node *n, int r, int h,
                          int keys);

#endif
