/* Every row against the reference row, in the manner of dav1d's checkasm: exact kernels bit for
 * bit, bounded ones within their bound; sizes from 1 on with ragged tails, extreme values, guards
 * around every buffer. */
#include "base/rng.h"
#include "base/status.h"
#include "kernels/halves.h"
#include "kernels/plain_row.h"

#define GUARD 16

static const int sizes[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 65, 100, 128, 130, 257};

/* What a value may be. SOME, MANY: normal numbers, and among them some or many that are no numbers
 * (NaN, with and without other bits than the usual ones) or infinite. */
typedef enum { NORMAL, FAR_APART, TINY, SOME, MANY, KINDS } value_kind;

static float special_at(uint32_t i)
{
    static const uint32_t bits[] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffc00000,
                                    0x7fc00001, 0xffd23455, 0x7f800001};
    float x = 0;
    memcpy(&x, &bits[i % LENGTH(bits)], sizeof x);
    return x;
}

static float value_at(value_kind kind, uint64_t i)
{
    const ramus_rng rng = {check_seed(), 8, (uint32_t)kind, 0}, other = {check_seed(), 9, 0, 0};
    const uint32_t draw = ramus_rng_bits(&other, i);
    if ((kind == SOME && draw % 40 == 0) || (kind == MANY && draw % 3 == 0))
        return special_at(draw / 64);
    static const float extremes[] = {0, -0.0f, 1, -1, 1e-38f, -1e-40f, 3e4f, -3e4f, 0.5f, 1e-20f};
    if (kind == TINY) return extremes[ramus_rng_bits(&rng, i) % 10];
    return (float)(ramus_rng_normal(&rng, i) * (kind == FAR_APART ? 50 : 1));
}

typedef struct {
    float *block[MAX_BUFFERS], *at[MAX_BUFFERS];
} buffers;

static buffers fill(const kernel_case *c, int n, value_kind kind, bool absolute)
{
    buffers b = {{0}, {0}};
    for (int i = 0; i < c->n_buffers; i++) {
        const int length = c->length(n, i);
        b.block[i] = calloc((size_t)length + 2 * GUARD, sizeof(float));
        if (!b.block[i]) exit(1);
        b.at[i] = b.block[i] + GUARD;
        for (int j = 0; j < length + 2 * GUARD; j++) {
            const float x = value_at(kind, (uint64_t)i * 1000000u + (uint64_t)j);
            b.block[i][j] = absolute ? fabsf(x) : x;
        }
    }
    return b;
}

static void empty(const kernel_case *c, buffers *b)
{
    for (int i = 0; i < c->n_buffers; i++)
        free(b->block[i]);
}

/* The same bits; or, where there are NaN among the values, both NaN. Which of two NaN an operation
 * hands on, and its sign, IEEE 754 leaves to the CPU and C to the compiler, which may swap
 * operands.
 */
static bool is_same(const float *got, const float *want, int n, value_kind kind)
{
    if (kind < SOME) return memcmp(got, want, (size_t)n * sizeof *got) == 0;
    bool same = true;
    for (int i = 0; i < n; i++)
        same &= memcmp(&got[i], &want[i], sizeof *got) == 0 || (isnan(got[i]) && isnan(want[i]));
    return same;
}

/* Nothing outside the buffers may differ, whatever the class. */
static void compare(const kernel_case *c, kernel_class class, const char *isa, int n,
                    value_kind kind, const buffers *got, const buffers *want,
                    const buffers *magnitude)
{
    RAMUS_ASSERT(c->n_buffers >= 1 && c->n_buffers <= MAX_BUFFERS);
    for (int i = 0; i < c->n_buffers; i++) {
        const int length = c->length(n, i);
        RAMUS_ASSERT(got->at[i] && want->at[i] && magnitude->at[i]);
        const size_t guard = GUARD * sizeof(float);
        EXPECT(!memcmp(got->block[i], want->block[i], guard) &&
                   !memcmp(got->at[i] + length, want->at[i] + length, guard),
               "%s %s n %d kind %d: guards of buffer %d", isa, c->name, n, kind, i);
        if (class == exact) {
            EXPECT(is_same(got->at[i], want->at[i], length, kind),
                   "%s %s n %d kind %d: bits of buffer %d", isa, c->name, n, kind, i);
            continue;
        }
        double largest = 1;
        for (int j = 0; j < length; j++)
            largest = fmax(largest, fabs((double)magnitude->at[i][j]));
        for (int j = 0; j < length; j++)
            EXPECT(fabs((double)got->at[i][j] - (double)want->at[i][j]) <=
                       (n + 40) * 1.2e-7 * largest,
                   "%s %s n %d kind %d: buffer %d[%d]: got %.9g, want %.9g", isa, c->name, n, kind,
                   i, j, (double)got->at[i][j], (double)want->at[i][j]);
    }
}

static void check_case(const kernel_case *c, kernel_class class, const table *row, const table *ref,
                       int n, value_kind kind)
{
    buffers got = fill(c, n, kind, false), want = fill(c, n, kind, false);
    buffers magnitude = fill(c, n, kind, true);
    c->run(row, got.at, n);
    c->run(ref, want.at, n);
    if (class == bounded) c->run(ref, magnitude.at, n);
    compare(c, class, row->kernels.isa, n, kind, &got, &want, &magnitude);
    empty(c, &magnitude);
    empty(c, &want);
    empty(c, &got);
}

/* All cases of a half with one table. */
static void check_table(const half *h, const table *chosen)
{
    const table ref = row_at(h, 0);
    for (int i = 0; i < h->n_cases; i++) {
        const kernel_class class = slot_named(h, h->cases[i].slot)->class;
        for (int s = 0; s < LENGTH(sizes); s++)
            for (int kind = NORMAL; kind < (class == exact ? KINDS : FAR_APART); kind++)
                check_case(&h->cases[i], class, chosen, &ref, sizes[s], kind);
    }
}

static void every_row_equals_the_reference(void)
{
    for (const half *h = halves; h < halves + HALVES; h++)
        for (int r = 1; r < row_count(h); r++) {
            const table row = row_at(h, r);
            table chosen = {0}; // what the row has of its own, and what it keeps
            if (!is_usable(&row)) {
                printf("skipped: this CPU has no %s\n", row.kernels.isa);
                continue;
            }
            EXPECT(select_table(&chosen, h, row.kernels.isa), "%s", row.kernels.isa);
            check_table(h, &chosen);
        }
}

static void portable_source_on_plain_lanes_equals_the_reference(void)
{
    check_table(&halves[0], &(table){.kernels = plain_row});
    check_table(&halves[1], &(table){.train = plain_train_row});
}

/* exp is 0 below -87: both sides of that bound, in every lane. */
static void softmax_ends_where_the_reference_does(void)
{
    static const float below_top[] = {0, -87, -86.99999f, -87.00001f, -1, -104};
    float x[37], got[37], want[37];
    for (int r = 1; r < ramus_kernels_count(); r++) {
        const ramus_kernels *row = ramus_kernels_at(r);
        if (!ramus_cpu_has(row->needs) || !row->softmax) continue;
        for (int shift = 0; shift < 6; shift++) {
            for (int i = 0; i < 37; i++)
                x[i] = below_top[(i + shift) % 6];
            const float sum = row->softmax(got, x, 37);
            EXPECT(sum == ramus_kernels_ref.softmax(want, x, 37), "%s: sum", row->isa);
            EXPECT_BYTES(got, want, sizeof want, "%s: shift %d", row->isa, shift);
        }
    }
}

CHECK_MAIN({"every_row_equals_the_reference", every_row_equals_the_reference},
           {"portable_source_on_plain_lanes_equals_the_reference",
            portable_source_on_plain_lanes_equals_the_reference},
           {"softmax_ends_where_the_reference_does", softmax_ends_where_the_reference_does})
