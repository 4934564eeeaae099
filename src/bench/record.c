/* Each product is kept as the job that its kernel got, with a copy of its list of rows, so that
 * a replay calls the same kernels on the same memory. */
#include "bench/record.h"

#include "base/clock.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>

void ramus_record_free(ramus_record *r)
{
    free(r->items);
    free(r->rows);
    *r = (ramus_record){0};
}

static void add(void *arg, const ramus_node *n, const ramus_linear_job *f32,
                const ramus_linear_i8_job *packed)
{
    ramus_record *r = arg;
    ramus_product p = {.node = n, .dtype = n->in[1]->dtype, .first_row = r->n_rows};
    if (packed)
        p.job.packed = *packed;
    else
        p.job.f32 = *f32;
    const int *list = packed ? packed->rows : f32->rows;
    const size_t count = !list ? 0 : (size_t)(packed ? packed->n_rows : f32->n_rows);
    static const char what[] = "a record of products";
    if (r->failed || RAMUS_LIST_RESERVE(r->items, r->room, r->n + 1, what, NULL) ||
        RAMUS_LIST_RESERVE(r->rows, r->rows_room, r->n_rows + count, what, NULL)) {
        r->failed = true;
        return;
    }
    r->items[r->n++] = p;
    if (count) memcpy(r->rows + r->n_rows, list, count * sizeof *list);
    r->n_rows += count;
}

ramus_probe ramus_record_probe(ramus_record *r)
{
    return (ramus_probe){.product = add, .arg = r};
}

ramus_status ramus_record_finish(ramus_record *r, ramus_error *err)
{
    if (r->failed) return ramus_fail_memory(err, "a record of products");
    for (size_t i = 0; i < r->n; i++) {
        ramus_product *p = &r->items[i];
        const int **list = p->dtype == RAMUS_REAL ? &p->job.f32.rows : &p->job.packed.rows;
        if (*list) *list = r->rows + p->first_row;
    }
    return RAMUS_OK;
}

static void multiply(const ramus_product *p, const ramus_kernels *k)
{
    if (p->dtype == RAMUS_I4)
        k->linear_i4(&p->job.packed);
    else if (p->dtype == RAMUS_I8)
        k->linear_i8(&p->job.packed);
    else
        k->linear(&p->job.f32);
}

void ramus_record_replay(const ramus_record *r, const ramus_kernels *k, double *seconds)
{
    double start = seconds ? ramus_clock_now() : 0;
    for (size_t i = 0; i < r->n; i++) {
        multiply(&r->items[i], k);
        if (!seconds) continue;
        const double end = ramus_clock_now();
        seconds[r->items[i].node->number] += end - start;
        start = end;
    }
}

static const void *weights_of(const ramus_product *p)
{
    return p->dtype == RAMUS_REAL ? (const void *)p->job.f32.w : (const void *)p->job.packed.w;
}

static double bytes_of(const ramus_product *p)
{
    const ramus_linear_i8_job *packed = &p->job.packed;
    if (p->dtype == RAMUS_I8) return (double)ramus_i8_size(packed->n, packed->k);
    if (p->dtype == RAMUS_I4) return (double)ramus_i4_bytes(packed->n, packed->k);
    return (double)p->job.f32.n * (double)p->job.f32.k * sizeof(ramus_real);
}

/* Where the products of the node at `first` end. Adds the bytes of its matrices, each once though
 * blocks of rows share it, and counts them. */
static size_t next_node(const ramus_record *r, size_t first, double *bytes, int *matrices)
{
    size_t i = first;
    for (; i < r->n && r->items[i].node == r->items[first].node; i++) {
        size_t j = first;
        while (weights_of(&r->items[j]) != weights_of(&r->items[i]))
            j++;
        if (j < i) continue;
        *bytes += bytes_of(&r->items[i]);
        ++*matrices;
    }
    return i;
}

double ramus_record_bytes(const ramus_record *r)
{
    double bytes = 0;
    int matrices = 0;
    for (size_t i = 0; i < r->n;)
        i = next_node(r, i, &bytes, &matrices);
    return bytes;
}

ramus_branch_count ramus_record_branches(const ramus_record *r)
{
    ramus_branch_count count = {0};
    const ramus_tensor *last = NULL;
    for (size_t i = 0; i < r->n;) {
        const ramus_node *n = r->items[i].node;
        const ramus_tensor *route = n->phase == RAMUS_TARGET ? n->in[4] : NULL;
        double bytes = 0;
        int matrices = 0;
        i = next_node(r, i, &bytes, &matrices);
        if (route && route != last) { // the maps of a sublayer follow each other
            count.sublayers++;
            count.branches += matrices;
        }
        last = route;
    }
    return count;
}
