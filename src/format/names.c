/* An array of pointers to the names, sorted once, then binary search. */
#include "format/names.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    const char *const *left = *(const char *const *const *)a;
    const char *const *right = *(const char *const *const *)b;
    return strcmp(*left, *right);
}

ramus_status ramus_names_init(ramus_names *x, const void *records, size_t n, size_t size,
                              ramus_error *err)
{
    const char *const **sorted = calloc(n ? n : 1, sizeof *sorted);
    if (!sorted) return ramus_fail_memory(err, "an index of names");
    for (size_t i = 0; i < n; i++)
        sorted[i] = (const void *)((const char *)records + i * size);
    qsort(sorted, n, sizeof *sorted, compare_names);
    *x = (ramus_names){sorted, n};
    return RAMUS_OK;
}

void ramus_names_free(ramus_names *x)
{
    free(x->sorted);
    *x = (ramus_names){0};
}

const void *ramus_names_find(const ramus_names *x, const char *name)
{
    const char *const *wanted = &name;
    if (x->n == 0) return NULL;
    const char *const **found = bsearch(&wanted, x->sorted, x->n, sizeof *x->sorted, compare_names);
    return found ? *found : NULL;
}

const char *ramus_names_repeated(const ramus_names *x)
{
    for (size_t i = 1; i < x->n; i++)
        if (strcmp(*x->sorted[i - 1], *x->sorted[i]) == 0) return *x->sorted[i];
    return NULL;
}
