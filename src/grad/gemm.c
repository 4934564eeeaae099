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
#define OUTPUTS   96  // of a weight gradient that one thread takes at a time; bf16: twice as many
#define STEP      12  // parts are multiples of it, and it of every height
#define TERMS     256 // rows that are packed at a time for a weight gradient

size_t ramus_gemm_packed(int columns, int depth)
{
    return (size_t)((columns + MAX_WIDTH - 1) / MAX_WIDTH * MAX_WIDTH) * (size_t)depth;
}

size_t ramus_gemm_scratch(int inputs)
{
    const size_t weights = (OUTPUTS + ramus_gemm_packed(inputs, 1)) * TERMS;
    const size_t rows = (size_t)SUB_ROWS * DEPTH;
    return (weights > rows ? weights : rows) * sizeof(ramus_real);
}

/* Numbers that so many terms of a sum are packed into. */
static int numbers_of(const ramus_gemm *gemm, int terms)
{
    return (terms + gemm->terms - 1) / gemm->terms;
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
    ramus_real *packed; // [branches][panels][numbers][width]
    int numbers;        // that the depth is packed into
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
                        .numbers = numbers_of(gemm, g->depth),
                        .panels = (g->columns + gemm->width - 1) / gemm->width,
                        .block = block_of(g->n_rows, g->rows_of ? ROW_BLOCK : SUB_ROWS)};
}

static ramus_real *panel_at(const rows_state *s, int branch, int panel)
{
    const size_t number = (size_t)branch * (size_t)s->panels + (size_t)panel;
    return s->packed + number * (size_t)s->numbers * (size_t)s->gemm->width;
}

/* Terms first .. first + n - 1 of a row of w, as they are packed: in `room`, or where they lie. */
static const ramus_real *packed_terms(const rows_state *s, const ramus_real *row, int first, int n,
                                      ramus_real room[DEPTH])
{
    if (!s->gemm->pack_rows) return row + first;
    s->gemm->pack_rows(room, &(ramus_pack_job){.src = row + first, .n_rows = 1, .columns = n});
    return room;
}

/* b[t][j] = w[first + j][t] for the columns of one panel */
static void pack_columns(const rows_state *s, ramus_real *b, const ramus_real *w, int columns)
{
    const int depth = s->g->depth, width = s->gemm->width;
    if (columns < width) memset(b, 0, (size_t)s->numbers * (size_t)width * sizeof *b);
    for (int j = 0; j < columns; j++) {
        const ramus_real *row = w + (size_t)j * (size_t)depth;
        ramus_real room[DEPTH], *to = b + j;
        for (int start = 0; start < depth; start += DEPTH) {
            const int n = smaller(DEPTH, depth - start);
            const ramus_real *from = packed_terms(s, row, start, n, room);
            for (int t = 0; t < numbers_of(s->gemm, n); t++, to += width)
                *to = from[t];
        }
    }
}

/* One panel of one branch: b[t][j] = w[first + j][t], or w[t][first + j] when transposed. */
static void pack_panel(void *arg, int index, int thread)
{
    (void)thread;
    const rows_state *s = arg;
    const ramus_gemm_rows *g = s->g;
    const int width = s->gemm->width, branch = index / s->panels, panel = index % s->panels;
    const int first = panel * width, columns = smaller(width, g->columns - first);
    const size_t depth = (size_t)g->depth;
    const ramus_real *w = g->w + (size_t)branch * depth * (size_t)g->columns;
    ramus_real *b = panel_at(s, branch, panel);

    if (g->transposed) {
        const ramus_pack_job job = {
            .src = w + first, .stride = g->columns, .n_rows = g->depth, .columns = columns};
        s->gemm->pack_b(b, &job);
        return;
    }
    pack_columns(s, b, w + (size_t)first * depth, columns);
}

void ramus_gemm_rows_pack(ramus_run *run, const ramus_gemm_rows *g, ramus_real *packed)
{
    rows_state s = rows_of_run(run, g, packed);
    ramus_pool_for(run->pool, g->branches * s.panels, pack_panel, &s);
}

/* The rows of `job` times one panel of one branch, from term `start` on; a begins there. */
static void multiply_panel(const rows_state *s, ramus_gemm_job job, int branch, int panel,
                           int start)
{
    const ramus_gemm_rows *g = s->g;
    const int first = panel * s->gemm->width;
    const size_t skip = (size_t)numbers_of(s->gemm, start) * (size_t)s->gemm->width;
    job.depth = numbers_of(s->gemm, smaller(DEPTH, g->depth - start));
    job.b = panel_at(s, branch, panel) + skip;
    job.columns = smaller(s->gemm->width, g->columns - first);
    job.c += first;
    if (job.x) job.x += first;
    if (g->bias && start == 0) job.bias = g->bias + (size_t)branch * (size_t)g->columns + first;
    job.add = g->add || start > 0;
    s->gemm->panel(&job);
}

/* `job` with a slice of its rows, the terms from `start` on: packed in `room`, or in place. */
static ramus_gemm_job slice_rows(const rows_state *s, const ramus_gemm_job *job, int start,
                                 ramus_real *room)
{
    ramus_gemm_job slice = *job;
    slice.a += start;
    if (!s->gemm->pack_rows) return slice;
    const ramus_pack_job pack = {.src = slice.a,
                                 .stride = job->a_stride,
                                 .rows = job->rows,
                                 .n_rows = job->n_rows,
                                 .columns = smaller(DEPTH, s->g->depth - start)};
    s->gemm->pack_rows(room, &pack);
    slice.a = room;
    slice.a_stride = numbers_of(s->gemm, pack.columns);
    slice.in_order = true;
    return slice;
}

/* The rows of `job` times one branch, a slice of the depth at a time: neighbours panel by panel;
 * listed rows, which lie apart, a few at a time by several panels, so that each visit of a row of
 * the result writes a longer piece of it. */
static void multiply_branch(const rows_state *s, const ramus_gemm_job *job, int branch,
                            ramus_real *room)
{
    const int rows = job->rows ? STEP : job->n_rows, panels = job->rows ? PANELS : 1;
    for (int start = 0; start < s->g->depth; start += DEPTH) {
        const ramus_gemm_job slice = slice_rows(s, job, start, room);
        for (int left = 0; left < s->panels; left += panels)
            for (int top = 0; top < job->n_rows; top += rows) {
                ramus_gemm_job part = slice;
                if (job->rows) part.rows = job->rows + top;
                if (slice.in_order) part.a += top * slice.a_stride;
                part.n_rows = smaller(rows, job->n_rows - top);
                for (int i = left; i < smaller(left + panels, s->panels); i++)
                    multiply_panel(s, part, branch, i, start);
            }
    }
}

static void multiply_rows(void *arg, int index, int thread)
{
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
            multiply_branch(s, &job, b, ramus_run_scratch(s->run, thread));
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
        const int terms = smaller(TERMS, n_rows - start), numbers = numbers_of(gemm, terms);
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
            const ramus_gemm_job job = {.depth = numbers,
                                        .a = a,
                                        .n_rows = outputs,
                                        .b = b + (ptrdiff_t)column * numbers,
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
    const ramus_gemm *gemm = run->train->kernels.gemm;
    const int block = block_of(g->outputs, OUTPUTS * gemm->terms);
    weights_state s = {run, g, gemm, block, (g->outputs + block - 1) / block};
    ramus_pool_for(run->pool, g->branches * s.blocks, sum_outputs, &s);
}
