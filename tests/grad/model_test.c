/* The gradient of the whole training loss against central differences: every routing kind, both
 * norms, every tie, every place of routing, all kinds of dropout and noise, on sentences of unequal
 * length. */
#include "gradient.h"

#include "model/transformer.h"

static const int source_lengths[] = {4, 1, 3}, target_lengths[] = {2, 5, 1};

static ramus_arch small_arch(const char *const *settings)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_settings_default(&s);
    static const char *const shape[] = {
        "width",          "8", "filter",         "10", "heads",    "2",
        "encoder-layers", "2", "decoder-layers", "2",  "branches", "3",
        "source-vocab",   "9", "target-vocab",   "9",  NULL};
    for (int pass = 0; pass < 2; pass++)
        for (const char *const *p = pass ? settings : shape; *p; p += 2)
            REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, p[0]), p[1], &err), err);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    return a;
}

static void check_model(const char *const *settings, double dropout)
{
    ramus_error err = {0};
    const ramus_arch a = small_arch(settings);
    ramus_objective o = {0};
    const ramus_settings os = ramus_objective_settings(&o);
    ramus_settings_default(&os);
    o.dropout = o.attention_dropout = o.relu_dropout = o.convolution_dropout = dropout;
    const ramus_build build = {
        .head = RAMUS_HEAD_LOSS, .objective = &o, .source = {9, 4, 6}, .target = {9, 4, 6}};
    ramus_graph *g = NULL;
    REQUIRE_OK(ramus_transformer_create(&g, &a, &build, &err), err);
    ramus_axis_set(&g->source, source_lengths, 3);
    ramus_axis_set(&g->target, target_lengths, 3);

    subject s = subject_create(g, NULL, NULL);
    s.run->train->loss_scale = 1.0 / 8;
    s.run->train->aux_scale = 0.8;
    for (int r = 0; r < 8; r++) {
        ((int *)ramus_graph_find(g, "source_ids")->data)[r] = (r * 5 + 2) % a.source_vocab;
        ((int *)ramus_graph_find(g, "previous_ids")->data)[r] = (r * 7 + 1) % a.target_vocab;
        ((int *)ramus_graph_find(g, "labels")->data)[r] = (r * 7 + 8) % a.target_vocab;
    }
    char what[256] = "";
    for (const char *const *p = settings; *p; p += 2)
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s %s ", p[0], p[1]);
    subject_check(&s, what, 41);
    subject_destroy(&s);
}

static void every_routing_and_norm(void)
{
    static const char *const kinds[] = {"dense", "dmb", "moe", "switch"};
    static const char *const norms[] = {"post", "pre"};
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < 2; n++) {
            const char *settings[] = {"routing", kinds[k], "norm", norms[n], NULL};
            check_model(settings, 0);
            check_model(settings, 0.2);
        }
}

static void other_settings(void)
{
    static const char *const cases[][17] = {
        {"routing", "dmb", "shared-private", "off", NULL},
        {"routing", "dmb", "routed", "ffn", NULL},
        {"routing", "dmb", "routed", "attention", NULL},
        {"routing", "dmb", "branches", "1", NULL},
        {"routing", "moe", "top-k", "1", NULL},
        {"routing", "moe", "top-k", "3", NULL},
        {"routing", "moe", "gate-noise", "on", NULL},
        {"routing", "dense", "tie", "target", "source-vocab", "13", NULL},
        {"routing", "dmb", "tie", "none", "source-vocab", "13", NULL},
        {"routing", "switch", "encoder-layers", "3", "decoder-layers", "1", NULL},
        {"routing", "dmb", "heads", "8", "filter", "3", NULL},
        {"activation", "swish", "routing", "dmb", "positions", "marian", NULL},
        {"activation", "gelu", "routing", "moe", "positions", "marian-f16", NULL},
        {"output-bias", "on", "start-token", "4", "embedding-scale", "off", NULL},
        {"embedding-norm", "on", "norm", "pre", "norm-epsilon", "0.001", NULL},
        {"decoder-filter", "6", "decoder-heads", "4", "tie", "target", NULL},
        {"attention", "lsra", "taps", "3,5", "convolution-heads", "2", NULL},
        {"attention", "lsra", "taps", "3,5", "convolution-heads", "2", "routing", "dmb", NULL},
        {"attention", "lsra", "convolution", "dynamic", "decoder-convolution", "lightweight",
         "decoder-taps", "4,1", "convolution-width", "6", "convolution-heads", "3", "routing",
         "moe", "norm", "pre", NULL},
        {"attention", "lsra", "convolution", "lightweight", "convolution-heads", "1", "routing",
         "dmb", "cross-heads", "4", NULL},
        {"attention", "lsra", "convolution", "lightweight", "convolution-heads", "4", "routing",
         "switch", NULL},
        {"filter", "6,11", "heads", "4,1", "decoder-filter", "9,5", "decoder-heads", "1,2",
         "cross-heads", "2,4", "cross-layers", "1,2", NULL},
        {"decoder-width", "6", "attention-width", "12", "position-width", "10", "cross-layers", "2",
         "routing", "dmb", "source-bias", "off", NULL},
        {"decoder-width", "12", "heads", "4", "encoder-layers", "3", "cross-layers", "3,2",
         "routing", "moe", "norm", "pre", "first-position", "2", NULL},
        {"decoder-width", "4", "attention-width", "4", "tie", "target", "start-token", "2",
         "start-excluded", "off", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_model(cases[i], i % 3 == 2 ? 0.2 : 0);
}

CHECK_MAIN({"every_routing_and_norm", every_routing_and_norm}, {"other_settings", other_settings})
