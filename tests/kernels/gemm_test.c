/* The products of training against plain loops: every row packs in groups of its own size, and a
 * panel of exactly that width takes another path than a part of one. Products of bfloat16 are those
 * of factors rounded beforehand. */
#include "base/rng.h"
#include "kernels/cpu.h"
#include "kernels/select_train.h"

#include "bf16.h"
#include "check.h"

#define ROWS    29
#define COLUMNS 67
#define DEPTH   19
#define WIDEST  64
#define GUARD   16
#define EMPTY   77.0f // what buffers hold before

static float source[ROWS * COLUMNS], scales[ROWS];
static int listed[ROWS];

/* One kernel of one row. */
typedef struct {
    const ramus_gemm *g;
    bool rounds; // to bfloat16
    char name[32];
} product;

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

static int numbers_of(const product *p, int terms)
{
    return (terms + p->g->terms - 1) / p->g->terms;
}

/* The factor that a product makes of x. */
static double factor(const product *p, double x)
{
    return p->rounds ? bf16_nearest(x) : x;
}

/* Term `t` of those that begin at `packed`, `step` numbers apart. */
static float term_at(const product *p, const float *packed, ptrdiff_t step, int t)
{
    const float *at = packed + t / p->g->terms * step;
    if (p->g->terms == 1) return *at;
    uint32_t pair = 0;
    memcpy(&pair, at, sizeof pair);
    const uint32_t bits = t % 2 ? pair & 0xffff0000 : pair << 16;
    float x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float source_at(const ramus_pack_job *job, int i, int column)
{
    const int r = job->rows ? job->rows[i] : i;
    return (job->scale ? job->scale[r] : 1) * job->src[r * job->stride + column];
}

static float *empty_room(size_t count)
{
    float *room = malloc((count + GUARD) * sizeof *room);
    if (!room) exit(1);
    set(room, count + GUARD);
    return room;
}

/* Every number is where it belongs, zeros are behind the last column and the last term, and nothing
 * behind the end. */
static void check_packed(const product *p, bool a, const ramus_pack_job *job)
{
    const ramus_gemm *g = p->g;
    const int width = a ? g->height : g->width, groups = (job->columns + width - 1) / width;
    const int numbers = numbers_of(p, job->n_rows);
    const size_t count = (size_t)groups * (size_t)width * (size_t)numbers;
    float *to = empty_room(count), sums[COLUMNS + GUARD];
    set(sums, COLUMNS + GUARD);
    if (a)
        g->pack_a(to, sums, job);
    else
        g->pack_b(to, job);
    for (int j = 0; j < groups * width; j++) {
        const float *column = to + (ptrdiff_t)(j / width) * numbers * width + j % width;
        double sum = (double)EMPTY, magnitude = sum;
        for (int i = 0; i < numbers * g->terms; i++) {
            const bool behind = j >= job->columns || i >= job->n_rows;
            const double exact = behind ? 0 : (double)source_at(job, i, j);
            const double want = factor(p, exact), got = (double)term_at(p, column, width, i);
            EXPECT(got == want, "%s: [%d][%d] of %d x %d: got %g, want %g", p->name, i, j,
                   job->n_rows, job->columns, got, want);
            sum += exact;
            magnitude += fabs(exact);
        }
        if (a && j < job->columns)
            EXPECT_NEAR(sums[j], sum, job->n_rows * 1.2e-7 * magnitude, p->name);
    }
    for (int i = 0; i < GUARD; i++)
        EXPECT(to[count + (size_t)i] == EMPTY && (!a || sums[job->columns + i] == EMPTY),
               "%s: guard %d of %d x %d", p->name, i, job->n_rows, job->columns);
    free(to);
}

static void check_packed_rows(const product *p, const ramus_pack_job *job)
{
    if (!p->g->pack_rows) return;
    const int numbers = numbers_of(p, job->columns);
    const size_t count = (size_t)numbers * (size_t)job->n_rows;
    float *to = empty_room(count);
    p->g->pack_rows(to, job);
    for (int i = 0; i < job->n_rows; i++)
        for (int j = 0; j < numbers * p->g->terms; j++) {
            const double want = j < job->columns ? factor(p, (double)source_at(job, i, j)) : 0;
            const double got = (double)term_at(p, to + (ptrdiff_t)i * numbers, 1, j);
            EXPECT(got == want, "%s: row %d, [%d] of %d: got %g, want %g", p->name, i, j,
                   job->columns, got, want);
        }
    for (int i = 0; i < GUARD; i++)
        EXPECT(to[count + (size_t)i] == EMPTY, "%s: guard %d of rows", p->name, i);
    free(to);
}

/* Does `body` with every product of every usable row. */
static void for_products(void (*body)(const product *p))
{
    for (int r = 0; r < ramus_train_kernels_count(); r++) {
        const ramus_train_kernels *row = ramus_train_kernels_at(r);
        product floats = {.g = row->gemm}, rounded = {.g = row->gemm_bf16, .rounds = true};
        if (!ramus_cpu_has(row->needs)) continue;
        (void)snprintf(floats.name, sizeof floats.name, "%s", row->isa);
        (void)snprintf(rounded.name, sizeof rounded.name, "%s bf16", row->isa);
        if (floats.g) body(&floats);
        if (rounded.g) body(&rounded);
    }
}

static void check_packing(const product *p)
{
    static const int columns[] = {1, 5, 6, 12, 15, 16, 17, 24, 31, 32, 33, 48, 49, COLUMNS};
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
                check_packed(p, true, &job);
                check_packed(p, false, &job);
                check_packed_rows(p, &job);
            }
}

static void packing_puts_every_number_in_its_place(void)
{
    fill(source, ROWS * COLUMNS, 0);
    fill(scales, ROWS, 1);
    for (int i = 0; i < ROWS; i++)
        listed[i] = (i * 7 + 3) % ROWS;
    for_products(check_packing);
}

/* Halves go to the even neighbour, the largest numbers to infinity, and what is not a number stays
 * so. */
static void check_rounding(const product *p)
{
    static const float x[] = {0x1.01p0f,     0x1.03p0f,     0x1.010002p0f, -0x1.03p-9f, 0,
                              0x1.fefffep0f, 0x1.ffp0f,     0x1.fep127f,   3.4e38f,     -INFINITY,
                              NAN,           0x1.02fffep5f, -0.0f};
    static const float want[] = {1,         0x1.04p0f, 0x1.02p0f,   -0x1.04p-9f, 0,
                                 0x1.fep0f, 2,         0x1.fep127f, INFINITY,    -INFINITY,
                                 NAN,       0x1.02p5f, -0.0f};
    const int n = (int)(sizeof x / sizeof *x);
    float to[sizeof x / sizeof *x];
    if (!p->rounds) return;
    p->g->pack_rows(to, &(ramus_pack_job){.src = x, .n_rows = 1, .columns = n});
    for (int i = 0; i < n; i++) {
        const float got = term_at(p, to, 1, i);
        EXPECT(isnan(want[i]) ? isnan(got) : got == want[i], "%s: %a: got %a, want %a", p->name,
               (double)x[i], (double)got, (double)want[i]);
    }
}

static void bfloat16_is_the_nearest_of_8_digits(void)
{
    for_products(check_rounding);
}

/* The size of a panel and what comes with it. */
typedef struct {
    int columns, n_rows;
    bool add, biased, listed;
} panel;

/* One panel; a [ROWS, DEPTH], w [DEPTH, columns], and c with guards behind its columns. */
static void check_panel(const product *p, const panel *s)
{
    static float a[ROWS * DEPTH], w[DEPTH * WIDEST], c[ROWS * (WIDEST + GUARD)], bias[WIDEST];
    static float packed_a[ROWS * DEPTH], b[DEPTH * WIDEST];
    const int stride = p->g->width + GUARD;
    const bool packs = p->g->pack_rows != NULL;
    const int *rows = s->listed ? listed : NULL;
    set(c, sizeof c / sizeof *c);
    fill(a, ROWS * DEPTH, 2);
    fill(w, DEPTH * s->columns, 3);
    fill(bias, WIDEST, 4);
    p->g->pack_b(b, &(ramus_pack_job){
                        .src = w, .stride = s->columns, .n_rows = DEPTH, .columns = s->columns});
    if (packs)
        p->g->pack_rows(
            packed_a,
            &(ramus_pack_job){
                .src = a, .stride = DEPTH, .rows = rows, .n_rows = s->n_rows, .columns = DEPTH});
    p->g->panel(&(ramus_gemm_job){.depth = numbers_of(p, DEPTH),
                                  .a = packs ? packed_a : a,
                                  .a_stride = packs ? numbers_of(p, DEPTH) : DEPTH,
                                  .rows = rows,
                                  .in_order = packs,
                                  .n_rows = s->n_rows,
                                  .b = b,
                                  .columns = s->columns,
                                  .c = c,
                                  .c_stride = stride,
                                  .add = s->add,
                                  .bias = s->biased ? bias : NULL});
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < stride; j++) {
            const int r = s->listed ? listed[i] : i;
            const float got = c[r * stride + j];
            if (i >= s->n_rows || j >= s->columns) {
                EXPECT(got == EMPTY, "%s: [%d][%d] behind %d x %d", p->name, r, j, s->n_rows,
                       s->columns);
                continue;
            }
            double want = (s->add ? (double)EMPTY : 0) + (s->biased ? (double)bias[j] : 0);
            double magnitude = fabs(want);
            for (int t = 0; t < DEPTH; t++) {
                const double term =
                    factor(p, (double)a[r * DEPTH + t]) * factor(p, (double)w[t * s->columns + j]);
                want += term;
                magnitude += fabs(term);
            }
            EXPECT(fabs((double)got - want) <= DEPTH * 1.2e-7 * magnitude,
                   "%s: [%d][%d] of %d x %d, add %d bias %d listed %d: got %.9g, want %.9g",
                   p->name, r, j, s->n_rows, s->columns, s->add, s->biased, s->listed, (double)got,
                   want);
        }
}

static void check_panels(const product *p)
{
    const int width = p->g->width, height = p->g->height;
    EXPECT(width <= WIDEST && 2 * height < ROWS, "%s: larger than this test", p->name);
    const int columns[] = {1, width / 2, width / 2 + 1, width - 1, width};
    const int n_rows[] = {1, height - 1, height, height + 1, ROWS};
    for (int c = 0; c < 5; c++)
        for (int n = 0; n < 5; n++)
            for (int how = 0; how < 8; how++)
                check_panel(p, &(panel){columns[c], n_rows[n], how & 1, how & 2, how & 4});
}

static void whole_and_ragged_panels_equal_plain_loops(void)
{
    for (int i = 0; i < ROWS; i++)
        listed[i] = (i * 7 + 3) % ROWS;
    for_products(check_panels);
}

CHECK_MAIN({"packing_puts_every_number_in_its_place", packing_puts_every_number_in_its_place},
           {"bfloat16_is_the_nearest_of_8_digits", bfloat16_is_the_nearest_of_8_digits},
           {"whole_and_ragged_panels_equal_plain_loops", whole_and_ragged_panels_equal_plain_loops})
