/* A row at a time: random bits of the row's elements, then the kernel that drops and scales. A
 * graph that does not train gets no node. */
#include "graph/ops/train/dropout.h"

#include "graph/ops.h"

#define BLOCK 64

typedef struct {
    double rate;
} dropout_attr;

void ramus_dropout_row(const ramus_run *run, const ramus_node *n, ramus_real *y,
                       const ramus_real *x, int row, uint32_t *bits)
{
    const dropout_attr *a = n->attr;
    const int width = n->out[0]->dims[1];
    const ramus_rng rng = ramus_train_rng(run, n);
    const uint32_t threshold = (uint32_t)(a->rate * 4294967296.0);
    run->train->kernels.random(bits, &rng, (uint64_t)row * (uint64_t)width, width);
    run->train->kernels.dropout(y, x, bits, threshold, (ramus_real)(1 / (1 - a->rate)), width);
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const size_t width = ramus_tensor_width(n->out[0]);
    const ramus_real *x = n->in[0]->data;
    ramus_real *y = n->out[0]->data;
    for (int r = first; r < last; r++)
        ramus_dropout_row(run, n, y + (size_t)r * width, x + (size_t)r * width, r,
                          ramus_run_scratch(run, thread));
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, forward_rows);
}

static size_t scratch(const ramus_node *n)
{
    return ramus_tensor_width(n->out[0]) * (sizeof(uint32_t) + sizeof(ramus_real));
}

const ramus_op ramus_op_dropout = {.name = "dropout", .forward = forward, .scratch = scratch};

ramus_tensor *ramus_dropout(ramus_graph *g, ramus_tensor *x, double rate)
{
    if (!g->spec.training || rate <= 0) return x;
    const dropout_attr attr = {rate};
    ramus_node *n = ramus_node_add(g, &ramus_op_dropout, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    return ramus_node_make(g, n, 0, RAMUS_REAL, x->axis, 2, x->dims);
}
