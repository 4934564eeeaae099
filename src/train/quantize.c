#include "train/quantize.h"

#include "kernels/fit.h"
#include "kernels/i8.h"
#include "runtime/model.h"

#include <string.h>

static int branches_of(const ramus_weight *w)
{
    return w->n_dims == 3 ? w->dims[0] : 1;
}

static size_t tile_bytes(const ramus_weight *w)
{
    return (size_t)branches_of(w) * ramus_i8_size(w->dims[w->n_dims - 2], w->dims[w->n_dims - 1]);
}

static size_t scale_bytes(const ramus_weight *w)
{
    return (size_t)branches_of(w) * (size_t)w->dims[w->n_dims - 2] * sizeof(ramus_real);
}

/* to: the tiles of one matrix w [n, k], which are zero */
static void quantize_matrix(int8_t *to, ramus_real *scale, const ramus_real *w, int n, int k,
                            int8_t *row)
{
    for (int o = 0; o < n; o++) {
        scale[o] = ramus_fit_i8(row, w + (size_t)o * (size_t)k, k);
        for (int i = 0; i < k; i++)
            to[ramus_i8_row(k, o) + ramus_i8_offset(i)] = row[i];
    }
}

static void quantize_weight(ramus_weight *to, const ramus_weight *from, ramus_arena *arena)
{
    const int n = from->dims[from->n_dims - 2], k = from->dims[from->n_dims - 1];
    const size_t outputs = (size_t)n, matrix = outputs * (size_t)k;
    int8_t *tiles = ramus_arena_alloc(arena, tile_bytes(from));
    ramus_real *scale = ramus_arena_alloc(arena, scale_bytes(from));
    int8_t *row = ramus_arena_alloc(arena, (size_t)ramus_i8_stride(k));
    for (int b = 0; b < branches_of(from); b++)
        quantize_matrix(tiles + (size_t)b * ramus_i8_size(n, k), scale + (size_t)b * outputs,
                        from->data + (size_t)b * matrix, n, k, row);
    to->dtype = RAMUS_I8;
    to->tiles = tiles;
    to->scale = scale;
}

ramus_status ramus_quantize_i8(ramus_weights **out, const ramus_weights *w, ramus_error *err)
{
    size_t room = 0;
    for (int i = 0; i < w->n; i++) {
        const ramus_weight *item = &w->items[i];
        if (ramus_model_takes_i8(item))
            room += ramus_arena_round(tile_bytes(item)) + ramus_arena_round(scale_bytes(item)) +
                    ramus_arena_round((size_t)ramus_i8_stride(item->dims[item->n_dims - 1]));
        else
            room += ramus_arena_round(item->count * sizeof(ramus_real));
    }
    ramus_weights *q = NULL;
    const ramus_status st = ramus_weights_list_like(&q, w, room, err);
    if (st) return st;
    for (int i = 0; i < w->n; i++) {
        const ramus_weight *item = &w->items[i];
        if (ramus_model_takes_i8(item)) {
            quantize_weight(&q->items[i], item, q->arena);
            continue;
        }
        q->items[i].data = ramus_arena_alloc(q->arena, item->count * sizeof(ramus_real));
        memcpy(q->items[i].data, item->data, item->count * sizeof(ramus_real));
    }
    *out = q;
    return RAMUS_OK;
}
