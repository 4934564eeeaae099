/* A row of the table times a scale, plus bias and position signal; tables of floats, 8 or 4
 * bits. The signal is a node of its own: each row is computed when a sentence first reaches it,
 * and kept. */
#include "graph/ops/embed.h"

#include "base/math.h"

#define BLOCK        64
#define SIGNAL_BLOCK 8 // rows of the signal that are computed together

int ramus_embed_row(const ramus_node *n, int r)
{
    const ramus_embed_spec *a = n->attr;
    if (a->starts && n->out[0]->axis->position[r] == 0) return a->start;
    const int id = ((const int *)n->in[0]->data)[r];
    RAMUS_ASSERT(id >= 0 && id < n->in[1]->dims[0]);
    return id;
}

static void embed_i8(const ramus_kernels *kernels, const ramus_node *n, ramus_real *y, int id,
                     const ramus_real *bias, const ramus_real *signal)
{
    const ramus_embed_spec *a = n->attr;
    const ramus_tensor *table = n->in[1];
    const int width = n->out[0]->dims[1], inputs = table->dims[1];
    const int8_t *row = id < 0 ? NULL : (const int8_t *)table->data + ramus_i8_row(inputs, id);
    const ramus_real scale = id < 0 ? 0 : (ramus_real)a->scale * table->scale[id];
    kernels->embed_i8(y, row, scale, bias, signal, width);
}

static void embed_i4(const ramus_kernels *kernels, const ramus_node *n, ramus_real *y, int id,
                     const ramus_real *bias, const ramus_real *signal)
{
    const ramus_embed_spec *a = n->attr;
    const ramus_tensor *table = n->in[1];
    const int width = n->out[0]->dims[1], inputs = table->dims[1];
    const ramus_i4_row row = ramus_i4_row_of(table->data, table->half, inputs, id < 0 ? 0 : id);
    kernels->embed_i4(y, id < 0 ? NULL : &row, (ramus_real)a->scale, bias, signal, width);
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_embed_spec *a = n->attr;
    const size_t width = (size_t)n->out[0]->dims[1], columns = (size_t)n->in[1]->dims[1];
    const ramus_real *table = n->in[1]->data, *bias = n->in[2] ? n->in[2]->data : NULL;
    const ramus_real *signal = n->in[3]->data;
    ramus_real *y = n->out[0]->data;

    for (int r = first; r < last; r++) {
        const int id = ramus_embed_row(n, r);
        const size_t position = (size_t)n->out[0]->axis->position[r];
        if (n->in[1]->dtype == RAMUS_I8)
            embed_i8(run->kernels, n, y + (size_t)r * width, id, bias, signal + position * width);
        else if (n->in[1]->dtype == RAMUS_I4)
            embed_i4(run->kernels, n, y + (size_t)r * width, id, bias, signal + position * width);
        else
            run->kernels->embed(y + (size_t)r * width, id < 0 ? NULL : table + (size_t)id * columns,
                                (ramus_real)a->scale, bias, signal + position * width, (int)width);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_run_rows(run, n, ramus_tensor_rows(n->out[0]), BLOCK, forward_rows);
}

const ramus_op ramus_op_embed = {.name = "embed", .forward = forward, .saves = RAMUS_SAVES_IN(0)};

ramus_tensor *ramus_embed(ramus_graph *g, ramus_tensor *ids, ramus_tensor *table,
                          ramus_tensor *bias, ramus_tensor *signal, const ramus_embed_spec *spec)
{
    RAMUS_ASSERT(signal->dims[0] >= ids->axis->max_length && table->dims[1] >= signal->dims[1]);
    ramus_node *n = ramus_node_add(g, &ramus_op_embed, spec, sizeof *spec);
    ramus_node_read(n, 0, ids);
    ramus_node_read(n, 1, table);
    ramus_node_read(n, 2, bias);
    ramus_node_read(n, 3, signal);
    return ramus_node_make(g, n, 0, RAMUS_REAL, ids->axis, 2,
                           (int[]){ids->dims[0], signal->dims[1]});
}

/* Rows of the signal that are wanted now: those of the longest sentence, rounded up. */
static int signal_rows(const ramus_node *n)
{
    const ramus_axis *axis = n->in[0]->axis;
    int rows = 0;
    for (int r = 0; r < axis->rows; r++)
        if (axis->position[r] >= rows) rows = axis->position[r] + 1;
    rows = (rows + SIGNAL_BLOCK - 1) / SIGNAL_BLOCK * SIGNAL_BLOCK;
    return rows < n->out[0]->dims[0] ? rows : n->out[0]->dims[0];
}

/* What a table of the kind holds of x. */
static ramus_real signal_value(ramus_positions kind, double x)
{
    const float value = (float)x;
    if (kind == RAMUS_POSITIONS_MARIAN_F16)
        return (ramus_real)ramus_half_float(ramus_half_of(value));
    return (ramus_real)x;
}

/* angle(position, i) = position * 10000^(-i / d); sine at channel i, cosine at half + i, half of
 * the whole signal's channels */
static void signal_forward(ramus_run *run, const ramus_node *n)
{
    (void)run;
    const ramus_signal_spec *a = n->attr;
    const int width = a->width, half = a->whole / 2, wanted = signal_rows(n);
    const int d = a->kind == RAMUS_POSITIONS_THUMT ? half - 1 : half;
    ramus_real *out = n->out[0]->data;
    int *done = n->out[1]->data;
    for (int i = 0; i < half && *done < wanted; i++) {
        const double rate = ramus_math_exp(-i * ramus_math_log(10000) / d);
        for (int p = *done; p < wanted; p++) {
            ramus_real *row = out + (size_t)p * (size_t)width;
            const double angle = (p + a->first) * rate;
            if (i < width) row[i] = signal_value(a->kind, ramus_math_sin(angle));
            if (half + i < width) row[half + i] = signal_value(a->kind, ramus_math_cos(angle));
        }
    }
    if (*done < wanted) *done = wanted;
}

const ramus_op ramus_op_signal = {.name = "signal", .forward = signal_forward};

ramus_tensor *ramus_signal(ramus_graph *g, ramus_tensor *ids, const ramus_signal_spec *spec)
{
    ramus_signal_spec attr = *spec;
    if (!attr.whole) attr.whole = attr.width;
    RAMUS_ASSERT(attr.whole % 2 == 0 && attr.whole >= 4 && attr.whole >= attr.width);
    ramus_node *n = ramus_node_add(g, &ramus_op_signal, &attr, sizeof attr);
    ramus_node_read(n, 0, ids);
    const int shape[] = {ids->axis->max_length, attr.width};
    ramus_tensor *signal = ramus_node_make(g, n, 0, RAMUS_REAL, NULL, 2, shape);
    ramus_tensor *done = ramus_node_make(g, n, 1, RAMUS_INT, NULL, 1, (int[]){1});
    signal->history = done->history = true;
    return signal;
}
