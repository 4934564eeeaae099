/* The table of the architecture: presets, what follows from other settings, and shapes that cannot
 * be. */
#include "model/arch.h"

#include "check.h"

/* Sets pairs of names and values over the defaults and checks the result. */
static ramus_status make(ramus_arch *a, const char *const *pairs, ramus_error *err)
{
    const ramus_settings s = ramus_arch_settings(a);
    *a = (ramus_arch){0};
    ramus_settings_default(&s);
    a->source_vocab = a->target_vocab = 100;
    for (; *pairs; pairs += 2) {
        const ramus_status st =
            ramus_setting_set(&s, ramus_setting_find(&s, pairs[0]), pairs[1], err);
        if (st) return st;
    }
    return ramus_arch_check(a, err);
}

static void presets_are_the_papers(void)
{
    static const struct {
        const char *name;
        int width, filter, heads;
    } rows[] = {{"tiny", 128, 512, 8},
                {"small", 256, 1024, 8},
                {"base", 512, 2048, 8},
                {"big", 1024, 4096, 16}};
    for (int i = 0; i < 4; i++) {
        const char *pairs[] = {"preset", rows[i].name, NULL};
        ramus_arch a;
        ramus_error err = {0};
        REQUIRE_OK(make(&a, pairs, &err), err);
        EXPECT_INT(a.width, rows[i].width, rows[i].name);
        EXPECT(a.filter.n == 1 && a.filter.items[0] == rows[i].filter, "%s", rows[i].name);
        EXPECT(a.heads.n == 1 && a.heads.items[0] == rows[i].heads, "%s", rows[i].name);
        EXPECT(a.encoder_layers == 6 && a.decoder_layers == 6 && a.routing == RAMUS_DENSE,
               "defaults");
    }
}

/* Published shapes can be built, and a part of each is that of its table. */
static void other_papers_have_presets(void)
{
    static const struct {
        const char *name;
        int width, filter, decoder_layers, last_cross_heads, attention;
    } rows[] = {{"lite-200", 200, 200, 6, 8, RAMUS_ATTENTION_LSRA},
                {"lite-408", 408, 408, 6, 8, RAMUS_ATTENTION_LSRA},
                {"lite-496", 496, 496, 6, 8, RAMUS_ATTENTION_LSRA},
                {"hat-3.5", 512, 1024, 1, 8, RAMUS_ATTENTION_SOFTMAX},
                {"hat-4.0", 512, 3072, 2, 8, RAMUS_ATTENTION_SOFTMAX},
                {"hat-4.5", 512, 3072, 2, 8, RAMUS_ATTENTION_SOFTMAX},
                {"hat-5.0", 512, 3072, 3, 8, RAMUS_ATTENTION_SOFTMAX},
                {"hat-6.0", 512, 3072, 4, 8, RAMUS_ATTENTION_SOFTMAX},
                {"hat-6.9", 512, 3072, 5, 8, RAMUS_ATTENTION_SOFTMAX}};
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        const char *pairs[] = {"preset", rows[i].name, NULL};
        ramus_arch a;
        ramus_error err = {0};
        REQUIRE_OK(make(&a, pairs, &err), err);
        const int layers = a.decoder_layers;
        EXPECT_INT(a.width, rows[i].width, rows[i].name);
        EXPECT_INT(a.filter.items[0], rows[i].filter, rows[i].name);
        EXPECT_INT(layers, rows[i].decoder_layers, rows[i].name);
        EXPECT_INT(ramus_numbers_at(&a.cross_heads, layers - 1), rows[i].last_cross_heads,
                   rows[i].name);
        EXPECT_INT(a.attention, rows[i].attention, rows[i].name);
        EXPECT(a.encoder_layers == 6 && !a.source_bias, "%s", rows[i].name);
    }
}

static void impossible_shapes_get_a_sentence(void)
{
    static const struct {
        const char *pairs[7];
        const char *part;
    } rows[] = {
        {{"width", "129", "heads", "1", NULL}, "width is 129, expected an even number"},
        {{"heads", "7", NULL}, "width 128 cannot be divided among 7 heads"},
        {{"routing", "moe", "top-k", "5", NULL}, "top-k is 5, expected at most the 4 branches"},
        {{"routing", "moe", "gate-noise", "on", "top-k", "4", NULL}, "choose a smaller top-k"},
        {{"tie", "all", "source-vocab", "99", NULL}, "vocabularies have 99 and 100 words"},
        {{"width", "0", NULL}, "width is 0, expected 4 to 65536"},
        {{"encoder-layers", "0", NULL}, "encoder-layers is 0, expected 1 to 200"},
        {{"filter", "1,2,3,4,5,6,7", NULL}, "filter has 7 numbers for 6 layers"},
        {{"cross-heads", "4,2", "decoder-layers", "1", NULL}, "cross-heads has 2 numbers for 1"},
        {{"cross-layers", "3", "encoder-layers", "2", NULL}, "the encoder has 2 layers"},
        {{"cross-layers", "4", NULL}, "cross-layers is 4, expected 1 to 3"},
        {{"heads", "8,8,3", NULL}, "width 128 cannot be divided among 3 heads"},
        {{"cross-heads", "5", NULL}, "width 128 cannot be divided among 5 heads"},
        {{"attention-width", "100", NULL}, "width 100 cannot be divided among 8 heads"},
        {{"decoder-width", "70", NULL}, "width 70 cannot be divided among 8 heads"},
        {{"decoder-width", "71", NULL}, "decoder-width is 71, expected an even number"},
        {{"position-width", "100", NULL}, "expected an even number from width 128 on"},
        {{"attention", "lsra", "convolution-width", "128", NULL}, "leaves none of 128 channels"},
        {{"attention", "lsra", "convolution-heads", "3", NULL}, "a divisor of the 64 channels"},
        {{"attention", "lsra", "taps", "3,4", NULL}, "taps is 4 in layer 1, expected odd"},
        {{"attention", "lsra", "heads", "3", NULL}, "width 64 cannot be divided among 3 heads"},
        {{"routing", "hash", NULL}, "routing is 'hash', expected one of dense, dmb, moe, switch"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ramus_arch a;
        ramus_error err = {0};
        EXPECT_FAILS(make(&a, rows[i].pairs, &err), err, rows[i].part);
    }
    ramus_arch a = {.width = 8, .heads = {1, {2}}, .source_vocab = 5};
    ramus_error err = {0};
    EXPECT_FAILS(ramus_arch_check(&a, &err), err, "target-vocab is not given");
}

static void fields_that_follow_are_set(void)
{
    static const char *const dense[] = {"routing", "dense", "branches", "9", NULL};
    static const char *const moe[] = {"routing", "moe", "shared-private", "on", NULL};
    static const char *const two[] = {"source-vocab", "70", NULL};
    ramus_arch a;
    ramus_error err = {0};
    REQUIRE_OK(make(&a, dense, &err), err);
    EXPECT(a.branches == 1 && a.top_k == 1 && !a.shared_private && a.tie == RAMUS_TIE_ALL, "dense");
    REQUIRE_OK(make(&a, moe, &err), err);
    EXPECT(a.branches == 4 && a.top_k == 2 && !a.shared_private, "moe");
    REQUIRE_OK(make(&a, two, &err), err);
    EXPECT_INT(a.tie, RAMUS_TIE_TARGET, "two vocabularies");
}

CHECK_MAIN({"presets_are_the_papers", presets_are_the_papers},
           {"other_papers_have_presets", other_papers_have_presets},
           {"impossible_shapes_get_a_sentence", impossible_shapes_get_a_sentence},
           {"fields_that_follow_are_set", fields_that_follow_are_set})
