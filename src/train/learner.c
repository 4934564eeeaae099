#include "train/learner.h"

#include "grad/grad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBS ".probs"

/* Whether `t` holds the probabilities of a gate application. */
static bool is_gate(const ramus_tensor *t)
{
    const size_t n = strlen(t->name), tail = strlen(PROBS);
    return n > tail && strcmp(t->name + n - tail, PROBS) == 0 && strstr(t->name, ".gate.");
}

static int count_gates(const ramus_graph *g)
{
    int n = 0;
    for (int i = 0; i < g->n_named; i++)
        n += is_gate(g->named[i]);
    return n;
}

static void find_gates(ramus_learner *l)
{
    const ramus_graph *g = l->graph;
    for (int i = 0; i < g->n_named; i++) {
        ramus_tensor *probs = g->named[i];
        if (!is_gate(probs)) continue;
        char name[RAMUS_MAX_NAME + 8];
        const size_t n = strlen(probs->name) - strlen(PROBS);
        memcpy(name, probs->name, n);
        memcpy(name + n, ".index", sizeof ".index");
        l->gate_probs[l->n_gates] = probs;
        l->gate_index[l->n_gates] = ramus_graph_find(g, name);
        RAMUS_ASSERT(l->gate_index[l->n_gates] != NULL);
        name[n] = '\0';
        l->gates[l->n_gates].name = ramus_arena_string(l->arena, name);
        l->gates[l->n_gates].branches = probs->dims[1];
        l->gates[l->n_gates].share =
            ramus_arena_alloc(l->arena, (size_t)probs->dims[1] * sizeof(double));
        l->n_gates++;
    }
}

static void find_losses(ramus_learner *l)
{
    l->losses[l->n_losses++] = "cross_entropy";
    for (int i = 0; i < l->graph->n_losses; i++) {
        int at = 0;
        while (at < l->n_losses && strcmp(l->losses[at], l->graph->losses[i].name) != 0)
            at++;
        RAMUS_ASSERT(at < RAMUS_MAX_LOSSES);
        if (at == l->n_losses) l->losses[l->n_losses++] = l->graph->losses[i].name;
    }
}

static ramus_status create_arena(ramus_learner *l, int tokens, ramus_error *err)
{
    const size_t gates = (size_t)count_gates(l->graph);
    size_t bytes = ramus_arena_round((size_t)tokens * sizeof(int)) +
                   3 * ramus_arena_round(gates * sizeof(ramus_gate_use));
    for (int i = 0; i < l->graph->n_named; i++) {
        const ramus_tensor *t = l->graph->named[i];
        if (is_gate(t))
            bytes += ramus_arena_round((size_t)t->dims[1] * sizeof(double)) +
                     ramus_arena_round(strlen(t->name) + 1);
    }
    const ramus_status st = ramus_arena_create(&l->arena, bytes, err);
    if (st) return st;
    l->lengths = ramus_arena_alloc(l->arena, (size_t)tokens * sizeof(int));
    l->gates = ramus_arena_alloc(l->arena, gates * sizeof *l->gates);
    l->gate_probs = ramus_arena_alloc(l->arena, gates * sizeof(ramus_tensor *));
    l->gate_index = ramus_arena_alloc(l->arena, gates * sizeof(ramus_tensor *));
    return RAMUS_OK;
}

ramus_status ramus_learner_create(ramus_learner **out, const ramus_learner_spec *spec,
                                  ramus_error *err)
{
    ramus_learner *l = calloc(1, sizeof *l);
    if (!l) return ramus_fail_memory(err, "a learner");
    const ramus_limits limits = {spec->tokens, spec->tokens, spec->max_length};
    const ramus_build build = {.kind = RAMUS_FULL,
                               .head = RAMUS_HEAD_LOSS,
                               .objective = spec->objective,
                               .source = limits,
                               .target = limits,
                               .gates = true};
    l->seed = spec->seed;
    ramus_status st = ramus_transformer_create(&l->graph, spec->arch, &build, err);
    if (!st) st = ramus_grad_run_create(&l->run, l->graph, spec->pool, err);
    if (!st) st = ramus_weights_create(&l->weights, l->graph, err);
    if (!st) st = ramus_weights_create(&l->grads, l->graph, err);
    if (!st) st = create_arena(l, spec->tokens, err);
    if (st) {
        ramus_learner_destroy(l);
        return st;
    }
    find_gates(l);
    find_losses(l);
    ramus_weights_init(l->weights, l->graph, spec->seed);
    ramus_weights_bind(l->graph, l->weights, l->grads);
    *out = l;
    return RAMUS_OK;
}

void ramus_learner_destroy(ramus_learner *l)
{
    if (!l) return;
    ramus_run_destroy(l->run);
    ramus_graph_destroy(l->graph);
    ramus_weights_destroy(l->weights);
    ramus_weights_destroy(l->grads);
    ramus_arena_destroy(l->arena);
    free(l);
}

/* Adds the values of all losses to the sums: auxiliary ones as a mean over the applications. */
static void add_losses(ramus_learner *l, const ramus_batch *batch)
{
    int applied[RAMUS_MAX_LOSSES] = {0};
    double values[RAMUS_MAX_LOSSES] = {0};
    for (int i = 0; i < l->graph->n_losses; i++) {
        const ramus_loss *loss = &l->graph->losses[i];
        int kind = 0;
        while (strcmp(l->losses[kind], loss->name) != 0)
            kind++;
        values[kind] += (double)((const ramus_real *)loss->value->data)[0];
        applied[kind]++;
    }
    l->learned.sums[0] += values[0];
    for (int i = 1; i < l->n_losses; i++)
        l->learned.sums[i] += values[i] / applied[i] * batch->target_tokens;
    l->learned.source_tokens += batch->source_tokens;
    l->learned.target_tokens += batch->target_tokens;
}

void ramus_learner_batch(ramus_learner *l, const ramus_update *update, int i, int number)
{
    const ramus_batch *batch = &update->batches[i];
    ramus_run *run = l->run;
    ramus_batch_set(l->graph, batch, l->lengths);
    run->rng = (ramus_rng){.seed = l->seed, .update = (uint32_t)number, .batch = (uint32_t)i};
    run->loss_scale = 1 / (double)update->target_tokens;
    run->aux_scale = batch->target_tokens / (double)update->target_tokens;
    ramus_grad_forward(run);
    ramus_grad_seed(run);
    ramus_grad_backward(run);
    add_losses(l, batch);
}

double ramus_learner_loss(const ramus_learner *l, int i)
{
    return l->learned.target_tokens ? l->learned.sums[i] / (double)l->learned.target_tokens : 0;
}

void ramus_learner_clear(ramus_learner *l)
{
    l->learned = (ramus_learned){0};
}

static void gate_use(ramus_gate_use *use, const ramus_tensor *probs, const ramus_tensor *index)
{
    const int rows = ramus_tensor_rows(probs), branches = probs->dims[1];
    const int kept = (int)ramus_tensor_width(index);
    const ramus_real *p = probs->data;
    const int *chosen = index->data;
    double *share = use->share;
    memset(share, 0, (size_t)branches * sizeof *share);
    use->entropy = 0;
    for (int i = 0; i < rows * branches; i++)
        if (p[i] > 0) use->entropy -= (double)p[i] * log((double)p[i]) / rows;
    for (int i = 0; i < rows * kept; i++)
        share[chosen[i]] += 1.0 / ((double)rows * kept);
}

void ramus_learner_gates(ramus_learner *l)
{
    for (int i = 0; i < l->n_gates; i++)
        gate_use(&l->gates[i], l->gate_probs[i], l->gate_index[i]);
}
