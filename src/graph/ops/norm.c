/* A row at a time. When training, the sum with the residual, the mean and the deviation are kept
 * for the backward rule. */
#include "graph/ops.h"
#include "graph/run.h"

#define BLOCK 64

typedef struct {
    double epsilon;
} norm_attr;

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const norm_attr *a = n->attr;
    const int width = n->in[0]->dims[1];
    const ramus_real *x = n->in[0]->data, *residual = n->in[3] ? n->in[3]->data : NULL;
    ramus_real *y = n->out[0]->data, *sum = n->out[1]->data, *stats = n->out[2]->data;

    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)width;
        run->kernels->norm(y + at, sum + at, stats + 2 * (size_t)r, x + at,
                           residual ? residual + at : NULL, n->in[1]->data, n->in[2]->data,
                           (ramus_real)a->epsilon, width);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_norm = {
    .name = "norm",
    .forward = forward,
    .saves = RAMUS_SAVES_IN(1) | RAMUS_SAVES_OUT(1) | RAMUS_SAVES_OUT(2),
};

ramus_tensor *ramus_norm(ramus_graph *g, ramus_tensor *x, ramus_tensor *residual,
                         ramus_tensor *gain, ramus_tensor *bias, double epsilon)
{
    const norm_attr attr = {epsilon};
    ramus_node *n = ramus_node_add(g, &ramus_op_norm, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    ramus_node_read(n, 1, gain);
    ramus_node_read(n, 2, bias);
    ramus_node_read(n, 3, residual);
    ramus_tensor *y = ramus_node_make(g, n, 0, RAMUS_REAL, x->axis, 2, x->dims);
    ramus_node_make(g, n, 1, RAMUS_REAL, x->axis, 2, x->dims)->saved = true;
    ramus_node_make(g, n, 2, RAMUS_REAL, x->axis, 2, (int[]){x->dims[0], 2})->saved = true;
    return y;
}
