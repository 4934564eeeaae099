#include "graph/ops/linear.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK_ROWS    64
#define BLOCK_OUTPUTS 16

static void relu_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1];
    const size_t at = (size_t)first * (size_t)width;
    const ramus_real *y = n->out[0]->data;
    run->kernels->relu_backward(n->out[0]->grad + at, y + at, (last - first) * width);
}

static void dx_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    for (int b = 0; b < a->branches; b++) {
        const ramus_linear_job job = ramus_linear_part(n, b, first, last);
        if (job.n_rows > 0) run->kernels->linear_dx(&job);
    }
}

/* Blocks count through the outputs of all branches; each weight is summed by one thread, in row
 * order. */
static void dw_outputs(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1], rows = ramus_tensor_rows(n->in[0]);
    while (first < last) {
        const int branch = first / width, start = first - branch * width;
        const int end = last - branch * width < width ? last - branch * width : width;
        const ramus_linear_job job = ramus_linear_part(n, branch, 0, rows);
        if (job.n_rows > 0) run->kernels->linear_dw(&job, start, end);
        first = branch * width + end;
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    const int rows = ramus_tensor_rows(n->in[0]), outputs = a->branches * n->out[0]->dims[1];
    if (a->relu) ramus_run_rows(run, n, rows, BLOCK_ROWS, relu_rows);
    if (n->in[0]->grad) ramus_run_rows(run, n, rows, BLOCK_ROWS, dx_rows);
    if (n->in[1]->grad) ramus_run_rows(run, n, outputs, BLOCK_OUTPUTS, dw_outputs);
}

const ramus_grad_rule ramus_grad_linear = {&ramus_op_linear, backward, NULL};
