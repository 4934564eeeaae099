/* One block holds every activation and gradient at the offsets of the plan, then the scratch of
 * the threads. Running is a loop over the nodes of the phases asked for. */
#include "graph/run.h"

#include "base/clock.h"
#include "kernels/select.h"

#include <stdlib.h>

#define QUANTIZE_BLOCK 64 // rows that one thread takes at a time
#define LINE           64 // bytes of a cache line

/* The widest scratch of a thread that any op asks for. */
static size_t scratch_bytes(const ramus_graph *g)
{
    size_t most = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        const size_t bytes = n->op->scratch ? n->op->scratch(n) : 0;
        if (bytes > most) most = bytes;
    }
    return most;
}

/* Bytes for the quantised rows of any tensor that may meet an 8-bit or 4-bit matrix. */
static size_t quantized_bytes(const ramus_graph *g, int *rows)
{
    size_t most = 0;
    *rows = 0;
    for (int i = 0; i < g->n_nodes && !g->spec.training; i++) {
        const ramus_node *n = g->nodes[i];
        if (!n->op->multiplies) continue;
        const ramus_tensor *x = n->in[0];
        const size_t bytes = (size_t)x->dims[0] * (size_t)ramus_i8_stride(x->dims[1]);
        if (bytes > most) most = bytes;
        if (x->dims[0] > *rows) *rows = x->dims[0];
    }
    return most;
}

/* Takes everything from one arena: the plan's block, scratch, quantised rows, `more` at the end. */
static ramus_status allocate(ramus_run *run, const ramus_run_room *room, ramus_error *err)
{
    ramus_graph *g = run->graph;
    const size_t planned = ramus_graph_plan(g), threads = (size_t)ramus_pool_threads(run->pool);
    const size_t asked = scratch_bytes(g);
    run->scratch_stride = ramus_arena_round(asked > room->scratch ? asked : room->scratch);
    int rows = 0;
    const size_t bytes = quantized_bytes(g, &rows);
    const size_t numbers = ramus_arena_round((size_t)rows * sizeof(ramus_real));
    const size_t sums = ramus_arena_round(bytes / RAMUS_I4_GROUP * sizeof(int32_t));
    const ramus_status st =
        ramus_arena_create(&run->memory,
                           planned + threads * run->scratch_stride + ramus_arena_round(bytes) +
                               2 * numbers + sums + room->more,
                           err);
    if (st) return st;
    char *base = ramus_arena_alloc(run->memory, planned);
    run->scratch = ramus_arena_alloc(run->memory, threads * run->scratch_stride);
    run->quantized.x = ramus_arena_alloc(run->memory, bytes);
    run->quantized.scale = ramus_arena_alloc(run->memory, numbers);
    run->quantized.sum = ramus_arena_alloc(run->memory, numbers);
    run->quantized.group_sum = ramus_arena_alloc(run->memory, sums);
    for (int i = 0; i < g->n_tensors; i++) {
        ramus_tensor *t = g->tensors[i];
        if (t->param) continue;
        t->data = base + t->data_offset;
        if (t->needs_grad) t->grad = (ramus_real *)(void *)(base + t->grad_offset);
    }
    return RAMUS_OK;
}

ramus_status ramus_run_create_with(ramus_run **out, ramus_graph *g, ramus_pool *pool,
                                   const ramus_run_room *room, ramus_error *err)
{
    ramus_run *run = calloc(1, sizeof *run);
    if (!run) return ramus_fail_memory(err, "a run");
    run->graph = g;
    run->pool = pool;
    run->kernels = &run->chosen;
    ramus_status st = ramus_kernels_choose(&run->chosen, err);
    if (!st) st = allocate(run, room, err);
    if (st)
        free(run);
    else
        *out = run;
    return st;
}

ramus_status ramus_run_create(ramus_run **out, ramus_graph *g, ramus_pool *pool, ramus_error *err)
{
    return ramus_run_create_with(out, g, pool, &(ramus_run_room){0}, err);
}

void ramus_run_destroy(ramus_run *run)
{
    if (!run) return;
    ramus_arena_destroy(run->memory);
    free(run);
}

/* Weights evict nodes and tensors from the nearest caches. So the tensors of node i are prefetched
 * while the node before it runs, and the node itself one earlier. Inline: gcc drops the call of a
 * function that only prefetches. */
static inline __attribute__((always_inline)) void fetch(const ramus_graph *g, int i)
{
    if (i >= g->n_nodes) return;
    if (i + 1 < g->n_nodes) {
        __builtin_prefetch(g->nodes[i + 1]);
        __builtin_prefetch((const char *)g->nodes[i + 1] + LINE);
    }
    const ramus_node *n = g->nodes[i];
    __builtin_prefetch(n->attr);
    for (int j = 0; j < RAMUS_MAX_IN; j++)
        if (n->in[j]) __builtin_prefetch(n->in[j]);
    for (int j = 0; j < RAMUS_MAX_OUT; j++)
        if (n->out[j]) __builtin_prefetch(n->out[j]);
}

void ramus_run_forward(ramus_run *run, ramus_phase from, ramus_phase to)
{
    const ramus_graph *g = run->graph;
    run->quantized.of = NULL;
    double *seconds = run->probe ? run->probe->seconds : NULL;
    double start = seconds ? ramus_clock_now() : 0;
    for (int i = g->phase_start[from]; i < g->phase_start[to + 1]; i++) {
        const ramus_node *n = g->nodes[i];
        fetch(g, i + 1);
        n->op->forward(run, n);
        if (!seconds) continue;
        const double end = ramus_clock_now();
        seconds[2 * i] += end - start;
        start = end;
    }
}

typedef struct {
    ramus_run *run;
    const ramus_node *n;
    int rows, block;
    ramus_rows_body *body;
} split;

static void do_block(void *arg, int index, int thread)
{
    const split *s = arg;
    const int first = index * s->block;
    const int last = first + s->block < s->rows ? first + s->block : s->rows;
    s->body(s->run, s->n, first, last, thread);
}

void ramus_run_rows(ramus_run *run, const ramus_node *n, int rows, int block, ramus_rows_body *body)
{
    if (rows <= block) { // one block: no need for the pool
        if (rows > 0) body(run, n, 0, rows, 0);
        return;
    }
    split s = {run, n, rows, block, body};
    ramus_pool_for(run->pool, (rows + block - 1) / block, do_block, &s);
}

static void quantize_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_quantized *q = &run->quantized;
    const int width = n->in[0]->dims[1];
    const ramus_real *x = n->in[0]->data;
    for (int r = first; r < last; r++) {
        int8_t *to = q->x + (ptrdiff_t)r * ramus_i8_stride(width);
        run->kernels->quantize(to, &q->scale[r], &q->sum[r], x + (size_t)r * (size_t)width, width);
        if (q->grouped)
            run->kernels->sum_groups(q->group_sum + (ptrdiff_t)r * ramus_i4_groups(width), to,
                                     width);
    }
}

bool ramus_run_quantize(ramus_run *run, const ramus_node *n)
{
    const ramus_dtype dtype = n->in[1]->dtype;
    ramus_quantized *q = &run->quantized;
    if (dtype == RAMUS_REAL) return false;
    if (q->of != n->in[0] || (dtype == RAMUS_I4 && !q->grouped)) {
        q->grouped = dtype == RAMUS_I4;
        ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), QUANTIZE_BLOCK, quantize_rows);
        q->of = n->in[0];
    }
    return true;
}

void ramus_run_packed(ramus_linear_i8_job *job, const ramus_run *run, const ramus_node *n,
                      int branch, int row)
{
    const ramus_quantized *q = &run->quantized;
    const ramus_tensor *w = n->in[1];
    const int outputs = w->dims[w->n_dims - 2], k = w->dims[w->n_dims - 1];
    const size_t b = (size_t)branch;
    *job = (ramus_linear_i8_job){0};
    job->n = outputs;
    job->k = k;
    job->x = q->x + (ptrdiff_t)row * ramus_i8_stride(k);
    job->x_scale = q->scale + row;
    job->w = w->data;
    if (w->dtype == RAMUS_I4) {
        job->x_sum = q->group_sum + (ptrdiff_t)row * ramus_i4_groups(k);
        job->w += b * ramus_i4_size(outputs, k);
        job->w_half = w->half + b * ramus_i4_scales(outputs, k);
    } else {
        job->x_sum = q->sum + row;
        job->w += b * ramus_i8_size(outputs, k);
        job->w_scale = w->scale + b * (size_t)outputs;
    }
}

static void tell(const ramus_run *run, const ramus_node *n, const ramus_linear_job *f32,
                 const ramus_linear_i8_job *packed)
{
    if (!run->probe->product) return;
    RAMUS_ASSERT(ramus_pool_threads(run->pool) == 1);
    run->probe->product(run->probe->arg, n, f32, packed);
}

void ramus_run_linear(ramus_run *run, const ramus_node *n, const ramus_linear_job *job)
{
    if (run->probe) tell(run, n, job, NULL);
    run->kernels->linear(job);
}

void ramus_run_linear_packed(ramus_run *run, const ramus_node *n, const ramus_linear_i8_job *job)
{
    if (run->probe) tell(run, n, NULL, job);
    (n->in[1]->dtype == RAMUS_I4 ? run->kernels->linear_i4 : run->kernels->linear_i8)(job);
}

void *ramus_run_scratch(const ramus_run *run, int thread)
{
    return run->scratch + (size_t)thread * run->scratch_stride;
}
