/* A row is that of its branch, or a sum of those of its kept branches, branch after branch. Inputs
 * stand where linear.c has them, so that its list of a branch's rows serves here too. */
#include "graph/ops.h"
#include "graph/ops/linear.h"

#include <string.h>

#define BLOCK 64

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    const size_t width = (size_t)n->out[0]->dims[1];
    ramus_real *y = n->out[0]->data;
    if (a->mix) memset(y + (size_t)first * width, 0, (size_t)(last - first) * width * sizeof *y);
    for (int b = 0; b < a->branches; b++) {
        const ramus_real *value = (const ramus_real *)n->in[1]->data + (size_t)b * width;
        int n_rows = 0;
        const int *rows = ramus_linear_rows(n, b, first, last, &n_rows);
        for (int i = 0; i < n_rows; i++) {
            ramus_real *to = y + (size_t)rows[i] * width;
            if (a->mix) {
                const ramus_real *probs = n->in[3]->data;
                run->kernels->axpy(to, probs[(size_t)rows[i] * (size_t)a->branches + (size_t)b],
                                   value, (int)width);
            } else {
                memcpy(to, value, width * sizeof *to);
            }
        }
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

/* As linear.c counts a mixed map. */
static double cost(const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    return a->mix ? (double)ramus_tensor_rows(n->out[0]) * a->top_k * n->out[0]->dims[1] : 0;
}

const ramus_op ramus_op_choose = {
    .name = "choose",
    .forward = forward,
    .cost = cost,
    .saves = RAMUS_SAVES_IN(1) | RAMUS_SAVES_IN(3) | RAMUS_SAVES_IN(4),
};

ramus_tensor *ramus_choose(ramus_graph *g, ramus_tensor *values, const ramus_route *route, bool mix)
{
    RAMUS_ASSERT(values->dims[0] == route->branches && (mix || route->top_k == 1));
    const ramus_linear_attr attr = {.branches = route->branches, .top_k = route->top_k, .mix = mix};
    ramus_node *n = ramus_node_add(g, &ramus_op_choose, &attr, sizeof attr);
    ramus_node_read(n, 1, values);
    if (mix) ramus_node_read(n, 3, route->probs);
    ramus_node_read(n, 4, route->order);
    return ramus_node_make(g, n, 0, RAMUS_REAL, route->index->axis, 2,
                           (int[]){route->index->dims[0], values->dims[1]});
}
