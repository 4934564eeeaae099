/* Roles and sites of every parameter that a model can have, against the rules of their names. */
#include "model/param.h"

#include "model/fold.h"
#include "model/routing.h"
#include "model/transformer.h"
#include "runtime/models.h"

// clang-format off
static const char *const kinds[][9] = {
    {"routing", "dense"},
    {"routing", "dense", "norm", "pre", "tie", "none"},
    {"routing", "dmb", "branches", "3", "tie", "target"},
    {"routing", "dmb", "branches", "3", "shared-private", "off", "norm", "pre"},
    {"routing", "dmb", "branches", "3", "routed", "ffn"},
    {"routing", "moe", "branches", "4", "gate-noise", "on", "norm", "pre"},
    {"routing", "switch", "branches", "4", "routed", "attention"},
};
// clang-format on
static const char *const shape[] = {"width",
                                    "8",
                                    "filter",
                                    "12",
                                    "heads",
                                    "2",
                                    "encoder-layers",
                                    "2",
                                    "decoder-layers",
                                    "1",
                                    "source-vocab",
                                    "20",
                                    "target-vocab",
                                    "20",
                                    NULL};

static ramus_error err;

static ramus_weights *trained(const ramus_arch *a)
{
    const ramus_objective ranges = {.quantize = RAMUS_BITS_8, .ranges = RAMUS_RANGES_LEARNED};
    const ramus_objective none = {0};
    ramus_weights *w = NULL;
    REQUIRE_OK(ramus_transformer_trained(&w, a, a->top_k > 1 ? &none : &ranges, &err), err);
    return w;
}

static bool ends(const char *text, const char *with)
{
    return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

static void every_parameter_is_found_by_role_and_site(void)
{
    int ranges = 0, noises = 0;
    for (int k = 0; k < RAMUS_COUNT(kinds); k++) {
        const ramus_arch a = model_arch(shape, kinds[k]);
        ramus_weights *w = trained(&a);
        for (int i = 0; i < w->n; i++) {
            const ramus_weight *item = &w->items[i];
            char name[RAMUS_MAX_NAME];
            ramus_param_name(name, item->role, &item->site);
            EXPECT_TEXT(name, item->name);
            EXPECT(item->role != RAMUS_ROLE_NONE, "%s has a role", name);
            EXPECT(ramus_weights_at(w, item->role, &item->site) == item, "%s is the only one",
                   name);
            EXPECT_INT(ramus_role_is_matrix(item->role),
                       ends(name, ".weight") && !strstr(name, ".gate."), name);
            EXPECT_INT(item->site.stack != 0, strstr(name, "coder.") != NULL, name);
            ranges += ends(name, "_range");
            noises += ends(name, ".gate.noise");
        }
        ramus_weights_destroy(w);
    }
    EXPECT(ranges > 0 && noises > 0, "all roles of training");
}

/* "x.q.shared.bias" is what the branches of "x.q.bias" share. */
static void shared_parts_are_those_of_the_name(void)
{
    int found = 0;
    for (int k = 0; k < RAMUS_COUNT(kinds); k++) {
        const ramus_arch a = model_arch(shape, kinds[k]);
        ramus_weights *w = trained(&a);
        for (int i = 0; i < w->n; i++) {
            const ramus_weight *item = &w->items[i];
            const char *dot = strrchr(item->name, '.');
            char name[2 * RAMUS_MAX_NAME];
            (void)snprintf(name, sizeof name, "%.*s.shared%s", dot ? (int)(dot - item->name) : 0,
                           item->name, dot ? dot : "");
            const ramus_weight *shared = ramus_weights_shared(w, item);
            EXPECT(shared == ramus_weights_find(w, name), "%s", name);
            if (!shared) continue;
            EXPECT_INT(ramus_role_unshared(shared->role), item->role, name);
            found++;
        }
        ramus_weights_destroy(w);
    }
    EXPECT(found > 0, "%d shared parts", found);
    EXPECT_INT(ramus_role_unshared(RAMUS_ROLE_NONE), RAMUS_ROLE_NONE, "of none");
    EXPECT_INT(ramus_role_unshared(RAMUS_ROLE_WEIGHT), RAMUS_ROLE_NONE, "of an own part");
}

static void gates_are_listed_as_they_are_applied(void)
{
    static const char *const want[] = {
        "encoder.0.attention.gate.x", "encoder.0.ffn.gate.x",       "encoder.1.attention.gate.x",
        "encoder.1.ffn.gate.x",       "decoder.0.attention.gate.x", "decoder.0.cross.gate.q",
        "decoder.0.cross.gate.kv",    "decoder.0.ffn.gate.x",
    };
    const ramus_limits one = {1, 1, 1};
    ramus_build build = {
        .kind = RAMUS_STEP, .head = RAMUS_HEAD_SEARCH, .source = one, .target = one, .best = 1};
    for (int test = 0; test < 4; test++) {
        const int k = test / 2 * 2;
        const ramus_arch a = model_arch(shape, kinds[k]);
        ramus_graph *g = NULL;
        build.gates = test % 2;
        REQUIRE_OK(ramus_transformer_create(&g, &a, &build, &err), err);
        int n = 0;
        for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(g, gate)); n++) {
            char name[RAMUS_MAX_NAME], full[RAMUS_MAX_NAME + 8];
            ramus_gate_name(name, &gate->site);
            EXPECT_TEXT(name, n < RAMUS_COUNT(want) ? want[n] : "no more");
            (void)snprintf(full, sizeof full, "%s.index", name);
            EXPECT(ramus_graph_find(g, full) == (build.gates ? gate : NULL), "%s", full);
            (void)snprintf(full, sizeof full, "%s.probs", name);
            EXPECT(ramus_graph_find(g, full) == (build.gates ? ramus_gate_probs(gate) : NULL), "%s",
                   full);
            const bool source = strstr(name, "encoder") || ends(name, ".kv");
            EXPECT_INT(gate->phase, source ? RAMUS_SOURCE : RAMUS_TARGET, name);
        }
        EXPECT_INT(n, k ? RAMUS_COUNT(want) : 0, "gates");
        ramus_graph_destroy(g);
    }
}

CHECK_MAIN({"every_parameter_is_found_by_role_and_site", every_parameter_is_found_by_role_and_site},
           {"shared_parts_are_those_of_the_name", shared_parts_are_those_of_the_name},
           {"gates_are_listed_as_they_are_applied", gates_are_listed_as_they_are_applied})
