/* The gated linear unit of each row. Backward needs x: y does not tell it. */
#include "graph/ops.h"
#include "graph/run.h"

#define BLOCK 64

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1];
    const ramus_real *x = n->in[0]->data;
    ramus_real *y = n->out[0]->data;
    for (ptrdiff_t r = first; r < last; r++)
        run->kernels->glu(y + r * width, x + r * 2 * width, width);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_glu = {.name = "glu", .forward = forward, .saves = RAMUS_SAVES_IN(0)};

ramus_tensor *ramus_glu(ramus_graph *g, ramus_tensor *x)
{
    RAMUS_ASSERT(x->dims[1] % 2 == 0);
    ramus_node *n = ramus_node_add(g, &ramus_op_glu, NULL, 0);
    ramus_node_read(n, 0, x);
    return ramus_node_make(g, n, 0, RAMUS_REAL, x->axis, 2, (int[]){x->dims[0], x->dims[1] / 2});
}
