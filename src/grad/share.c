/* Each branch's gradient reaches its own part and the shared one. */
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 4096

/* Every branch's gradient reaches the shared part, its own reaches its own. */
static void backward_numbers(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t count = ramus_tensor_count(n->in[1]);
    for (int b = 0; b < n->in[0]->dims[0]; b++) {
        const size_t at = (size_t)b * count + (size_t)first;
        const ramus_real *d = n->out[0]->grad + at;
        run->kernels->axpy(n->in[0]->grad + at, 1, d, last - first);
        run->kernels->axpy(n->in[1]->grad + first, 1, d, last - first);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, (int)ramus_tensor_count(n->in[1]), BLOCK, backward_numbers);
}

const ramus_grad_rule ramus_grad_share = {.op = &ramus_op_share, .backward = backward};
