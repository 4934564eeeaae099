/* The table of rules and the walk. Nodes run forward in order and backward at their turns;
 * before a rule runs, the walk finds which gradients are still fresh. */
#include "grad/grad.h"

#include "base/clock.h"
#include "graph/ops.h"
#include "kernels/select_train.h"

#include <string.h>

static const ramus_grad_rule no_flow[] = {
    {.op = &ramus_op_signal}, // depends on nothing
};

static const ramus_grad_rule *const rules[] = {
    &ramus_grad_route,     &ramus_grad_route_noisy,  &ramus_grad_linear,
    &ramus_grad_share,     &ramus_grad_round,        &ramus_grad_clip,
    &ramus_grad_attention, &ramus_grad_norm,         &ramus_grad_add,
    &ramus_grad_activate,  &ramus_grad_dropout,      &ramus_grad_embed,
    &ramus_grad_taps,      &ramus_grad_choose,       &ramus_grad_convolution,
    &ramus_grad_glu,       &ramus_grad_columns,      &ramus_grad_beside,
    &ramus_grad_behind,    &ramus_grad_project_loss, &ramus_grad_diversity,
    &ramus_grad_entropy,   &ramus_grad_switch_load,  &ramus_grad_noisy_load,
    &no_flow[0],
};

const ramus_grad_rule *ramus_grad_rule_of(const ramus_op *op)
{
    for (int i = 0; i < RAMUS_COUNT(rules); i++)
        if (rules[i]->op == op) return rules[i];
    return NULL;
}

/* The widest scratch that any rule asks for: of each thread, and of all together. */
static void scratch_bytes(const ramus_graph *g, size_t *own, size_t *shared)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        const ramus_grad_rule *rule = ramus_grad_rule_of(n->op);
        const size_t each = rule && rule->scratch ? rule->scratch(n) : 0;
        const size_t all = rule && rule->shared ? rule->shared(n) : 0;
        if (each > *own) *own = each;
        if (all > *shared) *shared = all;
    }
}

ramus_status ramus_grad_run_create(ramus_run **out, ramus_graph *g, ramus_pool *pool,
                                   ramus_error *err)
{
    ramus_train_run training = {.loss_scale = 1, .aux_scale = 1};
    ramus_run_room room = {0};
    size_t shared = 0;
    scratch_bytes(g, &room.scratch, &shared);
    room.more = ramus_arena_round(shared) + ramus_arena_round(sizeof training);
    ramus_status st = ramus_train_kernels_choose(&training.kernels, err);
    if (!st) st = ramus_run_create_with(out, g, pool, &room, err);
    if (st) return st;
    ramus_run *run = *out;
    training.shared = ramus_arena_alloc(run->memory, shared);
    run->train = ramus_arena_alloc(run->memory, sizeof training);
    *run->train = training;
    return RAMUS_OK;
}

static double start_time(const ramus_run *run)
{
    return run->probe ? ramus_clock_now() : 0;
}

static void add_time(ramus_run *run, int node, bool backward, double start)
{
    double *seconds = run->probe ? run->probe->seconds : NULL;
    if (seconds) seconds[2 * node + backward] += ramus_clock_now() - start;
}

void ramus_grad_forward(ramus_run *run)
{
    const ramus_graph *g = run->graph;
    RAMUS_ASSERT(run->train != NULL); // made by ramus_grad_run_create()
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        const double start = start_time(run);
        const ramus_grad_rule *rule = ramus_grad_rule_of(n->op);
        RAMUS_ASSERT(rule != NULL);
        (rule->forward ? rule->forward : n->op->forward)(run, n);
        add_time(run, i, false, start);
    }
}

static void zero_grad(const ramus_tensor *t)
{
    const size_t count = (size_t)ramus_tensor_rows(t) * ramus_tensor_width(t);
    memset(t->grad, 0, count * sizeof *t->grad);
}

void ramus_grad_seed(ramus_run *run)
{
    const ramus_graph *g = run->graph;
    for (int i = 0; i < g->n_tensors; i++) {
        const ramus_tensor *t = g->tensors[i];
        if (t->grad && !t->param && t->last_reader < 0) zero_grad(t);
    }
    for (int i = 0; i < g->n_losses; i++) {
        const ramus_loss *loss = &g->losses[i];
        const bool main_loss = loss->value->maker->op == &ramus_op_project_loss;
        const double scale = main_loss ? run->train->loss_scale : run->train->aux_scale;
        if (loss->value->grad) loss->value->grad[0] = (ramus_real)(loss->weight * scale);
    }
}

void ramus_grad_begin(const ramus_run *run, const ramus_node *n, int i, int first, int last)
{
    if (!(run->train->fresh & RAMUS_GRAD_OF(i))) return;
    const size_t width = ramus_tensor_width(n->in[i]);
    memset(n->in[i]->grad + (size_t)first * width, 0,
           (size_t)(last - first) * width * sizeof *n->in[i]->grad);
}

/* The inputs of n, which runs at place `at`, whose gradients are fresh: nothing was added yet. Each
 * once.
 */
static unsigned fresh_inputs(const ramus_node *n, int at)
{
    unsigned fresh = 0;
    for (int i = 0; i < RAMUS_MAX_IN; i++) {
        const ramus_tensor *t = n->in[i];
        bool again = false;
        for (int j = 0; j < i; j++)
            again |= n->in[j] == t;
        if (t && t->grad && !t->param && t->last_reader == at && !again) fresh |= RAMUS_GRAD_OF(i);
    }
    return fresh;
}

static void pass_node(ramus_run *run, int i)
{
    const ramus_node *n = run->graph->nodes[i];
    const double start = start_time(run);
    bool flows = false;
    for (int j = 0; j < RAMUS_MAX_OUT; j++)
        flows |= n->out[j] && n->out[j]->grad;
    const ramus_grad_rule *rule = ramus_grad_rule_of(n->op);
    const unsigned fresh = fresh_inputs(n, i);
    run->train->fresh = flows ? fresh & rule->begins : 0;
    for (int j = 0; j < RAMUS_MAX_IN; j++)
        if (fresh & ~run->train->fresh & RAMUS_GRAD_OF(j)) zero_grad(n->in[j]);
    if (flows && rule->backward) rule->backward(run, n);
    add_time(run, i, true, start);
}

void ramus_grad_backward(ramus_run *run)
{
    const ramus_graph *g = run->graph;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        if (g->nodes[i]->turn == i) pass_node(run, i);
        for (int k = 0; k < i && g->nodes[k]->phase == RAMUS_WEIGHTS; k++)
            if (g->nodes[k]->turn == i) pass_node(run, k);
        if (run->train->passed) run->train->passed(run->train->passed_arg, i);
    }
}

void ramus_grad_products(ramus_run *run)
{
    const ramus_graph *g = run->graph;
    for (int i = 0; i < 2 * g->n_nodes; i++) {
        const bool backward = i >= g->n_nodes;
        const int at = backward ? 2 * g->n_nodes - 1 - i : i;
        const double start = start_time(run);
        const ramus_grad_rule *rule = ramus_grad_rule_of(g->nodes[at]->op);
        run->train->fresh = fresh_inputs(g->nodes[at], at) & rule->begins;
        if (rule->products) rule->products(run, g->nodes[at], backward);
        add_time(run, at, backward, start);
    }
}
