/* Files with the authors' names, good and broken, checkpoints of ours, and exported models. */
#include "convert/import/thumt.h"

#include "check.h"
#include "convert/export.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/model.h"

#include <math.h>
#include <unistd.h>

#define FILE_NAME "import_test.safetensors"
#define GOOD_NAME "import_test.good"
#define GGUF_NAME "import_test.gguf"

/* What is changed on the way from a good file to the one that is read. */
typedef struct change {
    const char *leave_out;   // a tensor
    const char *flatten;     // a tensor that becomes one-dimensional
    const char *retype;      // a tensor whose type becomes I32
    const char *extra;       // a tensor that is added
    const char *key, *value; // metadata to replace
    bool bare;               // no prefix, only parameters, no metadata
} change;

static bool is(const char *name, const char *wanted)
{
    return wanted && strcmp(name, wanted) == 0;
}

static void copy_tensors(ramus_safetensors_writer *out, const ramus_safetensors *in,
                         const change *c)
{
    static const float number = 1;
    ramus_error err = {0};
    for (int i = 0; i < ramus_safetensors_count(in); i++) {
        ramus_safetensor t = *ramus_safetensors_at(in, i);
        if (is(t.name, c->leave_out) || (c->bare && strncmp(t.name, "param.", 6) != 0)) continue;
        if (c->bare) t.name += 6;
        if (is(t.name, c->flatten)) t.shape[0] = t.count, t.rank = 1;
        if (is(t.name, c->retype)) t.dtype = RAMUS_SAFETENSOR_I32;
        REQUIRE_OK(ramus_safetensors_add_tensor(out, &t, &err), err);
    }
    if (!c->extra) return;
    const ramus_safetensor t = {
        .name = c->extra, .dtype = RAMUS_SAFETENSOR_F32, .rank = 1, .shape = {1}, .data = &number};
    REQUIRE_OK(ramus_safetensors_add_tensor(out, &t, &err), err);
}

static void write_changed(const char *good, const change *c)
{
    ramus_error err = {0};
    ramus_safetensors *in = NULL;
    ramus_safetensors_writer *out = NULL;
    REQUIRE_OK(ramus_safetensors_open(&in, good, &err), err);
    REQUIRE_OK(ramus_safetensors_create(&out, &err), err);
    copy_tensors(out, in, c);
    for (int i = 0; i < ramus_safetensors_metadata_count(in) && !c->bare; i++) {
        const ramus_safetensors_metadata *m = ramus_safetensors_metadata_at(in, i);
        const char *value = is(m->key, c->key) ? c->value : m->value;
        REQUIRE_OK(ramus_safetensors_add_metadata(out, m->key, value, &err), err);
    }
    REQUIRE_OK(ramus_safetensors_save(out, FILE_NAME, &err), err);
    ramus_safetensors_destroy(out);
    ramus_safetensors_close(in);
}

static ramus_status import_file(ramus_checkpoint *c, const char *path, int heads, ramus_error *err)
{
    ramus_safetensors *file = NULL;
    REQUIRE_OK(ramus_safetensors_open(&file, path, err), *err);
    const ramus_import_hints hints = {.heads = heads};
    const ramus_status st = ramus_import_model(c, file, &hints, err);
    ramus_safetensors_close(file);
    return st;
}

typedef struct {
    change change;
    const char *part; // of the sentence
} broken;

static void broken_files_get_a_sentence(void)
{
    static const broken rows[] = {
        {{.leave_out = "param.encoder.layers.1.feed_forward.gate.bias"},
         "there is no tensor param.encoder.layers.1.feed_forward.gate.bias"},
        {{.leave_out = "param.weights"}, "there is neither a matrix param.weights nor"},
        {{.leave_out =
              "param.decoder.layers.0.self_attention.attention.v_transform.branches.3.weight"},
         "no tensor param.decoder.layers.0.self_attention.attention.v_transform.branches.3.weight"},
        {{.flatten =
              "param.encoder.layers.0.self_attention.attention.k_transform.branches.1.weight"},
         "k_transform.branches.1.weight has 1 dimensions and 1024 numbers, expected [32, 32]"},
        {{.retype = "param.bias"}, "param.bias is I32, expected F32"},
        {{.extra = "param.encoder.layers.9.nothing"},
         "1 tensors named param.* belong to no parameter"},
        {{.key = "hidden_size", .value = "64"},
         "its metadata says hidden_size 64, its tensors say 32"},
        {{.key = "kind", .value = "transformer"}, "its metadata says kind transformer"},
        {{.key = "normalization", .value = "before"}, "says normalization before"},
        {{.key = "branches", .value = "5"}, "says branches 5, its tensors say 4"},
        {{.key = "heads", .value = "5"}, "width 32 cannot be divided among 5 heads"},
        {{.key = "layer_norm_epsilon", .value = "1e-6"}, "layer_norm_epsilon is 1e-6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ramus_checkpoint c = {0};
        ramus_error err = {0};
        write_changed(GOLDEN "/vectors/dmb-shared-private.safetensors", &rows[i].change);
        EXPECT_FAILS(import_file(&c, FILE_NAME, 0, &err), err, rows[i].part);
        EXPECT(!c.weights, "no result");
    }
    unlink(FILE_NAME);
}

static void expect_same(const ramus_checkpoint *a, const ramus_checkpoint *b, const char *what)
{
    EXPECT_BYTES(&a->arch, &b->arch, sizeof a->arch, "%s: arch", what);
    EXPECT(a->weights->size == b->weights->size &&
               !memcmp(a->weights->data, b->weights->data, a->weights->size * sizeof(float)),
           "%s: weights", what);
}

static const char *const names[] = {"dmb-plain", "dmb-separate-vocab",    "dmb-shared-private",
                                    "moe-top2",  "transformer-post-norm", "transformer-pre-norm"};

static void import_named(ramus_checkpoint *c, char path[512], const char *name)
{
    ramus_error err = {0};
    snprintf(path, 512, GOLDEN "/vectors/%s.safetensors", name);
    REQUIRE_OK(import_file(c, path, 0, &err), err);
}

/* A checkpoint as the authors' program leaves it has neither prefix nor metadata. */
static void shapes_alone_tell_the_model(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        ramus_checkpoint a = {0}, b = {0};
        ramus_error err = {0};
        import_named(&a, path, names[i]);
        write_changed(path, &(change){.bare = true});
        REQUIRE_OK(import_file(&b, FILE_NAME, 4, &err), err);
        expect_same(&a, &b, names[i]);
        ramus_checkpoint_free(&b);
        ramus_checkpoint_free(&a);
    }
    unlink(FILE_NAME);
}

static void checkpoints_come_back_as_saved(void)
{
    ramus_checkpoint a = {0}, b = {0};
    ramus_error err = {0};
    REQUIRE_OK(import_file(&a, GOLDEN "/vectors/dmb-separate-vocab.safetensors", 0, &err), err);
    REQUIRE_OK(ramus_checkpoint_save(&a, FILE_NAME, &err), err);
    REQUIRE_OK(ramus_checkpoint_load(&b, FILE_NAME, &err), err);
    expect_same(&a, &b, "round trip");
    ramus_checkpoint_free(&b);
    ramus_checkpoint_free(&a);
    unlink(FILE_NAME);
}

static void broken_checkpoints_get_a_sentence(void)
{
    static const broken rows[] = {
        {{.leave_out = "encoder.0.ffn.in.weight"},
         FILE_NAME ": it has no tensor encoder.0.ffn.in.weight"},
        {{.flatten = "encoder.0.ffn.in.weight"},
         "in.weight has shape [8192], expected [4, 64, 32]"},
        {{.retype = "source_bias"}, "source_bias is I32, expected F32"},
        {{.extra = "more"}, "it has a tensor more that this model has not"},
        {{.key = "ramus.width", .value = "many"}, "width is 'many', expected a whole number"},
        {{.key = "ramus.heads", .value = "5"}, "width 32 cannot be divided among 5 heads"},
        {{.key = "ramus.kind", .value = "cake"}, "not a ramus checkpoint"},
        {{.key = "ramus.encoder_layers", .value = "3"}, "it has no tensor encoder.2."},
    };
    ramus_checkpoint a = {0}, b = {0};
    ramus_error err = {0};
    REQUIRE_OK(import_file(&a, GOLDEN "/vectors/dmb-shared-private.safetensors", 0, &err), err);
    REQUIRE_OK(ramus_checkpoint_save(&a, GOOD_NAME, &err), err);
    ramus_checkpoint_free(&a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_changed(GOOD_NAME, &rows[i].change);
        EXPECT_FAILS(ramus_checkpoint_load(&b, FILE_NAME, &err), err, rows[i].part);
        EXPECT(!b.weights, "no result");
    }
    EXPECT_FAILS(ramus_checkpoint_load(&b, "missing.safetensors", &err), err, "cannot open");
    EXPECT_INT(truncate(GOOD_NAME, 100000), 0, "truncate");
    EXPECT_FAILS(ramus_checkpoint_load(&b, GOOD_NAME, &err), err, GOOD_NAME ": ");
    unlink(FILE_NAME);
    unlink(GOOD_NAME);
}

/* The number that stands for weight j, read byte by byte as docs/FORMAT.md has it. */
static double number_at(const ramus_weight *w, size_t j)
{
    if (w->dtype == RAMUS_REAL) return (double)w->data[j];
    const size_t k = (size_t)w->dims[w->n_dims - 1], n = (size_t)w->dims[w->n_dims - 2];
    const size_t i = j % k, o = j / k % n, b = j / k / n, rows = (n + 15) / 16;
    if (w->dtype == RAMUS_I8) {
        const size_t tile = (b * rows + o / 16) * ((k + 3) / 4) + i / 4;
        return w->tiles[tile * 64 + o % 16 * 4 + i % 4] * (double)w->scale[b * n + o];
    }
    const size_t groups = (k + 63) / 64, tile = (b * rows + o / 16) * groups * 8 + i / 8;
    const int byte = (uint8_t)w->tiles[tile * 64 + o % 16 * 4 + i % 4];
    const size_t scale = ((b * rows + o / 16) * groups + i / 64) * 16 + o % 16;
    return ((i % 8 < 4 ? byte & 15 : byte >> 4) - 8) * (double)ramus_half_float(w->half[scale]);
}

static double largest_of(const ramus_weight *w)
{
    double largest = 0;
    for (size_t j = 0; j < w->count; j++)
        largest = fmax(largest, fabs(number_at(w, j)));
    return largest;
}

/* What training starts with is the deployed model to the last bits. */
static void expect_unfolded(const ramus_checkpoint *c, const ramus_model *m, const char *what)
{
    ramus_error err = {0};
    ramus_weights *folded = NULL;
    REQUIRE_OK(ramus_transformer_weights(&folded, &c->arch, false, &err), err);
    ramus_weights_fold(folded, c->weights);
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *is = &folded->items[i], *want = &m->weights->items[i];
        const double bound = 1e-6 * largest_of(want);
        size_t wrong = 0;
        for (size_t j = 0; j < is->count; j++)
            wrong += !(fabs((double)is->data[j] - number_at(want, j)) <= bound);
        EXPECT(wrong == 0, "%s: %s: %zu numbers differ", what, is->name, wrong);
    }
    ramus_weights_destroy(folded);
}

/* Branches of a model with shared parts differ from these by as much to one side as to the other.
 */
static void expect_centred(const ramus_checkpoint *c)
{
    for (int i = 0; i < c->weights->n; i++) {
        const ramus_weight *w = &c->weights->items[i],
                           *shared = ramus_weights_shared(c->weights, w);
        for (size_t j = 0; shared && j < shared->count; j++) {
            double sum = 0;
            for (size_t at = j; at < w->count; at += shared->count)
                sum += (double)w->data[at];
            EXPECT(fabs(sum) < 1e-6, "%s: branches differ by %g", w->name, sum);
        }
    }
}

static void exported_models_come_back(void)
{
    static const ramus_export_type types[] = {RAMUS_EXPORT_F32, RAMUS_EXPORT_I8, RAMUS_EXPORT_I4};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        ramus_checkpoint a = {0};
        import_named(&a, path, names[i]);
        for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
            ramus_checkpoint b = {0};
            ramus_model *m = NULL;
            ramus_error err = {0};
            const ramus_export_spec spec = {.type = types[type], .words = RAMUS_EXPORT_WORDS_I4};
            REQUIRE_OK(ramus_export(&a, &spec, GGUF_NAME, &err), err);
            REQUIRE_OK(ramus_model_open(&m, GGUF_NAME, &err), err);
            REQUIRE_OK(ramus_import(&b, GGUF_NAME, &(ramus_import_hints){0}, &err), err);
            EXPECT_BYTES(&a.arch, &b.arch, sizeof a.arch, "%s: arch", names[i]);
            expect_unfolded(&b, m, names[i]);
            expect_centred(&b);
            ramus_checkpoint_free(&b);
            ramus_model_close(m);
        }
        ramus_checkpoint_free(&a);
    }
    ramus_checkpoint none = {0};
    ramus_error err = {0};
    EXPECT_INT(truncate(GGUF_NAME, 1000), 0, "truncate");
    EXPECT_FAILS(ramus_import(&none, GGUF_NAME, &(ramus_import_hints){0}, &err), err,
                 GGUF_NAME ": ");
    EXPECT(!none.weights, "no result");
    unlink(GGUF_NAME);
}

CHECK_MAIN({"broken_files_get_a_sentence", broken_files_get_a_sentence},
           {"shapes_alone_tell_the_model", shapes_alone_tell_the_model},
           {"checkpoints_come_back_as_saved", checkpoints_come_back_as_saved},
           {"broken_checkpoints_get_a_sentence", broken_checkpoints_get_a_sentence},
           {"exported_models_come_back", exported_models_come_back})
