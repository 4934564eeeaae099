/* Two stacks of layers between embeddings and a head. What a sublayer is stands in attention.c and
 * ffn.c, how a token chooses its weights in routing.c; here is the order in which they follow. The
 * kinds of decoder differ in how a layer looks back: a new one is an enum value in arch.h and its
 * row. */
#include "model/transformer.h"

#include "graph/ops.h"
#include "model/attention.h"
#include "model/ffn.h"
#include "model/norm.h"
#include "model/routing.h"

#include <string.h>

#define NODES_PER_LAYER  80 // a decoder layer of a routed training graph of lsra has 74
#define ROUNDS_PER_LAYER 26 // such a layer has 13 maps: of each the input and the weights
#define NODES_BESIDES    32

/* How a layer of the decoder looks back at what was written. */
typedef struct {
    ramus_sublayer sublayer; // of its parameters
    ramus_tensor *(*build)(ramus_builder *b, ramus_tensor *x);
} decoder_kind;

const char *const ramus_decoder_names[] = {[RAMUS_DECODER_ATTENTION] = "attention", NULL};
static const decoder_kind decoders[] = {
    [RAMUS_DECODER_ATTENTION] = {RAMUS_SUBLAYER_ATTENTION, ramus_attend_past},
};

/* What the encoder gives: outputs of its last layers, the last one first. */
typedef struct {
    ramus_tensor *layers[RAMUS_MOST_CROSS_LAYERS];
    ramus_tensor *memory[RAMUS_MOST_CROSS_LAYERS]; // of 1, 2, ... of them, where already asked for
} encoded;

static void keep_layer(encoded *e, ramus_tensor *x)
{
    memmove(e->layers + 1, e->layers, sizeof e->layers - sizeof *e->layers);
    e->layers[0] = x;
}

static encoded build_encoder(ramus_builder *b, ramus_tensor *x)
{
    encoded e = {{NULL}, {NULL}};
    for (int i = 0; i < b->arch->encoder_layers; i++) {
        b->site = (ramus_site){RAMUS_STACK_ENCODER, i, RAMUS_SUBLAYER_ATTENTION, 0};
        x = ramus_attend_self(b, x);
        b->site.sublayer = RAMUS_SUBLAYER_FFN;
        x = ramus_feed_forward(b, x);
        keep_layer(&e, x);
    }
    b->site = (ramus_site){.stack = RAMUS_STACK_ENCODER};
    e.layers[0] = ramus_stack_leave(b, x);
    b->site = (ramus_site){0};
    return e;
}

/* What a decoder layer looks at: the last n layers of the encoder. */
static ramus_tensor *memory_of(ramus_graph *g, encoded *e, int n)
{
    ramus_tensor **memory = &e->memory[n - 1];
    if (!*memory) *memory = ramus_behind(g, e->layers, n);
    return *memory;
}

static ramus_tensor *build_decoder(ramus_builder *b, ramus_tensor *x, encoded *source)
{
    const decoder_kind *kind = &decoders[b->arch->decoder];
    const int layers = b->arch->decoder_layers;
    for (int i = 0; i < layers; i++) {
        b->site = (ramus_site){RAMUS_STACK_DECODER, i, kind->sublayer, 0};
        x = kind->build(b, x);
        b->site.sublayer = RAMUS_SUBLAYER_CROSS;
        const bool look = b->alignment && i == layers - 1; // the clearest: docs/design/search.md
        const int seen = ramus_arch_cross_layers(b->arch, i);
        x = ramus_attend_memory(b, x, memory_of(b->graph, source, seen), look);
        b->site.sublayer = RAMUS_SUBLAYER_FFN;
        x = ramus_feed_forward(b, x);
    }
    b->site = (ramus_site){.stack = RAMUS_STACK_DECODER};
    x = ramus_stack_leave(b, x);
    b->site = (ramus_site){0};
    return x;
}

/* The matrix of one use in a stack, RAMUS_ROLE_SOURCE, TARGET or SOFTMAX, or the one that it is
 * tied to. */
static ramus_tensor *word_matrix(ramus_builder *b, ramus_role use, int stack, int words)
{
    const ramus_arch *a = b->arch;
    ramus_role role = use;
    if (a->tie == RAMUS_TIE_ALL) role = RAMUS_ROLE_EMBEDDING;
    if (a->tie == RAMUS_TIE_TARGET && use == RAMUS_ROLE_SOFTMAX) role = RAMUS_ROLE_TARGET;
    ramus_tensor *t =
        ramus_builder_param(b, role, 2, (int[]){words, ramus_arch_embedding_width(a, stack)});
    if (b->objective->quantize == RAMUS_BITS_NONE) return t;
    return ramus_round_weight(b->graph, t, b->objective->quantize_embeddings ? 4 : 8);
}

static ramus_tensor *build_embedding(ramus_builder *b, const char *ids, bool target)
{
    const ramus_arch *a = b->arch;
    ramus_graph *g = b->graph;
    ramus_axis *axis = target ? &g->target : &g->source;
    const int stack = target ? RAMUS_STACK_DECODER : RAMUS_STACK_ENCODER;
    const int width = ramus_arch_width(a, stack);
    const ramus_signal_spec positions = {.width = width,
                                         .whole = ramus_arch_position_width(a, stack),
                                         .first = a->first_position,
                                         .kind = (ramus_positions)a->positions};
    const ramus_embed_spec spec = {
        .scale = a->embedding_scale ? sqrt(width) : 1, .starts = target, .start = a->start_token};
    ramus_tensor *table = target ? word_matrix(b, RAMUS_ROLE_TARGET, stack, a->target_vocab)
                                 : word_matrix(b, RAMUS_ROLE_SOURCE, stack, a->source_vocab);
    ramus_tensor *bias = target || !a->source_bias
                             ? NULL
                             : ramus_builder_param(b, RAMUS_ROLE_SOURCE_BIAS, 1, &width);
    ramus_tensor *rows = ramus_input(g, axis, ids), *signal = ramus_signal(g, rows, &positions);
    ramus_tensor *x = ramus_embed(g, rows, table, bias, signal, &spec);
    b->site = (ramus_site){.stack = stack};
    x = ramus_stack_enter(b, x);
    b->site = (ramus_site){0};
    return ramus_dropout(g, x, b->objective->dropout);
}

static void build_head(ramus_builder *b, ramus_tensor *x, const ramus_build *build)
{
    ramus_graph *g = b->graph;
    const ramus_arch *a = b->arch;
    ramus_output output = {
        .table = word_matrix(b, RAMUS_ROLE_SOFTMAX, RAMUS_STACK_DECODER, a->target_vocab),
        .excludes = a->start_token >= 0 && a->start_excluded,
        .excluded = a->start_token};
    if (a->output_bias)
        output.bias = ramus_builder_param(b, RAMUS_ROLE_OUTPUT_BIAS, 1, &a->target_vocab);
    x = ramus_rounded_rows(b, ramus_columns(g, x, 0, output.table->dims[1]));
    if (build->head == RAMUS_HEAD_LOGITS) {
        ramus_keep(g, ramus_linear(g, x, output.table, output.bias, NULL), "logits");
    } else if (build->head == RAMUS_HEAD_LOSS) {
        const double smoothing = b->objective->label_smoothing;
        ramus_tensor *labels = ramus_input(g, &g->target, "labels");
        ramus_loss_add(g, "cross_entropy", ramus_project_loss(g, x, &output, labels, smoothing), 1);
    } else {
        ramus_tensor *asked = ramus_input(g, &g->target, "asked_ids");
        const ramus_best best =
            ramus_project_search(g, x, &output, asked, build->best, build->wanted);
        ramus_keep(g, best.ids, "best.ids");
        ramus_keep(g, best.scores, "best.scores");
        ramus_keep(g, best.asked, "best.asked");
    }
}

static int most_cross_layers(const ramus_arch *a)
{
    int most = 1;
    for (int i = 0; i < a->cross_layers.n; i++)
        if (a->cross_layers.items[i] > most) most = a->cross_layers.items[i];
    return most;
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
        .times = most_cross_layers(a),
    };
    ramus_graph *g = NULL;
    ramus_status st = build->objective ? ramus_objective_check(build->objective, a, err) : RAMUS_OK;
    if (!st) st = ramus_graph_create(&g, &spec, err);
    if (st) return st;
    static const ramus_objective none;
    ramus_builder b = {.graph = g,
                       .arch = a,
                       .objective = build->objective ? build->objective : &none,
                       .keep_gates = build->gates,
                       .alignment = build->alignment};
    ramus_tensor *source = build_embedding(&b, "source_ids", false);
    encoded e = build_encoder(&b, source);
    ramus_keep(g, e.layers[0], "encoder.output");
    ramus_tensor *target = build_embedding(&b, "previous_ids", true);
    ramus_tensor *x = build_decoder(&b, target, &e);
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
