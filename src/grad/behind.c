/* A row's gradient goes back to where it was copied from. */
#include "grad/grad.h"
#include "graph/ops.h"

static void backward_sentences(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]);
    const int *start = n->in[0]->axis->start;
    for (int s = first; s < last; s++) {
        const size_t count = (size_t)(start[s + 1] - start[s]) * width;
        const ramus_real *dy = n->out[0]->grad + (size_t)n->out[0]->axis->start[s] * width;
        for (int i = 0; i < RAMUS_MAX_IN && n->in[i]; i++, dy += count)
            if (n->in[i]->grad)
                run->kernels->axpy(n->in[i]->grad + (size_t)start[s] * width, 1, dy, (int)count);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, n->in[0]->axis->sequences, 1, backward_sentences);
}

const ramus_grad_rule ramus_grad_behind = {.op = &ramus_op_behind, .backward = backward};
