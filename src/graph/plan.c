/* The memory plan: when each tensor is alive, and where it lies.
 *
 * Time is the running order: node i runs forward at time i and, in training, backward at time
 * 2n - 1 - i. Two tensors may share bytes when their times do not meet. */
#include "graph/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t *offset;
    size_t size;
    int from, to; // first and last time at which it is alive
} item;

static void order_by_phase(ramus_graph *g)
{
    for (int i = 1; i < g->n_nodes; i++) { // insertion sort: stable, and nearly sorted already
        ramus_node *n = g->nodes[i];
        int j = i;
        for (; j > 0 && g->nodes[j - 1]->phase > n->phase; j--)
            g->nodes[j] = g->nodes[j - 1];
        g->nodes[j] = n;
    }
    for (int phase = 0, i = 0; phase <= RAMUS_PHASES; phase++) {
        while (i < g->n_nodes && (int)g->nodes[i]->phase < phase)
            i++;
        g->phase_start[phase] = i;
    }
}

static void find_gradients(ramus_graph *g)
{
    for (int i = 0; i < g->n_tensors; i++)
        g->tensors[i]->needs_grad = g->spec.training && g->tensors[i]->param;
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        bool needed = false;
        for (int j = 0; j < RAMUS_MAX_IN; j++)
            needed |= n->in[j] && n->in[j]->needs_grad;
        for (int j = 0; j < RAMUS_MAX_OUT; j++) {
            ramus_tensor *t = n->out[j];
            if (t) t->needs_grad = needed && t->dtype == RAMUS_REAL && !t->saved && !t->history;
        }
    }
}

static bool reads_parameters_alone(const ramus_node *n)
{
    bool any = false;
    for (int j = 0; j < RAMUS_MAX_IN; j++) {
        if (n->in[j] && !n->in[j]->param) return false;
        any |= n->in[j] != NULL;
    }
    return any;
}

/* A node's backward rule runs at its own place, its turn. A node that reads parameters alone runs
 * first of all; its rule runs as soon as the gradient of its output is complete, after that of the
 * output's first reader.
 */
static void find_turns(ramus_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        ramus_node *n = g->nodes[i];
        n->turn = i;
        for (int j = 0; j < RAMUS_MAX_IN; j++) {
            ramus_node *maker = n->in[j] ? n->in[j]->maker : NULL;
            if (maker && g->nodes[maker->turn] == maker && reads_parameters_alone(maker))
                maker->turn = i;
        }
    }
}

/* Extends the life of the tensors that node n, which runs at time i, touches. */
static void visit_node(const ramus_graph *g, const ramus_node *n, int i, int *from, int *to)
{
    const int backward = 2 * g->n_nodes - 1 - i, end = 2 * g->n_nodes;
    for (int j = 0; j < RAMUS_MAX_IN; j++) {
        ramus_tensor *t = n->in[j];
        if (!t) continue;
        int until = i;
        if (t->phase < n->phase) until = end; // later phases may run again
        if (g->spec.training && n->op->saves & RAMUS_SAVES_IN(j) && until < backward)
            until = backward;
        if (until > to[t->number]) to[t->number] = until;
        t->last_reader = i;
    }
    for (int j = 0; j < RAMUS_MAX_OUT; j++) {
        const ramus_tensor *t = n->out[j];
        if (!t) continue;
        from[t->number] = t->history ? 0 : i;
        int until = t->kept || t->history ? end : i;
        if (g->spec.training && n->op->saves & RAMUS_SAVES_OUT(j) && until < backward)
            until = backward;
        if (until > to[t->number]) to[t->number] = until;
    }
}

static int by_size(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Largest first, each at the lowest offset where nothing alive at the same time lies. placed: the
 * items before, by offset. */
static size_t place(item *items, int n, const item **placed)
{
    size_t total = 0;
    qsort(items, (size_t)n, sizeof *items, by_size);
    for (int i = 0; i < n; i++) {
        size_t at = 0;
        for (int j = 0; j < i; j++) {
            const item *other = placed[j];
            if (other->from > items[i].to || items[i].from > other->to) continue;
            if (at + items[i].size <= *other->offset) break;
            const size_t behind = *other->offset + other->size;
            if (behind > at) at = behind;
        }
        *items[i].offset = at;
        if (at + items[i].size > total) total = at + items[i].size;
        int to = i;
        for (; to > 0 && *placed[to - 1]->offset > at; to--)
            placed[to] = placed[to - 1];
        placed[to] = &items[i];
    }
    return total;
}

static int list_items(ramus_graph *g, item *items, const int *from, const int *to)
{
    int n = 0;
    for (int i = 0; i < g->n_tensors; i++) {
        ramus_tensor *t = g->tensors[i];
        if (t->param) continue;
        const size_t count = ramus_tensor_count(t);
        items[n++] = (item){&t->data_offset, ramus_arena_round(count * ramus_tensor_element(t)),
                            from[i], to[i]};
        if (!t->needs_grad || !t->maker) continue;
        const int last = 2 * g->n_nodes - 1;
        items[n++] =
            (item){&t->grad_offset, ramus_arena_round(count * sizeof(ramus_real)),
                   t->last_reader < 0 ? g->n_nodes : last - t->last_reader, last - t->maker->turn};
    }
    return n;
}

size_t ramus_graph_plan(ramus_graph *g)
{
    const size_t n = (size_t)g->n_tensors + 1;
    const size_t mark = ramus_arena_mark(g->arena);
    int *from = ramus_arena_alloc(g->arena, n * sizeof *from);
    int *to = ramus_arena_alloc(g->arena, n * sizeof *to);
    item *items = ramus_arena_alloc(g->arena, 2 * n * sizeof *items);
    const item **placed = ramus_arena_alloc(g->arena, 2 * n * sizeof *placed);

    order_by_phase(g);
    find_gradients(g);
    find_turns(g);
    for (int i = 0; i < g->n_tensors; i++) {
        ramus_tensor *t = g->tensors[i];
        t->last_reader = -1;
        to[i] = t->maker ? -1 : 2 * g->n_nodes; // inputs stay
    }
    for (int i = 0; i < g->n_nodes; i++)
        visit_node(g, g->nodes[i], i, from, to);
    const size_t total = place(items, list_items(g, items, from, to), placed);
    ramus_arena_reset(g->arena, mark);
    return total;
}
