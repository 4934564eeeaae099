/* grad.h - gradients: one backward rule per op, and the reverse walk over a graph.
 *
 * A rule adds to the gradients of its node's inputs; the walk zeroes an activation's gradient
 * before the first addition, or lets the rule begin it, which saves a pass over the memory.
 * Parameter gradients accumulate across calls, micro-batch after micro-batch, until the owner of
 * the block zeroes it. */
#ifndef RAMUS_GRAD_GRAD_H
#define RAMUS_GRAD_GRAD_H

#include "graph/train_run.h"

typedef struct ramus_grad_rule {
    const ramus_op *op;
    void (*backward)(ramus_run *run, const ramus_node *n); // NULL: the gradient ends here
    void (*forward)(ramus_run *run,
                    const ramus_node *n); // replaces the op's forward when training; or NULL
    void (*products)(ramus_run *run, const ramus_node *n,
                     bool backward);        // its matrix products alone; NULL: it has none
    size_t (*scratch)(const ramus_node *n); // bytes each thread needs for both; NULL: none
    size_t (*shared)(const ramus_node *n);  // bytes that all threads share there; NULL: none
    unsigned begins; // RAMUS_GRAD_OF bits: inputs whose gradients backward sets where
                     // run->train->fresh asks for it, in place of adding to them
} ramus_grad_rule;

#define RAMUS_GRAD_OF(i) (1u << (i)) // the gradient of input i

/* NULL when the op has none: such a graph cannot be trained. */
const ramus_grad_rule *ramus_grad_rule_of(const ramus_op *op);

/* ramus_run_create() for a graph that is trained: with run->train, whose scales are 1. */
RAMUS_CHECKED ramus_status ramus_grad_run_create(ramus_run **out, ramus_graph *g, ramus_pool *pool,
                                                 ramus_error *err);

/* Runs all phases forward the way training does. */
void ramus_grad_forward(ramus_run *run);

/* Zeroes the gradients of tensors that nothing reads and gives each loss its own: its weight times
 * loss_scale (cross-entropy) or aux_scale (the others) of run->train. Cross-entropy sums have
 * weight 1. */
void ramus_grad_seed(ramus_run *run);

/* The backward pass, from the seeded gradients to the parameters. */
void ramus_grad_backward(ramus_run *run);

/* For measuring, after an update: does the matrix products of the update again, forward and
 * backward, with the same rows and the same memory, and nothing else. Overwrites all gradients. */
void ramus_grad_products(ramus_run *run);

/* For rules: zeroes rows first .. last - 1 of the gradient of input i if it is fresh. */
void ramus_grad_begin(const ramus_run *run, const ramus_node *n, int i, int first, int last);

extern const ramus_grad_rule ramus_grad_route, ramus_grad_route_noisy, ramus_grad_linear,
    ramus_grad_share, ramus_grad_round, ramus_grad_clip, ramus_grad_attention, ramus_grad_norm,
    ramus_grad_add, ramus_grad_activate, ramus_grad_dropout, ramus_grad_embed, ramus_grad_taps,
    ramus_grad_choose, ramus_grad_convolution, ramus_grad_glu, ramus_grad_columns,
    ramus_grad_beside, ramus_grad_behind, ramus_grad_project_loss, ramus_grad_diversity,
    ramus_grad_entropy, ramus_grad_switch_load, ramus_grad_noisy_load;

#endif
