#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK_ROWS    64
#define BLOCK_COLUMNS 16

static void dx_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->in[0]->dims[1];
    const ramus_real *sum = n->out[1]->data, *stats = n->out[2]->data, *gain = n->in[1]->data;
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)width;
        for (int i = 0; i <= 3; i += 3) // x, and the residual if there is one
            if (n->in[i] && n->in[i]->grad)
                run->kernels->norm_dx(n->in[i]->grad + at, n->out[0]->grad + at, sum + at,
                                      stats + 2 * (size_t)r, gain, width);
    }
}

/* d gain = sum of dy times the normalised row, d bias = sum of dy; each column by one thread */
static void gain_columns(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    (void)run;
    const size_t width = (size_t)n->in[0]->dims[1];
    const ramus_real *sum = n->out[1]->data, *stats = n->out[2]->data, *dy = n->out[0]->grad;
    ramus_real *dgain = n->in[1]->grad, *dbias = n->in[2]->grad;
    for (int r = 0; r < ramus_tensor_rows(n->in[0]); r++) {
        const ramus_real mean = stats[2 * r], scale = stats[2 * r + 1];
        const size_t at = (size_t)r * width;
        for (int i = first; i < last; i++) {
            dgain[i] += dy[at + (size_t)i] * (sum[at + (size_t)i] - mean) * scale;
            dbias[i] += dy[at + (size_t)i];
        }
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK_ROWS, dx_rows);
    ramus_run_rows(run, n, n->in[0]->dims[1], BLOCK_COLUMNS, gain_columns);
}

const ramus_grad_rule ramus_grad_norm = {&ramus_op_norm, backward, NULL, NULL};
