/* The products of training as a whole, blocks, packing and listed rows included, against plain
 * loops in double; of bfloat16 ones, with factors rounded beforehand. Depths are such that a sum
 * takes several slices, and an odd rest. */
#include "base/arena.h"
#include "grad/gemm.h"
#include "kernels/cpu.h"
#include "kernels/select.h"
#include "kernels/select_train.h"

#include "bf16.h"
#include "check.h"

#define MAX_ROWS 403
#define MAX_SIZE 301
#define BRANCHES 3
#define EPSILON  1.2e-7
#define BEHIND   40 // numbers behind a result, which must stay as they were

static float a[MAX_ROWS * MAX_SIZE], x[MAX_ROWS * MAX_SIZE], w[BRANCHES * MAX_SIZE * MAX_SIZE],
    bias[BRANCHES * MAX_SIZE], scale[MAX_ROWS * BRANCHES];

/* What products add to, with what stood there before, in floats or in doubles. */
#define RESULT_SIZE (BRANCHES * MAX_SIZE * MAX_SIZE + BEHIND)
static float got[RESULT_SIZE], got_more[MAX_ROWS * BRANCHES], first[RESULT_SIZE];
static double a_factor[MAX_ROWS * MAX_SIZE], w_factor[BRANCHES * MAX_SIZE * MAX_SIZE];
static double want[RESULT_SIZE], want_more[MAX_ROWS * BRANCHES], size[RESULT_SIZE],
    size_more[MAX_ROWS * BRANCHES];

typedef struct {
    int n_rows, depth, columns;
    bool routed, transposed, scaled;
} shape;

static int lists[BRANCHES][MAX_ROWS], listed[BRANCHES];

static const int *rows_of(const void *arg, int branch, int from, int to, int *n_rows)
{
    (void)arg;
    int low = 0, high = 0;
    while (low < listed[branch] && lists[branch][low] < from)
        low++;
    for (high = low; high < listed[branch] && lists[branch][high] < to; high++)
        continue;
    *n_rows = high - low;
    return lists[branch] + low;
}

static void fill(float *to, int n, unsigned stream)
{
    const ramus_rng rng = {check_seed(), 8, stream, 0};
    for (int i = 0; i < n; i++)
        to[i] = (float)ramus_rng_normal(&rng, (uint64_t)i);
}

/* Branch 0 takes every third row, branch 1 all, branch 2 a random few. */
static void draw_lists(int n_rows)
{
    const ramus_rng rng = {check_seed(), 8, 9, 9};
    memset(listed, 0, sizeof listed);
    for (int r = 0; r < n_rows; r++) {
        if (r % 3 == 1) lists[0][listed[0]++] = r;
        lists[1][listed[1]++] = r;
        if (ramus_rng_bits(&rng, (uint64_t)r) % 4 == 0) lists[2][listed[2]++] = r;
    }
}

static int row_at(const shape *s, int branch, int i)
{
    return s->routed ? lists[branch][i] : i;
}

static int rows_in(const shape *s, int branch)
{
    return s->routed ? listed[branch] : s->n_rows;
}

static double factor(bool rounds, float value)
{
    return rounds ? bf16_nearest((double)value) : (double)value;
}

static double scale_at(const shape *s, int row, int branch)
{
    return s->scaled ? (double)scale[row * BRANCHES + branch] : 1;
}

static void add_to(double *sum, double *magnitude, double value, double of)
{
    *sum += value;
    *magnitude += of;
}

/* c and dscale, and the magnitudes of their terms */
static void rows_in_double(const shape *s)
{
    for (int b = 0; b < (s->routed ? BRANCHES : 1); b++)
        for (int i = 0; i < rows_in(s, b); i++)
            for (int j = 0; j < s->columns; j++) {
                const int r = row_at(s, b, i), at = r * s->columns + j;
                const double *wb = w_factor + b * s->depth * s->columns;
                double sum = 0, magnitude = 0;
                for (int t = 0; t < s->depth; t++) {
                    const double weight = wb[s->transposed ? t * s->columns + j : j * s->depth + t];
                    const double term = a_factor[r * s->depth + t] * weight;
                    add_to(&sum, &magnitude, term, fabs(term));
                }
                const double by = (double)x[at], added = (double)bias[b * s->columns + j];
                const double times = scale_at(s, r, b);
                add_to(&want_more[r * BRANCHES + b], &size_more[r * BRANCHES + b], sum * by,
                       magnitude * fabs(by));
                add_to(&want[at], &size[at], (sum + added) * times,
                       (magnitude + fabs(added)) * fabs(times));
            }
}

/* dw and dbias; dy is x [n_rows, columns] */
static void weights_in_double(const shape *s, bool rounds)
{
    for (int b = 0; b < (s->routed ? BRANCHES : 1); b++)
        for (int i = 0; i < rows_in(s, b); i++)
            for (int j = 0; j < s->columns; j++) {
                const int r = row_at(s, b, i);
                const float dy = (float)scale_at(s, r, b) * x[r * s->columns + j];
                const double rounded = factor(rounds, dy);
                for (int t = 0; t < s->depth; t++) {
                    const int at = (b * s->columns + j) * s->depth + t;
                    const double term = rounded * a_factor[r * s->depth + t];
                    add_to(&want[at], &size[at], term, fabs(term));
                }
                const int at = b * s->columns + j;
                add_to(&want_more[at], &size_more[at], (double)dy, fabs((double)dy));
            }
}

static void begin(void)
{
    for (int i = 0; i < RESULT_SIZE; i++)
        want[i] = (double)(got[i] = (float)(i % 7)), size[i] = want[i];
    for (int i = 0; i < MAX_ROWS * BRANCHES; i++)
        want_more[i] = (double)(got_more[i] = (float)(i % 5)), size_more[i] = want_more[i];
}

static void run_rows(ramus_run *run, const shape *s)
{
    const ramus_gemm_rows g = {.n_rows = s->n_rows,
                               .branches = s->routed ? BRANCHES : 1,
                               .rows_of = s->routed ? rows_of : NULL,
                               .depth = s->depth,
                               .columns = s->columns,
                               .transposed = s->transposed,
                               .a = a,
                               .w = w,
                               .bias = bias,
                               .c = got,
                               .add = true,
                               .scale = s->scaled ? scale : NULL,
                               .x = x,
                               .dscale = s->scaled ? got_more : NULL};
    ramus_gemm_rows_run(run, &g);
}

static void run_weights(ramus_run *run, const shape *s)
{
    const ramus_gemm_weights g = {.n_rows = s->n_rows,
                                  .branches = s->routed ? BRANCHES : 1,
                                  .rows_of = s->routed ? rows_of : NULL,
                                  .outputs = s->columns,
                                  .inputs = s->depth,
                                  .dy = x,
                                  .x = a,
                                  .scale = s->scaled ? scale : NULL,
                                  .dw = got,
                                  .dbias = got_more};
    ramus_gemm_weights_run(run, &g);
}

static void compare(const char *what, const shape *s, int n, int terms, bool more)
{
    const float *result = more ? got_more : got;
    const double *truth = more ? want_more : want, *magnitude = more ? size_more : size;
    for (int i = 0; i < n; i++)
        EXPECT(
            fabs((double)result[i] - truth[i]) <= (terms + 4) * EPSILON * magnitude[i],
            "%s, %d rows, %d x %d, routed %d, transposed %d, scaled %d: %s[%d] is %.9g, not %.9g",
            what, s->n_rows, s->columns, s->depth, s->routed, s->transposed, s->scaled,
            more ? "more" : "sum", i, (double)result[i], truth[i]);
}

/* One shape with one product: right, and the same bits with one thread and three. */
static void check_shape(ramus_run *run, ramus_pool *pool, const char *what, const shape *s,
                        bool rounds)
{
    for (int weights = 0; weights < 2; weights++) {
        if (weights && s->transposed) continue;
        for (int threads = 1; threads <= 3; threads += 2) {
            run->pool = threads > 1 ? pool : NULL;
            begin();
            if (weights)
                run_weights(run, s);
            else
                run_rows(run, s);
            if (threads == 1)
                memcpy(first, got, sizeof got);
            else
                EXPECT(!memcmp(first, got, sizeof got), "%s: threads change bits", what);
        }
        if (weights)
            weights_in_double(s, rounds);
        else
            rows_in_double(s);
        const int branches = s->routed ? BRANCHES : 1;
        const int n = s->columns * (weights ? branches * s->depth : s->n_rows);
        const int more = weights ? branches * s->columns : s->scaled ? s->n_rows * branches : 0;
        compare(what, s, n + BEHIND, weights ? s->n_rows : s->depth, false);
        compare(what, s, more, weights ? s->n_rows : s->depth + s->columns, true);
    }
}

static void make_factors(bool rounds)
{
    for (int i = 0; i < MAX_ROWS * MAX_SIZE; i++)
        a_factor[i] = factor(rounds, a[i]);
    for (int i = 0; i < BRANCHES * MAX_SIZE * MAX_SIZE; i++)
        w_factor[i] = factor(rounds, w[i]);
}

static void check_table(ramus_run *run, ramus_pool *pool, bool rounds)
{
    static const int sizes[][3] = {
        {1, 1, 1}, {13, 19, 5}, {MAX_ROWS, MAX_SIZE, 67}, {200, 33, 257}};
    char what[32];
    (void)snprintf(what, sizeof what, "%s%s", run->train->kernels.isa, rounds ? " bf16" : "");
    if (rounds) run->train->kernels.gemm = run->train->kernels.gemm_bf16;
    make_factors(rounds);
    for (int i = 0; i < 4; i++) {
        draw_lists(sizes[i][0]);
        for (int how = 0; how < 6; how++) {
            const shape s = {sizes[i][0], sizes[i][1], sizes[i][2], how >= 2, how & 1, how >= 4};
            check_shape(run, pool, what, &s, rounds);
        }
    }
}

static void every_row_and_product_equals_plain_loops(void)
{
    ramus_error err = {0};
    ramus_pool *pool = NULL;
    ramus_train_run training = {0};
    ramus_run run = {.train = &training};
    REQUIRE_OK(ramus_pool_create(&pool, 3, &err), err);
    fill(a, MAX_ROWS * MAX_SIZE, 1), fill(x, MAX_ROWS * MAX_SIZE, 2);
    fill(w, BRANCHES * MAX_SIZE * MAX_SIZE, 3), fill(bias, BRANCHES * MAX_SIZE, 4);
    fill(scale, MAX_ROWS * BRANCHES, 5);
    run.scratch_stride = ramus_arena_round(ramus_gemm_scratch(MAX_SIZE));
    run.scratch = malloc(3 * run.scratch_stride);
    training.shared = malloc(BRANCHES * ramus_gemm_packed(MAX_SIZE, MAX_SIZE) * sizeof(float));
    for (int i = 0; i < ramus_train_kernels_count(); i++) {
        const ramus_train_kernels *row = ramus_train_kernels_at(i);
        for (int rounds = 0; rounds < 2 && ramus_cpu_has(row->needs); rounds++) {
            EXPECT(ramus_train_kernels_select(&training.kernels, row->isa), "%s", row->isa);
            check_table(&run, pool, rounds);
        }
    }
    free(training.shared);
    free(run.scratch);
    ramus_pool_destroy(pool);
}

CHECK_MAIN({"every_row_and_product_equals_plain_loops", every_row_and_product_equals_plain_loops})
