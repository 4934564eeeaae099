/* A kind of routing is a row: which settings it knows, where the gate's value enters the result,
 * and what its gates learn from. A new one is an enum value in arch.h, its name, its row, its
 * losses. */
#include "model/routing.h"

#include <stdio.h>

/* Where the gate's value enters the result. */
typedef enum { MIX_NEVER, MIX_EVERY_MAP, MIX_LAST_MAP } mixing;

typedef struct {
    ramus_tensor *logits, *noise_width;
    ramus_route route;
} gate_parts;

typedef struct {
    bool gated;   // a gate chooses among `branches`
    bool several; // `top-k` of them
    bool shared;  // they may be `shared-private`
    bool noisy;   // the gate may have `gate-noise`
    bool sparse;  // probabilities over the kept branches only
    mixing mix;
    void (*losses)(const ramus_builder *b, const gate_parts *parts);
} routing;

static void add_diversity(const ramus_builder *b, const gate_parts *p)
{
    const ramus_objective *o = b->objective;
    if (o->diversity_weight > 0)
        ramus_loss_add(b->graph, "diversity",
                       ramus_diversity(b->graph, p->route.probs, o->diversity_form == 1),
                       o->diversity_weight);
}

static void dmb_losses(const ramus_builder *b, const gate_parts *p)
{
    add_diversity(b, p);
    if (b->objective->entropy_weight > 0)
        ramus_loss_add(b->graph, "entropy", ramus_entropy(b->graph, p->route.probs),
                       b->objective->entropy_weight);
}

static void moe_losses(const ramus_builder *b, const gate_parts *p)
{
    add_diversity(b, p);
    if (p->noise_width && b->objective->load_weight > 0)
        ramus_loss_add(b->graph, "load",
                       ramus_noisy_load(b->graph, &p->route, p->logits, p->noise_width),
                       b->objective->load_weight);
}

static void switch_losses(const ramus_builder *b, const gate_parts *p)
{
    if (b->objective->load_weight > 0)
        ramus_loss_add(b->graph, "load", ramus_switch_load(b->graph, &p->route),
                       b->objective->load_weight);
}

// clang-format off
const char *const ramus_routing_names[] = {
    [RAMUS_DENSE] = "dense", [RAMUS_DMB] = "dmb", [RAMUS_MOE] = "moe", [RAMUS_SWITCH] = "switch", NULL};
static const routing kinds[] = {
    //                gated  several shared noisy  sparse mixed in        auxiliary losses
    [RAMUS_DENSE]  = {false, false,  false, false, false, MIX_NEVER,      NULL},
    [RAMUS_DMB]    = {true,  false,  true,  false, false, MIX_NEVER,      dmb_losses},
    [RAMUS_MOE]    = {true,  true,   false, true,  true,  MIX_EVERY_MAP,  moe_losses},
    [RAMUS_SWITCH] = {true,  false,  false, false, false, MIX_LAST_MAP,   switch_losses},
};
// clang-format on

void ramus_routing_settle(ramus_arch *a)
{
    const routing *kind = &kinds[a->routing];
    if (!kind->gated) a->branches = 1;
    if (!kind->several) a->top_k = 1;
    a->shared_private = a->shared_private && kind->shared;
    a->gate_noise = a->gate_noise && kind->noisy;
}

/* Keeps what the route at `site` makes, under the name of the gate. */
static void keep_route(const ramus_builder *b, const ramus_route *r, const ramus_site *site)
{
    char name[RAMUS_MAX_NAME], full[RAMUS_MAX_NAME + sizeof ".index"];
    const struct {
        ramus_tensor *tensor;
        const char *name;
    } kept[] = {{r->probs, "probs"}, {r->index, "index"}, {r->order, "order"}};
    ramus_gate_name(name, site);
    for (int i = 0; i < RAMUS_COUNT(kept); i++) {
        (void)snprintf(full, sizeof full, "%s.%s", name, kept[i].name);
        ramus_keep(b->graph, kept[i].tensor, full);
    }
}

ramus_route ramus_gate(ramus_builder *b, ramus_tensor *x, ramus_place applied, bool routed)
{
    const ramus_arch *a = b->arch;
    const routing *kind = &kinds[a->routing];
    ramus_graph *g = b->graph;
    if (!routed || !kind->gated) return (ramus_route){0};

    const int shape[] = {a->branches, x->dims[1]};
    if (x->dims[1] != ramus_arch_width(a, b->site.stack)) b->site.place = applied; // a second gate
    ramus_tensor *weight = ramus_builder_param(b, RAMUS_ROLE_GATE_WEIGHT, 2, shape);
    ramus_tensor *bias = ramus_builder_param(b, RAMUS_ROLE_GATE_BIAS, 1, shape);
    gate_parts parts = {.logits = ramus_linear(g, x, weight, bias, NULL)};
    if (g->spec.training && a->gate_noise) {
        ramus_tensor *noise = ramus_builder_param(b, RAMUS_ROLE_GATE_NOISE, 2, shape);
        parts.noise_width = ramus_linear(g, x, noise, NULL, NULL);
    }
    const ramus_route_spec spec = {.top_k = a->top_k, .sparse = kind->sparse};
    parts.route = parts.noise_width ? ramus_route_noisy(g, parts.logits, parts.noise_width, &spec)
                                    : ramus_route_tokens(g, parts.logits, &spec);
    b->site.place = 0;
    parts.route.index->site = b->site;
    parts.route.index->site.place = applied;
    if (b->keep_gates) keep_route(b, &parts.route, &parts.route.index->site);
    kind->losses(b, &parts);
    b->gates++;
    return parts.route;
}

ramus_tensor *ramus_gate_next(const ramus_graph *g, const ramus_tensor *after)
{
    for (int i = after ? after->number + 1 : 0; i < g->n_tensors; i++) {
        ramus_tensor *t = g->tensors[i];
        if (t->maker && t->site.place) return t; // parameters have no maker
    }
    return NULL;
}

ramus_tensor *ramus_gate_probs(const ramus_tensor *gate)
{
    return gate->maker->out[0];
}

ramus_tensor *ramus_rounded_rows(const ramus_builder *b, ramus_tensor *x)
{
    return b->objective->quantize ? ramus_round_rows(b->graph, x) : x;
}

/* Rounds input and weight of the map at the site, if training asks for it. */
static void round_map(const ramus_builder *b, const ramus_route *route, ramus_tensor **x,
                      ramus_tensor **weight)
{
    const ramus_objective *o = b->objective;
    ramus_graph *g = b->graph;
    if (o->quantize == RAMUS_BITS_NONE) return;
    const int bits = o->quantize == RAMUS_BITS_4 ? 4 : 8;
    if (o->ranges == RAMUS_RANGES_ROW) {
        *x = ramus_rounded_rows(b, *x);
        *weight = ramus_round_weight(g, *weight, bits);
        return;
    }
    const int n = route->branches ? route->branches : 1;
    ramus_tensor *input = ramus_builder_param(b, RAMUS_ROLE_INPUT_RANGE, 1, &n);
    ramus_tensor *range = ramus_builder_param(b, RAMUS_ROLE_WEIGHT_RANGE, 1, &n);
    *x = ramus_clip_rows(g, *x, input, route->branches ? route : NULL, bits);
    *weight = ramus_clip_weight(g, *weight, range, bits);
}

/* Xavier uniform, for one branch. */
static double xavier(int inputs, int outputs, double gain)
{
    return gain * sqrt(6.0 / (inputs + outputs));
}

/* A parameter of a map: [dims] or, routed, [N, dims], to which a shared [dims] is added in
 * training. */
static ramus_tensor *map_param(ramus_builder *b, ramus_role role, const ramus_route *route,
                               int n_dims, const int *dims, double bound)
{
    const int all[] = {route->branches, dims[0], n_dims > 1 ? dims[1] : 0};
    const bool routed = route->branches > 0, alike = routed && b->objective->alike;
    ramus_tensor *own =
        ramus_builder_param(b, role, n_dims + (routed ? 1 : 0), routed ? all : dims);
    own->init_scale = bound;
    if (!routed || !b->graph->spec.training || !b->arch->shared_private) {
        if (alike && own->init == RAMUS_INIT_UNIFORM) own->init = RAMUS_INIT_ALIKE;
        return own;
    }
    ramus_tensor *shared = ramus_builder_param(b, ramus_role_shared(role), n_dims, dims);
    if (alike) { // what is common to all begins in the shared part
        shared->init = own->init;
        shared->init_scale = bound;
        own->init = RAMUS_INIT_ZERO;
    }
    return ramus_share(b->graph, own, shared);
}

ramus_tensor *ramus_map(ramus_builder *b, ramus_tensor *x, ramus_place map,
                        const ramus_route *route, const ramus_map_spec *spec)
{
    const mixing mix = kinds[b->arch->routing].mix;
    const int inputs = x->dims[1], dims[] = {spec->width, inputs};
    const ramus_linear_spec linear = {
        .route = route->branches ? route : NULL,
        .mix = mix == MIX_EVERY_MAP || (mix == MIX_LAST_MAP && spec->output),
        .relu = spec->relu,
    };
    b->site.place = map;
    ramus_tensor *weight =
        map_param(b, RAMUS_ROLE_WEIGHT, route, 2, dims, xavier(inputs, spec->width, spec->gain));
    ramus_tensor *bias = spec->plain ? NULL : map_param(b, RAMUS_ROLE_BIAS, route, 1, dims, 0);
    round_map(b, route, &x, &weight);
    b->site.place = 0;
    return ramus_linear(b->graph, x, weight, bias, &linear);
}

ramus_tensor *ramus_map_taps(ramus_builder *b, const ramus_route *route, int heads, int kernel)
{
    const int count = heads * kernel;
    b->site.place = RAMUS_MAP_TAPS;
    ramus_tensor *taps = map_param(b, RAMUS_ROLE_TAPS, route, 1, &count, xavier(heads, kernel, 1));
    b->site.place = 0;
    return taps;
}

ramus_tensor *ramus_map_choose(const ramus_builder *b, ramus_tensor *values,
                               const ramus_route *route)
{
    if (!route->branches) return values;
    return ramus_choose(b->graph, values, route, kinds[b->arch->routing].mix == MIX_EVERY_MAP);
}

void ramus_gates_finish(const ramus_builder *b)
{
    for (int i = 0; i < b->graph->n_losses; i++) {
        ramus_loss *loss = &b->graph->losses[i];
        if (loss->value->maker->op != &ramus_op_project_loss) loss->weight /= b->gates;
    }
}
