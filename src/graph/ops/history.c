/* In a full graph, x itself: no node. In a step graph, a cache that keeps its rows from run to
 * run and to which the rows of x are copied. */
#include "graph/ops.h"
#include "graph/run.h"

#include <string.h>

/* Row r at position p of its hypothesis goes to row p * stride + r of the cache. Nothing moves
 * later: hypotheses find their past through axis->ancestor. */
static void forward(ramus_run *run, const ramus_node *n)
{
    (void)run;
    const ramus_axis *axis = n->in[0]->axis;
    const size_t width = ramus_tensor_width(n->in[0]);
    const ramus_real *x = n->in[0]->data;
    ramus_real *cache = n->out[0]->data;
    for (int r = 0; r < axis->rows; r++) {
        const size_t row = (size_t)axis->position[r] * (size_t)axis->stride + (size_t)r;
        memcpy(cache + row * width, x + (size_t)r * width, width * sizeof *x);
    }
}

const ramus_op ramus_op_history = {.name = "history", .forward = forward};

ramus_tensor *ramus_history(ramus_graph *g, ramus_tensor *x)
{
    if (g->spec.kind == RAMUS_FULL) return x;
    ramus_node *n = ramus_node_add(g, &ramus_op_history, NULL, 0);
    ramus_node_read(n, 0, x);
    const int shape[] = {x->axis->positions, x->dims[1]};
    ramus_tensor *cache = ramus_node_make(g, n, 0, RAMUS_REAL, NULL, 2, shape);
    cache->history = true;
    return cache;
}
