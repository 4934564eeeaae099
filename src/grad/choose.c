/* A branch's value gets the gradients of its rows, in their order; with probabilities, times these,
 * which get the product of gradient and value. */
#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/ops/linear.h"

static void backward_branches(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    const size_t width = (size_t)n->out[0]->dims[1];
    for (int b = first; b < last; b++) {
        const ramus_real *value = (const ramus_real *)n->in[1]->data + (size_t)b * width;
        int n_rows = 0;
        const int *rows = ramus_linear_rows(n, b, 0, ramus_tensor_rows(n->out[0]), &n_rows);
        for (int i = 0; i < n_rows; i++) {
            const ramus_real *dy = n->out[0]->grad + (size_t)rows[i] * width;
            const size_t at = (size_t)rows[i] * (size_t)a->branches + (size_t)b;
            const ramus_real scale = a->mix ? ((const ramus_real *)n->in[3]->data)[at] : 1;
            run->kernels->axpy(n->in[1]->grad + (size_t)b * width, scale, dy, (int)width);
            for (size_t j = 0; a->mix && j < width; j++)
                n->in[3]->grad[at] += dy[j] * value[j];
        }
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    ramus_run_rows(run, n, a->branches, 1, backward_branches);
}

const ramus_grad_rule ramus_grad_choose = {.op = &ramus_op_choose, .backward = backward};
