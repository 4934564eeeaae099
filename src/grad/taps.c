/* Of each softmax: d logit_k = w_k (d_k - sum_i w_i d_i). */
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 64

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const size_t kernel = (size_t) * (const int *)n->attr, width = ramus_tensor_width(n->out[0]);
    for (size_t at = (size_t)first * width; at < (size_t)last * width; at += kernel) {
        const ramus_real *w = (const ramus_real *)n->out[0]->data + at, *dw = n->out[0]->grad + at;
        ramus_real *d = n->in[0]->grad + at, mean = 0;
        for (size_t k = 0; k < kernel; k++)
            mean += w[k] * dw[k];
        for (size_t k = 0; k < kernel; k++)
            d[k] += w[k] * (dw[k] - mean);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_taps = {.op = &ramus_op_taps, .backward = backward};
