/* Splits the list of routing kinds and gives each the shape asked for. */
#include "bench/systems.h"

#include <stdlib.h>
#include <string.h>

ramus_status ramus_bench_systems(ramus_bench_system *out, int *n, const ramus_arch *given,
                                 const char *compare, ramus_error *err)
{
    ramus_arch shape = *given;
    const ramus_settings rows = ramus_arch_settings(&shape);
    const ramus_setting *routing = ramus_setting_find(&rows, "routing");
    const char *names = compare ? compare : routing->choices[given->routing];
    ramus_status st = RAMUS_OK;
    for (*n = 0; names && !st;) {
        if (*n == RAMUS_BENCH_SYSTEMS)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "compare names more than %d systems",
                              RAMUS_BENCH_SYSTEMS);
        ramus_bench_system *s = &out[(*n)++];
        const size_t size = strcspn(names, ",");
        *s = (ramus_bench_system){.arch = *given};
        memcpy(s->name, names, size < sizeof s->name ? size : sizeof s->name - 1);
        const ramus_settings table = ramus_arch_settings(&s->arch);
        st = ramus_setting_set(&table, routing, s->name, err);
        if (!st) st = ramus_arch_check(&s->arch, err);
        names = names[size] ? names + size + 1 : NULL;
    }
    return st;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double ramus_bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
