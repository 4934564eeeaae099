#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/ops/project.h"

/* When training, loss and gradients are made chunk by chunk while the logits are at hand: the
 * product is not done twice, and no buffer of [rows, V] exists. The gradient of the sum is
 * run->loss_scale, known before the first chunk. */
#define CHUNK       8 // rows; the op's scratch holds as many rows of logits
#define BLOCK_WORDS 256

typedef struct {
    ramus_run *run;
    const ramus_node *n;
    ramus_real *logits; // of the chunk; then their gradient
    int first, rows;
} chunk;

static ramus_linear_job chunk_job(const chunk *c)
{
    const ramus_tensor *x = c->n->in[0], *table = c->n->in[1];
    const size_t at = (size_t)c->first * (size_t)x->dims[1];
    return (ramus_linear_job){
        .n = table->dims[0],
        .k = table->dims[1],
        .n_rows = c->rows,
        .x = (const ramus_real *)x->data + at,
        .w = table->data,
        .dy = c->logits,
        .dx = (ramus_real *)c->n->out[2]->data + at,
        .dw = table->grad,
    };
}

static void dw_words(void *arg, int index, int thread)
{
    (void)thread;
    const chunk *c = arg;
    const ramus_linear_job job = chunk_job(c);
    const int first = index * BLOCK_WORDS, last = first + BLOCK_WORDS;
    c->run->kernels->linear_dw(&job, first, last < job.n ? last : job.n);
}

static void do_chunk(const chunk *c)
{
    const ramus_kernels *kernels = c->run->kernels;
    const ramus_label_weights s = ramus_label_weights_of(c->n);
    const ramus_real scale = (ramus_real)c->run->loss_scale;
    const int words = c->n->in[1]->dims[0], *labels = c->n->in[2]->data;
    ramus_real *losses = c->n->out[1]->data;

    ramus_project_rows(c->run, c->n, c->logits, c->first, c->rows);
    for (int i = 0; i < c->rows; i++) {
        const int r = c->first + i;
        RAMUS_ASSERT(labels[r] >= 0 && labels[r] < words);
        const double loss = kernels->cross_entropy(c->logits + (size_t)i * (size_t)words, words,
                                                   labels[r], s.high, s.low, &scale);
        losses[r] = (ramus_real)(loss - s.least);
    }
    const ramus_linear_job job = chunk_job(c);
    const int width = c->n->in[0]->dims[1];
    for (int i = 0; i < c->rows * width; i++)
        job.dx[i] = 0;
    kernels->linear_dx(&job);
    ramus_pool_for(c->run->pool, (words + BLOCK_WORDS - 1) / BLOCK_WORDS, dw_words, (void *)c);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    const int rows = ramus_tensor_rows(n->in[0]);
    chunk c = {run, n, ramus_run_scratch(run, 0), 0, 0};
    for (; c.first < rows; c.first += CHUNK) {
        c.rows = rows - c.first < CHUNK ? rows - c.first : CHUNK;
        do_chunk(&c);
    }
    ramus_project_total(n);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const size_t count = (size_t)ramus_tensor_rows(n->in[0]) * ramus_tensor_width(n->in[0]);
    run->kernels->axpy(n->in[0]->grad, 1, n->out[2]->data, (int)count);
}

const ramus_grad_rule ramus_grad_project_loss = {&ramus_op_project_loss, backward, forward};
