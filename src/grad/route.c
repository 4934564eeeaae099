/* The gradient of the softmax; the choice of the branches has none. */
#include "graph/ops/route.h"
#include "grad/grad.h"

#define BLOCK 256

/* Softmax: d logit_i = p_i (d_i - sum_j p_j d_j). Where only the kept branches have probability
 * this is the gradient of the softmax over them, because the others have p = 0. Returns that sum.
 */
static ramus_real mean_gradient(const ramus_real *p, const ramus_real *dp, int branches)
{
    ramus_real mean = 0;
    for (int i = 0; i < branches; i++)
        mean += p[i] * dp[i];
    return mean;
}

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const int branches = n->in[0]->dims[1];
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)branches;
        const ramus_real *p = (const ramus_real *)n->out[0]->data + at, *dp = n->out[0]->grad + at;
        const ramus_real mean = mean_gradient(p, dp, branches);
        for (int i = 0; i < branches; i++)
            n->in[0]->grad[at + (size_t)i] += p[i] * (dp[i] - mean);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

/* Noisy logits have a gradient of their own, and the noise's width has a share in all of it. */
static void noisy_backward_rows(ramus_run *run, const ramus_node *n, int first, int last,
                                int thread)
{
    (void)thread;
    const int branches = n->in[0]->dims[1];
    const ramus_rng rng = ramus_train_rng(run, n);
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)branches;
        const ramus_real *p = (const ramus_real *)n->out[0]->data + at, *dp = n->out[0]->grad + at;
        const ramus_real *width = (const ramus_real *)n->in[1]->data + at;
        const ramus_real mean = mean_gradient(p, dp, branches);
        for (int i = 0; i < branches; i++) {
            const size_t j = at + (size_t)i;
            const ramus_real d = p[i] * (dp[i] - mean) + n->out[3]->grad[j];
            const double slope = ramus_rng_normal(&rng, j) / (1 + exp(-(double)width[i]));
            n->in[0]->grad[j] += d;
            n->in[1]->grad[j] += d * (ramus_real)slope;
        }
    }
}

static void noisy_backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, noisy_backward_rows);
}

const ramus_grad_rule ramus_grad_route = {.op = &ramus_op_route, .backward = backward};
const ramus_grad_rule ramus_grad_route_noisy = {.op = &ramus_op_route_noisy,
                                                .backward = noisy_backward};
