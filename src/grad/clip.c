/* The gradient is straight-through inside the range. What lies outside moves with the range, so
 * the range gets the sum of its gradients, with the sign of its side. */
#include "graph/ops/train/clip.h"
#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/ops/train/round.h"

#define BLOCK 64

/* What lies above the range moves with it, what lies below moves against it. */
static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_tensor *t = n->in[0];
    const int width = t->dims[t->n_dims - 1];
    const ramus_real *range = n->in[1]->data;
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)width;
        const ramus_real *x = (const ramus_real *)t->data + at, *dy = n->out[0]->grad + at;
        const ramus_real limit = ramus_clip_limit(range[ramus_clip_branch(n, r)]);
        ramus_real *dx = t->grad + at, sum = 0;
        for (int i = 0; i < width; i++) {
            const ramus_real above = x[i] > limit ? dy[i] : 0, below = x[i] < -limit ? dy[i] : 0;
            const ramus_real inside = dy[i] - above - below;
            dx[i] = run->train->fresh & RAMUS_GRAD_OF(0) ? inside : dx[i] + inside;
            sum += above - below;
        }
        ((ramus_real *)n->out[1]->data)[r] = sum;
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const int rows = ramus_round_count(n->in[0]);
    const ramus_real *sums = n->out[1]->data;
    ramus_run_rows(run, n, rows, BLOCK, backward_rows);
    for (int r = 0; r < rows; r++) // in the same order with any number of threads
        n->in[1]->grad[ramus_clip_branch(n, r)] += sums[r];
}

const ramus_grad_rule ramus_grad_clip = {
    .op = &ramus_op_clip, .backward = backward, .begins = RAMUS_GRAD_OF(0)};
