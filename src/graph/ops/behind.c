/* Of each sentence its rows of one tensor, then those of the next: by copying. */
#include "graph/ops.h"
#include "graph/run.h"

#include <string.h>

static void copy_sentences(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]);
    const int *start = n->in[0]->axis->start;
    for (int s = first; s < last; s++) {
        const size_t count = (size_t)(start[s + 1] - start[s]) * width;
        ramus_real *y = (ramus_real *)n->out[0]->data + (size_t)n->out[0]->axis->start[s] * width;
        for (int i = 0; i < RAMUS_MAX_IN && n->in[i]; i++, y += count)
            memcpy(y, (const ramus_real *)n->in[i]->data + (size_t)start[s] * width,
                   count * sizeof *y);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, n->in[0]->axis->sequences, 1, copy_sentences);
}

const ramus_op ramus_op_behind = {.name = "behind", .forward = forward};

ramus_tensor *ramus_behind(ramus_graph *g, ramus_tensor *const *x, int n)
{
    if (n == 1) return x[0];
    RAMUS_ASSERT(n <= RAMUS_MAX_IN);
    ramus_axis *axis = ramus_axis_times(g, x[0]->axis, n);
    ramus_node *node = ramus_node_add(g, &ramus_op_behind, NULL, 0);
    for (int i = 0; i < n; i++) {
        RAMUS_ASSERT(x[i]->axis == x[0]->axis && x[i]->dims[1] == x[0]->dims[1]);
        ramus_node_read(node, i, x[i]);
    }
    return ramus_node_make(g, node, 0, RAMUS_REAL, axis, 2, (int[]){axis->max_rows, x[0]->dims[1]});
}
