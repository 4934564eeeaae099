/* Rows are cut, or put side by side, by copying. */
#include "graph/ops/columns.h"

#include "graph/run.h"

#include <string.h>

#define BLOCK 64

int ramus_columns_count(const ramus_node *n)
{
    const ramus_columns_attr *a = n->attr;
    const int left = n->in[0]->dims[1] - a->first, wanted = n->out[0]->dims[1];
    return left < wanted ? left : wanted;
}

static void copy_columns(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const ramus_columns_attr *a = n->attr;
    const int from = n->in[0]->dims[1], to = n->out[0]->dims[1];
    const size_t count = (size_t)ramus_columns_count(n);
    for (ptrdiff_t r = first; r < last; r++) {
        const ramus_real *x = (const ramus_real *)n->in[0]->data + r * from + a->first;
        ramus_real *y = (ramus_real *)n->out[0]->data + r * to;
        memcpy(y, x, count * sizeof *y);
        memset(y + count, 0, ((size_t)to - count) * sizeof *y);
    }
}

static void columns(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, copy_columns);
}

const ramus_op ramus_op_columns = {.name = "columns", .forward = columns};

ramus_tensor *ramus_columns(ramus_graph *g, ramus_tensor *x, int first, int n)
{
    RAMUS_ASSERT(first >= 0 && first < x->dims[1] && n > 0);
    if (first == 0 && n == x->dims[1]) return x;
    const ramus_columns_attr attr = {first};
    ramus_node *node = ramus_node_add(g, &ramus_op_columns, &attr, sizeof attr);
    ramus_node_read(node, 0, x);
    return ramus_node_make(g, node, 0, RAMUS_REAL, x->axis, 2, (int[]){x->dims[0], n});
}

static void copy_beside(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const int width = n->out[0]->dims[1];
    for (int i = 0, at = 0; i < 2; at += n->in[i++]->dims[1]) {
        const int part = n->in[i]->dims[1];
        for (ptrdiff_t r = first; r < last; r++)
            memcpy((ramus_real *)n->out[0]->data + r * width + at,
                   (const ramus_real *)n->in[i]->data + r * part,
                   (size_t)part * sizeof(ramus_real));
    }
}

static void beside(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, copy_beside);
}

const ramus_op ramus_op_beside = {.name = "beside", .forward = beside};

ramus_tensor *ramus_beside(ramus_graph *g, ramus_tensor *a, ramus_tensor *b)
{
    RAMUS_ASSERT(a->axis == b->axis);
    ramus_node *n = ramus_node_add(g, &ramus_op_beside, NULL, 0);
    ramus_node_read(n, 0, a);
    ramus_node_read(n, 1, b);
    return ramus_node_make(g, n, 0, RAMUS_REAL, a->axis, 2,
                           (int[]){a->dims[0], a->dims[1] + b->dims[1]});
}
