/* A micro-batch fills the graph's inputs, runs forward and backward, and adds its losses to the
 * sums. Its scales are known before the forward pass. */
#include "train/learner.h"

#include "grad/grad.h"
#include "model/routing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void find_gates(ramus_learner *l)
{
    for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(l->graph, gate));) {
        char name[RAMUS_MAX_NAME];
        ramus_gate_name(name, &gate->site);
        const int branches = ramus_gate_probs(gate)->dims[1];
        l->gates[l->n_gates++] = (ramus_gate_use){
            .name = ramus_arena_string(l->arena, name),
            .branches = branches,
            .share = ramus_arena_alloc(l->arena, (size_t)branches * sizeof(double)),
        };
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
    size_t gates = 0, bytes = ramus_arena_round((size_t)tokens * sizeof(int));
    for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(l->graph, gate)); gates++)
        bytes += ramus_arena_round((size_t)ramus_gate_probs(gate)->dims[1] * sizeof(double)) +
                 ramus_arena_round(RAMUS_MAX_NAME);
    bytes += ramus_arena_round(gates * sizeof *l->gates);
    const ramus_status st = ramus_arena_create(&l->arena, bytes, err);
    if (st) return st;
    l->lengths = ramus_arena_alloc(l->arena, (size_t)tokens * sizeof(int));
    l->gates = ramus_arena_alloc(l->arena, gates * sizeof *l->gates);
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
    if (spec->objective->products == RAMUS_PRODUCTS_BF16)
        l->run->train->kernels.gemm = l->run->train->kernels.gemm_bf16;
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
    const ramus_tensor *nll = ramus_graph_find(l->graph, "nll");
    for (int i = 0; i < batch->target_tokens; i++)
        l->learned.nll += (double)((const ramus_real *)nll->data)[i];
    l->learned.source_tokens += batch->source_tokens;
    l->learned.target_tokens += batch->target_tokens;
}

void ramus_learner_batch(ramus_learner *l, const ramus_update *update, int i, int number)
{
    const ramus_batch *batch = &update->batches[i];
    ramus_run *run = l->run;
    ramus_batch_set(l->graph, batch, l->lengths);
    ramus_train_run *training = run->train;
    training->rng = (ramus_rng){.seed = l->seed, .update = (uint32_t)number, .batch = (uint32_t)i};
    training->loss_scale = 1 / (double)update->target_tokens;
    training->aux_scale = batch->target_tokens / (double)update->target_tokens;
    ramus_grad_forward(run);
    ramus_grad_seed(run);
    ramus_grad_backward(run);
    add_losses(l, batch);
}

double ramus_learner_loss(const ramus_learner *l, int i)
{
    return l->learned.target_tokens ? l->learned.sums[i] / (double)l->learned.target_tokens : 0;
}

double ramus_learner_nll(const ramus_learner *l)
{
    return l->learned.target_tokens ? l->learned.nll / (double)l->learned.target_tokens : 0;
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
    ramus_gate_use *use = l->gates;
    for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(l->graph, gate)); use++)
        gate_use(use, ramus_gate_probs(gate), gate);
}
