#include "kernels/select.h"

#include "kernels/cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
extern const ramus_kernels ramus_kernels_avx2, ramus_kernels_avx2_train, ramus_kernels_avx512,
    ramus_kernels_avx512_train, ramus_kernels_avx512vnni;
#endif

/* Slowest first: each is laid over those before it. */
static const ramus_kernels *const rows[] = {
    &ramus_kernels_ref,
#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
    &ramus_kernels_avx2,         &ramus_kernels_avx2_train, &ramus_kernels_avx512,
    &ramus_kernels_avx512_train, &ramus_kernels_avx512vnni,
#endif
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

int ramus_kernels_count(void)
{
    return ROWS;
}

const ramus_kernels *ramus_kernels_at(int i)
{
    return rows[i];
}

bool ramus_kernels_usable(const ramus_kernels *row)
{
    return (row->needs & ~ramus_cpu_features()) == 0;
}

#define OVERLAY(entry)                                                                             \
    if (row->entry) out->entry = row->entry

static void overlay(ramus_kernels *out, const ramus_kernels *row)
{
    out->isa = row->isa;
    OVERLAY(linear);
    OVERLAY(gemm);
    OVERLAY(quantize);
    OVERLAY(linear_i8);
    OVERLAY(linear_i4);
    OVERLAY(sum_groups);
    OVERLAY(softmax);
    OVERLAY(log_sum_exp);
    OVERLAY(top_k);
    OVERLAY(norm);
    OVERLAY(norm_backward);
    OVERLAY(attention);
    OVERLAY(attention_train);
    OVERLAY(attention_backward);
    OVERLAY(embed);
    OVERLAY(embed_i8);
    OVERLAY(embed_i4);
    OVERLAY(add);
    OVERLAY(axpy);
    OVERLAY(relu);
    OVERLAY(relu_backward);
    OVERLAY(random);
    OVERLAY(dropout);
    OVERLAY(cross_entropy);
    OVERLAY(adam);
}

/* How many rows, from the slowest on, a cap leaves; 0: there is no such isa. */
static int rows_up_to(const char *isa)
{
    for (int i = ROWS; i > 0; i--)
        if (strcmp(rows[i - 1]->isa, isa) == 0) return i;
    return 0;
}

bool ramus_kernels_select(ramus_kernels *out, const char *isa)
{
    const int n = isa ? rows_up_to(isa) : ROWS;
    *out = ramus_kernels_ref;
    for (int i = 1; i < n; i++)
        // cppcheck-suppress arrayIndexOutOfBounds ; where there is one row, n is 1
        if (ramus_kernels_usable(rows[i])) overlay(out, rows[i]);
    return n > 0;
}

void ramus_kernels_choose(ramus_kernels *out)
{
    if (!ramus_kernels_select(out, getenv("RAMUS_ISA"))) (void)ramus_kernels_select(out, NULL);
}
