/* One pass over the rows makes the gradients of x and residual, and sums those of gain and bias
 * per block; the blocks are then added in order. */
#include "grad/grad.h"
#include "graph/ops.h"

#include <string.h>

#define BLOCK 64 // rows whose gradients of gain and bias are summed together

/* Floats for the sums of all blocks of so many rows: gain and bias of each. */
static size_t sums_size(const ramus_node *n, int rows)
{
    const size_t blocks = ((size_t)rows + BLOCK - 1) / BLOCK;
    return blocks * 2 * ramus_tensor_width(n->out[0]);
}

static size_t shared(const ramus_node *n)
{
    return sums_size(n, n->out[0]->dims[0]) * sizeof(ramus_real);
}

/* The sums of a block's gain and bias gradients. */
static ramus_real *sums_of(const ramus_run *run, const ramus_node *n, int first)
{
    return (ramus_real *)run->train->shared + sums_size(n, first);
}

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]), at = (size_t)first * width;
    ramus_real *sums = sums_of(run, n, first), *to[2] = {NULL, NULL};
    memset(sums, 0, 2 * width * sizeof *sums);
    for (int i = 0; i < 2; i++) { // x, and the residual if there is one
        const ramus_tensor *t = n->in[3 * i];
        if (!t || !t->grad) continue;
        ramus_grad_begin(run, n, 3 * i, first, last);
        to[i] = t->grad + at;
    }
    const ramus_norm_job job = {
        .rows = last - first,
        .n = (int)width,
        .dy = n->out[0]->grad + at,
        .sum = (const ramus_real *)n->out[1]->data + at,
        .stats = (const ramus_real *)n->out[2]->data + 2 * (size_t)first,
        .gain = n->in[1]->data,
        .dx = to[0],
        .dresidual = to[1],
        .dgain = sums,
        .dbias = sums + width,
    };
    run->train->kernels.norm_backward(&job);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const int rows = ramus_tensor_rows(n->in[0]), width = n->in[0]->dims[1];
    ramus_run_rows(run, n, rows, BLOCK, backward_rows);
    for (int first = 0; first < rows; first += BLOCK) {
        const ramus_real *sums = sums_of(run, n, first);
        run->kernels->axpy(n->in[1]->grad, 1, sums, width);
        run->kernels->axpy(n->in[2]->grad, 1, sums + width, width);
    }
}

const ramus_grad_rule ramus_grad_norm = {.op = &ramus_op_norm,
                                         .backward = backward,
                                         .shared = shared,
                                         .begins = RAMUS_GRAD_OF(0) | RAMUS_GRAD_OF(3)};
