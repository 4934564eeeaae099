/* The table of this machine: the reference row, and over it, slot by slot, what every usable row up
 * to the cap has. RAMUS_ISA names the cap. */
#include "kernels/select.h"

#include "kernels/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
extern const ramus_kernels ramus_kernels_avx2, ramus_kernels_avx512, ramus_kernels_avx512vnni;
#elif defined(__aarch64__) && !defined(RAMUS_DOUBLE)
extern const ramus_kernels ramus_kernels_neon, ramus_kernels_dotprod;
#elif defined(__wasm_simd128__) && !defined(RAMUS_DOUBLE)
extern const ramus_kernels ramus_kernels_simd128;
#endif

/* Slowest first: each is laid over those before it. */
static const ramus_kernels *const rows[] = {
    &ramus_kernels_ref,
#if defined(__x86_64__) && !defined(RAMUS_DOUBLE)
    &ramus_kernels_avx2,
    &ramus_kernels_avx512,
    &ramus_kernels_avx512vnni,
#elif defined(__aarch64__) && !defined(RAMUS_DOUBLE)
    &ramus_kernels_neon,
    &ramus_kernels_dotprod,
#elif defined(__wasm_simd128__) && !defined(RAMUS_DOUBLE)
    &ramus_kernels_simd128,
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

#define OVERLAY(name, type, class)                                                                 \
    if (row->name) out->name = row->name;

static void overlay(ramus_kernels *out, const ramus_kernels *row)
{
    out->isa = row->isa;
    RAMUS_KERNEL_SLOTS(OVERLAY)
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
        if (ramus_cpu_has(rows[i]->needs)) overlay(out, rows[i]);
    return n > 0;
}

/* The names of the rows, or of those that this CPU has. */
static void name_rows(char *to, size_t size, bool usable)
{
    size_t used = 0;
    for (int i = 0; i < ROWS && used < size; i++)
        if (!usable || ramus_cpu_has(rows[i]->needs))
            used += (size_t)snprintf(to + used, size - used, "%s%s", i ? ", " : "", rows[i]->isa);
}

ramus_status ramus_kernels_cap(const char **isa, ramus_error *err)
{
    char names[64] = "";
    const char *cap = getenv("RAMUS_ISA");
    *isa = NULL;
    if (!cap || !*cap) return RAMUS_OK;
    const int n = rows_up_to(cap);
    const bool lacks = n && !ramus_cpu_has(rows[n - 1]->needs);
    name_rows(names, sizeof names, lacks);
    if (!n)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "RAMUS_ISA is '%.32s', expected one of: %s", cap,
                          names);
    if (lacks)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "RAMUS_ISA is '%s', which this CPU lacks, expected one of: %s", cap,
                          names);
    *isa = cap;
    return RAMUS_OK;
}

ramus_status ramus_kernels_choose(ramus_kernels *out, ramus_error *err)
{
    const char *cap = NULL;
    const ramus_status st = ramus_kernels_cap(&cap, err);
    if (!st) (void)ramus_kernels_select(out, cap);
    return st;
}
