/* train_run.h - what a run has in training besides what running forward needs.
 *
 * ramus_grad_run_create() (grad.h) makes it; whoever trains fills in the key and the scales before
 * each micro-batch. Training-only ops and backward rules read it as run->train. */
#ifndef RAMUS_GRAPH_TRAIN_RUN_H
#define RAMUS_GRAPH_TRAIN_RUN_H

#include "base/rng.h"
#include "graph/run.h"
#include "kernels/train.h"

struct ramus_train_run {
    ramus_train_kernels kernels;
    ramus_rng rng;     // key of dropout and noise; `op` is filled in per node
    double loss_scale; // the gradient of cross-entropy sums: 1 / target tokens of the update
    double aux_scale;  // the gradient of auxiliary losses: the micro-batch's share of the update
    void *shared;      // scratch of all threads together
    unsigned fresh;    // of the node whose backward rule runs: RAMUS_GRAD_OF bits (grad.h)
    /* Called when the backward pass is through with a node's turn; or NULL. */
    void (*passed)(void *arg, int node);
    void *passed_arg;
};

/* The key of a node's random numbers. */
static inline ramus_rng ramus_train_rng(const ramus_run *run, const ramus_node *n)
{
    ramus_rng rng = run->train->rng;
    rng.op = (uint32_t)n->number;
    return rng;
}

#endif
