/* y = a + b, in blocks of rows. */
#include "graph/ops.h"
#include "graph/run.h"

#define BLOCK 256

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]), at = (size_t)first * width;
    const ramus_real *a = n->in[0]->data, *b = n->in[1]->data;
    ramus_real *y = n->out[0]->data;
    run->kernels->add(y + at, a + at, b + at, (last - first) * (int)width);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_add = {.name = "add", .forward = forward};

ramus_tensor *ramus_add(ramus_graph *g, ramus_tensor *a, ramus_tensor *b)
{
    RAMUS_ASSERT(a->axis == b->axis && a->dims[1] == b->dims[1]);
    ramus_node *n = ramus_node_add(g, &ramus_op_add, NULL, 0);
    ramus_node_read(n, 0, a);
    ramus_node_read(n, 1, b);
    return ramus_node_make(g, n, 0, RAMUS_REAL, a->axis, 2, a->dims);
}
