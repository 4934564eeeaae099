/* A softmax for each head of each row, or of a parameter: of all rows, or of each branch. */
#include "graph/ops.h"
#include "graph/run.h"

#define BLOCK 64

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int kernel = *(const int *)n->attr;
    const size_t width = ramus_tensor_width(n->out[0]);
    const size_t from = (size_t)first * width, to = (size_t)last * width;
    const ramus_real *x = n->in[0]->data;
    ramus_real *y = n->out[0]->data;
    for (size_t at = from; at < to; at += (size_t)kernel)
        run->kernels->softmax(y + at, x + at, kernel);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_taps = {.name = "taps", .forward = forward, .saves = RAMUS_SAVES_OUT(0)};

ramus_tensor *ramus_taps(ramus_graph *g, ramus_tensor *logits, int kernel)
{
    const int one[] = {1, logits->dims[0]};
    const int *dims = logits->n_dims == 1 ? one : logits->dims;
    RAMUS_ASSERT(dims[1] % kernel == 0);
    ramus_node *n = ramus_node_add(g, &ramus_op_taps, &kernel, sizeof kernel);
    ramus_node_read(n, 0, logits);
    return ramus_node_make(g, n, 0, RAMUS_REAL, logits->axis, 2, dims);
}
