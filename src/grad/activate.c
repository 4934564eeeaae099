/* dx += dy f'(x), in blocks of rows. */
#include "graph/ops/activate.h"
#include "grad/grad.h"

#define BLOCK 64

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_activate_attr *a = n->attr;
    const ramus_train_kernels *k = &run->train->kernels;
    const size_t width = ramus_tensor_width(n->out[0]), at = (size_t)first * width;
    const ramus_real *x = n->in[0]->data;
    ramus_activation_backward_fn *const kinds[] = {
        [RAMUS_SWISH] = k->swish_backward, [RAMUS_GELU] = k->gelu_backward};
    ramus_grad_begin(run, n, 0, first, last);
    kinds[a->kind](n->in[0]->grad + at, n->out[0]->grad + at, x + at, (last - first) * (int)width);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_activate = {
    .op = &ramus_op_activate, .backward = backward, .begins = RAMUS_GRAD_OF(0)};
