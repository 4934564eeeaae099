/* Matrix by matrix: fit.h finds scales and integers of an output or group, which are stored in
 * tiles. The reverse reads the tiles. */
#include "convert/quantize.h"

#include "kernels/fit.h"
#include "kernels/i4.h"
#include "runtime/model.h"

#include <math.h>
#include <string.h>

#define LARGEST_I4 (7 * 65504.0) // a half times an integer

/* The matrices of a parameter: how many, and their shape. */
typedef struct {
    size_t branches;
    int n, k;
} shape;

static shape shape_of(const ramus_weight *w)
{
    return (shape){w->n_dims == 3 ? (size_t)w->dims[0] : 1, w->dims[w->n_dims - 2],
                   w->dims[w->n_dims - 1]};
}

static ramus_dtype dtype_of(const ramus_weight *w, ramus_quantize_spec how)
{
    if (!ramus_model_takes_i8(w)) return RAMUS_REAL;
    return w->site.stack ? how.layers : how.words;
}

static size_t tile_bytes(shape s, ramus_dtype dtype)
{
    return s.branches * (dtype == RAMUS_I4 ? ramus_i4_size(s.n, s.k) : ramus_i8_size(s.n, s.k));
}

static size_t scale_bytes(shape s, ramus_dtype dtype)
{
    return s.branches * (dtype == RAMUS_I4 ? ramus_i4_scales(s.n, s.k) * sizeof(ramus_half)
                                           : (size_t)s.n * sizeof(ramus_real));
}

size_t ramus_quantize_bytes(const ramus_weight *w, ramus_quantize_spec how)
{
    const ramus_dtype dtype = dtype_of(w, how);
    if (dtype == RAMUS_REAL) return w->count * sizeof(ramus_real);
    return tile_bytes(shape_of(w), dtype) + scale_bytes(shape_of(w), dtype);
}

/* tiles: of one matrix w [n, k], zeros; q: room for k integers */
static void quantize_i8(int8_t *tiles, ramus_real *scale, const ramus_real *w, shape s, int8_t *q)
{
    for (int o = 0; o < s.n; o++) {
        scale[o] = ramus_fit_i8(q, w + (size_t)o * (size_t)s.k, s.k);
        for (int i = 0; i < s.k; i++)
            tiles[ramus_i8_row(s.k, o) + ramus_i8_offset(i)] = q[i];
    }
}

static bool fits_i4(const ramus_weight *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (fabs((double)w->data[i]) > LARGEST_I4) return false;
    return true;
}

/* The same in 4 bits. */
static void quantize_i4(int8_t *tiles, ramus_half *scale, const ramus_real *w, shape s, int8_t *q)
{
    memset(tiles, 0x88, ramus_i4_size(s.n, s.k));
    for (int o = 0; o < s.n; o++)
        for (int g = 0; g < ramus_i4_groups(s.k); g++) {
            const int first = g * RAMUS_I4_GROUP,
                      left = s.k - first < RAMUS_I4_GROUP ? s.k - first : RAMUS_I4_GROUP;
            scale[ramus_i4_scale(s.k, o, g)] =
                ramus_fit_i4(q, w + (size_t)o * (size_t)s.k + (size_t)first, left);
            for (int i = 0; i < left; i++)
                ramus_i4_set(tiles + ramus_i4_byte(s.k, o, 0), first + i, q[i]);
        }
}

static void quantize_weight(ramus_weight *to, const ramus_weight *from, ramus_dtype dtype,
                            ramus_arena *arena)
{
    const shape s = shape_of(from);
    int8_t *tiles = ramus_arena_alloc(arena, tile_bytes(s, dtype));
    void *scales = ramus_arena_alloc(arena, scale_bytes(s, dtype));
    int8_t *q = ramus_arena_alloc(arena, (size_t)s.k);
    ramus_real *scale = scales;
    ramus_half *half = scales;
    to->dtype = dtype;
    to->tiles = tiles;
    if (dtype == RAMUS_I4)
        to->half = half;
    else
        to->scale = scale;
    for (size_t b = 0; b < s.branches; b++) {
        const ramus_real *w = from->data + b * (size_t)s.n * (size_t)s.k;
        if (dtype == RAMUS_I8)
            quantize_i8(tiles + b * ramus_i8_size(s.n, s.k), scale + b * (size_t)s.n, w, s, q);
        else
            quantize_i4(tiles + b * ramus_i4_size(s.n, s.k), half + b * ramus_i4_scales(s.n, s.k),
                        w, s, q);
    }
}

ramus_status ramus_quantize(ramus_weights **out, const ramus_weights *w, ramus_quantize_spec how,
                            ramus_error *err)
{
    size_t room = 0;
    for (int i = 0; i < w->n; i++) {
        const ramus_weight *item = &w->items[i];
        const size_t inputs = (size_t)item->dims[item->n_dims - 1];
        room += ramus_arena_round(ramus_quantize_bytes(item, how)) + ramus_arena_round(inputs) +
                RAMUS_ALIGNMENT; // tiles and scales are rounded each
    }
    ramus_weights *q = NULL;
    ramus_status st = ramus_weights_list_like(&q, w, room, err);
    if (st) return st;
    for (int i = 0; i < w->n && !st; i++) {
        const ramus_weight *item = &w->items[i];
        const ramus_dtype dtype = dtype_of(item, how);
        if (dtype == RAMUS_I4 && !fits_i4(item))
            st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                            "%s has a weight larger than %.0f, which 4 bits cannot hold",
                            item->name, LARGEST_I4);
        if (dtype != RAMUS_REAL) {
            quantize_weight(&q->items[i], item, dtype, q->arena);
            continue;
        }
        q->items[i].data = ramus_arena_alloc(q->arena, item->count * sizeof(ramus_real));
        memcpy(q->items[i].data, item->data, item->count * sizeof(ramus_real));
    }
    if (st)
        ramus_weights_destroy(q);
    else
        *out = q;
    return st;
}

/* The value that stands for weight i of output o of a branch. */
static double value_at(const ramus_weight *w, shape s, size_t b, int o, int i)
{
    if (w->dtype == RAMUS_I8) {
        const int8_t *tiles = w->tiles + b * ramus_i8_size(s.n, s.k);
        return tiles[ramus_i8_row(s.k, o) + ramus_i8_offset(i)] *
               (double)w->scale[b * (size_t)s.n + (size_t)o];
    }
    if (w->dtype == RAMUS_I4) {
        const ramus_half *half = w->half + b * ramus_i4_scales(s.n, s.k);
        const int8_t *tiles = w->tiles + b * ramus_i4_size(s.n, s.k);
        return ramus_i4_get(tiles + ramus_i4_byte(s.k, o, 0), i) *
               (double)ramus_half_float(half[ramus_i4_scale(s.k, o, i / RAMUS_I4_GROUP)]);
    }
    return (double)w->data[(b * (size_t)s.n + (size_t)o) * (size_t)s.k + (size_t)i];
}

void ramus_dequantize(const ramus_weight *to, const ramus_weight *from)
{
    RAMUS_ASSERT(to->count == from->count);
    if (from->dtype == RAMUS_REAL) {
        memcpy(to->data, from->data, from->count * sizeof *from->data);
        return;
    }
    const shape s = shape_of(from);
    ramus_real *at = to->data;
    for (size_t b = 0; b < s.branches; b++)
        for (int o = 0; o < s.n; o++)
            for (int i = 0; i < s.k; i++)
                *at++ = (ramus_real)value_at(from, s, b, o, i);
}

ramus_quantize_error ramus_quantize_compare(const ramus_weight *quantized, const ramus_weight *w)
{
    ramus_quantize_error e = {0};
    if (w->n_dims == 1) return e; // the same values
    const shape s = shape_of(w);
    for (size_t b = 0; b < s.branches; b++)
        for (int o = 0; o < s.n; o++)
            for (int i = 0; i < s.k; i++) {
                const double is = value_at(w, s, b, o, i),
                             loss = value_at(quantized, s, b, o, i) - is;
                e.lost += loss * loss;
                e.all += is * is;
            }
    return e;
}
