/* What `ramus export` writes and ramus_model_open() reads: shapes, numbers, vocabularies. */
#include "runtime/model.h"

#include "convert/export.h"
#include "kernels/fit.h"
#include "kernels/i4.h"
#include "model/param.h"
#include "runtime/models.h"

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

/* Scales and tiles of w [branches][n][k], placed by plain loops; both zero before. What the scales
 * are is the business of kernels.fit. */
static void plain_i8(int8_t *tiles, float *scale, const float *w, const int shape[3])
{
    const int n = shape[1], k = shape[2];
    const size_t tile_rows = ((size_t)n + 15) / 16, groups = ((size_t)k + 3) / 4;
    int8_t *q = malloc((size_t)k);
    for (int b = 0; b < shape[0]; b++)
        for (int o = 0; o < n; o++) {
            scale[b * n + o] =
                ramus_fit_i8(q, w + ((size_t)b * (size_t)n + (size_t)o) * (size_t)k, k);
            const size_t tile_row = (size_t)b * tile_rows + (size_t)(o / 16);
            for (int i = 0; i < k; i++)
                tiles[(((tile_row * groups + (size_t)(i / 4)) * 16 + (size_t)(o % 16)) * 4) +
                      (size_t)(i % 4)] = q[i];
        }
    free(q);
}

/* The same in 4 bits; tiles are filled with 8 before. */
static void plain_i4(int8_t *tiles, ramus_half *half, const float *w, const int shape[3])
{
    const int n = shape[1], k = shape[2];
    const size_t tile_rows = ((size_t)n + 15) / 16, groups = ((size_t)k + 63) / 64;
    for (int b = 0; b < shape[0]; b++)
        for (int o = 0; o < n; o++)
            for (int first = 0; first < k; first += 64) {
                const float *row = w + ((size_t)b * (size_t)n + (size_t)o) * (size_t)k;
                const size_t tile_row = (size_t)b * tile_rows + (size_t)(o / 16);
                int8_t q[64];
                half[(tile_row * groups + (size_t)(first / 64)) * 16 + (size_t)(o % 16)] =
                    ramus_fit_i4(q, row + first, k - first < 64 ? k - first : 64);
                for (int i = first; i < k && i < first + 64; i++) {
                    const size_t tile = tile_row * groups * 8 + (size_t)(i / 8);
                    const size_t at = (tile * 16 + (size_t)(o % 16)) * 4 + (size_t)(i % 4);
                    tiles[at] = (int8_t)(tiles[at] + q[i - first] * (i % 8 < 4 ? 1 : 16)); // on 8
                }
            }
}

static void expect_packed(const ramus_weight *w, const float *want, const ramus_gguf *file)
{
    const int n_dims = w->n_dims;
    const int shape[3] = {n_dims == 3 ? w->dims[0] : 1, w->dims[n_dims - 2], w->dims[n_dims - 1]};
    const ramus_gguf_tensor *t = ramus_gguf_find(file, w->name);
    char name[160];
    (void)snprintf(name, sizeof name, "%s.scale", w->name);
    const ramus_gguf_tensor *scale = ramus_gguf_find(file, name);
    int8_t *tiles = malloc(t->size);
    void *scales = calloc(scale->size, 1);
    memset(tiles, w->dtype == RAMUS_I4 ? 0x88 : 0, t->size);
    if (w->dtype == RAMUS_I4)
        plain_i4(tiles, scales, want, shape);
    else
        plain_i8(tiles, scales, want, shape);
    const void *used = w->dtype == RAMUS_I4 ? (const void *)w->half : w->scale;
    EXPECT(w->tiles == t->data && used == scale->data, "%s is used in place", w->name);
    EXPECT_BYTES(w->tiles, tiles, t->size, "tiles of %s", w->name);
    EXPECT_BYTES(used, scales, scale->size, "scales of %s", w->name);
    free(tiles);
    free(scales);
}

/* Every number of an open model is what plain loops make of the checkpoint. */
static void expect_weights(const ramus_model *m, const ramus_checkpoint *c,
                           const ramus_export_spec *spec)
{
    const ramus_quantize_spec how = ramus_export_dtypes(spec->type, spec->words);
    size_t matrices = 0;
    for (int i = 0; i < m->weights->n; i++) {
        const ramus_weight *w = &m->weights->items[i];
        float *want = folded(c->weights, w->name);
        const bool matrix = strstr(w->name, ".weight") && !strstr(w->name, ".gate."),
                   layer = strstr(w->name, "coder.") != NULL;
        EXPECT_INT(w->dtype, !matrix ? RAMUS_REAL : layer ? how.layers : how.words, w->name);
        if (w->dtype == RAMUS_REAL)
            EXPECT_BYTES(w->data, want, w->count * sizeof *want, "%s", w->name);
        else
            expect_packed(w, want, m->file);
        matrices += w->dtype != RAMUS_REAL;
        free(want);
    }
    EXPECT((spec->type != RAMUS_EXPORT_F32) == (matrices > 0), "%zu packed matrices", matrices);
}

static void expect_arch(const ramus_arch *got, const ramus_arch *want)
{
    ramus_arch a = *got, b = *want;
    ramus_buffer left = {0}, right = {0};
    const ramus_settings s = ramus_arch_settings(&a), t = ramus_arch_settings(&b);
    a.preset = b.preset; // not of the file: width, filter and heads are
    ramus_settings_print(&s, NULL, &left);
    ramus_settings_print(&t, NULL, &right);
    EXPECT_TEXT(left.data, right.data);
    ramus_buffer_free(&left);
    ramus_buffer_free(&right);
}

static const ramus_export_spec int8 = {.type = RAMUS_EXPORT_I8};

static void every_shape_comes_back_in_all_types(void)
{
    static const char *const *const shapes[] = {ragged, even, least};
    static const ramus_export_spec specs[] = {
        {.type = RAMUS_EXPORT_F32},
        {.type = RAMUS_EXPORT_I8},
        {.type = RAMUS_EXPORT_I8, .words = RAMUS_EXPORT_WORDS_I4},
        {.type = RAMUS_EXPORT_I4},
        {.type = RAMUS_EXPORT_I4, .words = RAMUS_EXPORT_WORDS_I4},
    };
    ramus_error err = {0};
    for (int i = 0; i < RAMUS_COUNT(kinds) * RAMUS_COUNT(shapes) * RAMUS_COUNT(specs); i++) {
        const int kind = i / RAMUS_COUNT(specs) / RAMUS_COUNT(shapes);
        const ramus_export_spec spec = specs[i % RAMUS_COUNT(specs)];
        const ramus_arch a =
            model_arch(shapes[i / RAMUS_COUNT(specs) % RAMUS_COUNT(shapes)], kinds[kind]);
        const char *path = model_path("kind");
        ramus_checkpoint c = model_make(&a);
        ramus_model *m = NULL;
        REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
        REQUIRE_OK(ramus_model_open(&m, path, &err), err);
        expect_arch(&m->arch, &a);
        expect_weights(m, &c, &spec);
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
    REQUIRE_OK(ramus_export(&c, &int8, path, &err), err);
    REQUIRE_OK(ramus_model_open(&m, path, &err), err);
    expect_weights(m, &c, &int8);
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
    ramus_weight w = {.name = "x.weight",
                      .role = RAMUS_ROLE_SOFTMAX,
                      .n_dims = 2,
                      .dims = {2, 5},
                      .count = 10,
                      .data = data};
    const ramus_weights one = {.items = &w, .n = 1};
    const int8_t want[128] = {32, -64, 16, 0, 0, 0, 32, 64, [64] = 127, [68] = -127};
    ramus_weights *q = NULL;
    REQUIRE_OK(ramus_quantize(&q, &one, (ramus_quantize_spec){RAMUS_I8, RAMUS_I8}, &err), err);
    EXPECT_BYTES(q->items[0].tiles, want, sizeof want, "tiles");
    EXPECT_NEAR(q->items[0].scale[0], 0.015748, 5e-7, "scale");
    EXPECT_NEAR(q->items[0].scale[1], 0.0031496, 5e-8, "scale");
    ramus_weights_destroy(q);
}

/* By hand: one group of 4 weights, whose best scale is -0.25 exactly. */
static void the_example_of_4_bits_holds(void)
{
    ramus_error err = {0};
    float data[] = {2, -1.75f, 0.25f, 0, -0.5f};
    ramus_weight w = {.name = "x.weight",
                      .role = RAMUS_ROLE_SOFTMAX,
                      .n_dims = 2,
                      .dims = {1, 5},
                      .count = 5,
                      .data = data};
    const ramus_weights one = {.items = &w, .n = 1};
    uint8_t want[512];
    memset(want, 0x88, sizeof want);
    want[0] = 0xa0, want[1] = 0x8f, want[2] = 0x87, want[3] = 0x88;
    ramus_weights *q = NULL;
    REQUIRE_OK(ramus_quantize(&q, &one, (ramus_quantize_spec){RAMUS_I4, RAMUS_I4}, &err), err);
    EXPECT_BYTES(q->items[0].tiles, want, sizeof want, "tiles");
    EXPECT_INT(q->items[0].half[0], 0xb400, "the scale -0.25");
    EXPECT_INT(q->items[0].half[1], 0, "padding");
    const ramus_quantize_error e = ramus_quantize_compare(&q->items[0], &w);
    EXPECT(e.lost == 0 && e.all == 2 * 2 + 1.75 * 1.75 + 0.25 * 0.25 + 0.5 * 0.5,
           "nothing is lost");
    EXPECT_INT(ramus_quantize_bytes(&w, (ramus_quantize_spec){RAMUS_I4, RAMUS_I4}), 512 + 32,
               "bytes");
    ramus_weights_destroy(q);

    q = NULL;
    data[3] = 5e5f;
    EXPECT_FAILS(ramus_quantize(&q, &one, (ramus_quantize_spec){RAMUS_I4, RAMUS_I4}, &err), err,
                 "x.weight has a weight larger than 458528");
}

/* The squares of what is lost over the squares of the weights, by a plain loop. */
static void the_loss_is_that_of_the_numbers(void)
{
    ramus_error err = {0};
    float data[2 * 3 * 70];
    for (int i = 0; i < RAMUS_COUNT(data); i++)
        data[i] = sinf((float)(i * i)) * (i % 70 < 64 ? 1 : 0.01f);
    ramus_weight w = {.name = "encoder.0.ffn.in.weight",
                      .role = RAMUS_ROLE_WEIGHT,
                      .site = {.stack = RAMUS_STACK_ENCODER},
                      .n_dims = 3,
                      .dims = {2, 3, 70},
                      .count = RAMUS_COUNT(data),
                      .data = data};
    const ramus_weights one = {.items = &w, .n = 1};
    for (int bits = 4; bits <= 8; bits += 4) {
        const ramus_quantize_spec how = {bits == 4 ? RAMUS_I4 : RAMUS_I8, RAMUS_REAL};
        double lost = 0, all = 0;
        ramus_weights *q = NULL;
        REQUIRE_OK(ramus_quantize(&q, &one, how, &err), err);
        for (int row = 0; row < 6; row++)
            for (int first = 0; first < 70; first += bits == 4 ? 64 : 70) {
                const int n = bits == 8 ? 70 : first ? 6 : 64;
                const float *from = data + row * 70 + first;
                int8_t whole[70];
                const double scale = bits == 4
                                         ? (double)ramus_half_float(ramus_fit_i4(whole, from, n))
                                         : (double)ramus_fit_i8(whole, from, n);
                for (int i = 0; i < n; i++) {
                    const double loss = (double)from[i] - whole[i] * scale;
                    lost += loss * loss;
                    all += (double)from[i] * (double)from[i];
                }
            }
        const ramus_quantize_error e = ramus_quantize_compare(&q->items[0], &w);
        EXPECT_NEAR(e.lost, lost, 1e-9, "lost");
        EXPECT_NEAR(e.all, all, 1e-9, "of all");
        EXPECT(lost / all > (bits == 4 ? 1e-4 : 1e-6), "%d bits: %g is lost", bits, lost / all);
        ramus_weights_destroy(q);
    }
    EXPECT(ramus_quantize_compare(&w, &w).lost == 0, "floats");
}

static void too_many_inputs_stay_floats(void)
{
    ramus_weight w = {.name = "encoder.0.ffn.out.weight",
                      .role = RAMUS_ROLE_WEIGHT,
                      .n_dims = 2,
                      .dims = {8, 131072}};
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
                                    .license = "CC0-1.0",
                                    .scores = "BLEU 1"};
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
        EXPECT_TEXT(ramus_model_info(m, "scores"), "BLEU 1");
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
    REQUIRE_OK(ramus_export(&c, &int8, path, &err), err);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    unsigned char *bytes = malloc(file.size);
    RAMUS_ASSERT(bytes);
    memcpy(bytes, file.data, file.size);
    REQUIRE_OK(ramus_model_open_memory(&m, bytes, file.size, &err), err);
    expect_arch(&m->arch, &a);
    expect_weights(m, &c, &int8);
    REQUIRE_OK(ramus_model_verify(m, &err), err);
    unsigned char *weight = bytes + ((const unsigned char *)m->weights->items[0].tiles - bytes);
    *weight ^= 1;
    EXPECT_FAILS(ramus_model_verify(m, &err), err, " has the checksum ");
    *weight ^= 1;
    REQUIRE_OK(ramus_model_verify(m, &err), err);
    EXPECT_FAILS(ramus_model_verify(NULL, &err), err, "the model is NULL");
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

CHECK_MAIN({"every_shape_comes_back_in_all_types", every_shape_comes_back_in_all_types},
           {"rows_of_any_size_are_quantized", rows_of_any_size_are_quantized},
           {"the_example_of_the_documentation_holds", the_example_of_the_documentation_holds},
           {"the_example_of_4_bits_holds", the_example_of_4_bits_holds},
           {"the_loss_is_that_of_the_numbers", the_loss_is_that_of_the_numbers},
           {"too_many_inputs_stay_floats", too_many_inputs_stay_floats},
           {"vocabularies_and_languages_come_back", vocabularies_and_languages_come_back},
           {"memory_gives_what_the_file_gives", memory_gives_what_the_file_gives},
           {"a_missing_file_is_told", a_missing_file_is_told})
