#include "graph/ops/teach.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 256

/* Of one branch: taken = p_k, so dp_k += d_k. Of several: taken_i = p_i / S with S = the sum of p
 * over them, so dp_i += (d_i - sum_j p_j d_j / S) / S. */
static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const ramus_teach_attr *a = n->attr;
    const size_t branches = (size_t)n->in[0]->dims[1];
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * branches;
        const int *heard = (const int *)n->out[1]->data + (size_t)r * (size_t)a->n;
        const ramus_real *p = (const ramus_real *)n->in[0]->data + at, *d = n->out[0]->grad + at;
        ramus_real *dp = n->in[0]->grad + at, sum = 0, mean = 0;
        for (int i = 0; i < a->n; i++) {
            sum += p[heard[i]];
            mean += p[heard[i]] * d[heard[i]];
        }
        if (a->n == 1) dp[*heard] += d[*heard];
        for (int i = 0; i < a->n && a->n > 1; i++)
            dp[heard[i]] += (d[heard[i]] - mean / sum) / sum;
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_teach = {.op = &ramus_op_teach, .backward = backward};
