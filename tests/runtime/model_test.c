/* What `ramus export` writes and ramus_model_open() reads: shapes, numbers, vocabularies. */
#include "runtime/model.h"

#include "runtime/models.h"
#include "train/quantize.h"

static const char *const ragged[] = {"width",
                                     "20",
                                     "filter",
                                     "27",
                                     "heads",
                                     "2",
                                     "encoder-layers",
                                     "2",
                                     "decoder-layers",
                                     "1",
                                     "source-vocab",
                                     "37",
                                     "target-vocab",
                                     "37",
                                     NULL};
static const char *const even[] = {"width",
                                   "32",
                                   "filter",
                                   "64",
                                   "heads",
                                   "4",
                                   "encoder-layers",
                                   "1",
                                   "decoder-layers",
                                   "2",
                                   "source-vocab",
                                   "48",
                                   "target-vocab",
                                   "48",
                                   NULL};
static const char *const least[] = {"width",
                                    "4",
                                    "filter",
                                    "1",
                                    "heads",
                                    "1",
                                    "encoder-layers",
                                    "1",
                                    "decoder-layers",
                                    "1",
                                    "source-vocab",
                                    "2",
                                    "target-vocab",
                                    "2",
                                    NULL};

// clang-format off
static const char *const kinds[][9] = {
    {"routing", "dense"},
    {"routing", "dense", "norm", "pre", "tie", "none"},
    {"routing", "dmb", "branches", "4"},
    {"routing", "dmb", "branches", "3", "shared-private", "off", "norm", "pre"},
    {"routing", "dmb", "branches", "3", "routed", "ffn", "tie", "target"},
    {"routing", "dmb", "branches", "17", "routed", "attention", "tie", "none"},
    {"routing", "dmb", "branches", "1"},
    {"routing", "moe", "branches", "4", "top-k", "2", "norm", "pre"},
    {"routing", "moe", "branches", "4", "top-k", "3", "gate-noise", "on"},
    {"routing", "switch", "branches", "4", "tie", "target"},
};
// clang-format on

static const ramus_weight *find(const ramus_weights *w, const char *name)
{
    const ramus_weight *item = ramus_weights_find(w, name);
    if (!item) {
        fprintf(stderr, "no parameter %s\n", name);
        exit(1);
    }
    return item;
}

/* The parameter `name` as it is used: the shared part added to each branch. The caller frees it. */
static float *folded(const ramus_weights *trained, const char *name)
{
    const ramus_weight *own = find(trained, name);
    float *out = calloc(own->count, sizeof *out);
    char shared[128]; // a.b.weight has a.b.shared.weight
    const char *dot = strrchr(name, '.');
    (void)snprintf(shared, sizeof shared, "%.*s.shared%s", dot ? (int)(dot - name) : 0, name,
                   dot ? dot : "");
    const ramus_weight *part = ramus_weights_find(trained, shared);
    for (size_t i = 0; i < own->count; i++) {
        out[i] = own->data[i];
        if (part) out[i] += part->data[i % part->count];
    }
    return out;
}

/* Scales and tiles of w [branches][n][k] by plain loops; both zero before. */
static void plain_i8(int8_t *tiles, float *scale, const float *w, const int shape[3])
{
    const int n = shape[1], k = shape[2];
    const size_t tile_rows = ((size_t)n + 15) / 16, groups = ((size_t)k + 3) / 4;
    for (int b = 0; b < shape[0]; b++)
        for (int o = 0; o < n; o++) {
            const float *row = w + ((size_t)b * (size_t)n + (size_t)o) * (size_t)k;
            float most = 0;
            for (int i = 0; i < k; i++)
                most = fmaxf(most, fabsf(row[i]));
            scale[b * n + o] = most / 127;
            const size_t tile_row = (size_t)b * tile_rows + (size_t)(o / 16);
            for (int i = 0; i < k && most > 0; i++)
                tiles[(((tile_row * groups + (size_t)(i / 4)) * 16 + (size_t)(o % 16)) * 4) +
                      (size_t)(i % 4)] = (int8_t)rintf(row[i] * (127 / most));
        }
}

static void expect_i8(const ramus_weight *w, const float *want, const ramus_gguf *file)
{
    const int n_dims = w->n_dims;
    const int shape[3] = {n_dims == 3 ? w->dims[0] : 1, w->dims[n_dims - 2], w->dims[n_dims - 1]};
    const size_t outputs = (size_t)shape[0] * (size_t)shape[1];
    const ramus_gguf_tensor *t = ramus_gguf_find(file, w->name);
    int8_t *tiles = calloc(t->size, 1);
    float *scale = calloc(outputs, sizeof *scale);
    plain_i8(tiles, scale, want, shape);
    EXPECT(w->tiles == t->data, "%s is used in place", w->name);
    EXPECT_BYTES(w->tiles, tiles, t->size, "tiles of %s", w->name);
    EXPECT_BYTES(w->scale, scale, outputs * sizeof *scale, "scales of %s", w->name);
    free(tiles);
    free(scale);
}

/* Every number of an open model is what plain loops make of the checkpoint. */
static void expect_weights(const ramus_model *m, const ramus_checkpoint *c, bool i8)
{
    size_t matrices = 0;
    for (int i = 0; i < m->weights->n; i++) {
        const ramus_weight *w = &m->weights->items[i];
        float *want = folded(c->weights, w->name);
        const bool matrix = strstr(w->name, ".weight") && !strstr(w->name, ".gate.");
        EXPECT((w->dtype == RAMUS_I8) == (i8 && matrix), "type of %s", w->name);
        if (w->dtype == RAMUS_I8)
            expect_i8(w, want, m->file);
        else
            EXPECT_BYTES(w->data, want, w->count * sizeof *want, "%s", w->name);
        matrices += w->dtype == RAMUS_I8;
        free(want);
    }
    EXPECT(i8 == (matrices > 0), "%zu matrices of 8 bits", matrices);
}

static void expect_arch(const ramus_arch *got, const ramus_arch *want)
{
    ramus_arch a = *got, b = *want;
    ramus_buffer left = {0}, right = {0};
    const ramus_settings s = ramus_arch_settings(&a), t = ramus_arch_settings(&b);
    a.preset = b.preset; // not of the file: width, filter and heads are
    ramus_settings_print(&s, &left);
    ramus_settings_print(&t, &right);
    EXPECT_TEXT(left.data, right.data);
    ramus_buffer_free(&left);
    ramus_buffer_free(&right);
}

static void every_shape_comes_back_in_both_types(void)
{
    static const char *const *const shapes[] = {ragged, even, least};
    ramus_error err = {0};
    for (int i = 0; i < RAMUS_COUNT(kinds) * RAMUS_COUNT(shapes) * 2; i++) {
        const bool i8 = i % 2;
        const ramus_arch a =
            model_arch(shapes[i / 2 % RAMUS_COUNT(shapes)], kinds[i / 2 / RAMUS_COUNT(shapes)]);
        const ramus_export_spec spec = {.type = i8 ? RAMUS_EXPORT_I8 : RAMUS_EXPORT_F32};
        const char *path = model_path("kind");
        ramus_checkpoint c = model_make(&a);
        ramus_model *m = NULL;
        REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
        REQUIRE_OK(ramus_model_open(&m, path, &err), err);
        expect_arch(&m->arch, &a);
        expect_weights(m, &c, i8);
        EXPECT(!m->vocabs[0] && !m->vocabs[1] && !ramus_model_info(m, "source_language") &&
                   !ramus_model_info(m, "name"),
               "nothing that was not given");
        ramus_model_close(m);
        model_free(&c);
        (void)unlink(path);
    }
}

/* Rows of zeros, of one number, of numbers as large as floats get: the scale alone is 0 or large.
 */
static void rows_of_any_size_are_quantized(void)
{
    ramus_error err = {0};
    const ramus_arch a = model_arch(ragged, kinds[0]);
    ramus_checkpoint c = model_make(&a);
    const ramus_weight *w = find(c.weights, "embedding.weight");
    for (int i = 0; i < a.width; i++) {
        w->data[i] = 0;
        w->data[a.width + i] = i == 5 ? -3e38f : 0;
        w->data[2 * a.width + i] = i == 5 ? 1e-20f : 1e-23f;
    }
    const char *path = model_path("sizes");
    ramus_model *m = NULL;
    REQUIRE_OK(ramus_export(&c, &(ramus_export_spec){.type = RAMUS_EXPORT_I8}, path, &err), err);
    REQUIRE_OK(ramus_model_open(&m, path, &err), err);
    expect_weights(m, &c, true);
    w = find(m->weights, "embedding.weight");
    EXPECT(w->scale[0] == 0 && w->tiles[0] == 0, "a row of zeros");
    EXPECT(w->tiles[64 + 4 + 1] == -127, "input 5 of output 1");
    ramus_model_close(m);
    model_free(&c);
    (void)unlink(path);
}

/* docs/FORMAT.md works this out by hand. */
static void the_example_of_the_documentation_holds(void)
{
    ramus_error err = {0};
    float data[] = {0.5f, -1, 0.25f, 0, 2, 0, 0, 0.1f, 0.2f, -0.4f};
    ramus_weight w = {.name = "x.weight", .n_dims = 2, .dims = {2, 5}, .count = 10, .data = data};
    const ramus_weights one = {.items = &w, .n = 1};
    const int8_t want[128] = {32, -64, 16, 0, 0, 0, 32, 64, [64] = 127, [68] = -127};
    ramus_weights *q = NULL;
    REQUIRE_OK(ramus_quantize_i8(&q, &one, &err), err);
    EXPECT_BYTES(q->items[0].tiles, want, sizeof want, "tiles");
    EXPECT_NEAR(q->items[0].scale[0], 0.015748, 5e-7, "scale");
    EXPECT_NEAR(q->items[0].scale[1], 0.0031496, 5e-8, "scale");
    ramus_weights_destroy(q);
}

static void too_many_inputs_stay_floats(void)
{
    ramus_weight w = {.name = "encoder.0.ffn.out.weight", .n_dims = 2, .dims = {8, 131072}};
    EXPECT(ramus_model_takes_i8(&w), "so many products fit 32 bits");
    w.dims[1]++;
    EXPECT(!ramus_model_takes_i8(&w), "more do not");
}

static void vocabularies_and_languages_come_back(void)
{
    ramus_error err = {0};
    static const char *const shared[] = {"source-vocab", "1000", "target-vocab", "1000", NULL};
    static const char *const other[] = {"source-vocab", "1000", "target-vocab", "4000", NULL};
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I8,
                                    .source_language = "en",
                                    .target_language = "pt-BR",
                                    .name = "a name",
                                    .description = "random",
                                    .license = "CC0-1.0"};
    for (int two = 0; two < 2; two++) {
        const ramus_arch a = model_arch(ragged, two ? other : shared);
        ramus_checkpoint c = model_make(&a);
        ramus_model *m = NULL;
        const char *path = model_path("vocab"), *text = NULL;
        size_t size = 0;
        model_vocab(&c, 0, "identity");
        if (two) model_vocab(&c, 1, "bpe-4k");
        REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
        REQUIRE_OK(ramus_model_open(&m, path, &err), err);
        EXPECT((m->vocabs[0] == m->vocabs[1]) == !two, "one vocabulary or two");
        EXPECT_TEXT(ramus_vocab_type(m->vocabs[0]), "unigram");
        EXPECT_TEXT(ramus_vocab_type(m->vocabs[1]), two ? "bpe" : "unigram");
        EXPECT_INT(ramus_vocab_count(m->vocabs[1]), two ? 4000 : 1000, "pieces");
        EXPECT_TEXT(ramus_model_info(m, "source_language"), "en");
        EXPECT_TEXT(ramus_model_info(m, "target_language"), "pt-BR");
        REQUIRE_OK(ramus_gguf_get_text(m->file, "general.license", &text, &size, &err), err);
        EXPECT(size == 7 && memcmp(text, "CC0-1.0", 7) == 0, "licence %.*s", (int)size, text);
        ramus_model_close(m);
        model_free(&c);
        (void)unlink(path);
    }
}

static void memory_gives_what_the_file_gives(void)
{
    ramus_error err = {0};
    const ramus_arch a = model_arch(ragged, kinds[2]);
    ramus_checkpoint c = model_make(&a);
    const char *path = model_path("memory");
    ramus_file file = {0};
    ramus_model *m = NULL;
    REQUIRE_OK(ramus_export(&c, &(ramus_export_spec){.type = RAMUS_EXPORT_I8}, path, &err), err);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    void *bytes = malloc(file.size);
    memcpy(bytes, file.data, file.size);
    REQUIRE_OK(ramus_model_open_memory(&m, bytes, file.size, &err), err);
    expect_arch(&m->arch, &a);
    expect_weights(m, &c, true);
    ramus_model_close(m);
    free(bytes);
    ramus_file_unmap(&file);
    model_free(&c);
    (void)unlink(path);
}

static void a_missing_file_is_told(void)
{
    ramus_error err = {0};
    ramus_model *m = NULL;
    EXPECT_FAILS(ramus_model_open(&m, "nowhere.gguf", &err), err, "nowhere.gguf: ");
    EXPECT_INT(err.status, RAMUS_IO, "status");
    EXPECT_FAILS(ramus_model_open(&m, GOLDEN "/gguf/small.gguf", &err), err, "small.gguf: ");
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, "status");
    static const double nothing[2];
    EXPECT_FAILS(ramus_model_open_memory(&m, nothing, sizeof nothing, &err), err,
                 "the model in memory: ");
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, "status");
    EXPECT_FAILS(ramus_model_open_memory(&m, (const char *)nothing + 4, 8, &err), err,
                 "the model in memory does not begin at a multiple of 8 bytes");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
}

CHECK_MAIN({"every_shape_comes_back_in_both_types", every_shape_comes_back_in_both_types},
           {"rows_of_any_size_are_quantized", rows_of_any_size_are_quantized},
           {"the_example_of_the_documentation_holds", the_example_of_the_documentation_holds},
           {"too_many_inputs_stay_floats", too_many_inputs_stay_floats},
           {"vocabularies_and_languages_come_back", vocabularies_and_languages_come_back},
           {"memory_gives_what_the_file_gives", memory_gives_what_the_file_gives},
           {"a_missing_file_is_told", a_missing_file_is_told})
