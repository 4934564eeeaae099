/* Clips rows of activations or weights to a learned range and rounds to whole steps of it. A
 * row's range is that of its branch. */
#include "graph/ops/train/clip.h"

#include "graph/ops.h"
#include "graph/ops/train/round.h"
#include "graph/run.h"

#define BLOCK 64

typedef struct {
    int levels; // steps from 0 to the end of the range
} clip_attr;

int ramus_clip_branch(const ramus_node *n, int r)
{
    const ramus_tensor *t = n->in[0];
    if (n->in[2]) return ((const int *)n->in[2]->data)[r];
    return t->n_dims == 3 ? r / t->dims[1] : 0;
}

/* y = round(clamp(x, -limit, limit) * levels / limit) * limit / levels, halves to even: with
 * `magic` added, no digit behind the point is left. */
static void clip_row(ramus_real *y, const ramus_real *x, int n, ramus_real limit, int levels)
{
    const ramus_real magic = sizeof(ramus_real) == 4 ? (ramus_real)0x1.8p23 : (ramus_real)0x1.8p52;
    const ramus_real factor = (ramus_real)levels / limit, step = limit / (ramus_real)levels;
    for (int i = 0; i < n; i++) {
        ramus_real value = x[i] < -limit ? -limit : x[i];
        value = (value > limit ? limit : value) * factor;
        y[i] = ((value + magic) - magic) * step;
    }
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const clip_attr *a = n->attr;
    const ramus_tensor *t = n->in[0];
    const int width = t->dims[t->n_dims - 1];
    const ramus_real *range = n->in[1]->data;
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)width;
        clip_row((ramus_real *)n->out[0]->data + at, (const ramus_real *)t->data + at, width,
                 ramus_clip_limit(range[ramus_clip_branch(n, r)]), a->levels);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_round_count(n->in[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_clip = {
    .name = "clip",
    .forward = forward,
    .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_IN(1) | RAMUS_SAVES_IN(2) | RAMUS_SAVES_OUT(1),
};

static ramus_tensor *add_clip(ramus_graph *g, ramus_tensor *t, ramus_tensor *range,
                              ramus_tensor *branches, int bits)
{
    const clip_attr attr = {(1 << (bits - 1)) - 1};
    const int rows = t->dims[0] * (t->n_dims == 3 ? t->dims[1] : 1);
    ramus_node *n = ramus_node_add(g, &ramus_op_clip, &attr, sizeof attr);
    ramus_node_read(n, 0, t);
    ramus_node_read(n, 1, range);
    ramus_node_read(n, 2, branches);
    ramus_tensor *y = ramus_node_make(g, n, 0, RAMUS_REAL, t->axis, t->n_dims, t->dims);
    if (g->spec.training) ramus_node_make(g, n, 1, RAMUS_REAL, t->axis, 1, &rows)->saved = true;
    return y;
}

ramus_tensor *ramus_clip_rows(ramus_graph *g, ramus_tensor *x, ramus_tensor *range,
                              const ramus_route *route, int bits)
{
    RAMUS_ASSERT(!route || (route->top_k == 1 && range->dims[0] == route->branches));
    return add_clip(g, x, range, route ? route->index : NULL, bits);
}

ramus_tensor *ramus_clip_weight(ramus_graph *g, ramus_tensor *w, ramus_tensor *range, int bits)
{
    RAMUS_ASSERT(range->dims[0] == (w->n_dims == 3 ? w->dims[0] : 1));
    return add_clip(g, w, range, NULL, bits);
}
