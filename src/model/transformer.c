#include "model/transformer.h"

#include "graph/ops/clip.h"
#include "model/routing.h"

#include <stdio.h>
#include <string.h>

#define NODES_PER_LAYER  72 // a decoder layer of a routed training graph has 59
#define ROUNDS_PER_LAYER 20 // a decoder layer has 10 maps: of each the input and the weights
#define NODES_BESIDES    32

static const double half_gain = 0.70710678118654752440; // q, k, v: Xavier with gain 1 / sqrt 2

static ramus_tensor *build_norm(ramus_builder *b, ramus_tensor *x, ramus_tensor *residual)
{
    ramus_graph *g = b->graph;
    ramus_scope_push(g, "norm");
    ramus_tensor *gain = ramus_param(g, "gain", 1, &b->arch->width, RAMUS_INIT_ONE, 0);
    ramus_tensor *bias = ramus_param(g, "bias", 1, &b->arch->width, RAMUS_INIT_ZERO, 0);
    ramus_scope_pop(g);
    return ramus_norm(g, x, residual, gain, bias);
}

static bool is_pre(const ramus_builder *b)
{
    return b->arch->norm == RAMUS_NORM_PRE;
}

/* What the sublayer in scope reads: x, or its norm. */
static ramus_tensor *enter(ramus_builder *b, ramus_tensor *x)
{
    return is_pre(b) ? build_norm(b, x, NULL) : x;
}

/* x + y, or its norm. */
static ramus_tensor *leave(ramus_builder *b, ramus_tensor *x, ramus_tensor *y)
{
    if (b->objective) y = ramus_dropout(b->graph, y, b->objective->dropout);
    return is_pre(b) ? ramus_add(b->graph, x, y) : build_norm(b, y, x);
}

/* Attention from x to `memory`; NULL: to x itself, in the decoder (causal) to what came before. */
static ramus_tensor *build_attention(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                                     ramus_attention_spec spec)
{
    const ramus_arch *a = b->arch;
    ramus_graph *g = b->graph;
    const bool routed = a->routed != RAMUS_ROUTED_FFN;
    const double gain = a->routing == RAMUS_DENSE || !routed ? 1 : half_gain;
    const ramus_map_spec in = {.width = a->width, .gain = half_gain};
    const ramus_map_spec out = {.width = a->width, .gain = gain, .output = true};
    spec.heads = a->heads;
    spec.dropout = b->objective ? b->objective->attention_dropout : 0;

    const ramus_route route = ramus_gate(b, x, memory ? "q" : "x", routed);
    const ramus_route memory_route = memory ? ramus_gate(b, memory, "kv", routed) : route;
    ramus_tensor *query = enter(b, x), *keys = memory ? memory : query;
    ramus_tensor *q = ramus_map(b, query, "q", &route, &in);
    ramus_tensor *k = ramus_map(b, keys, "k", &memory_route, &in);
    ramus_tensor *v = ramus_map(b, keys, "v", &memory_route, &in);
    if (spec.causal) {
        k = ramus_history(g, k);
        v = ramus_history(g, v);
    }
    ramus_tensor *mixed = ramus_attention(g, q, k, v, &spec);
    if (spec.look) b->look = mixed->maker->out[2];
    return leave(b, x, ramus_map(b, mixed, "o", &route, &out));
}

static ramus_tensor *build_ffn(ramus_builder *b, ramus_tensor *x)
{
    const ramus_arch *a = b->arch;
    const ramus_map_spec in = {.width = a->filter, .gain = 1, .relu = true};
    const ramus_map_spec out = {.width = a->width, .gain = 1, .output = true};

    const ramus_route route = ramus_gate(b, x, "x", a->routed != RAMUS_ROUTED_ATTENTION);
    ramus_tensor *hidden = ramus_map(b, enter(b, x), "in", &route, &in);
    if (b->objective) hidden = ramus_dropout(b->graph, hidden, b->objective->relu_dropout);
    return leave(b, x, ramus_map(b, hidden, "out", &route, &out));
}

/* The encoder or, with a memory to look at, the decoder. */
static ramus_tensor *build_stack(ramus_builder *b, const char *name, int layers, ramus_tensor *x,
                                 ramus_tensor *memory)
{
    ramus_graph *g = b->graph;
    ramus_scope_push(g, "%s", name);
    for (int i = 0; i < layers; i++) {
        ramus_scope_push(g, "%d", i);
        ramus_scope_push(g, "attention");
        x = build_attention(b, x, NULL, (ramus_attention_spec){.causal = memory != NULL});
        ramus_scope_pop(g);
        if (memory) {
            ramus_scope_push(g, "cross");
            const bool look =
                b->alignment && i == layers - 1; // the clearest: docs/design/search.md
            x = build_attention(b, x, memory, (ramus_attention_spec){.look = look});
            ramus_scope_pop(g);
        }
        ramus_scope_push(g, "ffn");
        x = build_ffn(b, x);
        ramus_scope_pop(g);
        ramus_scope_pop(g);
    }
    if (is_pre(b)) x = build_norm(b, x, NULL);
    ramus_scope_pop(g);
    return x;
}

/* The matrix of one use: "embedding" when all are tied, else "source", "target", "softmax". */
static ramus_tensor *word_matrix(ramus_builder *b, const char *use, int words)
{
    const ramus_arch *a = b->arch;
    const bool softmax = strcmp(use, "softmax") == 0;
    const char *name = use;
    if (a->tie == RAMUS_TIE_ALL) name = "embedding";
    if (a->tie == RAMUS_TIE_TARGET && softmax) name = "target";
    ramus_scope_push(b->graph, "%s", name);
    ramus_tensor *t = ramus_param(b->graph, "weight", 2, (int[]){words, a->width},
                                  RAMUS_INIT_NORMAL, 1 / sqrt(a->width));
    ramus_scope_pop(b->graph);
    const ramus_objective *o = b->objective;
    if (!o || o->quantize == RAMUS_BITS_NONE) return t;
    return ramus_round_weight(b->graph, t, o->quantize_embeddings ? 4 : 8);
}

static ramus_tensor *build_embedding(ramus_builder *b, const char *ids, bool target)
{
    const ramus_arch *a = b->arch;
    ramus_graph *g = b->graph;
    ramus_axis *axis = target ? &g->target : &g->source;
    const ramus_embed_spec spec = {.scale = sqrt(a->width), .first_is_zero = target};
    ramus_tensor *table =
        word_matrix(b, target ? "target" : "source", target ? a->target_vocab : a->source_vocab);
    ramus_tensor *bias =
        target ? NULL : ramus_param(g, "source_bias", 1, &a->width, RAMUS_INIT_ZERO, 0);
    ramus_tensor *signal = ramus_signal(g, axis->max_length, a->width);
    ramus_tensor *x = ramus_embed(g, ramus_input(g, axis, ids), table, bias, signal, &spec);
    return b->objective ? ramus_dropout(g, x, b->objective->dropout) : x;
}

static void build_head(ramus_builder *b, ramus_tensor *x, const ramus_build *build)
{
    ramus_graph *g = b->graph;
    ramus_tensor *table = word_matrix(b, "softmax", b->arch->target_vocab);
    x = ramus_rounded_rows(b, x);
    if (build->head == RAMUS_HEAD_LOGITS) {
        ramus_keep(g, ramus_linear(g, x, table, NULL, NULL), "logits");
    } else if (build->head == RAMUS_HEAD_LOSS) {
        const double smoothing = b->objective ? b->objective->label_smoothing : 0;
        ramus_tensor *labels = ramus_input(g, &g->target, "labels");
        ramus_loss_add(g, "cross_entropy", ramus_project_loss(g, x, table, labels, smoothing), 1);
    } else {
        ramus_tensor *asked = ramus_input(g, &g->target, "asked_ids");
        const ramus_best best = ramus_project_search(g, x, table, asked, build->best);
        ramus_scope_push(g, "best");
        ramus_keep(g, best.ids, "ids");
        ramus_keep(g, best.scores, "scores");
        ramus_keep(g, best.asked, "asked");
        ramus_scope_pop(g);
    }
}

ramus_status ramus_transformer_create(ramus_graph **out, const ramus_arch *a,
                                      const ramus_build *build, ramus_error *err)
{
    const bool rounds = build->objective && build->objective->quantize;
    const int per_layer = NODES_PER_LAYER + (rounds ? ROUNDS_PER_LAYER : 0);
    const ramus_graph_spec spec = {
        .kind = build->kind,
        .training = build->objective != NULL,
        .max_nodes = NODES_BESIDES + per_layer * (a->encoder_layers + a->decoder_layers),
        .source = build->source,
        .target = build->target,
        .positions = build->positions,
    };
    ramus_graph *g = NULL;
    ramus_status st = build->objective ? ramus_objective_check(build->objective, a, err) : RAMUS_OK;
    if (!st) st = ramus_graph_create(&g, &spec, err);
    if (st) return st;
    ramus_builder b = {
        .graph = g, .arch = a, .objective = build->objective, .alignment = build->alignment};
    ramus_tensor *source = build_embedding(&b, "source_ids", false);
    ramus_tensor *memory = build_stack(&b, "encoder", a->encoder_layers, source, NULL);
    ramus_keep(g, memory, "encoder.output");
    ramus_tensor *target = build_embedding(&b, "previous_ids", true);
    ramus_tensor *x = build_stack(&b, "decoder", a->decoder_layers, target, memory);
    if (b.look) ramus_keep(g, b.look, "look");
    build_head(&b, x, build);
    ramus_gates_finish(&b);
    *out = g;
    return RAMUS_OK;
}

ramus_status ramus_transformer_weights(ramus_weights **out, const ramus_arch *a, bool training,
                                       ramus_error *err)
{
    const ramus_objective objective = {0};
    return ramus_transformer_trained(out, a, training ? &objective : NULL, err);
}

ramus_status ramus_transformer_trained(ramus_weights **out, const ramus_arch *a,
                                       const ramus_objective *objective, ramus_error *err)
{
    const ramus_limits one = {1, 1, 1};
    const ramus_build build = {
        .head = RAMUS_HEAD_LOSS, .objective = objective, .source = one, .target = one};
    ramus_graph *g = NULL;
    ramus_status st = ramus_transformer_create(&g, a, &build, err);
    if (!st) st = ramus_weights_create(out, g, err);
    ramus_graph_destroy(g);
    return st;
}

const ramus_weight *ramus_weights_shared(const ramus_weights *w, const char *name)
{
    char shared[RAMUS_MAX_NAME + sizeof ".shared"]; // "x.q.shared.weight" for "x.q.weight"
    const char *dot = strrchr(name, '.');
    if (!dot) return NULL;
    (void)snprintf(shared, sizeof shared, "%.*s.shared%s", (int)(dot - name), name, dot);
    return ramus_weights_find(w, shared);
}

static void add_shared(const ramus_weight *to, const ramus_weights *trained)
{
    const ramus_weight *shared = ramus_weights_shared(trained, to->name);
    for (size_t j = 0; shared && j < to->count; j++)
        to->data[j] += shared->data[j % shared->count];
}

/* "x.q.weight" has its learned ranges, one per branch, in "x.q.weight_range". */
static void clip_to_range(const ramus_weight *to, const ramus_weights *trained)
{
    char name[RAMUS_MAX_NAME + sizeof "_range"];
    (void)snprintf(name, sizeof name, "%s_range", to->name);
    const ramus_weight *range = ramus_weights_find(trained, name);
    for (size_t j = 0; range && j < to->count; j++) {
        const ramus_real limit = ramus_clip_limit(range->data[j / (to->count / range->count)]);
        const ramus_real value = to->data[j] < -limit ? -limit : to->data[j];
        to->data[j] = value > limit ? limit : value;
    }
}

void ramus_weights_fold(ramus_weights *folded, const ramus_weights *trained)
{
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *to = &folded->items[i], *own = ramus_weights_find(trained, to->name);
        RAMUS_ASSERT(own && own->count == to->count);
        memcpy(to->data, own->data, own->count * sizeof *own->data);
        add_shared(to, trained);
        clip_to_range(to, trained);
    }
}

/* What the n branches at `branches` have in common, their mean, moves to `shared`. */
static void move_to_shared(const ramus_weight *shared, const ramus_weight *branches)
{
    const size_t count = shared->count, n = branches->count / count;
    for (size_t j = 0; j < count; j++) {
        double sum = 0;
        for (size_t b = 0; b < n; b++)
            sum += (double)branches->data[b * count + j];
        shared->data[j] = (ramus_real)(sum / (double)n);
        for (size_t b = 0; b < n; b++)
            branches->data[b * count + j] -= shared->data[j];
    }
}

void ramus_weights_unfold(ramus_weights *trained, const ramus_weights *folded)
{
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *from = &folded->items[i],
                           *own = ramus_weights_find(trained, from->name);
        RAMUS_ASSERT(own && own->count == from->count);
        memcpy(own->data, from->data, from->count * sizeof *from->data);
        const ramus_weight *shared = ramus_weights_shared(trained, from->name);
        if (shared) move_to_shared(shared, own);
    }
}
