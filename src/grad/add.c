/* The gradient of the sum goes to both inputs. */
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 256

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]), at = (size_t)first * width;
    for (int i = 0; i < 2; i++) {
        if (!n->in[i]->grad) continue;
        ramus_grad_begin(run, n, i, first, last);
        run->kernels->axpy(n->in[i]->grad + at, 1, n->out[0]->grad + at,
                           (last - first) * (int)width);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_add = {
    .op = &ramus_op_add, .backward = backward, .begins = RAMUS_GRAD_OF(0) | RAMUS_GRAD_OF(1)};
