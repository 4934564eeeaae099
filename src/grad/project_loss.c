/* Training does the output product in chunks of rows. While a chunk's logits are in cache it
 * makes the loss, their gradient, and from it the gradients of x and of the table. */
#include "grad/gemm.h"
#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/ops/project.h"

#define BLOCK         8                 // rows
#define MAX_CHUNK     512               // rows
#define CHUNK_NUMBERS (8 * 1024 * 1024) // logits

/* No product is done twice, and no buffer of [rows, V] exists. The gradient of the sum is
 * the loss scale, known before the first chunk. */
typedef struct {
    ramus_run *run;
    const ramus_node *n;
    ramus_real *logits; // of the chunk; then their gradient
    int first, rows;    // of the chunk
    bool products;      // and nothing else
} chunk;

static void loss_block(void *arg, int index, int thread)
{
    (void)thread;
    const chunk *c = arg;
    const ramus_label_weights w = ramus_label_weights_of(c->n);
    const ramus_real scale = (ramus_real)c->run->train->loss_scale;
    const int words = c->n->in[1]->dims[0], *labels = c->n->in[2]->data;
    const int last = (index + 1) * BLOCK < c->rows ? (index + 1) * BLOCK : c->rows;
    ramus_real *losses = c->n->out[1]->data, *nlls = c->n->out[3]->data;
    for (int i = index * BLOCK; i < last; i++) {
        const int label = labels[c->first + i];
        RAMUS_ASSERT(label >= 0 && label < words);
        double nll = 0;
        const double loss = c->run->train->kernels.cross_entropy_gradient(
            c->logits + (size_t)i * (size_t)words, words, label, w.high, w.low, scale, &nll);
        losses[c->first + i] = (ramus_real)(loss - w.least);
        nlls[c->first + i] = (ramus_real)nll;
    }
}

/* The table's gradient is added to during the forward pass, when no activation has one. That of a
 * rounded table goes straight to the unrounded one, where it would arrive unchanged. */
static ramus_real *table_grad(const ramus_tensor *table)
{
    while (table->maker && table->maker->op == &ramus_op_round)
        table = table->maker->in[0];
    RAMUS_ASSERT(table->param);
    return table->grad;
}

/* logits = table x, their gradient, and from it the gradients of x and of the table */
static void do_chunk(chunk *c, const ramus_real *packed, const ramus_real *packed_back)
{
    const ramus_tensor *x = c->n->in[0], *table = c->n->in[1], *bias = c->n->in[3];
    const size_t at = (size_t)c->first * (size_t)x->dims[1];
    const ramus_real *rows = (const ramus_real *)x->data + at;
    const ramus_gemm_rows out = {.n_rows = c->rows,
                                 .branches = 1,
                                 .depth = table->dims[1],
                                 .columns = table->dims[0],
                                 .a = rows,
                                 .w = table->data,
                                 .bias = bias ? bias->data : NULL,
                                 .c = c->logits};
    const ramus_gemm_rows back = {.n_rows = c->rows,
                                  .branches = 1,
                                  .depth = table->dims[0],
                                  .columns = table->dims[1],
                                  .transposed = true,
                                  .a = c->logits,
                                  .w = table->data,
                                  .c = (ramus_real *)c->n->out[2]->data + at};
    const ramus_gemm_weights weights = {.n_rows = c->rows,
                                        .branches = 1,
                                        .outputs = table->dims[0],
                                        .inputs = table->dims[1],
                                        .dy = c->logits,
                                        .x = rows,
                                        .dw = table_grad(table),
                                        .dbias = bias ? bias->grad : NULL};
    ramus_gemm_rows_compute(c->run, &out, packed);
    if (!c->products) ramus_pool_for(c->run->pool, (c->rows + BLOCK - 1) / BLOCK, loss_block, c);
    ramus_gemm_rows_compute(c->run, &back, packed_back);
    ramus_gemm_weights_run(c->run, &weights);
}

/* Rows whose logits are held at once. */
static int chunk_rows(const ramus_node *n)
{
    const int most = CHUNK_NUMBERS / n->in[1]->dims[0];
    return most > MAX_CHUNK ? MAX_CHUNK : most < 1 ? 1 : most;
}

static size_t shared(const ramus_node *n)
{
    const int words = n->in[1]->dims[0], width = n->in[1]->dims[1];
    const size_t logits = (size_t)chunk_rows(n) * (size_t)words;
    return (ramus_gemm_packed(words, width) + ramus_gemm_packed(width, words) + logits) *
           sizeof(ramus_real);
}

static size_t scratch(const ramus_node *n)
{
    return ramus_gemm_scratch(n->in[1]->dims[1]);
}

static void do_chunks(ramus_run *run, const ramus_node *n, bool products)
{
    const ramus_tensor *table = n->in[1];
    const int rows = ramus_tensor_rows(n->in[0]), most = chunk_rows(n);
    ramus_real *packed = run->train->shared,
               *packed_back = packed + ramus_gemm_packed(table->dims[0], table->dims[1]);
    chunk c = {.run = run,
               .n = n,
               .logits = packed_back + ramus_gemm_packed(table->dims[1], table->dims[0]),
               .products = products};
    const ramus_gemm_rows out = {
        .branches = 1, .depth = table->dims[1], .columns = table->dims[0], .w = table->data};
    const ramus_gemm_rows back = {.branches = 1,
                                  .depth = table->dims[0],
                                  .columns = table->dims[1],
                                  .transposed = true,
                                  .w = table->data};
    ramus_gemm_rows_pack(run, &out, packed);
    ramus_gemm_rows_pack(run, &back, packed_back);
    for (; c.first < rows; c.first += most) {
        c.rows = rows - c.first < most ? rows - c.first : most;
        do_chunk(&c, packed, packed_back);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    do_chunks(run, n, false);
    ramus_project_total(n);
}

static void products(ramus_run *run, const ramus_node *n, bool back)
{
    if (!back) do_chunks(run, n, true);
}

static void backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->in[0]), at = (size_t)first * width;
    const ramus_real *dx = n->out[2]->data;
    ramus_grad_begin(run, n, 0, first, last);
    run->kernels->axpy(n->in[0]->grad + at, 1, dx + at, (last - first) * (int)width);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, backward_rows);
}

const ramus_grad_rule ramus_grad_project_loss = {.op = &ramus_op_project_loss,
                                                 .backward = backward,
                                                 .forward = forward,
                                                 .products = products,
                                                 .scratch = scratch,
                                                 .shared = shared,
                                                 .begins = RAMUS_GRAD_OF(0)};
