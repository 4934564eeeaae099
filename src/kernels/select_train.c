/* The same as select.c for the kernels of training, which have rows for fewer isas: a cap leaves
 * those whose isa stands before it, or is it, in the list of select.h. */
#include "kernels/select_train.h"

#include "kernels/cpu.h"
#include "kernels/select.h"

#include <string.h>

#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
extern const ramus_train_kernels ramus_train_kernels_avx2, ramus_train_kernels_avx512,
    ramus_train_kernels_avx512vnni;
#elif defined(__aarch64__) && !defined(RAMUS_DOUBLE)
extern const ramus_train_kernels ramus_train_kernels_neon;
#endif

static const ramus_train_kernels *const rows[] = {
    &ramus_train_kernels_ref,
#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
    &ramus_train_kernels_avx2,
    &ramus_train_kernels_avx512,
    &ramus_train_kernels_avx512vnni,
#elif defined(__aarch64__) && !defined(RAMUS_DOUBLE)
    &ramus_train_kernels_neon,
#endif
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

int ramus_train_kernels_count(void)
{
    return ROWS;
}

const ramus_train_kernels *ramus_train_kernels_at(int i)
{
    return rows[i];
}

#define OVERLAY(name, type, class)                                                                 \
    if (row->name) out->name = row->name;

static void overlay(ramus_train_kernels *out, const ramus_train_kernels *row)
{
    out->isa = row->isa;
    RAMUS_TRAIN_SLOTS(OVERLAY)
}

/* The place of an isa in the list of select.h, which is as long where there is none. */
static int rank_of(const char *isa)
{
    int i = 0;
    while (i < ramus_kernels_count() && strcmp(ramus_kernels_at(i)->isa, isa) != 0)
        i++;
    return i;
}

bool ramus_train_kernels_select(ramus_train_kernels *out, const char *isa)
{
    const int n = ramus_kernels_count(), cap = isa ? rank_of(isa) : n - 1;
    *out = ramus_train_kernels_ref;
    for (int i = 1; i < ROWS && cap < n; i++)
        if (rank_of(rows[i]->isa) <= cap && ramus_cpu_has(rows[i]->needs)) overlay(out, rows[i]);
    return cap < n;
}

ramus_status ramus_train_kernels_choose(ramus_train_kernels *out, ramus_error *err)
{
    const char *cap = NULL;
    const ramus_status st = ramus_kernels_cap(&cap, err);
    if (!st) (void)ramus_train_kernels_select(out, cap);
    return st;
}
