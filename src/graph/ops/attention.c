/* One query row at a time, all heads in one kernel call. Keys come from the rows of the same
 * sentence or, in a step graph, through the row's ancestors. */
#include "graph/ops/attention.h"

#define BLOCK 16

int ramus_attention_keys(const ramus_node *n)
{
    const ramus_tensor *k = n->in[1];
    return k->axis ? k->axis->max_length : n->in[0]->axis->max_length;
}

static ramus_attention_job job_of(const ramus_node *n, int r, void *scratch)
{
    const ramus_attention_spec *a = n->attr;
    const ramus_tensor *q = n->in[0], *k = n->in[1], *v = n->in[2];
    const ramus_axis *axis = q->axis;
    const size_t width = (size_t)q->dims[1], at = (size_t)r * width;
    ramus_attention_job job = {
        .heads = a->heads, .size = q->dims[1] / a->heads, .k = k->data, .v = v->data, .p = scratch};
    if (k->history) {
        job.rows = axis->ancestor + (size_t)r * (size_t)axis->span;
        job.n = axis->position[r] + 1;
    } else {
        const int *start = k->axis->start + axis->sequence[r];
        job.n = a->causal ? axis->position[r] + 1 : start[1] - start[0];
        job.k += (size_t)start[0] * width;
        job.v += (size_t)start[0] * width;
    }
    job.scale = 1 / ramus_sqrt((ramus_real)job.size);
    job.q = (const ramus_real *)q->data + at;
    job.out = (ramus_real *)n->out[0]->data + at;
    return job;
}

/* The position with the largest sum of probabilities over `times` stretches of keys; the last one
 * counts only when it is alone. */
static int look_of(const ramus_attention_job *job, int times)
{
    const int stride = ramus_attention_stride(job->heads), positions = job->n / times;
    const ramus_real *r = job->p + (ptrdiff_t)job->n * stride;
    int best = 0;
    ramus_real most = -1;
    for (int j = 0; j < positions - 1; j++) {
        ramus_real total = 0;
        for (int i = j; i < job->n; i += positions)
            for (int h = 0; h < job->heads; h++)
                total += job->p[i * stride + h] * r[h];
        if (total > most) {
            most = total;
            best = j;
        }
    }
    return best;
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const ramus_attention_spec *a = n->attr;
    for (int r = first; r < last; r++) {
        const ramus_attention_job job = job_of(n, r, ramus_run_scratch(run, thread));
        run->kernels->attention(&job);
        if (a->look) ((int *)n->out[2]->data)[r] = look_of(&job, n->in[1]->axis->times);
    }
}

/* Training has its own (grad/attention.c): blocks of queries, dropout. */
static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, forward_rows);
}

/* Scores and mixes in full: every query with every key of its sentence, also where causality hides
 * it. */
static double cost(const ramus_node *n)
{
    const ramus_tensor *q = n->in[0], *k = n->in[1];
    double total = 0;
    for (int r = 0; r < q->axis->rows; r++) {
        const int *start = k->axis ? k->axis->start + q->axis->sequence[r] : NULL;
        const int keys = start ? start[1] - start[0] : q->axis->position[r] + 1;
        total += 2.0 * keys * q->dims[1];
    }
    return total;
}

static size_t scratch(const ramus_node *n)
{
    const ramus_attention_spec *a = n->attr;
    return ((size_t)ramus_attention_keys(n) + 1) * (size_t)ramus_attention_stride(a->heads) *
           sizeof(ramus_real);
}

const ramus_op ramus_op_attention = {
    .name = "attention",
    .forward = forward,
    .cost = cost,
    .scratch = scratch,
    .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_IN(1) | RAMUS_SAVES_IN(2) | RAMUS_SAVES_OUT(0) |
             RAMUS_SAVES_OUT(1),
};

ramus_tensor *ramus_attention(ramus_graph *g, ramus_tensor *q, ramus_tensor *k, ramus_tensor *v,
                              const ramus_attention_spec *spec)
{
    RAMUS_ASSERT(q->dims[1] == k->dims[1] && k->dims[1] == v->dims[1] &&
                 q->dims[1] % spec->heads == 0);
    ramus_node *n = ramus_node_add(g, &ramus_op_attention, spec, sizeof *spec);
    ramus_node_read(n, 0, q);
    ramus_node_read(n, 1, k);
    ramus_node_read(n, 2, v);
    ramus_tensor *out = ramus_node_make(g, n, 0, RAMUS_REAL, q->axis, 2, q->dims);
    if (g->spec.training) // log of the sum of exponentials
        ramus_node_make(g, n, 1, RAMUS_REAL, q->axis, 2, (int[]){q->dims[0], spec->heads})->saved =
            true;
    if (spec->look) {
        RAMUS_ASSERT(!g->spec.training);
        ramus_node_make(g, n, 2, RAMUS_INT, q->axis, 1, q->dims);
    }
    return out;
}
