/* Values get dy times the sigmoid of their gates; gates the rest of the product rule. */
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 64

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1];
    const ramus_real *x = n->in[0]->data;
    ramus_grad_begin(run, n, 0, first, last);
    for (ptrdiff_t r = first; r < last; r++)
        run->train->kernels.glu_backward(n->in[0]->grad + r * 2 * width,
                                         n->out[0]->grad + r * width, x + r * 2 * width, width);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_glu = {
    .op = &ramus_op_glu, .backward = backward, .begins = RAMUS_GRAD_OF(0)};
