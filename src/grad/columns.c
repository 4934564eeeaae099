/* A column's gradient goes back to where it was copied from. */
#include "graph/ops/columns.h"
#include "grad/grad.h"

#define BLOCK 64

static void cut_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_columns_attr *a = n->attr;
    const int from = n->in[0]->dims[1], to = n->out[0]->dims[1], count = ramus_columns_count(n);
    for (ptrdiff_t r = first; r < last; r++)
        run->kernels->axpy(n->in[0]->grad + r * from + a->first, 1, n->out[0]->grad + r * to,
                           count);
}

static void cut(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, cut_rows);
}

static void beside_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1];
    for (int i = 0, at = 0; i < 2; at += n->in[i++]->dims[1]) {
        const int part = n->in[i]->dims[1];
        for (ptrdiff_t r = first; n->in[i]->grad && r < last; r++)
            run->kernels->axpy(n->in[i]->grad + r * part, 1, n->out[0]->grad + r * width + at,
                               part);
    }
}

static void beside(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, beside_rows);
}

const ramus_grad_rule ramus_grad_columns = {.op = &ramus_op_columns, .backward = cut};
const ramus_grad_rule ramus_grad_beside = {.op = &ramus_op_beside, .backward = beside};
