/* The gradients are one block, cut from its end into buckets. After each node of the last
 * micro-batch, complete buckets start their sums, and MPI gets a moment to move them. */
#include "train/exchange.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Gradients that are summed together. */
typedef struct {
    size_t first, n;
    int turn; // they are complete when the backward pass is through with it
} bucket;

struct ramus_exchange {
    ramus_comm *comm;
    ramus_learner *learner;
    bucket *buckets; // in the order in which they become complete, the same on all ranks
    int n_buckets, started;
    int64_t *loads; // [ranks] tokens of the update so far
};

/* The last turn of the backward pass, which goes down to 0, of a node that reads a parameter. */
static int last_turn(const ramus_graph *g, const ramus_real *grad)
{
    int turn = INT_MAX;
    for (int i = 0; i < g->n_nodes; i++)
        for (int j = 0; j < RAMUS_MAX_IN; j++) {
            const ramus_tensor *t = g->nodes[i]->in[j];
            if (t && t->param && t->grad == grad && g->nodes[i]->turn < turn)
                turn = g->nodes[i]->turn;
        }
    return turn == INT_MAX ? 0 : turn;
}

/* From the end of the block, where the backward pass begins. A bucket also ends where the phase
 * changes: the maps of a decoder layer that make keys and values of the source run once per source
 * batch. Their gradients are complete much later than the rest of the layer, which need not wait.
 */
static void cut(ramus_exchange *x, size_t bucket_bytes)
{
    const ramus_weights *grads = x->learner->grads;
    ramus_node *const *nodes = x->learner->graph->nodes;
    bucket open = {grads->size, 0, INT_MAX};
    for (int i = grads->n - 1; i >= 0; i--) {
        const size_t first = i ? (size_t)(grads->items[i].data - grads->data) : 0;
        const int own = last_turn(x->learner->graph, grads->items[i].data);
        const bool full = open.n * sizeof *grads->data >= bucket_bytes;
        if (bucket_bytes && open.n && (full || nodes[own]->phase != nodes[open.turn]->phase)) {
            x->buckets[x->n_buckets++] = open;
            open = (bucket){open.first, 0, INT_MAX};
        }
        open.n += open.first - first;
        open.first = first;
        if (own < open.turn) open.turn = own;
    }
    x->buckets[x->n_buckets++] = open;
}

static int first_complete_first(const void *a, const void *b)
{
    const bucket *x = a, *y = b;
    if (x->turn != y->turn) return x->turn < y->turn ? 1 : -1;
    return x->first < y->first ? 1 : -1;
}

ramus_status ramus_exchange_create(ramus_exchange **out, ramus_comm *comm, ramus_learner *learner,
                                   size_t bucket_bytes, ramus_error *err)
{
    ramus_exchange *x = calloc(1, sizeof *x);
    if (!x) return ramus_fail_memory(err, "an exchange of gradients");
    x->comm = comm;
    x->learner = learner;
    x->buckets = calloc((size_t)learner->grads->n, sizeof *x->buckets);
    x->loads = calloc((size_t)ramus_comm_ranks(comm), sizeof *x->loads);
    if (!x->buckets || !x->loads) {
        ramus_exchange_destroy(x);
        return ramus_fail_memory(err, "an exchange of gradients");
    }
    cut(x, bucket_bytes);
    qsort(x->buckets, (size_t)x->n_buckets, sizeof *x->buckets, first_complete_first);
    *out = x;
    return RAMUS_OK;
}

void ramus_exchange_destroy(ramus_exchange *x)
{
    if (!x) return;
    free(x->buckets);
    free(x->loads);
    free(x);
}

/* The rank that has the fewest tokens takes the next micro-batch. */
static int give(ramus_exchange *x, const ramus_batch *batch)
{
    int least = 0;
    for (int i = 1; i < ramus_comm_ranks(x->comm); i++)
        if (x->loads[i] < x->loads[least]) least = i;
    x->loads[least] += batch->source_tokens + batch->target_tokens;
    return least;
}

/* Starts the sums of complete buckets, and lets sums under way progress. */
static void pass(void *arg, int turn)
{
    ramus_exchange *x = arg;
    for (; x->started < x->n_buckets && x->buckets[x->started].turn >= turn; x->started++) {
        const bucket *b = &x->buckets[x->started];
        ramus_comm_start_sum(x->comm, x->learner->grads->data + b->first, b->n);
    }
    ramus_comm_poll(x->comm);
}

static void sum_learned(ramus_exchange *x)
{
    ramus_learned *learned = &x->learner->learned;
    double sums[RAMUS_MAX_LOSSES + 3];
    memcpy(sums, learned->sums, sizeof learned->sums);
    sums[RAMUS_MAX_LOSSES] = (double)learned->source_tokens;
    sums[RAMUS_MAX_LOSSES + 1] = (double)learned->target_tokens;
    sums[RAMUS_MAX_LOSSES + 2] = learned->nll;
    ramus_comm_sum(x->comm, sums, RAMUS_COUNT(sums));
    memcpy(learned->sums, sums, sizeof learned->sums);
    learned->source_tokens = (int64_t)sums[RAMUS_MAX_LOSSES];
    learned->target_tokens = (int64_t)sums[RAMUS_MAX_LOSSES + 1];
    learned->nll = sums[RAMUS_MAX_LOSSES + 2];
}

static void add_learned(ramus_learned *to, const ramus_learned *more)
{
    for (int i = 0; i < RAMUS_MAX_LOSSES; i++)
        to->sums[i] += more->sums[i];
    to->nll += more->nll;
    to->source_tokens += more->source_tokens;
    to->target_tokens += more->target_tokens;
}

void ramus_exchange_learn(ramus_exchange *x, const ramus_update *update, int number)
{
    ramus_learner *l = x->learner;
    const ramus_learned before = l->learned;
    int mine = -1; // the latest micro-batch of this rank, not done yet
    ramus_learner_clear(l);
    memset(x->loads, 0, (size_t)ramus_comm_ranks(x->comm) * sizeof *x->loads);
    for (int i = 0; i < update->n; i++) {
        if (give(x, &update->batches[i]) != ramus_comm_rank(x->comm)) continue;
        if (mine >= 0) ramus_learner_batch(l, update, mine, number);
        mine = i;
    }
    x->started = 0;
    l->run->train->passed = pass;
    l->run->train->passed_arg = x;
    if (mine >= 0) ramus_learner_batch(l, update, mine, number);
    l->run->train->passed = NULL;
    pass(x, 0); // all of them, where there was nothing to do
    ramus_comm_wait(x->comm);
    sum_learned(x);
    add_learned(&l->learned, &before);
}
