/* Weights are packed in panels as wide as the CPU's registers allow. Rows are cut into blocks; a
 * thread multiplies its block by one panel after the other, a slice of the depth at a time. A
 * weight gradient packs its rows instead and sums a block of outputs. */
#include "grad/gemm.h"

#include <string.h>

#define MAX_WIDTH 32  // of any row's gemm
#define ROW_BLOCK 516 // rows whose lists one thread takes at a time, at most
#define SUB_ROWS  168 // rows at most, panel after panel: touches few pages of the result at once
#define PANELS    8   // that listed rows are multiplied with at a time
#define DEPTH     256 // terms at a time: a packed panel stays in the first-level cache
#define OUTPUTS   96  // of a weight gradient that one thread takes at a time, at most
#define STEP      12  // parts are multiples of it, and it of every height
#define TERMS     256 // rows that are packed at a time for a weight gradient

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

/* The size of blocks that cut n into an even number of nearly equal parts of at most `most`, a
 * multiple of STEP: two threads finish together. */
static int block_of(int n, int most)
{
    const int pairs = (n + 2 * most - 1) / (2 * most);
    return pairs ? ((n + 2 * pairs - 1) / (2 * pairs) + STEP - 1) / STEP * STEP : STEP;
}

typedef struct {
    ramus_run *run;
    const ramus_gemm_rows *g;
    const ramus_gemm *gemm;
    ramus_real *packed; // [branches][panels][depth][width]
    int panels;
    int block; // rows of a block
} rows_state;

static rows_state rows_of_run(ramus_run *run, const ramus_gemm_rows *g, const ramus_real *packed)
{
    const ramus_gemm *gemm = run->train->kernels.gemm;
    return (rows_state){.run = run,
                        .g = g,
                        .gemm = gemm,
                        .packed = (ramus_real *)packed,
                        .panels = (g->columns + gemm->width - 1) / gemm->width,
                        .block = block_of(g->n_rows, g->rows_of ? ROW_BLOCK : SUB_ROWS)};
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

    if (g->transposed) {
        const ramus_pack_job job = {
            .src = w + first, .stride = g->columns, .n_rows = g->depth, .columns = columns};
        s->gemm->pack_b(b, &job);
        return;
    }
    if (columns < width) memset(b, 0, depth * (size_t)width * sizeof *b);
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

/* The rows of `job` times one panel of one branch, from term `start` on. */
static void multiply_panel(const rows_state *s, ramus_gemm_job job, int branch, int panel,
                           int start)
{
    const ramus_gemm_rows *g = s->g;
    const int first = panel * s->gemm->width;
    job.depth = smaller(DEPTH, g->depth - start);
    job.a += start;
    job.b = panel_at(s, branch, panel) + (size_t)start * (size_t)s->gemm->width;
    job.columns = smaller(s->gemm->width, g->columns - first);
    job.c += first;
    if (job.x) job.x += first;
    if (g->bias && start == 0) job.bias = g->bias + (size_t)branch * (size_t)g->columns + first;
    job.add = g->add || start > 0;
    s->gemm->panel(&job);
}

/* The rows of `job` times one branch, a slice of the depth at a time: neighbours panel by panel;
 * listed rows, which lie apart, a few at a time by several panels, so that each visit of a row of
 * the result writes a longer piece of it. */
static void multiply_branch(const rows_state *s, const ramus_gemm_job *job, int branch)
{
    const int rows = job->rows ? STEP : job->n_rows, panels = job->rows ? PANELS : 1;
    for (int start = 0; start < s->g->depth; start += DEPTH)
        for (int left = 0; left < s->panels; left += panels)
            for (int top = 0; top < job->n_rows; top += rows) {
                ramus_gemm_job part = *job;
                if (job->rows) part.rows = job->rows + top;
                part.n_rows = smaller(rows, job->n_rows - top);
                for (int i = left; i < smaller(left + panels, s->panels); i++)
                    multiply_panel(s, part, branch, i, start);
            }
}

static void multiply_rows(void *arg, int index, int thread)
{
    (void)thread;
    const rows_state *s = arg;
    const ramus_gemm_rows *g = s->g;
    const int first = index * s->block, last = smaller(first + s->block, g->n_rows);
    RAMUS_ASSERT(g->rows_of || (!g->scale && !g->dscale));
    for (int b = 0; b < g->branches; b++) {
        int n_rows = last - first;
        const int *rows = g->rows_of ? g->rows_of(g->arg, b, first, last, &n_rows) : NULL;
        const int parts = (n_rows + SUB_ROWS - 1) / SUB_ROWS;
        const int part = parts ? ((n_rows + parts - 1) / parts + STEP - 1) / STEP * STEP : 1;
        for (int start = 0; start < n_rows; start += part) {
            const size_t skip = rows ? 0 : (size_t)(first + start); // a list holds true row numbers
            const ramus_gemm_job job = {.a = g->a + skip * (size_t)g->depth,
                                        .a_stride = g->depth,
                                        .rows = rows ? rows + start : NULL,
                                        .n_rows = smaller(part, n_rows - start),
                                        .c = g->c + skip * (size_t)g->columns,
                                        .c_stride = g->columns,
                                        .scale = g->scale ? g->scale + b : NULL,
                                        .scale_stride = g->branches,
                                        .x = g->x,
                                        .dscale = g->dscale ? g->dscale + b : NULL};
            multiply_branch(s, &job, b);
        }
    }
}

void ramus_gemm_rows_compute(ramus_run *run, const ramus_gemm_rows *g, const ramus_real *packed)
{
    rows_state s = rows_of_run(run, g, packed);
    ramus_pool_for(run->pool, (g->n_rows + s.block - 1) / s.block, multiply_rows, &s);
}

void ramus_gemm_rows_run(ramus_run *run, const ramus_gemm_rows *g)
{
    ramus_gemm_rows_pack(run, g, run->train->shared);
    ramus_gemm_rows_compute(run, g, run->train->shared);
}

typedef struct {
    ramus_run *run;
    const ramus_gemm_weights *g;
    const ramus_gemm *gemm;
    int block, blocks; // outputs of a block, blocks of a branch
} weights_state;

/* One block of outputs of one branch: all its rows in order, TERMS at a time. */
static void sum_outputs(void *arg, int index, int thread)
{
    const weights_state *s = arg;
    const ramus_gemm_weights *g = s->g;
    const ramus_gemm *gemm = s->gemm;
    const int branch = index / s->blocks, first = index % s->blocks * s->block;
    const int outputs = smaller(s->block, g->outputs - first);
    const size_t at = (size_t)branch * (size_t)g->outputs + (size_t)first;
    ramus_real *a = ramus_run_scratch(s->run, thread), *b = a + (size_t)OUTPUTS * TERMS;
    int n_rows = g->n_rows;
    const int *rows = g->rows_of ? g->rows_of(g->arg, branch, 0, g->n_rows, &n_rows) : NULL;

    for (int start = 0; start < n_rows; start += TERMS) {
        const size_t skip = rows ? 0 : (size_t)start;
        const int terms = smaller(TERMS, n_rows - start);
        const ramus_pack_job pack_dy = {.src = g->dy + skip * (size_t)g->outputs + (size_t)first,
                                        .stride = g->outputs,
                                        .rows = rows ? rows + start : NULL,
                                        .n_rows = terms,
                                        .columns = outputs,
                                        .scale = g->scale ? g->scale + branch : NULL,
                                        .scale_stride = g->branches};
        const ramus_pack_job pack_x = {.src = g->x + skip * (size_t)g->inputs,
                                       .stride = g->inputs,
                                       .rows = pack_dy.rows,
                                       .n_rows = terms,
                                       .columns = g->inputs};
        gemm->pack_a(a, g->dbias ? g->dbias + at : NULL, &pack_dy);
        gemm->pack_b(b, &pack_x);
        for (int column = 0; column < g->inputs; column += gemm->width) {
            const ramus_gemm_job job = {.depth = terms,
                                        .a = a,
                                        .n_rows = outputs,
                                        .b = b + (ptrdiff_t)column * terms,
                                        .columns = smaller(gemm->width, g->inputs - column),
                                        .c = g->dw + at * (size_t)g->inputs + (size_t)column,
                                        .c_stride = g->inputs,
                                        .add = true};
            gemm->panel(&job);
        }
    }
}

void ramus_gemm_weights_run(ramus_run *run, const ramus_gemm_weights *g)
{
    const int block = block_of(g->outputs, OUTPUTS);
    weights_state s = {run, g, run->train->kernels.gemm, block, (g->outputs + block - 1) / block};
    ramus_pool_for(run->pool, g->branches * s.blocks, sum_outputs, &s);
}
