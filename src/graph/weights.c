/* A list of names and shapes, and one block of floats with each parameter aligned. Binding walks
 * the graph's parameters and the list together. */
#include "graph/weights.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define GAP (RAMUS_ALIGNMENT / sizeof(ramus_real))

static size_t round_up(size_t count)
{
    return (count + GAP - 1) / GAP * GAP;
}

/* Names and shapes of `items`, and `room` bytes to spare. */
static ramus_status create_list(ramus_weights **out, const ramus_weight *items, int n, size_t room,
                                ramus_error *err)
{
    size_t bytes = ramus_arena_round((size_t)n * sizeof(ramus_weight)) + room;
    for (int i = 0; i < n; i++)
        bytes += ramus_arena_round(strlen(items[i].name) + 1);
    ramus_weights *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "weights");
    const ramus_status st = ramus_arena_create(&w->arena, bytes, err);
    if (st) {
        free(w);
        return st;
    }
    w->n = n;
    w->items = ramus_arena_alloc(w->arena, (size_t)n * sizeof *w->items);
    for (int i = 0; i < n; i++) {
        ramus_weight *item = &w->items[i];
        item->name = ramus_arena_string(w->arena, items[i].name);
        item->role = items[i].role;
        item->site = items[i].site;
        item->n_dims = items[i].n_dims;
        memcpy(item->dims, items[i].dims, sizeof item->dims);
        item->count = items[i].count;
        w->count += item->count;
    }
    *out = w;
    return RAMUS_OK;
}

ramus_status ramus_weights_create_of(ramus_weights **out, const ramus_weight *items, int n,
                                     ramus_error *err)
{
    size_t size = 0;
    for (int i = 0; i < n; i++)
        size += round_up(items[i].count);
    ramus_weights *w = NULL;
    const ramus_status st = create_list(&w, items, n, size * sizeof(ramus_real), err);
    if (st) return st;
    w->size = size;
    w->data = ramus_arena_alloc(w->arena, size * sizeof(ramus_real));
    ramus_real *at = w->data;
    for (int i = 0; i < n; i++) {
        w->items[i].data = at;
        at += round_up(items[i].count);
    }
    *out = w;
    return RAMUS_OK;
}

/* The parameters of a graph as items; the caller frees them. NULL: no memory. */
static ramus_weight *items_of(const ramus_graph *g)
{
    ramus_weight *items = calloc((size_t)g->n_params + 1, sizeof *items);
    for (int i = 0; i < g->n_params && items; i++) {
        const ramus_tensor *t = g->params[i];
        items[i].name = t->name;
        items[i].role = t->role;
        items[i].site = t->site;
        items[i].n_dims = t->n_dims;
        memcpy(items[i].dims, t->dims, sizeof items[i].dims);
        items[i].count = ramus_tensor_count(t);
    }
    return items;
}

ramus_status ramus_weights_create(ramus_weights **out, const ramus_graph *g, ramus_error *err)
{
    ramus_weight *items = items_of(g);
    if (!items) return ramus_fail_memory(err, "weights");
    const ramus_status st = ramus_weights_create_of(out, items, g->n_params, err);
    free(items);
    return st;
}

ramus_status ramus_weights_create_like(ramus_weights **out, const ramus_weights *w,
                                       ramus_error *err)
{
    return ramus_weights_create_of(out, w->items, w->n, err);
}

ramus_status ramus_weights_list(ramus_weights **out, const ramus_graph *g, ramus_error *err)
{
    ramus_weight *items = items_of(g);
    if (!items) return ramus_fail_memory(err, "weights");
    const ramus_status st = create_list(out, items, g->n_params, 0, err);
    free(items);
    return st;
}

ramus_status ramus_weights_list_like(ramus_weights **out, const ramus_weights *w, size_t room,
                                     ramus_error *err)
{
    return create_list(out, w->items, w->n, room, err);
}

void ramus_weights_destroy(ramus_weights *w)
{
    if (!w) return;
    ramus_arena_destroy(w->arena);
    free(w);
}

void ramus_weights_init(ramus_weights *w, const ramus_graph *g, uint64_t seed)
{
    RAMUS_ASSERT(w->n == g->n_params);
    for (int i = 0; i < w->n; i++) {
        const ramus_tensor *t = g->params[i];
        const ramus_weight *item = &w->items[i];
        const ramus_rng rng = {seed, 0, 0, (uint32_t)i};
        const size_t part = item->count / (t->init == RAMUS_INIT_ALIKE ? (size_t)t->dims[0] : 1);
        for (size_t j = 0; j < item->count; j++) {
            double value = t->init == RAMUS_INIT_ONE ? 1 : 0;
            if (t->init == RAMUS_INIT_CONSTANT) value = t->init_scale;
            if (t->init == RAMUS_INIT_NORMAL) value = t->init_scale * ramus_rng_normal(&rng, j);
            if (t->init == RAMUS_INIT_UNIFORM || t->init == RAMUS_INIT_ALIKE)
                value = t->init_scale * (2 * ramus_rng_uniform(&rng, j % part) - 1);
            item->data[j] = (ramus_real)value;
        }
    }
}

void ramus_weights_bind(ramus_graph *g, const ramus_weights *w, const ramus_weights *grads)
{
    RAMUS_ASSERT(w->n == g->n_params && (!grads || grads->n == w->n));
    for (int i = 0; i < g->n_params; i++) {
        ramus_tensor *t = g->params[i];
        RAMUS_ASSERT(strcmp(t->name, w->items[i].name) == 0 &&
                     ramus_tensor_count(t) == w->items[i].count);
        const ramus_weight *item = &w->items[i];
        t->dtype = item->dtype;
        t->data = item->dtype == RAMUS_REAL ? (void *)item->data : (void *)item->tiles;
        t->scale = item->scale;
        t->half = item->half;
        t->grad = grads ? grads->items[i].data : NULL;
    }
}

const ramus_weight *ramus_weights_find(const ramus_weights *w, const char *name)
{
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->items[i].name, name) == 0) return &w->items[i];
    return NULL;
}
