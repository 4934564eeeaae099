/* Training computes attention in blocks: up to 96 queries of one sentence and head at once, as
 * small products. Forward keeps the log-sum-exp of each row; backward makes the probabilities
 * from it again. */
#include "graph/ops/attention.h"
#include "grad/grad.h"
#include "graph/ops.h"

#include <string.h>

#define QUERIES 96 // taken at a time

static size_t scratch(const ramus_node *n)
{
    const ramus_attention_spec *a = n->attr;
    const int keys = ramus_attention_keys(n);
    const size_t keep = a->dropout > 0 ? (size_t)QUERIES * (size_t)keys : 0;
    return (ramus_attention_scratch(QUERIES, keys, n->in[0]->dims[1] / a->heads) + keep) *
           sizeof(ramus_real);
}

/* Dropout factors of one query row and head: fixed by node, row, head and key. */
static void keep_keys(ramus_real *keep, const ramus_run *run, const ramus_node *n, int r, int h,
                      int keys)
{
    const ramus_attention_spec *a = n->attr;
    const ramus_rng rng = ramus_train_rng(run, n);
    const uint64_t first =
        ((uint64_t)r * (uint64_t)a->heads + (uint64_t)h) * (uint64_t)ramus_attention_keys(n);
    const double scale = 1 / (1 - a->dropout);
    for (int j = 0; j < keys; j++)
        keep[j] =
            (ramus_real)(ramus_rng_uniform(&rng, first + (uint64_t)j) < a->dropout ? 0 : scale);
}

/* The query rows first .. last - 1 of sentence s, head h. */
static ramus_attention_block block_of(const ramus_run *run, const ramus_node *n, int s, int h,
                                      int first, int last, ramus_real *scratch)
{
    const ramus_attention_spec *a = n->attr;
    const ramus_tensor *q = n->in[0], *k = n->in[1], *v = n->in[2], *out = n->out[0];
    const int width = q->dims[1], size = width / a->heads, *start = k->axis->start + s;
    const size_t at = (size_t)first * (size_t)width + (size_t)h * (size_t)size;
    const size_t keys = (size_t)start[0] * (size_t)width + (size_t)h * (size_t)size;
    ramus_attention_block b = {.queries = last - first, .size = size, .stride = width};

    b.seen = a->causal ? q->axis->position[first] + 1 : start[1] - start[0];
    b.more = a->causal;
    b.keys = b.seen + (b.queries - 1) * b.more;
    b.scale = 1 / ramus_sqrt((ramus_real)size);
    b.q = (const ramus_real *)q->data + at;
    b.k = (const ramus_real *)k->data + keys;
    b.v = (const ramus_real *)v->data + keys;
    b.out = (ramus_real *)out->data + at;
    b.lse = (ramus_real *)n->out[1]->data + (size_t)first * (size_t)a->heads + (size_t)h;
    b.lse_stride = a->heads;
    b.scratch = scratch;
    if (out->grad) {
        b.dout = out->grad + at;
        b.dq = q->grad + at;
        b.dk = k->grad + keys;
        b.dv = v->grad + keys;
    }
    if (a->dropout > 0) {
        ramus_real *keep = scratch + ramus_attention_scratch(b.queries, b.keys, size);
        for (int i = 0; i < b.queries; i++)
            keep_keys(keep + (size_t)i * (size_t)b.keys, run, n, first + i, h, b.keys);
        b.keep = keep;
    }
    return b;
}

typedef void kernel(const ramus_attention_block *job);

/* One piece is one sentence and head: its keys' gradients are added to by this thread alone.
 * Queries are those rows of the target axis that belong to the sentence. */
static void do_pieces(ramus_run *run, const ramus_node *n, int first, int last, int thread,
                      kernel *body)
{
    const ramus_attention_spec *a = n->attr;
    for (int piece = first; piece < last; piece++) {
        const int s = piece / a->heads, h = piece % a->heads;
        const int end = n->in[0]->axis->start[s + 1];
        for (int r = n->in[0]->axis->start[s]; r < end; r += QUERIES) {
            const int next = r + QUERIES < end ? r + QUERIES : end;
            const ramus_attention_block b =
                block_of(run, n, s, h, r, next, ramus_run_scratch(run, thread));
            body(&b);
        }
    }
}

static void forward_pieces(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    do_pieces(run, n, first, last, thread, run->train->kernels.attention_train);
}

/* Zeroes what a piece has of a fresh gradient: the channels of the head in the sentence's rows. */
static void begin_piece(const ramus_run *run, const ramus_node *n, int piece)
{
    const ramus_attention_spec *a = n->attr;
    const int s = piece / a->heads, h = piece % a->heads;
    for (int i = 0; i < 3; i++) {
        if (!(run->train->fresh & RAMUS_GRAD_OF(i))) continue;
        const ramus_tensor *t = n->in[i];
        const size_t width = ramus_tensor_width(t), size = width / (size_t)a->heads;
        for (int r = t->axis->start[s]; r < t->axis->start[s + 1]; r++)
            memset(t->grad + (size_t)r * width + (size_t)h * size, 0, size * sizeof *t->grad);
    }
}

static void backward_pieces(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    for (int piece = first; piece < last; piece++)
        begin_piece(run, n, piece);
    do_pieces(run, n, first, last, thread, run->train->kernels.attention_backward);
}

static int pieces(const ramus_node *n)
{
    const ramus_attention_spec *a = n->attr;
    return n->in[0]->axis->sequences * a->heads;
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, pieces(n), 1, forward_pieces);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, pieces(n), 1, backward_pieces);
}

const ramus_grad_rule ramus_grad_attention = {.op = &ramus_op_attention,
                                              .backward = backward,
                                              .forward = forward,
                                              .scratch = scratch,
                                              .begins = RAMUS_GRAD_OF(0) | RAMUS_GRAD_OF(1) |
                                                        RAMUS_GRAD_OF(2)};
