/* halves.h - the two tables of kernels, that of translation and that of training, as lists: rows,
 * slots and cases. */
#ifndef RAMUS_TESTS_KERNELS_HALVES_H
#define RAMUS_TESTS_KERNELS_HALVES_H

#include "bench/train_kernel_cases.h"
#include "kernels/cpu.h"
#include "kernels/select.h"
#include "kernels/select_train.h"

#include "check.h"

/* A row or a table of either half; they begin alike. */
typedef union {
    ramus_kernels kernels;
    ramus_train_kernels train;
} table;

typedef struct {
    const kernel_slot *slots;
    const kernel_case *cases;
    int n_slots, n_cases;
    bool train;
} half;

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

static const half halves[] = {
    {kernel_slots, kernel_cases, LENGTH(kernel_slots), LENGTH(kernel_cases), false},
    {train_slots, train_cases, LENGTH(train_slots), LENGTH(train_cases), true},
};
#define HALVES LENGTH(halves)

static inline int row_count(const half *h)
{
    return h->train ? ramus_train_kernels_count() : ramus_kernels_count();
}

static inline table row_at(const half *h, int i)
{
    table t = {0};
    if (h->train)
        t.train = *ramus_train_kernels_at(i);
    else
        t.kernels = *ramus_kernels_at(i);
    return t;
}

static inline bool select_table(table *out, const half *h, const char *isa)
{
    return h->train ? ramus_train_kernels_select(&out->train, isa)
                    : ramus_kernels_select(&out->kernels, isa);
}

static inline bool is_usable(const table *row)
{
    return ramus_cpu_has(row->kernels.needs);
}

/* What stands in a slot, as bits: functions and objects alike. */
static inline uintptr_t slot_of(const table *t, const kernel_slot *s)
{
    uintptr_t bits = 0;
    memcpy(&bits, (const char *)t + s->offset, sizeof bits);
    return bits;
}

static inline const kernel_slot *slot_named(const half *h, const char *name)
{
    for (int i = 0; i < h->n_slots; i++)
        if (strcmp(h->slots[i].name, name) == 0) return &h->slots[i];
    return NULL;
}

#endif
