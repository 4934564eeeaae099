#include "graph/ops/dropout.h"
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
        ramus_dropout_row(run, n, kept, n->out[0]->grad + at, r, bits);
        run->kernels->axpy(n->in[0]->grad + at, 1, kept, width);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_dropout = {&ramus_op_dropout, backward, NULL, NULL};
