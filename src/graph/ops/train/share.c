/* Each branch's weights: its own part plus the shared one. Runs when weights change. */
#include "graph/ops.h"
#include "graph/run.h"

static void add_branches(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t count = ramus_tensor_count(n->in[1]);
    const ramus_real *own = n->in[0]->data;
    ramus_real *out = n->out[0]->data;
    for (int b = first; b < last; b++)
        run->kernels->add(out + (size_t)b * count, own + (size_t)b * count, n->in[1]->data,
                          (int)count);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, n->in[0]->dims[0], 1, add_branches);
}

const ramus_op ramus_op_share = {.name = "share", .forward = forward};

ramus_tensor *ramus_share(ramus_graph *g, ramus_tensor *own, ramus_tensor *shared)
{
    RAMUS_ASSERT(ramus_tensor_width(own) == ramus_tensor_count(shared));
    ramus_node *n = ramus_node_add(g, &ramus_op_share, NULL, 0);
    ramus_node_read(n, 0, own);
    ramus_node_read(n, 1, shared);
    return ramus_node_make(g, n, 0, RAMUS_REAL, NULL, own->n_dims, own->dims);
}
