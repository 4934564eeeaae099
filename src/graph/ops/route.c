/* Each row takes the branches with its largest logits; then a counting sort groups the rows by
 * branch. Probabilities are computed where a node, a backward rule or the caller reads them. */
#include "graph/ops/route.h"

#include <string.h>

#define BLOCK 256

/* p = softmax over the k kept logits, 0 elsewhere */
static void softmax_kept(const ramus_kernels *kernels, ramus_real *p, const ramus_real *logits,
                         const int *kept, int n, int k)
{
    for (int i = 0; i < n; i++)
        p[i] = 0;
    ramus_real value[RAMUS_MAX_TOP_K] = {0};
    for (int i = 0; i < k; i++)
        value[i] = logits[kept[i]];
    kernels->softmax(value, value, k);
    for (int i = 0; i < k; i++)
        p[kept[i]] = value[i];
}

void ramus_route_choose(const ramus_run *run, const ramus_node *n, int row,
                        const ramus_real *logits)
{
    const ramus_route_attr *a = n->attr;
    int *kept = (int *)n->out[2]->data + (size_t)row * (size_t)a->top_k;
    run->kernels->top_k(kept, logits, a->branches, a->top_k);
}

void ramus_route_weigh(const ramus_run *run, const ramus_node *n, int row, const ramus_real *logits)
{
    const ramus_route_attr *a = n->attr;
    if (!ramus_tensor_is_read(n->out[0])) return;
    const int *kept = (const int *)n->out[2]->data + (size_t)row * (size_t)a->top_k;
    ramus_real *p = (ramus_real *)n->out[0]->data + (size_t)row * (size_t)a->branches;
    if (a->sparse)
        softmax_kept(run->kernels, p, logits, kept, a->branches, a->top_k);
    else
        run->kernels->softmax(p, logits, a->branches);
}

/* Counting sort of the (row, branch) pairs: stable, so rows ascend within a branch. */
static void group_rows(const ramus_node *n, int rows)
{
    const ramus_route_attr *a = n->attr;
    const int *kept = n->out[2]->data;
    int *offset = n->out[1]->data, *list = offset + a->branches + 1;
    const int pairs = rows * a->top_k;

    memset(offset, 0, ((size_t)a->branches + 1) * sizeof *offset);
    for (int i = 0; i < pairs; i++)
        offset[kept[i] + 1]++;
    for (int b = 0; b < a->branches; b++)
        offset[b + 1] += offset[b];
    for (int i = 0; i < pairs; i++)
        list[offset[kept[i]]++] = i / a->top_k;
    for (int b = a->branches; b > 0; b--) // each offset has moved to its end: the next one's start
        offset[b] = offset[b - 1];
    offset[0] = 0;
}

void ramus_route_run(ramus_run *run, const ramus_node *n, ramus_rows_body *body)
{
    const int rows = ramus_tensor_rows(n->in[0]);
    ramus_run_rows(run, n, rows, BLOCK, body);
    group_rows(n, rows);
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t branches = (size_t)n->in[0]->dims[1];
    for (int r = first; r < last; r++) {
        const ramus_real *logits = (const ramus_real *)n->in[0]->data + (size_t)r * branches;
        ramus_route_choose(run, n, r, logits);
        ramus_route_weigh(run, n, r, logits);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_route_run(run, n, forward_rows);
}

const ramus_op ramus_op_route = {
    .name = "route", .forward = forward, .saves = RAMUS_SAVES_OUT(0) | RAMUS_SAVES_OUT(2)};

ramus_route ramus_route_make(ramus_graph *g, ramus_node *n, ramus_tensor *logits)
{
    const ramus_route_attr *a = n->attr;
    const int rows = logits->dims[0], branches = logits->dims[1], k = a->top_k;
    RAMUS_ASSERT(k >= 1 && k <= branches && k <= RAMUS_MAX_TOP_K);
    ramus_node_read(n, 0, logits);
    ramus_route route = {.branches = branches, .top_k = k};
    route.probs = ramus_node_make(g, n, 0, RAMUS_REAL, logits->axis, 2, (int[]){rows, branches});
    route.order = ramus_node_make(g, n, 1, RAMUS_INT, NULL, 1, (int[]){branches + 1 + rows * k});
    route.index = ramus_node_make(g, n, 2, RAMUS_INT, logits->axis, 2, (int[]){rows, k});
    return route;
}

ramus_route ramus_route_tokens(ramus_graph *g, ramus_tensor *logits, const ramus_route_spec *spec)
{
    const ramus_route_attr attr = {logits->dims[1], spec->top_k, spec->sparse};
    return ramus_route_make(g, ramus_node_add(g, &ramus_op_route, &attr, sizeof attr), logits);
}
