/* Every row against the reference row, in the manner of dav1d's checkasm: exact kernels bit for
 * bit, bounded ones within their bound; sizes from 1 on with ragged tails, extreme values, guards
 * around every buffer. */
#include "base/rng.h"
#include "base/status.h"
#include "bench/kernel_cases.h"
#include "kernels/select.h"

#include "check.h"

#define GUARD 16

static const int sizes[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 65, 100, 128, 130, 257};

/* kind 0: normal numbers; 1: far apart; 2: zeros, ones and tiny numbers */
static float value_at(int kind, uint64_t i)
{
    const ramus_rng rng = {check_seed(), 8, (uint32_t)kind, 0};
    static const float extremes[] = {0, -0.0f, 1, -1, 1e-38f, -1e-40f, 3e4f, -3e4f, 0.5f, 1e-20f};
    if (kind == 2) return extremes[ramus_rng_bits(&rng, i) % 10];
    return (float)(ramus_rng_normal(&rng, i) * (kind == 1 ? 50 : 1));
}

typedef struct {
    float *block[MAX_BUFFERS], *at[MAX_BUFFERS];
} buffers;

static buffers fill(const kernel_case *c, int n, int kind, bool absolute)
{
    buffers b = {{0}, {0}};
    for (int i = 0; i < c->n_buffers; i++) {
        const int length = c->length(n, i);
        b.block[i] = malloc(((size_t)length + 2 * GUARD) * sizeof(float));
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

/* Nothing outside the buffers may differ, whatever the class. */
static void compare(const kernel_case *c, const char *isa, int n, int kind, const buffers *got,
                    const buffers *want, const buffers *magnitude)
{
    RAMUS_ASSERT(c->n_buffers >= 1 && c->n_buffers <= MAX_BUFFERS);
    for (int i = 0; i < c->n_buffers; i++) {
        const int length = c->length(n, i);
        RAMUS_ASSERT(got->at[i] && want->at[i] && magnitude->at[i]);
        const size_t guard = GUARD * sizeof(float);
        EXPECT(!memcmp(got->block[i], want->block[i], guard) &&
                   !memcmp(got->at[i] + length, want->at[i] + length, guard),
               "%s %s n %d kind %d: guards of buffer %d", isa, c->name, n, kind, i);
        if (c->exact) {
            EXPECT(!memcmp(got->at[i], want->at[i], (size_t)length * sizeof(float)),
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

static void every_row_equals_the_reference(void)
{
    for (int r = 1; r < ramus_kernels_count(); r++) {
        const char *isa = ramus_kernels_at(r)->isa;
        ramus_kernels table;
        if (!ramus_kernels_usable(ramus_kernels_at(r))) {
            printf("skipped: this CPU has no %s\n", isa);
            continue;
        }
        EXPECT(ramus_kernels_select(&table, isa), "%s", isa);
        for (size_t i = 0; i < sizeof kernel_cases / sizeof *kernel_cases; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int kind = 0; kind < (kernel_cases[i].exact ? 3 : 1); kind++) {
                    const kernel_case *c = &kernel_cases[i];
                    buffers got = fill(c, sizes[s], kind, false),
                            want = fill(c, sizes[s], kind, false);
                    buffers magnitude = fill(c, sizes[s], kind, true);
                    c->run(&table, got.at, sizes[s]);
                    c->run(&ramus_kernels_ref, want.at, sizes[s]);
                    if (!c->exact) c->run(&ramus_kernels_ref, magnitude.at, sizes[s]);
                    compare(c, isa, sizes[s], kind, &got, &want, &magnitude);
                    empty(c, &magnitude);
                    empty(c, &want);
                    empty(c, &got);
                }
    }
}

/* exp is 0 below -87: both sides of that bound, in every lane. */
static void softmax_ends_where_the_reference_does(void)
{
    static const float below_top[] = {0, -87, -86.99999f, -87.00001f, -1, -104};
    float x[37], got[37], want[37];
    for (int r = 1; r < ramus_kernels_count(); r++) {
        const ramus_kernels *row = ramus_kernels_at(r);
        if (!ramus_kernels_usable(row) || !row->softmax) continue;
        for (int shift = 0; shift < 6; shift++) {
            for (int i = 0; i < 37; i++)
                x[i] = below_top[(i + shift) % 6];
            const float sum = row->softmax(got, x, 37);
            EXPECT(sum == ramus_kernels_ref.softmax(want, x, 37), "%s: sum", row->isa);
            EXPECT_BYTES(got, want, sizeof want, "%s: shift %d", row->isa, shift);
        }
    }
}

static void selection_obeys_its_cap(void)
{
    ramus_kernels table;
    EXPECT(ramus_kernels_select(&table, "ref") && table.linear == ramus_kernels_ref.linear &&
               table.gemm == ramus_kernels_ref.gemm,
           "ref");
    EXPECT(!ramus_kernels_select(&table, "mmx"), "an unknown isa");
    EXPECT(ramus_kernels_select(&table, NULL), "no cap");
    for (int r = 0; r < ramus_kernels_count(); r++) {
        const ramus_kernels *row = ramus_kernels_at(r);
        if (!ramus_kernels_usable(row)) continue;
        EXPECT(ramus_kernels_select(&table, row->isa), "%s", row->isa);
        EXPECT_TEXT(table.isa, row->isa);
        if (row->gemm) EXPECT(table.gemm == row->gemm, "%s: gemm", row->isa);
        if (row->linear) EXPECT(table.linear == row->linear, "%s: linear", row->isa);
    }
    EXPECT(table.quantize && table.linear_i8 && table.log_sum_exp && table.top_k && table.embed_i8,
           "an entry of 8-bit numbers is empty");
    EXPECT(table.linear && table.gemm && table.softmax && table.norm && table.norm_backward &&
               table.attention && table.attention_train && table.attention_backward &&
               table.embed && table.add && table.axpy && table.relu && table.relu_backward &&
               table.random && table.dropout && table.cross_entropy && table.adam,
           "an entry of the table is empty");
}

CHECK_MAIN({"every_row_equals_the_reference", every_row_equals_the_reference},
           {"softmax_ends_where_the_reference_does", softmax_ends_where_the_reference_does},
           {"selection_obeys_its_cap", selection_obeys_its_cap})
