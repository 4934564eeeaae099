/* Draws the same elements again and lets the gradient through where they were kept. */
#include "graph/ops/train/dropout.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 64

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const int width = n->out[0]->dims[1];
    ramus_real *kept = ramus_run_scratch(run, thread); // one row, and the bits behind it
    uint32_t *bits = (uint32_t *)(void *)(kept + width);
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)width;
        ramus_real *dx = n->in[0]->grad + at;
        ramus_dropout_row(run, n, run->train->fresh ? dx : kept, n->out[0]->grad + at, r, bits);
        if (!run->train->fresh) run->kernels->axpy(dx, 1, kept, width);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_dropout = {
    .op = &ramus_op_dropout, .backward = backward, .begins = RAMUS_GRAD_OF(0)};
