/* The two tables of settings, and the presets. */
#include "model/arch.h"

#include "model/attention.h"
#include "model/ffn.h"
#include "model/lsra.h"
#include "model/norm.h"
#include "model/param.h"
#include "model/routing.h"
#include "model/transformer.h"

static const char *const routed_names[] = {"all", "ffn", "attention", NULL};
static const char *const tie_names[] = {"all", "target", "none", "auto", NULL};
static const char *const bits_names[] = {"none", "int8", "int4", NULL};
static const char *const ranges_names[] = {"row", "learned", NULL};
static const char *const products_names[] = {"float", "bf16", NULL};
static const char *const position_names[] = {"thumt", "marian", "marian-f16", NULL};
static const char *const form_names[] = {"mean", "sum", NULL};

// clang-format off
static const char *const preset_names[] = {"tiny", "small", "base", "big", "paper", "lite-200", "lite-408", "lite-496",
    "hat-3.5", "hat-4.0", "hat-4.5", "hat-5.0", "hat-6.0", "hat-6.9", NULL};
#define LITE "attention", "lsra", "source-bias", "off", "heads", "4", "cross-heads", "8"
#define HAT  "width", "512", "position-width", "640", "source-bias", "off"
static const char *const presets[][24] = {
    [RAMUS_PRESET_TINY]     = {"width", "128", "filter", "512", "heads", "8"},
    [RAMUS_PRESET_SMALL]    = {"width", "256", "filter", "1024", "heads", "8"},
    [RAMUS_PRESET_BASE]     = {"width", "512", "filter", "2048", "heads", "8"},
    [RAMUS_PRESET_BIG]      = {"width", "1024", "filter", "4096", "heads", "16"},
    [RAMUS_PRESET_PAPER]    = {"width", "128", "filter", "512", "heads", "8"},
    [RAMUS_PRESET_LITE_200] = {LITE, "width", "200", "filter", "200"},
    [RAMUS_PRESET_LITE_408] = {LITE, "width", "408", "filter", "408"},
    [RAMUS_PRESET_LITE_496] = {LITE, "width", "496", "filter", "496"},
    [RAMUS_PRESET_HAT_3_5]  = {HAT, "decoder-layers", "1",
        "filter", "1024,3072,3072,2048,2048,2048", "heads", "4,8,4,4,4,8",
        "decoder-filter", "3072", "decoder-heads", "8", "cross-heads", "8"},
    [RAMUS_PRESET_HAT_4_0]  = {HAT, "decoder-layers", "2",
        "filter", "3072,2048,3072,2048,3072,2048", "heads", "8,8,8,4,8,8",
        "decoder-filter", "1024,2048", "decoder-heads", "4,4", "cross-heads", "8,8"},
    [RAMUS_PRESET_HAT_4_5]  = {HAT, "decoder-layers", "2",
        "filter", "3072", "heads", "4,8,8,4,8,8",
        "decoder-filter", "3072,3072", "decoder-heads", "8,8", "cross-heads", "4,8", "cross-layers", "1,2"},
    [RAMUS_PRESET_HAT_5_0]  = {HAT, "decoder-layers", "3",
        "filter", "3072,3072,3072,2048,3072,3072", "heads", "8,8,8,8,8,4",
        "decoder-filter", "1024,2048,3072", "decoder-heads", "4,8,8", "cross-heads", "4,8,8", "cross-layers", "1,2,1"},
    [RAMUS_PRESET_HAT_6_0]  = {HAT, "decoder-layers", "4",
        "filter", "3072", "heads", "4,4,4,8,8,4",
        "decoder-filter", "2048,2048,3072,3072", "decoder-heads", "4,8,8,4", "cross-heads", "4,8,8,8", "cross-layers", "1,1,2,1"},
    [RAMUS_PRESET_HAT_6_9]  = {HAT, "decoder-layers", "5",
        "filter", "3072", "heads", "8,4,8,8,8,8",
        "decoder-filter", "2048,2048,3072,3072,2048", "decoder-heads", "8,8,8,4,8", "cross-heads", "4,8,8,8,8", "cross-layers", "1,2,2,2,1"},
};
// clang-format on

static void apply_preset(void *target)
{
    ramus_arch *a = target;
    const ramus_settings s = ramus_arch_settings(a);
    for (const char *const *p = presets[a->preset]; *p; p += 2) {
        const ramus_status st = ramus_setting_set(&s, ramus_setting_find(&s, p[0]), p[1], NULL);
        RAMUS_ASSERT(st == RAMUS_OK);
    }
}

// clang-format off
#define AT(field) offsetof(ramus_arch, field)
static const ramus_setting arch_rows[] = {
    {"preset",         RAMUS_SETTING_CHOICE, AT(preset), RAMUS_HELP("a published shape: width, filter and heads of the paper; paper: tiny, and training as in the paper; lite-N: Lite Transformer; hat-S: HAT, for S seconds on a Raspberry Pi"), "tiny", 0, 0, preset_names, apply_preset},
    {"width",          RAMUS_SETTING_INT,    AT(width), RAMUS_HELP("model dimension"), NULL, 4, 65536, NULL, NULL},
    {"filter",         RAMUS_SETTING_NUMBERS, AT(filter), RAMUS_HELP("hidden dimension of the feed-forward sublayers: one number, or one for each layer"), NULL, 1, 262144, NULL, NULL},
    {"heads",          RAMUS_SETTING_NUMBERS, AT(heads), RAMUS_HELP("attention heads, likewise"), NULL, 1, 1024, NULL, NULL},
    {"encoder-layers", RAMUS_SETTING_INT,    AT(encoder_layers), RAMUS_HELP("layers of the encoder"), "6", 1, 200, NULL, NULL},
    {"decoder-layers", RAMUS_SETTING_INT,    AT(decoder_layers), RAMUS_HELP("layers of the decoder"), "6", 1, 200, NULL, NULL},
    {"routing",        RAMUS_SETTING_CHOICE, AT(routing), RAMUS_HELP("how a token chooses its weights"), "dense", 0, 0, ramus_routing_names, NULL},
    {"branches",       RAMUS_SETTING_INT,    AT(branches), RAMUS_HELP("branches (experts) of a routed sublayer"), "4", 1, 1024, NULL, NULL},
    {"top-k",          RAMUS_SETTING_INT,    AT(top_k), RAMUS_HELP("experts that a token takes (moe)"), "2", 1, 64, NULL, NULL},
    {"routed",         RAMUS_SETTING_CHOICE, AT(routed), RAMUS_HELP("which sublayers are routed"), "all", 0, 0, routed_names, NULL},
    {"shared-private", RAMUS_SETTING_SWITCH, AT(shared_private), RAMUS_HELP("branches are a shared part plus their own in training (dmb)"), "on", 0, 0, NULL, NULL},
    {"gate-noise",     RAMUS_SETTING_SWITCH, AT(gate_noise), RAMUS_HELP("learned noise on the gates in training (moe)"), "off", 0, 0, NULL, NULL},
    {"attention",      RAMUS_SETTING_CHOICE, AT(attention), RAMUS_HELP("how a sentence looks at itself: softmax; lsra: some channels so, the others by convolution"), "softmax", 0, 0, ramus_attention_names, NULL},
    {"decoder",        RAMUS_SETTING_CHOICE, AT(decoder), RAMUS_HELP("how a layer of the decoder looks back at what was written"), "attention", 0, 0, ramus_decoder_names, NULL},
    {"activation",     RAMUS_SETTING_CHOICE, AT(activation), RAMUS_HELP("of the hidden layer of the feed-forward sublayers"), "relu", 0, 0, ramus_activation_names, NULL},
    {"norm",           RAMUS_SETTING_CHOICE, AT(norm), RAMUS_HELP("layer normalisation after or before a sublayer"), "post", 0, 0, ramus_norm_names, NULL},
    {"tie",            RAMUS_SETTING_CHOICE, AT(tie), RAMUS_HELP("matrices that are one: source, target and softmax; target and softmax; none; auto: all if sizes agree, else target"), "auto", 0, 0, tie_names, NULL},
    {"source-vocab",   RAMUS_SETTING_INT,    AT(source_vocab), RAMUS_HELP("tokens of the source vocabulary"), NULL, 2, 10000000, NULL, NULL},
    {"target-vocab",   RAMUS_SETTING_INT,    AT(target_vocab), RAMUS_HELP("tokens of the target vocabulary"), NULL, 2, 10000000, NULL, NULL},
    {"decoder-width",  RAMUS_SETTING_INT,    AT(decoder_width), RAMUS_HELP("model dimension of the decoder; 0: as in the encoder"), "0", 0, 65536, NULL, NULL},
    {"decoder-filter", RAMUS_SETTING_NUMBERS, AT(decoder_filter), RAMUS_HELP("hidden dimension in the decoder; 0: as in the encoder"), "0", 0, 262144, NULL, NULL},
    {"decoder-heads",  RAMUS_SETTING_NUMBERS, AT(decoder_heads), RAMUS_HELP("attention heads of the decoder; 0: as in the encoder"), "0", 0, 1024, NULL, NULL},
    {"cross-heads",    RAMUS_SETTING_NUMBERS, AT(cross_heads), RAMUS_HELP("heads of encoder-decoder attention; 0: as in the decoder"), "0", 0, 1024, NULL, NULL},
    {"cross-layers",   RAMUS_SETTING_NUMBERS, AT(cross_layers), RAMUS_HELP("last layers of the encoder that a layer of the decoder looks at"), "1", 1, RAMUS_MOST_CROSS_LAYERS, NULL, NULL},
    {"attention-width", RAMUS_SETTING_INT,   AT(attention_width), RAMUS_HELP("inner dimension of attention; 0: that of the stack"), "0", 0, 65536, NULL, NULL},
    {"position-width", RAMUS_SETTING_INT,    AT(position_width), RAMUS_HELP("dimension that the position signal is cut from; 0: that of the stack"), "0", 0, 65536, NULL, NULL},
    {"convolution",    RAMUS_SETTING_CHOICE, AT(convolution), RAMUS_HELP("taps of lsra: computed for each token, with or without a gated linear unit before them; or the same for all"), "dynamic-glu", 0, 0, ramus_encoder_convolution_names, NULL},
    {"decoder-convolution", RAMUS_SETTING_CHOICE, AT(decoder_convolution), RAMUS_HELP("the same in the decoder"), "as-encoder", 0, 0, ramus_convolution_names, NULL},
    {"convolution-width", RAMUS_SETTING_INT, AT(convolution_width), RAMUS_HELP("channels that lsra convolves; 0: half"), "0", 0, 65536, NULL, NULL},
    {"convolution-heads", RAMUS_SETTING_INT, AT(convolution_heads), RAMUS_HELP("groups of them; the channels of a group share taps"), "4", 1, 1024, NULL, NULL},
    {"decoder-convolution-heads", RAMUS_SETTING_INT, AT(decoder_convolution_heads), RAMUS_HELP("the same in the decoder; 0: as in the encoder"), "0", 0, 1024, NULL, NULL},
    {"taps",           RAMUS_SETTING_NUMBERS, AT(taps), RAMUS_HELP("taps of each layer of lsra; 0: 3, 7, 15, then 31"), "0", 0, 1023, NULL, NULL},
    {"decoder-taps",   RAMUS_SETTING_NUMBERS, AT(decoder_taps), RAMUS_HELP("the same in the decoder; 0: as in the encoder"), "0", 0, 1023, NULL, NULL},
    {"positions",      RAMUS_SETTING_CHOICE, AT(positions), RAMUS_HELP("rates of the position signal"), "thumt", 0, 0, position_names, NULL},
    {"first-position", RAMUS_SETTING_INT,    AT(first_position), RAMUS_HELP("position of the first token in the signal"), "0", 0, 1000, NULL, NULL},
    {"source-bias",    RAMUS_SETTING_SWITCH, AT(source_bias), RAMUS_HELP("a bias of the source words"), "on", 0, 0, NULL, NULL},
    {"embedding-scale", RAMUS_SETTING_SWITCH, AT(embedding_scale), RAMUS_HELP("word vectors are multiplied by the root of the width"), "on", 0, 0, NULL, NULL},
    {"embedding-norm", RAMUS_SETTING_SWITCH, AT(embedding_norm), RAMUS_HELP("layer normalisation of embeddings"), "off", 0, 0, NULL, NULL},
    {"output-bias",    RAMUS_SETTING_SWITCH, AT(output_bias), RAMUS_HELP("a bias of the logits"), "off", 0, 0, NULL, NULL},
    {"start-token",    RAMUS_SETTING_INT,    AT(start_token), RAMUS_HELP("token before the first; -1: the zero vector"), "-1", -1, 9999999, NULL, NULL},
    {"start-excluded", RAMUS_SETTING_SWITCH, AT(start_excluded), RAMUS_HELP("no translation has the start token"), "on", 0, 0, NULL, NULL},
    {"norm-epsilon",   RAMUS_SETTING_REAL,   AT(norm_epsilon), RAMUS_HELP("what layer normalisation adds to the variance"), "1e-05", 1e-12, 1, NULL, NULL},
};
#undef AT

#define AT(field) offsetof(ramus_objective, field)
static const ramus_setting objective_rows[] = {
    {"label-smoothing",   RAMUS_SETTING_REAL,   AT(label_smoothing), RAMUS_HELP("probability spread over the other tokens"), "0.1", 0, 0.99, NULL, NULL},
    {"dropout",           RAMUS_SETTING_REAL,   AT(dropout), RAMUS_HELP("on embeddings and sublayer outputs"), "0.1", 0, 0.99, NULL, NULL},
    {"attention-dropout", RAMUS_SETTING_REAL,   AT(attention_dropout), RAMUS_HELP("on attention probabilities"), "0", 0, 0.99, NULL, NULL},
    {"convolution-dropout", RAMUS_SETTING_REAL, AT(convolution_dropout), RAMUS_HELP("on the taps of convolutions (lsra)"), "0", 0, 0.99, NULL, NULL},
    {"relu-dropout",      RAMUS_SETTING_REAL,   AT(relu_dropout), RAMUS_HELP("inside the feed-forward sublayers"), "0", 0, 0.99, NULL, NULL},
    {"diversity-weight",  RAMUS_SETTING_REAL,   AT(diversity_weight), RAMUS_HELP("loss: all branches are used (dmb; importance in moe)"), "0.1", 0, 1e6, NULL, NULL},
    {"entropy-weight",    RAMUS_SETTING_REAL,   AT(entropy_weight), RAMUS_HELP("loss: each token is sure of its branch (dmb)"), "0.1", 0, 1e6, NULL, NULL},
    {"load-weight",       RAMUS_SETTING_REAL,   AT(load_weight), RAMUS_HELP("loss: tokens are spread evenly (switch; moe with gate-noise)"), "0.01", 0, 1e6, NULL, NULL},
    {"diversity-form",    RAMUS_SETTING_CHOICE, AT(diversity_form), RAMUS_HELP("mean over the branches (authors' code) or sum (paper)"), "mean", 0, 0, form_names, NULL},
    {"alike",             RAMUS_SETTING_SWITCH, AT(alike), RAMUS_HELP("branches begin with the same weights, in the shared part if there is one (paper: off)"), "off", 0, 0, NULL, NULL},
    {"quantize",          RAMUS_SETTING_CHOICE, AT(quantize), RAMUS_HELP("quantization-aware training: weights and inputs are rounded as after `ramus export --type`, also in validation"), "none", 0, 0, bits_names, NULL},
    {"quantize-embeddings", RAMUS_SETTING_CHOICE, AT(quantize_embeddings), RAMUS_HELP("the same for embeddings and softmax, if quantize is not none"), "int8", 0, 0, bits_names + 1, NULL},
    {"ranges",            RAMUS_SETTING_CHOICE, AT(ranges), RAMUS_HELP("scales of quantize: row, as the runtime (per row of inputs, per output or group of weights); learned, as the paper (a range for the inputs and one for the weights of each map and branch)"), "row", 0, 0, ranges_names, NULL},
    {"products",          RAMUS_SETTING_CHOICE, AT(products), RAMUS_HELP("factors of training's matrix products: float, or bf16 (rounded to bfloat16; sums and weights stay float), faster on CPUs with AVX512-BF16"), "float", 0, 0, products_names, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_arch_settings(ramus_arch *a)
{
    return (ramus_settings){arch_rows, RAMUS_COUNT(arch_rows), a};
}

ramus_settings ramus_objective_settings(ramus_objective *o)
{
    return (ramus_settings){objective_rows, RAMUS_COUNT(objective_rows), o};
}

ramus_status ramus_objective_check(const ramus_objective *o, const ramus_arch *a, ramus_error *err)
{
    if (o->quantize && o->ranges == RAMUS_RANGES_LEARNED && a->top_k > 1)
        return ramus_fail(
            err, RAMUS_BAD_ARGUMENT,
            "ranges is learned but a token takes %d branches, each with a range of its "
            "own for one input: choose ranges row, or top-k 1",
            a->top_k);
    return RAMUS_OK;
}
