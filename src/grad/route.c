/* The gradient of the softmax; the choice of the branches has none. */
#include "graph/ops/route.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 256

/* Softmax: d logit_i = p_i (d_i - sum_j p_j d_j). Where only the kept branches have probability
 * this is the gradient of the softmax over them, because the others have p = 0. */
static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_route_attr *a = n->attr;
    const int branches = a->branches;
    const ramus_tensor *width = n->in[1], *noisy = n->out[3];
    const ramus_rng rng = ramus_run_rng(run, n);

    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)branches;
        const ramus_real *p = (const ramus_real *)n->out[0]->data + at, *dp = n->out[0]->grad + at;
        ramus_real mean = 0;
        for (int i = 0; i < branches; i++)
            mean += p[i] * dp[i];
        for (int i = 0; i < branches; i++) {
            ramus_real d = p[i] * (dp[i] - mean);
            if (noisy) d += noisy->grad[at + (size_t)i];
            n->in[0]->grad[at + (size_t)i] += d;
            if (!width) continue;
            const double w = (double)((const ramus_real *)width->data)[at + (size_t)i];
            const double slope = ramus_rng_normal(&rng, at + (size_t)i) / (1 + exp(-w));
            width->grad[at + (size_t)i] += d * (ramus_real)slope;
        }
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_route = {.op = &ramus_op_route, .backward = backward};
