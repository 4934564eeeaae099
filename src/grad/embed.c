/* Adds each row's gradient to the row of the table that its token read, and to the bias. */
#include "graph/ops/embed.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 16

/* Each column of table and bias is summed by one thread, in row order: many rows may hold one
 * token.
 */
static void backward_columns(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_embed_spec *a = n->attr;
    const size_t width = (size_t)n->out[0]->dims[1], all = (size_t)n->in[1]->dims[1];
    const int columns = last - first;
    for (int r = 0; r < ramus_tensor_rows(n->out[0]); r++) {
        const ramus_real *dy = n->out[0]->grad + (size_t)r * width + (size_t)first;
        const int id = ramus_embed_row(n, r);
        if (id >= 0 && n->in[1]->grad)
            run->kernels->axpy(n->in[1]->grad + (size_t)id * all + (size_t)first,
                               (ramus_real)a->scale, dy, columns);
        if (n->in[2] && n->in[2]->grad) run->kernels->axpy(n->in[2]->grad + first, 1, dy, columns);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, n->out[0]->dims[1], BLOCK, backward_columns);
}

const ramus_grad_rule ramus_grad_embed = {.op = &ramus_op_embed, .backward = backward};
