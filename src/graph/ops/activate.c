/* y = f(x), in blocks of rows. Backward needs x: y does not tell it. */
#include "graph/ops/activate.h"
#include "graph/run.h"

#define BLOCK 64

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_activate_attr *a = n->attr;
    const size_t width = ramus_tensor_width(n->out[0]), at = (size_t)first * width;
    const ramus_real *x = n->in[0]->data;
    ramus_activation_fn *const kinds[] = {
        [RAMUS_SWISH] = run->kernels->swish, [RAMUS_GELU] = run->kernels->gelu};
    kinds[a->kind]((ramus_real *)n->out[0]->data + at, x + at, (last - first) * (int)width);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_activate = {
    .name = "activate", .forward = forward, .saves = RAMUS_SAVES_IN(0)};

ramus_tensor *ramus_activate(ramus_graph *g, ramus_tensor *x, ramus_smooth kind)
{
    const ramus_activate_attr attr = {kind};
    ramus_node *n = ramus_node_add(g, &ramus_op_activate, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    return ramus_node_make(g, n, 0, RAMUS_REAL, x->axis, 2, x->dims);
}
