/* Rows of activations through the runtime's own `quantize` kernel, weights through the functions
 * that export uses; both times their scale again. */
#include "graph/ops/train/round.h"

#include "graph/ops.h"
#include "graph/run.h"
#include "kernels/fit.h"
#include "kernels/i4.h"

#define BLOCK 64

typedef struct {
    int bits; // of weights; 0: rows of activations
} round_attr;

static void multiply(ramus_real *y, const int8_t *q, ramus_real scale, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (ramus_real)q[i] * scale;
}

/* One output's n weights as export writes them with 8 or 4 bits: integers times their scale. q has
 * room for n. */
static void round_output(ramus_real *y, const ramus_real *w, int n, int bits, int8_t *q)
{
    const int group = bits == 8 ? n : RAMUS_I4_GROUP;
    for (int i = 0; i < n; i += group) {
        const int count = n - i < group ? n - i : group;
        const ramus_real scale = bits == 8
                                     ? ramus_fit_i8(q, w + i, count)
                                     : (ramus_real)ramus_half_float(ramus_fit_i4(q, w + i, count));
        multiply(y + i, q, scale, count);
    }
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const round_attr *a = n->attr;
    const ramus_tensor *t = n->in[0];
    const int width = t->dims[t->n_dims - 1];
    int8_t *q = ramus_run_scratch(run, thread);
    for (int r = first; r < last; r++) {
        const ramus_real *x = (const ramus_real *)t->data + (size_t)r * (size_t)width;
        ramus_real *y = (ramus_real *)n->out[0]->data + (size_t)r * (size_t)width, scale = 0;
        int32_t sum = 0;
        if (a->bits) {
            round_output(y, x, width, a->bits, q);
        } else {
            run->kernels->quantize(q, &scale, &sum, x, width);
            multiply(y, q, scale, width);
        }
    }
}

int ramus_round_count(const ramus_tensor *t)
{
    return ramus_tensor_rows(t) * (t->n_dims == 3 ? t->dims[1] : 1);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_round_count(n->in[0]), BLOCK, forward_rows);
}

static size_t scratch(const ramus_node *n)
{
    const ramus_tensor *t = n->in[0];
    return (size_t)ramus_i8_stride(t->dims[t->n_dims - 1]);
}

const ramus_op ramus_op_round = {.name = "round", .forward = forward, .scratch = scratch};

static ramus_tensor *add_round(ramus_graph *g, ramus_tensor *t, int bits)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        if (n->op != &ramus_op_round || n->in[0] != t) continue;
        if (((const round_attr *)n->attr)->bits == bits) return n->out[0];
    }
    const round_attr attr = {bits};
    ramus_node *n = ramus_node_add(g, &ramus_op_round, &attr, sizeof attr);
    ramus_node_read(n, 0, t);
    return ramus_node_make(g, n, 0, RAMUS_REAL, t->axis, t->n_dims, t->dims);
}

ramus_tensor *ramus_round_rows(ramus_graph *g, ramus_tensor *x)
{
    RAMUS_ASSERT(x->n_dims == 2);
    return add_round(g, x, 0);
}

ramus_tensor *ramus_round_weight(ramus_graph *g, ramus_tensor *w, int bits)
{
    RAMUS_ASSERT(w->n_dims >= 2 && !w->axis && (bits == 8 || bits == 4));
    return add_round(g, w, bits);
}
