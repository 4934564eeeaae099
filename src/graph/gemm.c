#include "graph/gemm.h"

#include <string.h>

#define MAX_WIDTH 32  // of any row's gemm
#define ROW_BLOCK 384 // rows that one thread takes at a time: their numbers stay in its cache
#define DEPTH     256 // terms that are summed at a time: a packed panel stays in the first-level cache
#define OUTPUTS                                                                                    \
    96 // outputs of a weight gradient that one thread takes at a time: a multiple of every height
#define TERMS 256 // rows that are packed at a time for a weight gradient

size_t ramus_gemm_packed(int columns, int depth)
{
    return (size_t)((columns + MAX_WIDTH - 1) / MAX_WIDTH * MAX_WIDTH) * (size_t)depth;
}

size_t ramus_gemm_scratch(int inputs)
{
    return (OUTPUTS + ramus_gemm_packed(inputs, 1)) * TERMS * sizeof(ramus_real);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

typedef struct {
    ramus_run *run;
    const ramus_gemm_rows *g;
    const ramus_gemm *gemm;
    ramus_real *packed; // [branches][panels][depth][width]
    int panels;
} rows_state;

static rows_state rows_of_run(ramus_run *run, const ramus_gemm_rows *g, const ramus_real *packed)
{
    const ramus_gemm *gemm = run->kernels->gemm;
    return (rows_state){run, g, gemm, (ramus_real *)packed,
                        (g->columns + gemm->width - 1) / gemm->width};
}

static ramus_real *panel_at(const rows_state *s, int branch, int panel)
{
    const size_t number = (size_t)branch * (size_t)s->panels + (size_t)panel;
    return s->packed + number * (size_t)s->g->depth * (size_t)s->gemm->width;
}

/* One panel of one branch: b[t][j] = w[first + j][t], or w[t][first + j] when transposed. */
static void pack_panel(void *arg, int index, int thread)
{
    (void)thread;
    const rows_state *s = arg;
    const ramus_gemm_rows *g = s->g;
    const int width = s->gemm->width, branch = index / s->panels, panel = index % s->panels;
    const int first = panel * width, columns = smaller(width, g->columns - first);
    const size_t depth = (size_t)g->depth, all = (size_t)g->columns;
    const ramus_real *w = g->w + (size_t)branch * depth * all;
    ramus_real *b = panel_at(s, branch, panel);

    if (columns < width) memset(b, 0, depth * (size_t)width * sizeof *b);
    if (g->transposed) {
        for (size_t t = 0; t < depth; t++)
            memcpy(b + t * (size_t)width, w + t * all + (size_t)first, (size_t)columns * sizeof *b);
        return;
    }
    for (int j = 0; j < columns; j++) {
        const ramus_real *row = w + (size_t)(first + j) * depth;
        for (size_t t = 0; t < depth; t++)
            b[t * (size_t)width + (size_t)j] = row[t];
    }
}

void ramus_gemm_rows_pack(ramus_run *run, const ramus_gemm_rows *g, ramus_real *packed)
{
    rows_state s = rows_of_run(run, g, packed);
    ramus_pool_for(run->pool, g->branches * s.panels, pack_panel, &s);
}

/* The rows listed in `job` times one branch, panel by panel, a slice of the depth at a time. */
static void multiply_branch(const rows_state *s, ramus_gemm_job *job, int branch)
{
    const ramus_gemm_rows *g = s->g;
    const ramus_real *a = job->a;
    ramus_real *c = job->c;
    const ramus_real *x = job->x;
    for (int start = 0; start < g->depth; start += DEPTH) {
        job->depth = smaller(DEPTH, g->depth - start);
        job->a = a + start;
        job->add = g->add || start > 0;
        for (int panel = 0; panel < s->panels; panel++) {
            const int first = panel * s->gemm->width;
            job->b = panel_at(s, branch, panel) + (size_t)start * (size_t)s->gemm->width;
            job->columns = smaller(s->gemm->width, g->columns - first);
            job->c = c + first;
            job->bias = g->bias && start == 0
                            ? g->bias + (size_t)branch * (size_t)g->columns + first
                            : NULL;
            if (x) job->x = x + first;
            s->gemm->panel(job);
        }
    }
}

static void multiply_rows(void *arg, int index, int thread)
{
    (void)thread;
    const rows_state *s = arg;
    const ramus_gemm_rows *g = s->g;
    const int first = index * ROW_BLOCK, last = smaller(first + ROW_BLOCK, g->n_rows);
    for (int b = 0; b < g->branches; b++) {
        ramus_gemm_job job = {.a = g->a,
                              .a_stride = g->depth,
                              .n_rows = last - first,
                              .c = g->c,
                              .c_stride = g->columns,
                              .x = g->x};
        const size_t skip = g->rows_of ? 0 : (size_t)first; // a list holds true row numbers
        if (g->rows_of) job.rows = g->rows_of(g->arg, b, first, last, &job.n_rows);
        if (job.n_rows == 0) continue;
        job.a += skip * (size_t)g->depth;
        job.c += skip * (size_t)g->columns;
        job.scale_stride = g->branches;
        if (g->scale) job.scale = g->scale + b;
        if (g->dscale) job.dscale = g->dscale + b;
        RAMUS_ASSERT(g->rows_of || (!g->scale && !g->dscale));
        multiply_branch(s, &job, b);
    }
}

void ramus_gemm_rows_compute(ramus_run *run, const ramus_gemm_rows *g, const ramus_real *packed)
{
    rows_state s = rows_of_run(run, g, packed);
    ramus_pool_for(run->pool, (g->n_rows + ROW_BLOCK - 1) / ROW_BLOCK, multiply_rows, &s);
}

void ramus_gemm_rows_run(ramus_run *run, const ramus_gemm_rows *g)
{
    ramus_gemm_rows_pack(run, g, run->shared);
    ramus_gemm_rows_compute(run, g, run->shared);
}

typedef struct {
    ramus_run *run;
    const ramus_gemm_weights *g;
    const ramus_gemm *gemm;
    int blocks; // of a branch
} weights_state;

/* a[group][t][i] = scale[r_t] * dy[r_t][first + group * height + i], with zeros behind the last
 * output */
static void pack_outputs(const weights_state *s, ramus_real *a, const int *rows, int terms,
                         int branch, int first, int outputs)
{
    const ramus_gemm_weights *g = s->g;
    const int height = s->gemm->height;
    for (int start = 0; start < outputs; start += height) {
        const int n = smaller(height, outputs - start);
        for (int t = 0; t < terms; t++, a += height) {
            const size_t r = (size_t)rows[t];
            const ramus_real *dy = g->dy + r * (size_t)g->outputs + (size_t)(first + start);
            const ramus_real scale =
                g->scale ? g->scale[r * (size_t)g->branches + (size_t)branch] : 1;
            for (int i = 0; i < n; i++)
                a[i] = scale * dy[i];
            for (int i = n; i < height; i++)
                a[i] = 0;
        }
    }
}

/* b[panel][t][j] = x[r_t][panel * width + j] */
static void pack_inputs(const weights_state *s, ramus_real *b, const int *rows, int terms)
{
    const int width = s->gemm->width, inputs = s->g->inputs;
    for (int first = 0; first < inputs; first += width) {
        const size_t n = (size_t)smaller(width, inputs - first);
        for (int t = 0; t < terms; t++, b += width) {
            memcpy(b, s->g->x + (size_t)rows[t] * (size_t)inputs + (size_t)first, n * sizeof *b);
            memset(b + n, 0, ((size_t)width - n) * sizeof *b);
        }
    }
}

static void add_bias(const weights_state *s, const ramus_real *a, int terms, ramus_real *dbias,
                     int outputs)
{
    const int height = s->gemm->height;
    for (int start = 0; start < outputs; start += height, a += (ptrdiff_t)terms * height)
        for (int t = 0; t < terms; t++)
            for (int i = 0; i < height && start + i < outputs; i++)
                dbias[start + i] += a[t * height + i];
}

/* Rows first .. of a dense product, as a list. */
static const int *identity(int *list, int first, int n)
{
    for (int i = 0; i < n; i++)
        list[i] = first + i;
    return list;
}

/* One block of outputs of one branch: all its rows in order, TERMS at a time. */
static void sum_outputs(void *arg, int index, int thread)
{
    const weights_state *s = arg;
    const ramus_gemm_weights *g = s->g;
    const int branch = index / s->blocks, first = index % s->blocks * OUTPUTS;
    const int outputs = smaller(OUTPUTS, g->outputs - first), width = s->gemm->width;
    const size_t at = (size_t)branch * (size_t)g->outputs + (size_t)first;
    ramus_real *a = ramus_run_scratch(s->run, thread), *b = a + (size_t)OUTPUTS * TERMS;
    int n_rows = g->n_rows, numbers[TERMS];
    const int *rows = g->rows_of ? g->rows_of(g->arg, branch, 0, g->n_rows, &n_rows) : NULL;

    for (int start = 0; start < n_rows; start += TERMS) {
        const int terms = smaller(TERMS, n_rows - start);
        const int *list = rows ? rows + start : identity(numbers, start, terms);
        pack_outputs(s, a, list, terms, branch, first, outputs);
        pack_inputs(s, b, list, terms);
        if (g->dbias) add_bias(s, a, terms, g->dbias + at, outputs);
        for (int column = 0; column < g->inputs; column += width) {
            const ramus_gemm_job job = {.depth = terms,
                                        .a = a,
                                        .n_rows = outputs,
                                        .b = b + (size_t)column * (size_t)terms,
                                        .columns = smaller(width, g->inputs - column),
                                        .c = g->dw + at * (size_t)g->inputs + (size_t)column,
                                        .c_stride = g->inputs,
                                        .add = true};
            s->gemm->panel(&job);
        }
    }
}

void ramus_gemm_weights_run(ramus_run *run, const ramus_gemm_weights *g)
{
    weights_state s = {run, g, run->kernels->gemm, (g->outputs + OUTPUTS - 1) / OUTPUTS};
    ramus_pool_for(run->pool, g->branches * s.blocks, sum_outputs, &s);
}
