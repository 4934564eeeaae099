/* A small file may claim a large model: to refuse it takes work in proportion to the claim, counted
 * in comparisons of names. */
#include "runtime/model.h"

#include "runtime/models.h"

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

static long comparisons;

int __wrap_strcmp(const char *a, const char *b)
{
    comparisons++;
    return __real_strcmp(a, b);
}

static const char *const shape[] = {
    "width",          "8",  "filter",  "8",   "heads",    "2", "encoder-layers", "1",
    "decoder-layers", "1",  "routing", "dmb", "branches", "2", "source-vocab",   "20",
    "target-vocab",   "20", NULL};
static ramus_error err;

/* The keys of the model file with other numbers of layers, and no tensors. */
static void write_claim(const char *path, const ramus_gguf *file, uint32_t layers)
{
    ramus_gguf_writer *w = NULL;
    REQUIRE_OK(ramus_gguf_create(&w, 64, &err), err);
    for (int i = 0; i < ramus_gguf_value_count(file); i++) {
        const ramus_gguf_value *v = ramus_gguf_value_at(file, i);
        const bool text = v->type == RAMUS_GGUF_STRING;
        uint32_t number = text ? 0 : (uint32_t)ramus_gguf_uint_at(v, 0);
        if (strcmp(v->key, "general.alignment") == 0) continue;
        if (strstr(v->key, "coder_layers")) number = layers;
        if (text)
            REQUIRE_OK(ramus_gguf_add_text(w, v->key, v->data, v->size, &err), err);
        else if (v->type == RAMUS_GGUF_BOOL)
            REQUIRE_OK(ramus_gguf_add_bool(w, v->key, number != 0, &err), err);
        else
            REQUIRE_OK(ramus_gguf_add_uint(w, v->key, number, &err), err);
    }
    REQUIRE_OK(ramus_gguf_save(w, path, &err), err);
    ramus_gguf_destroy(w);
}

static long comparisons_to_refuse(const char *path)
{
    ramus_model *m = NULL;
    comparisons = 0;
    EXPECT_FAILS(ramus_model_open(&m, path, &err), err, "is missing");
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, "status");
    return comparisons;
}

static void refusing_a_claim_is_linear_in_it(void)
{
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I8};
    const ramus_arch a = model_arch(shape, NULL);
    ramus_checkpoint c = model_make(&a);
    const char *good = model_path("good"), *claim = model_path("claim");
    ramus_gguf *file = NULL;
    REQUIRE_OK(ramus_export(&c, &spec, good, &err), err);
    REQUIRE_OK(ramus_gguf_open(&file, good, &err), err);
    write_claim(claim, file, 20);
    const long few = comparisons_to_refuse(claim);
    write_claim(claim, file, 200);
    const long many = comparisons_to_refuse(claim);
    EXPECT(few > 100 && many < 12 * few, "20 layers: %ld comparisons, 200 layers: %ld", few, many);
    ramus_gguf_close(file);
    model_free(&c);
    (void)unlink(good);
    (void)unlink(claim);
}

static void loading_a_checkpoint_is_nearly_linear_in_its_layers(void)
{
    long n[2] = {0};
    static const char *const layers[] = {"10", "100"};
    const char *path = model_path("many");
    for (int i = 0; i < 2; i++) {
        const char *const settings[] = {"encoder-layers", layers[i], "decoder-layers", layers[i],
                                        NULL};
        const ramus_arch a = model_arch(shape, settings);
        ramus_checkpoint c = model_make(&a), again = {0};
        REQUIRE_OK(ramus_checkpoint_save(&c, path, &err), err);
        comparisons = 0;
        REQUIRE_OK(ramus_checkpoint_load(&again, path, &err), err);
        n[i] = comparisons;
        model_free(&c);
        model_free(&again);
    }
    EXPECT(n[0] > 1000 && n[1] < 20 * n[0], "10 layers: %ld comparisons, 100 layers: %ld", n[0],
           n[1]);
    (void)unlink(path);
}

CHECK_MAIN({"refusing_a_claim_is_linear_in_it", refusing_a_claim_is_linear_in_it},
           {"loading_a_checkpoint_is_nearly_linear_in_its_layers",
            loading_a_checkpoint_is_nearly_linear_in_its_layers})
