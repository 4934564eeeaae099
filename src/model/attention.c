/* A sublayer is: gates, norm, the maps q, k and v, a kind of attention, the map o, residual. Only
 * the kind in the middle differs: a new one is an enum value in arch.h, its name and its row. What
 * it needs besides q, k and v it declares itself; its cost is that of the ops it emits. */
#include "model/attention.h"

#include "graph/ops.h"
#include "model/norm.h"
#include "model/routing.h"

/* q [Rq, D], k and v [Rk, D] or their history -> [Rq, D] */
typedef ramus_tensor *attention_kind(ramus_graph *g, ramus_tensor *q, ramus_tensor *k,
                                     ramus_tensor *v, const ramus_attention_spec *spec);

const char *const ramus_attention_names[] = {[RAMUS_ATTENTION_SOFTMAX] = "softmax", NULL};
static attention_kind *const kinds[] = {[RAMUS_ATTENTION_SOFTMAX] = ramus_attention};

static const double half_gain = 0.70710678118654752440; // q, k, v: Xavier with gain 1 / sqrt 2

/* Attention from x to `memory`; NULL: to x itself. */
static ramus_tensor *attend(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                            ramus_attention_spec spec)
{
    const ramus_arch *a = b->arch;
    ramus_graph *g = b->graph;
    const bool routed = a->routed != RAMUS_ROUTED_FFN;
    spec.heads = ramus_arch_heads(a, b->site.stack);
    spec.dropout = b->objective->attention_dropout;

    const ramus_route route = ramus_gate(b, x, memory ? RAMUS_GATE_Q : RAMUS_GATE_X, routed);
    const ramus_route memory_route = memory ? ramus_gate(b, memory, RAMUS_GATE_KV, routed) : route;
    const ramus_map_spec in = {.width = a->width, .gain = half_gain};
    const ramus_map_spec out = {
        .width = a->width, .gain = route.branches ? half_gain : 1, .output = true};
    ramus_tensor *query = ramus_sublayer_enter(b, x), *keys = memory ? memory : query;
    ramus_tensor *q = ramus_map(b, query, RAMUS_MAP_Q, &route, &in);
    ramus_tensor *k = ramus_map(b, keys, RAMUS_MAP_K, &memory_route, &in);
    ramus_tensor *v = ramus_map(b, keys, RAMUS_MAP_V, &memory_route, &in);
    if (spec.causal) {
        k = ramus_history(g, k);
        v = ramus_history(g, v);
    }
    ramus_tensor *mixed = kinds[a->attention](g, q, k, v, &spec);
    if (spec.look) b->look = mixed->maker->out[2];
    return ramus_sublayer_leave(b, x, ramus_map(b, mixed, RAMUS_MAP_O, &route, &out));
}

ramus_tensor *ramus_attend_self(ramus_builder *b, ramus_tensor *x)
{
    return attend(b, x, NULL, (ramus_attention_spec){0});
}

ramus_tensor *ramus_attend_past(ramus_builder *b, ramus_tensor *x)
{
    return attend(b, x, NULL, (ramus_attention_spec){.causal = true});
}

ramus_tensor *ramus_attend_memory(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                                  bool look)
{
    return attend(b, x, memory, (ramus_attention_spec){.look = look});
}
