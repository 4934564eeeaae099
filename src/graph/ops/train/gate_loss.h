/* gate_loss.h - the sums behind the gate losses; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_TRAIN_GATE_LOSS_H
#define RAMUS_GRAPH_OPS_TRAIN_GATE_LOSS_H

#include "graph/run.h"

typedef struct ramus_diversity_attr {
    double factor; // 1: sum over branches (the paper); 1 / N: mean (the authors' code)
} ramus_diversity_attr;

/* total[i] = sum over the rows of probs[r, i]. Returns the mean of the totals. */
double ramus_branch_totals(double *total, const ramus_tensor *probs);

/* sum_i (total[i] - mean)^2 / mean^2, and its derivative by each total. */
double ramus_spread(const double *total, double mean, int n);
void ramus_spread_gradient(double *d, const double *total, double mean, int n);

/* The probability that branch i would be kept for row r with fresh noise is Phi(z),
 * z = (clean[i] - noisy[rival]) / deviation; the rival is the weakest that i must beat. */
typedef struct ramus_load_term {
    int rival;
    double deviation, z;
} ramus_load_term;

ramus_load_term ramus_noisy_load_term(const ramus_node *n, int r, int i);

/* total[i] = sum over the rows of Phi(z). Returns the mean of the totals. */
double ramus_noisy_loads(double *total, const ramus_node *n);

#endif
