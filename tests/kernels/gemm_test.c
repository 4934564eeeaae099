/* The products of training against plain loops: every row packs in groups of its own size, and a
 * panel of exactly that width takes another path than a part of one. */
#include "base/rng.h"
#include "kernels/cpu.h"
#include "kernels/select_train.h"

#include "check.h"

#define ROWS    29
#define COLUMNS 67
#define DEPTH   19
#define WIDEST  64
#define GUARD   16
#define EMPTY   77.0f // what buffers hold before

static float source[ROWS * COLUMNS], scales[ROWS];
static int listed[ROWS];

static void fill(float *x, int n, unsigned stream)
{
    const ramus_rng rng = {check_seed(), 8, stream, 0};
    for (int i = 0; i < n; i++)
        x[i] = (float)ramus_rng_normal(&rng, (uint64_t)i);
}

static void set(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = EMPTY;
}

/* Every number is where it belongs, zeros are behind the last column and nothing behind the end. */
static void check_packed(const char *isa, const ramus_gemm *g, bool a, const ramus_pack_job *job)
{
    const int width = a ? g->height : g->width, groups = (job->columns + width - 1) / width;
    const size_t count = (size_t)groups * (size_t)width * (size_t)job->n_rows;
    float *to = malloc((count + GUARD) * sizeof *to), sums[COLUMNS + GUARD];
    if (!to) exit(1);
    set(to, count + GUARD);
    set(sums, COLUMNS + GUARD);
    if (a)
        g->pack_a(to, sums, job);
    else
        g->pack_b(to, job);
    for (int j = 0; j < groups * width; j++) {
        double sum = (double)EMPTY, magnitude = sum;
        for (int i = 0; i < job->n_rows; i++) {
            const int r = job->rows ? job->rows[i] : i;
            const float scale = job->scale ? job->scale[r] : 1;
            const float want = j < job->columns ? scale * job->src[r * job->stride + j] : 0;
            const float got = to[((ptrdiff_t)(j / width) * job->n_rows + i) * width + j % width];
            EXPECT(got == want, "%s: [%d][%d] of %d x %d: got %g, want %g", isa, i, j, job->n_rows,
                   job->columns, (double)got, (double)want);
            sum += (double)want;
            magnitude += fabs((double)want);
        }
        if (a && j < job->columns) EXPECT_NEAR(sums[j], sum, job->n_rows * 1.2e-7 * magnitude, isa);
    }
    for (int i = 0; i < GUARD; i++)
        EXPECT(to[count + (size_t)i] == EMPTY && (!a || sums[job->columns + i] == EMPTY),
               "%s: guard %d of %d x %d", isa, i, job->n_rows, job->columns);
    free(to);
}

static void packing_puts_every_number_in_its_place(void)
{
    static const int columns[] = {1, 5, 6, 12, 15, 16, 17, 24, 31, 32, 33, 48, 49, COLUMNS};
    fill(source, ROWS * COLUMNS, 0);
    fill(scales, ROWS, 1);
    for (int i = 0; i < ROWS; i++)
        listed[i] = (i * 7 + 3) % ROWS;
    for (int r = 0; r < ramus_train_kernels_count(); r++) {
        const ramus_train_kernels *row = ramus_train_kernels_at(r);
        if (!ramus_cpu_has(row->needs) || !row->gemm) continue;
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int n_rows = 1; n_rows <= ROWS; n_rows += n_rows < 4 ? 1 : 5)
                for (int plain = 0; plain < 2; plain++) {
                    const ramus_pack_job job = {.src = source,
                                                .stride = COLUMNS,
                                                .rows = plain ? NULL : listed,
                                                .n_rows = n_rows,
                                                .columns = columns[c],
                                                .scale = plain ? NULL : scales,
                                                .scale_stride = 1};
                    check_packed(row->isa, row->gemm, true, &job);
                    check_packed(row->isa, row->gemm, false, &job);
                }
    }
}

/* One panel; a [n_rows, DEPTH], b [DEPTH, width], and c with guards behind its columns. */
static void check_panel(const char *isa, const ramus_gemm *g, int columns, int n_rows, bool add,
                        bool biased)
{
    static float a[ROWS * DEPTH], b[DEPTH * WIDEST], c[ROWS * (WIDEST + GUARD)], bias[WIDEST];
    const int stride = g->width + GUARD;
    fill(a, ROWS * DEPTH, 2);
    fill(b, DEPTH * g->width, 3);
    fill(bias, WIDEST, 4);
    set(c, sizeof c / sizeof *c);
    for (int t = 0; t < DEPTH; t++)
        memset(b + t * g->width + columns, 0, (size_t)(g->width - columns) * sizeof *b);
    g->panel(&(ramus_gemm_job){.depth = DEPTH,
                               .a = a,
                               .a_stride = DEPTH,
                               .n_rows = n_rows,
                               .b = b,
                               .columns = columns,
                               .c = c,
                               .c_stride = stride,
                               .add = add,
                               .bias = biased ? bias : NULL});
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < stride; j++) {
            const float got = c[r * stride + j];
            if (r >= n_rows || j >= columns) {
                EXPECT(got == EMPTY, "%s: [%d][%d] behind %d x %d", isa, r, j, n_rows, columns);
                continue;
            }
            double want = (add ? (double)EMPTY : 0) + (biased ? (double)bias[j] : 0);
            double magnitude = fabs(want);
            for (int t = 0; t < DEPTH; t++) {
                const double term = (double)a[r * DEPTH + t] * (double)b[t * g->width + j];
                want += term;
                magnitude += fabs(term);
            }
            EXPECT(fabs((double)got - want) <= DEPTH * 1.2e-7 * magnitude,
                   "%s: [%d][%d] of %d x %d, add %d bias %d: got %.9g, want %.9g", isa, r, j,
                   n_rows, columns, add, biased, (double)got, want);
        }
}

static void whole_and_ragged_panels_equal_plain_loops(void)
{
    for (int r = 0; r < ramus_train_kernels_count(); r++) {
        const ramus_train_kernels *row = ramus_train_kernels_at(r);
        if (!ramus_cpu_has(row->needs) || !row->gemm) continue;
        const ramus_gemm *g = row->gemm;
        EXPECT(g->width <= WIDEST && 2 * g->height < ROWS, "%s: larger than this test", row->isa);
        const int columns[] = {1, g->width / 2, g->width / 2 + 1, g->width - 1, g->width};
        const int n_rows[] = {1, g->height - 1, g->height, g->height + 1, ROWS};
        for (int c = 0; c < 5; c++)
            for (int n = 0; n < 5; n++)
                for (int how = 0; how < 4; how++)
                    check_panel(row->isa, g, columns[c], n_rows[n], how & 1, how & 2);
    }
}

CHECK_MAIN({"packing_puts_every_number_in_its_place", packing_puts_every_number_in_its_place},
           {"whole_and_ragged_panels_equal_plain_loops", whole_and_ragged_panels_equal_plain_loops})
