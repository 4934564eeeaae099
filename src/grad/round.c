/* Straight-through: rounding has no slope of its own, so the gradient passes unchanged. */
#include "graph/ops/train/round.h"
#include "grad/grad.h"
#include "graph/ops.h"

#include <string.h>

#define BLOCK 64

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_tensor *t = n->in[0];
    const int width = t->dims[t->n_dims - 1], count = (last - first) * width;
    const size_t at = (size_t)first * (size_t)width;
    if (run->train->fresh)
        memcpy(t->grad + at, n->out[0]->grad + at, (size_t)count * sizeof *t->grad);
    else
        run->kernels->axpy(t->grad + at, 1, n->out[0]->grad + at, count);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_round_count(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_round = {
    .op = &ramus_op_round, .backward = backward, .begins = RAMUS_GRAD_OF(0)};
