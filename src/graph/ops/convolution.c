/* One row at a time, all channels in one kernel call. Neighbours are the rows of the same sentence
 * or, in a step graph, come through the row's ancestors. */
#include "graph/ops/convolution.h"

#include "graph/run.h"

#define BLOCK 16

ramus_window ramus_convolution_window(const ramus_convolution_spec *spec, int position, int length)
{
    const int before = spec->causal ? spec->kernel - 1 : (spec->kernel - 1) / 2;
    const int start = position - before, first = start > 0 ? start : 0;
    const int end = start + spec->kernel < length ? start + spec->kernel : length;
    return (ramus_window){first, first - start, end - first};
}

static ramus_convolution_job job_of(const ramus_node *n, int r)
{
    const ramus_convolution_spec *a = n->attr;
    const ramus_tensor *v = n->in[0], *taps = n->in[1];
    const ramus_axis *axis = n->out[0]->axis;
    const int position = axis->position[r];
    const size_t width = (size_t)v->dims[1];
    ramus_convolution_job job = {.heads = a->heads,
                                 .size = v->dims[1] / a->heads,
                                 .stride = a->kernel,
                                 .v = v->data,
                                 .taps = taps->data,
                                 .out = (ramus_real *)n->out[0]->data + (size_t)r * width};
    const int *start = v->history ? NULL : axis->start + axis->sequence[r];
    const ramus_window w =
        ramus_convolution_window(a, position, start ? start[1] - start[0] : position + 1);
    if (start)
        job.v += ((size_t)start[0] + (size_t)w.first) * width;
    else
        job.rows = axis->ancestor + (size_t)r * (size_t)axis->span + w.first;
    job.n = w.n;
    job.taps += w.tap + (taps->axis ? (ptrdiff_t)r * taps->dims[1] : 0);
    return job;
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    for (int r = first; r < last; r++) {
        const ramus_convolution_job job = job_of(n, r);
        run->kernels->convolution(&job);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

/* In full: also taps that meet no row. */
static double cost(const ramus_node *n)
{
    const ramus_convolution_spec *a = n->attr;
    return (double)ramus_tensor_rows(n->out[0]) * a->kernel * n->out[0]->dims[1];
}

const ramus_op ramus_op_convolution = {.name = "convolution",
                                       .forward = forward,
                                       .cost = cost,
                                       .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_IN(1)};

ramus_tensor *ramus_convolution(ramus_graph *g, ramus_tensor *v, ramus_tensor *taps,
                                const ramus_convolution_spec *spec)
{
    RAMUS_ASSERT(v->dims[1] % spec->heads == 0 && taps->dims[1] == spec->heads * spec->kernel &&
                 (v->axis || v->history));
    ramus_axis *axis = v->history ? &g->target : v->axis;
    ramus_node *n = ramus_node_add(g, &ramus_op_convolution, spec, sizeof *spec);
    ramus_node_read(n, 0, v);
    ramus_node_read(n, 1, taps);
    return ramus_node_make(g, n, 0, RAMUS_REAL, axis, 2, (int[]){axis->max_rows, v->dims[1]});
}
