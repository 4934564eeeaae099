/* A block of rows is one job for a dense map, or one job per branch with the list of the block's
 * rows that take it. Weights of 8 or 4 bits multiply rows that are quantised once per tensor. */
#include "graph/ops/linear.h"

#include "graph/ops.h"

#include <string.h>

#define BLOCK 64 // rows that one thread takes at a time

/* The first place in the ascending list at which `row` or a later row stands. */
static int lower_bound(const int *list, int n, int row)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const int *ramus_linear_rows(const ramus_node *n, int branch, int first, int last, int *n_rows)
{
    const ramus_linear_attr *a = n->attr;
    const int *offset = n->in[4]->data, *list = offset + a->branches + 1 + offset[branch];
    const int count = offset[branch + 1] - offset[branch];
    const int skip = lower_bound(list, count, first);
    *n_rows = lower_bound(list, count, last) - skip;
    return list + skip;
}

/* Whether no row at all takes the branch. */
static bool is_idle(const ramus_node *n, int branch)
{
    const int *offset = n->in[4] ? n->in[4]->data : NULL;
    return offset && offset[branch] == offset[branch + 1];
}

static ramus_linear_job linear_part(const ramus_node *n, int branch, int first, int last)
{
    const ramus_linear_attr *a = n->attr;
    const ramus_tensor *x = n->in[0], *w = n->in[1], *bias = n->in[2], *y = n->out[0];
    ramus_linear_job job = {.n = y->dims[1], .k = x->dims[1], .n_rows = last - first};
    const size_t at = (size_t)branch * (size_t)job.n;

    job.x = x->data;
    if (w->dtype == RAMUS_REAL) job.w = (const ramus_real *)w->data + at * (size_t)job.k;
    job.y = y->data;
    if (bias) job.bias = (const ramus_real *)bias->data + at;
    if (a->mix) {
        job.scale = (const ramus_real *)n->in[3]->data + branch;
        job.scale_stride = a->branches;
    }
    if (n->in[4]) {
        job.rows = ramus_linear_rows(n, branch, first, last, &job.n_rows);
    } else {
        job.x += (size_t)first * (size_t)job.k;
        job.y += (size_t)first * (size_t)job.n;
    }
    return job;
}

/* The same where the weights have 8 or 4 bits. */
static void linear_part_packed(ramus_linear_i8_job *job, const ramus_run *run, const ramus_node *n,
                               int branch, int first, int last)
{
    const ramus_linear_attr *a = n->attr;
    const ramus_linear_job part = linear_part(n, branch, first, last);
    ramus_run_packed(job, run, n, branch, part.rows ? 0 : first);
    job->rows = part.rows;
    job->n_rows = part.n_rows;
    job->scale = part.scale;
    job->scale_stride = part.scale_stride;
    job->relu = a->relu && !a->mix;
    job->bias = part.bias;
    job->y = part.y;
    job->y_stride = part.n;
}

static void forward_rows_packed(ramus_run *run, const ramus_node *n, int first, int last,
                                int thread)
{
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    const int width = n->out[0]->dims[1], count = (last - first) * width;
    ramus_real *y = (ramus_real *)n->out[0]->data + (size_t)first * (size_t)width;

    if (a->mix) memset(y, 0, (size_t)count * sizeof *y);
    for (int b = 0; b < a->branches; b++) {
        if (is_idle(n, b)) continue;
        ramus_linear_i8_job job;
        linear_part_packed(&job, run, n, b, first, last);
        if (job.n_rows > 0) ramus_run_linear_packed(run, n, &job);
    }
    if (a->relu && a->mix) run->kernels->relu(y, count);
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    const int width = n->out[0]->dims[1];
    ramus_real *y = (ramus_real *)n->out[0]->data + (size_t)first * (size_t)width;
    const int count = (last - first) * width;

    if (a->mix) memset(y, 0, (size_t)count * sizeof *y);
    for (int b = 0; b < a->branches; b++) {
        if (is_idle(n, b)) continue;
        const ramus_linear_job job = linear_part(n, b, first, last);
        if (job.n_rows > 0) ramus_run_linear(run, n, &job);
    }
    if (a->relu) run->kernels->relu(y, count);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_rows_body *body = ramus_run_quantize(run, n) ? forward_rows_packed : forward_rows;
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, body);
}

/* The products of the kept branches, and one multiplication per element for each mixed result.
 */
static double cost(const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    const double width = n->out[0]->dims[1];
    const double branch = width * n->in[0]->dims[1] + (a->mix ? width : 0);
    return ramus_tensor_rows(n->in[0]) * a->top_k * branch;
}

const ramus_op ramus_op_linear = {
    .name = "linear",
    .forward = forward,
    .cost = cost,
    .multiplies = true,
    .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_IN(1) | RAMUS_SAVES_IN(2) | RAMUS_SAVES_IN(3) |
             RAMUS_SAVES_IN(4) | RAMUS_SAVES_OUT(0),
};

ramus_tensor *ramus_linear(ramus_graph *g, ramus_tensor *x, ramus_tensor *weight,
                           ramus_tensor *bias, const ramus_linear_spec *spec)
{
    const ramus_route *route = spec ? spec->route : NULL;
    const ramus_linear_attr attr = {
        .branches = route ? route->branches : 1,
        .top_k = route ? route->top_k : 1,
        .mix = route && spec->mix,
        .relu = spec && spec->relu,
    };
    const int last = weight->n_dims - 1;
    RAMUS_ASSERT(weight->n_dims == (route ? 3 : 2) && weight->dims[last] == x->dims[1]);

    ramus_node *n = ramus_node_add(g, &ramus_op_linear, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    ramus_node_read(n, 1, weight);
    ramus_node_read(n, 2, bias);
    if (route) {
        if (attr.mix) ramus_node_read(n, 3, route->probs);
        ramus_node_read(n, 4, route->order);
    }
    return ramus_node_make(g, n, 0, RAMUS_REAL, x->axis, 2,
                           (int[]){x->dims[0], weight->dims[last - 1]});
}
