/* Nodes, tensors and names are allocated in one arena, sized for the largest number of nodes.
 * Tensors with a name are found by a hash table with linear probing: a model may have thousands. */
#include "graph/graph.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define TENSORS_PER_NODE 4
#define BYTES_PER_TENSOR (sizeof(ramus_tensor) + RAMUS_MAX_NAME + PLAN_BYTES + 2 * RAMUS_ALIGNMENT)
#define PLAN_BYTES       128 // the plan's lists, per tensor
#define BYTES_PER_NODE   (sizeof(ramus_node) + 4 * RAMUS_ALIGNMENT)

/* A power of two, so large that at most half of the slots are taken. */
static size_t slots_for(size_t tensors)
{
    size_t n = 2;
    while (n < 2 * tensors)
        n *= 2;
    return n;
}

static size_t axis_bytes(const ramus_limits *l, int positions)
{
    const size_t rows = (size_t)l->rows;
    const size_t n = (size_t)l->sequences + 1 + 2 * rows + (size_t)positions;
    return n * sizeof(int) + 5 * RAMUS_ALIGNMENT;
}

static void axis_init(ramus_axis *axis, const ramus_limits *l, int positions, ramus_arena *arena)
{
    const size_t rows = (size_t)l->rows;
    *axis = (ramus_axis){
        .max_rows = l->rows,
        .max_sequences = l->sequences,
        .max_length = l->length,
        .positions = positions,
        .stride = l->rows,
        .span = l->length,
        .times = 1,
    };
    axis->start = ramus_arena_alloc(arena, ((size_t)l->sequences + 1) * sizeof(int));
    axis->sequence = ramus_arena_alloc(arena, rows * sizeof(int));
    axis->position = ramus_arena_alloc(arena, rows * sizeof(int));
    if (positions) axis->ancestor = ramus_arena_alloc(arena, (size_t)positions * sizeof(int));
}

static ramus_limits limits_times(const ramus_limits *l, int times)
{
    return (ramus_limits){l->rows * times, l->sequences, l->length * times};
}

ramus_axis *ramus_axis_times(ramus_graph *g, ramus_axis *axis, int times)
{
    RAMUS_ASSERT(axis == &g->source && times >= 2 && times <= g->spec.times);
    ramus_axis **longer = &axis->longer[times - 2];
    if (*longer) return *longer;
    const ramus_limits l = limits_times(&g->spec.source, times);
    *longer = ramus_arena_alloc(g->arena, sizeof **longer);
    axis_init(*longer, &l, 0, g->arena);
    (*longer)->times = times;
    return *longer;
}

void ramus_axis_set(ramus_axis *axis, const int *lengths, int n)
{
    RAMUS_ASSERT(n <= axis->max_sequences);
    int row = 0;
    for (int s = 0; s < n; s++) {
        const int length = lengths[s] * axis->times;
        RAMUS_ASSERT(length <= axis->max_length && row + length <= axis->max_rows);
        axis->start[s] = row;
        for (int i = 0; i < length; i++, row++) {
            axis->sequence[row] = s;
            axis->position[row] = i;
        }
    }
    axis->start[n] = row;
    axis->sequences = n;
    axis->rows = row;
    for (int i = 0; i < RAMUS_COUNT(axis->longer); i++)
        if (axis->longer[i]) ramus_axis_set(axis->longer[i], lengths, n);
}

static size_t longer_bytes(const ramus_graph_spec *spec)
{
    size_t bytes = 0;
    for (int times = 2; times <= spec->times; times++) {
        const ramus_limits l = limits_times(&spec->source, times);
        bytes += axis_bytes(&l, 0) + ramus_arena_round(sizeof(ramus_axis));
    }
    return bytes;
}

ramus_status ramus_graph_create(ramus_graph **out, const ramus_graph_spec *spec, ramus_error *err)
{
    const size_t nodes = (size_t)spec->max_nodes, tensors = TENSORS_PER_NODE * nodes;
    int positions = 0;
    if (spec->kind == RAMUS_STEP)
        positions = spec->positions ? spec->positions : spec->target.rows * spec->target.length;
    const size_t slots = slots_for(tensors);
    const size_t lists =
        (nodes + 3 * tensors) * sizeof(void *) + nodes * sizeof(ramus_loss) + slots * sizeof(int);
    const size_t bytes = nodes * BYTES_PER_NODE + tensors * BYTES_PER_TENSOR + lists +
                         axis_bytes(&spec->source, 0) + axis_bytes(&spec->target, positions) +
                         longer_bytes(spec) + 8 * RAMUS_ALIGNMENT;
    ramus_graph *g = calloc(1, sizeof *g);
    if (!g) return ramus_fail_memory(err, "a graph");
    const ramus_status st = ramus_arena_create(&g->arena, bytes, err);
    if (st) {
        free(g);
        return st;
    }
    g->spec = *spec;
    axis_init(&g->source, &spec->source, 0, g->arena);
    axis_init(&g->target, &spec->target, positions, g->arena);
    g->nodes = ramus_arena_alloc(g->arena, nodes * sizeof *g->nodes);
    g->tensors = ramus_arena_alloc(g->arena, tensors * sizeof *g->tensors);
    g->params = ramus_arena_alloc(g->arena, tensors * sizeof *g->params);
    g->named = ramus_arena_alloc(g->arena, tensors * sizeof *g->named);
    g->losses = ramus_arena_alloc(g->arena, nodes * sizeof *g->losses);
    g->slots = ramus_arena_alloc(g->arena, slots * sizeof *g->slots);
    g->n_slots = slots;
    *out = g;
    return RAMUS_OK;
}

void ramus_graph_destroy(ramus_graph *g)
{
    if (!g) return;
    ramus_arena_destroy(g->arena);
    free(g);
}

static ramus_tensor *tensor_add(ramus_graph *g, ramus_dtype dtype, int n_dims, const int *dims)
{
    RAMUS_ASSERT(g->n_tensors < TENSORS_PER_NODE * g->spec.max_nodes && n_dims <= RAMUS_MAX_DIMS);
    ramus_tensor *t = ramus_arena_alloc(g->arena, sizeof *t);
    t->number = g->n_tensors;
    t->dtype = dtype;
    t->n_dims = n_dims;
    memcpy(t->dims, dims, (size_t)n_dims * sizeof *dims);
    g->tensors[g->n_tensors++] = t;
    return t;
}

/* Where the number of the tensor of that name is, or 0 where it would be. */
static int *slot_of(const ramus_graph *g, const char *name)
{
    size_t at = (size_t)ramus_hash(0, name, strlen(name)) % g->n_slots;
    while (g->slots[at] && strcmp(g->tensors[g->slots[at] - 1]->name, name) != 0)
        at = (at + 1) % g->n_slots;
    return &g->slots[at];
}

ramus_tensor *ramus_graph_find(const ramus_graph *g, const char *name)
{
    const int number = *slot_of(g, name);
    return number ? g->tensors[number - 1] : NULL;
}

ramus_tensor *ramus_param(ramus_graph *g, const char *name, int n_dims, const int *dims,
                          ramus_init init, double init_scale)
{
    int *slot = slot_of(g, name);
    ramus_tensor *t = *slot ? g->tensors[*slot - 1] : NULL;
    if (t) {
        RAMUS_ASSERT(t->param && t->n_dims == n_dims &&
                     !memcmp(t->dims, dims, (size_t)n_dims * sizeof *dims));
        return t;
    }
    t = tensor_add(g, RAMUS_REAL, n_dims, dims);
    t->name = ramus_arena_string(g->arena, name);
    *slot = t->number + 1;
    t->param = true;
    t->init = init;
    t->init_scale = init_scale;
    g->params[g->n_params++] = t;
    return t;
}

ramus_tensor *ramus_input(ramus_graph *g, ramus_axis *axis, const char *name)
{
    ramus_tensor *t = tensor_add(g, RAMUS_INT, 1, &axis->max_rows);
    t->axis = axis;
    t->phase = axis == &g->source ? RAMUS_SOURCE : RAMUS_TARGET;
    ramus_keep(g, t, name);
    return t;
}

void ramus_keep(ramus_graph *g, ramus_tensor *t, const char *name)
{
    int *slot = slot_of(g, name);
    RAMUS_ASSERT(!t->name && !t->param && !*slot);
    *slot = t->number + 1;
    t->name = ramus_arena_string(g->arena, name);
    t->kept = true;
    g->named[g->n_named++] = t;
}

void ramus_loss_add(ramus_graph *g, const char *name, ramus_tensor *value, double weight)
{
    value->kept = true;
    g->losses[g->n_losses++] = (ramus_loss){name, value, weight};
}

double ramus_graph_cost(const ramus_graph *g)
{
    double total = 0;
    for (int i = 0; i < g->n_nodes; i++)
        if (g->nodes[i]->op->cost) total += g->nodes[i]->op->cost(g->nodes[i]);
    return total;
}

ramus_node *ramus_node_add(ramus_graph *g, const ramus_op *op, const void *attr, size_t attr_size)
{
    RAMUS_ASSERT(g->n_nodes < g->spec.max_nodes);
    ramus_node *n = ramus_arena_alloc(g->arena, sizeof *n);
    n->op = op;
    n->number = g->n_nodes;
    if (attr_size) n->attr = memcpy(ramus_arena_alloc(g->arena, attr_size), attr, attr_size);
    g->nodes[g->n_nodes++] = n;
    return n;
}

void ramus_node_read(ramus_node *n, int i, ramus_tensor *t)
{
    if (!t) return;
    n->in[i] = t;
    if (t->phase > n->phase) n->phase = t->phase;
}

ramus_tensor *ramus_node_make(ramus_graph *g, ramus_node *n, int i, ramus_dtype dtype,
                              ramus_axis *axis, int n_dims, const int *dims)
{
    ramus_tensor *t = tensor_add(g, dtype, n_dims, dims);
    t->axis = axis;
    t->maker = n;
    t->phase = n->phase;
    n->out[i] = t;
    return t;
}

int ramus_tensor_rows(const ramus_tensor *t)
{
    return t->axis ? t->axis->rows : t->dims[0];
}

size_t ramus_tensor_width(const ramus_tensor *t)
{
    size_t n = 1;
    for (int i = 1; i < t->n_dims; i++)
        n *= (size_t)t->dims[i];
    return n;
}

size_t ramus_tensor_count(const ramus_tensor *t)
{
    return (size_t)t->dims[0] * ramus_tensor_width(t);
}

size_t ramus_tensor_element(const ramus_tensor *t)
{
    return t->dtype == RAMUS_REAL ? sizeof(ramus_real) : sizeof(int);
}

bool ramus_tensor_is_read(const ramus_tensor *t)
{
    return t->last_reader >= 0 || t->needs_grad || t->kept;
}
