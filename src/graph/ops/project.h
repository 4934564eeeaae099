/* project.h - the output product in chunks; shared by the losses' forward and training forward. */
#ifndef RAMUS_GRAPH_OPS_PROJECT_H
#define RAMUS_GRAPH_OPS_PROJECT_H

#include "graph/run.h"

/* in: x, table, labels, bias or NULL   out: sum of losses [1], losses [R], and in training d loss /
 * d x [R, D] and the losses without smoothing [R], kept as "nll" */
typedef struct ramus_project_attr {
    double smoothing;
} ramus_project_attr;

/* How the target probability is spread over V tokens, and the least loss that these weights allow.
 */
typedef struct ramus_label_weights {
    double high, low; // on the label, on every other token
    double least;
} ramus_label_weights;

ramus_label_weights ramus_label_weights_of(const ramus_node *n);

/* logits[i,:] = table x[row + i,:] for `rows` rows */
void ramus_project_rows(ramus_run *run, const ramus_node *n, ramus_real *logits, int row, int rows);

/* Adds up the losses of the rows, always in the same order. */
void ramus_project_total(const ramus_node *n);

#endif
