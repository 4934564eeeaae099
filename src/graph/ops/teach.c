#include "graph/ops/teach.h"

#include "graph/ops.h"
#include "graph/ops/route.h"

#define BLOCK 256

/* heard = the chosen branch and the most probable others: it may have been drawn, and be none of
 * those itself */
static void hear_branches(const ramus_kernels *kernels, int *heard, const ramus_real *p, int chosen,
                          int branches, int n)
{
    if (n == branches) {
        for (int i = 0; i < n; i++)
            heard[i] = i;
        return;
    }
    kernels->top_k(heard, p, branches, n);
    for (int i = 0; i < n; i++)
        if (heard[i] == chosen) return;
    heard[n - 1] = chosen;
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_teach_attr *a = n->attr;
    const int branches = n->in[0]->dims[1];
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)branches;
        const int chosen = ((const int *)n->in[1]->data)[r];
        ramus_real *taken = (ramus_real *)n->out[0]->data + at;
        for (int i = 0; i < branches; i++)
            taken[i] = i == chosen;
        hear_branches(run->kernels, (int *)n->out[1]->data + (size_t)r * (size_t)a->n,
                      (const ramus_real *)n->in[0]->data + at, chosen, branches, a->n);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    const ramus_teach_attr *a = n->attr;
    const int rows = ramus_tensor_rows(n->in[0]);
    ramus_run_rows(run, n, rows, BLOCK, forward_rows);
    ramus_group_rows(n->out[2]->data, n->out[1]->data, rows, a->n, n->in[0]->dims[1]);
}

const ramus_op ramus_op_teach = {
    .name = "teach",
    .forward = forward,
    .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_OUT(1),
};

void ramus_teach(ramus_graph *g, ramus_route *route, int heard)
{
    const int rows = route->probs->dims[0], branches = route->branches;
    ramus_axis *axis = route->probs->axis;
    const ramus_teach_attr attr = {heard < branches ? heard : branches};
    RAMUS_ASSERT(route->top_k == 1 && heard >= 1 && g->spec.training);

    ramus_node *n = ramus_node_add(g, &ramus_op_teach, &attr, sizeof attr);
    ramus_node_read(n, 0, route->probs);
    ramus_node_read(n, 1, route->index);
    route->taken = ramus_node_make(g, n, 0, RAMUS_REAL, axis, 2, (int[]){rows, branches});
    ramus_node_make(g, n, 1, RAMUS_INT, axis, 2, (int[]){rows, attr.n});
    route->heard =
        ramus_node_make(g, n, 2, RAMUS_INT, NULL, 1, (int[]){branches + 1 + rows * attr.n});
}
