/* A sublayer is: gates, norm, what looks at other rows, residual. Encoder-decoder attention is
 * multi-head attention; how a sentence looks at itself is a kind: a new one is an enum value in
 * arch.h, its name and its row. It declares its parameters itself; its cost is that of the ops it
 * emits. */
#include "model/attention.h"

#include "model/lsra.h"
#include "model/norm.h"
#include "model/routing.h"

typedef struct {
    /* What the rows of x, of width D, make of their sentence or, if causal, of its past: [R, D] */
    ramus_tensor *(*build)(ramus_builder *b, ramus_tensor *x, const ramus_route *route,
                           bool causal);
    int (*channels)(const ramus_arch *a, int stack); // that go to multi-head attention
    /* What cannot be at the site; or NULL. */
    ramus_status (*check)(const ramus_arch *a, const ramus_site *site, ramus_error *err);
} attention_kind;

static ramus_tensor *softmax(ramus_builder *b, ramus_tensor *x, const ramus_route *route,
                             bool causal)
{
    const ramus_heads heads = {.query = x,
                               .keys = x,
                               .route = route,
                               .keys_route = route,
                               .width = x->dims[1],
                               .causal = causal};
    return ramus_multi_head(b, &heads);
}

const char *const ramus_attention_names[] = {
    [RAMUS_ATTENTION_SOFTMAX] = "softmax", [RAMUS_ATTENTION_LSRA] = "lsra", NULL};
static const attention_kind kinds[] = {
    [RAMUS_ATTENTION_SOFTMAX] = {softmax, ramus_arch_width, NULL},
    [RAMUS_ATTENTION_LSRA] = {ramus_lsra, ramus_lsra_far, ramus_lsra_check},
};

static const double half_gain = 0.70710678118654752440; // q, k, v: Xavier with gain 1 / sqrt 2

/* The width of q, k and v at the site. */
static int inner_width(const ramus_arch *a, const ramus_site *site)
{
    if (a->attention_width) return a->attention_width;
    return site->sublayer == RAMUS_SUBLAYER_CROSS ? ramus_arch_width(a, site->stack)
                                                  : kinds[a->attention].channels(a, site->stack);
}

ramus_status ramus_attention_check(const ramus_arch *a, const ramus_site *site, ramus_error *err)
{
    const attention_kind *kind = &kinds[a->attention];
    if (kind->check && site->sublayer != RAMUS_SUBLAYER_CROSS) {
        const ramus_status st = kind->check(a, site, err);
        if (st) return st;
    }
    const int width = inner_width(a, site), heads = ramus_arch_heads(a, site);
    if (width % heads == 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "width %d cannot be divided among %d heads: choose heads that divide it",
                      width, heads);
}

ramus_tensor *ramus_multi_head(ramus_builder *b, const ramus_heads *h)
{
    ramus_graph *g = b->graph;
    const ramus_attention_spec spec = {.heads = ramus_arch_heads(b->arch, &b->site),
                                       .causal = h->causal,
                                       .dropout = b->objective->attention_dropout,
                                       .look = h->look};
    const ramus_map_spec in = {.width = inner_width(b->arch, &b->site), .gain = half_gain};
    const ramus_map_spec out = {
        .width = h->width, .gain = h->route->branches ? half_gain : 1, .output = true};
    ramus_tensor *q = ramus_map(b, h->query, RAMUS_MAP_Q, h->route, &in);
    ramus_tensor *k = ramus_map(b, h->keys, RAMUS_MAP_K, h->keys_route, &in);
    ramus_tensor *v = ramus_map(b, h->keys, RAMUS_MAP_V, h->keys_route, &in);
    if (h->causal) {
        k = ramus_history(g, k);
        v = ramus_history(g, v);
    }
    ramus_tensor *mixed = ramus_attention(g, q, k, v, &spec);
    if (h->look) b->look = mixed->maker->out[2];
    return ramus_map(b, mixed, RAMUS_MAP_O, h->route, &out);
}

static ramus_tensor *attend(ramus_builder *b, ramus_tensor *x, bool causal)
{
    const ramus_arch *a = b->arch;
    const ramus_route route = ramus_gate(b, x, RAMUS_GATE_X, a->routed != RAMUS_ROUTED_FFN);
    ramus_tensor *entered = ramus_sublayer_enter(b, x);
    return ramus_sublayer_leave(b, x, kinds[a->attention].build(b, entered, &route, causal));
}

ramus_tensor *ramus_attend_self(ramus_builder *b, ramus_tensor *x)
{
    return attend(b, x, false);
}

ramus_tensor *ramus_attend_past(ramus_builder *b, ramus_tensor *x)
{
    return attend(b, x, true);
}

ramus_tensor *ramus_attend_memory(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                                  bool look)
{
    const bool routed = b->arch->routed != RAMUS_ROUTED_FFN;
    const ramus_route route = ramus_gate(b, x, RAMUS_GATE_Q, routed);
    const ramus_route memory_route = ramus_gate(b, memory, RAMUS_GATE_KV, routed);
    const ramus_heads heads = {.query = ramus_sublayer_enter(b, x),
                               .keys = memory,
                               .route = &route,
                               .keys_route = &memory_route,
                               .width = x->dims[1],
                               .look = look};
    return ramus_sublayer_leave(b, x, ramus_multi_head(b, &heads));
}
