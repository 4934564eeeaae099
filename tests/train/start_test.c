/* A dense model that grows branches: each branch, with its shared part, is the dense matrix. */
#include "train/start.h"

#include "base/settings.h"
#include "model/fold.h"
#include "model/transformer.h"

#include "check.h"

static ramus_checkpoint make_model(const char *routing, const char *shared_private, uint64_t seed)
{
    ramus_error err = {0};
    ramus_checkpoint c = {0};
    const ramus_settings s = ramus_arch_settings(&c.arch);
    ramus_settings_default(&s);
    const char *const pairs[][2] = {{"width", "16"},         {"filter", "24"},
                                    {"heads", "2"},          {"encoder-layers", "2"},
                                    {"decoder-layers", "2"}, {"source-vocab", "50"},
                                    {"target-vocab", "50"},  {"branches", "3"},
                                    {"routing", routing},    {"shared-private", shared_private}};
    for (int i = 0; i < RAMUS_COUNT(pairs); i++) {
        const ramus_setting *row = ramus_setting_find(&s, pairs[i][0]);
        REQUIRE_OK(ramus_setting_set(&s, row, pairs[i][1], &err), err);
    }
    REQUIRE_OK(ramus_arch_check(&c.arch, &err), err);
    REQUIRE_OK(ramus_transformer_weights(&c.weights, &c.arch, true, &err), err);
    for (size_t i = 0; i < c.weights->size; i++)
        c.weights->data[i] = (float)((i * 7 + seed * 13) % 1001) / 1001 - 0.5F;
    return c;
}

static void grow(const char *routing, const char *shared_private)
{
    ramus_error err = {0};
    ramus_checkpoint dense = make_model("dense", "off", 1),
                     routed = make_model(routing, shared_private, 2),
                     before = make_model(routing, shared_private, 2);
    EXPECT_INT(ramus_start_match(&routed, &dense, true, &err), RAMUS_OK, err.message);
    EXPECT_INT(ramus_start_match(&routed, &dense, false, &err), RAMUS_BAD_ARGUMENT, "not grown");
    EXPECT_INT(ramus_start_match(&dense, &routed, true, &err), RAMUS_BAD_ARGUMENT, "the other way");
    ramus_start_copy(routed.weights, dense.weights);

    ramus_weights *folded = NULL;
    int gates = 0;
    REQUIRE_OK(ramus_transformer_weights(&folded, &routed.arch, false, &err), err);
    ramus_weights_fold(folded, routed.weights);
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *w = &folded->items[i];
        const ramus_weight *from = ramus_weights_find(dense.weights, w->name);
        const ramus_weight *same = ramus_weights_find(before.weights, w->name);
        gates += !from;
        if (!from)
            EXPECT_BYTES(w->data, same->data, w->count * sizeof *w->data, "%s stays", w->name);
        for (size_t j = 0; from && j < w->count; j++)
            EXPECT(w->data[j] == from->data[j % from->count], "%s %s [%zu]", routing, w->name, j);
    }
    EXPECT(gates > 0, "no gate was seen");
    ramus_weights_destroy(folded);
    ramus_checkpoint_free(&dense);
    ramus_checkpoint_free(&routed);
    ramus_checkpoint_free(&before);
}

static void every_branch_begins_as_the_dense_matrix(void)
{
    grow("dmb", "on");
    grow("dmb", "off");
    grow("moe", "off");
    grow("switch", "off");
}

CHECK_MAIN({"every_branch_begins_as_the_dense_matrix", every_branch_begins_as_the_dense_matrix})
