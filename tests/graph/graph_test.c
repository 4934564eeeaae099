/* Graphs of a few ops: plan, phases, axes and kept tensors. The truth is the same graph without
 * shared memory, and plain loops. */
#include "grad/grad.h"
#include "graph/ops.h"

#include "laws/model.h"

static ramus_objective default_objective(void)
{
    ramus_objective o = {0};
    const ramus_settings s = ramus_objective_settings(&o);
    ramus_settings_default(&s);
    return o;
}

/* One training step; `spacious`: no activation shares its place with another. */
static ramus_weights *step_gradients(const ramus_arch *a, const ramus_weights *w, bool spacious,
                                     size_t *bytes)
{
    ramus_error err = {0};
    const ramus_objective o = default_objective();
    const ramus_build build = full_build(RAMUS_HEAD_LOSS, &o);
    ramus_weights *grads = NULL;
    bench b = {0};
    REQUIRE_OK(ramus_transformer_weights(&grads, a, true, &err), err);
    REQUIRE_OK(ramus_transformer_create(&b.graph, a, &build, &err), err);
    for (int i = 0; i < b.graph->n_tensors && spacious; i++)
        b.graph->tensors[i]->kept = true;
    *bytes = ramus_graph_plan(b.graph);
    REQUIRE_OK(ramus_grad_run_create(&b.run, b.graph, NULL, &err), err);
    ramus_weights_bind(b.graph, w, grads);
    bench_batch(&b, 0, SENTENCES);
    b.run->train->rng = (ramus_rng){check_seed(), 1, 1, 0};
    b.run->train->loss_scale = 1.0 / b.graph->target.rows;
    ramus_grad_forward(b.run);
    ramus_grad_seed(b.run);
    ramus_grad_backward(b.run);
    bench_destroy(&b);
    return grads;
}

static void sharing_memory_changes_no_bit(void)
{
    static const char *const kinds[] = {"dense", "dmb", "moe", "switch"};
    for (int k = 0; k < 4; k++) {
        const char *settings[] = {"routing", kinds[k], NULL};
        const ramus_arch a = make_arch(settings);
        ramus_weights *w = random_weights(&a, true);
        size_t shared = 0, spacious = 0;
        ramus_weights *x = step_gradients(&a, w, false, &shared);
        ramus_weights *y = step_gradients(&a, w, true, &spacious);
        EXPECT_BYTES(x->data, y->data, x->size * sizeof *x->data, "%s", kinds[k]);
        EXPECT(shared < spacious, "%s: %zu bytes shared, %zu not", kinds[k], shared, spacious);
        ramus_weights_destroy(y);
        ramus_weights_destroy(x);
        ramus_weights_destroy(w);
    }
}

static ramus_graph *step_graph(const ramus_arch *a)
{
    ramus_error err = {0};
    ramus_build step = full_build(RAMUS_HEAD_SEARCH, NULL);
    step.kind = RAMUS_STEP;
    step.best = 3;
    ramus_graph *g = NULL;
    REQUIRE_OK(ramus_transformer_create(&g, a, &step, &err), err);
    return g;
}

/* All builds of a model that is not for training name the same parameters in the same order. */
static void builds_agree_on_parameters(void)
{
    static const char *const settings[] = {"routing", "dmb", "norm", "pre", NULL};
    const ramus_arch a = make_arch(settings);
    ramus_error err = {0};
    const ramus_build full = full_build(RAMUS_HEAD_LOSS, NULL);
    ramus_graph *x = NULL, *y = step_graph(&a);
    REQUIRE_OK(ramus_transformer_create(&x, &a, &full, &err), err);
    EXPECT_INT(x->n_params, y->n_params, "parameters");
    for (int i = 0; i < x->n_params; i++)
        EXPECT_TEXT(x->params[i]->name, y->params[i]->name);
    ramus_graph_destroy(y);
    ramus_graph_destroy(x);
}

/* In a step graph what depends on the source alone is computed once per sentence. */
static void phases_follow_from_what_is_read(void)
{
    static const char *const settings[] = {"routing", "dmb", NULL};
    const ramus_arch a = make_arch(settings);
    ramus_graph *g = step_graph(&a);
    int cross = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        const ramus_node *n = g->nodes[i];
        if (n->op != &ramus_op_linear) continue;
        const char *name = n->in[1]->name;
        const bool source = strncmp(name, "encoder.", 8) == 0 || strstr(name, ".cross.k.") ||
                            strstr(name, ".cross.v.") ||
                            (strstr(name, ".cross.gate.") && n->in[0]->axis == &g->source);
        EXPECT_INT(n->phase, source ? RAMUS_SOURCE : RAMUS_TARGET, name);
        cross += source && strstr(name, ".cross.");
    }
    EXPECT_INT(cross, 3 * a.decoder_layers, "keys, values and gates of the encoder output");
    ramus_graph_destroy(g);
}

/* Mean, deviation and largest value of what training starts from (docs/MODEL.md). */
static void weights_start_as_documented(void)
{
    static const char *const settings[] = {
        "preset", "small", "routing", "dmb", "source-vocab", "500", "target-vocab", "500", NULL};
    static const struct {
        const char *name;
        double mean, deviation, most;
    } rows[] = {
        {"embedding.weight", 0, 0.0625, 1},                        // 256^-1/2
        {"encoder.0.attention.q.weight", 0, 0.0441942, 0.0765466}, // sqrt(6 / 512) / sqrt 2
        {"encoder.0.attention.o.weight", 0, 0.0441942, 0.0765466}, // branched: the same
        {"encoder.1.ffn.in.weight", 0, 0.0395285, 0.0684654},      // sqrt(6 / 1280)
        {"decoder.0.cross.gate.weight", 0, 0.0360844, 0.0625},     // 256^-1/2 uniform
        {"encoder.0.attention.q.bias", 0, 0, 0},
        {"encoder.0.attention.q.shared.weight", 0, 0, 0},
        {"encoder.0.attention.norm.gain", 1, 0, 1},
    };
    const ramus_arch a = make_arch(settings);
    ramus_error err = {0};
    const ramus_objective o = {0};
    const ramus_build build = full_build(RAMUS_HEAD_LOSS, &o);
    ramus_graph *g = NULL;
    ramus_weights *w = NULL;
    REQUIRE_OK(ramus_transformer_create(&g, &a, &build, &err), err);
    REQUIRE_OK(ramus_weights_create(&w, g, &err), err);
    ramus_weights_init(w, g, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ramus_weight *t = ramus_weights_find(w, rows[i].name);
        double sum = 0, square = 0, most = 0;
        RAMUS_ASSERT(t != NULL);
        for (size_t j = 0; j < t->count; j++) {
            sum += (double)t->data[j];
            square += (double)t->data[j] * (double)t->data[j];
            most = fmax(most, fabs((double)t->data[j]));
        }
        const double mean = sum / (double)t->count;
        const double deviation = sqrt(fmax(0, square / (double)t->count - mean * mean));
        EXPECT_NEAR(mean, rows[i].mean, 0.1 * rows[i].deviation + 1e-12, rows[i].name);
        EXPECT_NEAR(deviation, rows[i].deviation, 0.06 * rows[i].deviation, rows[i].name);
        EXPECT(most <= rows[i].most + 1e-6, "%s: %g, at most %g", rows[i].name, most, rows[i].most);
    }
    ramus_weights_destroy(w);
    ramus_graph_destroy(g);
}

static void every_op_of_a_training_graph_has_a_rule(void)
{
    static const char *const settings[][5] = {{"routing", "moe", "gate-noise", "on", NULL},
                                              {"routing", "dmb", NULL},
                                              {"routing", "switch", NULL}};
    for (int k = 0; k < RAMUS_COUNT(settings); k++) {
        const ramus_arch a = make_arch(settings[k]);
        ramus_error err = {0};
        ramus_objective o = default_objective();
        o.quantize = RAMUS_BITS_8;
        o.ranges = a.top_k == 1 ? RAMUS_RANGES_LEARNED : RAMUS_RANGES_ROW;
        const ramus_build build = full_build(RAMUS_HEAD_LOSS, &o);
        ramus_graph *g = NULL;
        REQUIRE_OK(ramus_transformer_create(&g, &a, &build, &err), err);
        for (int i = 0; i < g->n_nodes; i++)
            EXPECT(ramus_grad_rule_of(g->nodes[i]->op), "%s has no rule", g->nodes[i]->op->name);
        ramus_graph_destroy(g);
    }
    EXPECT(!ramus_grad_rule_of(&ramus_op_history), "history cannot be trained through");
}

CHECK_MAIN({"sharing_memory_changes_no_bit", sharing_memory_changes_no_bit},
           {"builds_agree_on_parameters", builds_agree_on_parameters},
           {"phases_follow_from_what_is_read", phases_follow_from_what_is_read},
           {"weights_start_as_documented", weights_start_as_documented},
           {"every_op_of_a_training_graph_has_a_rule", every_op_of_a_training_graph_has_a_rule})
