/* Opening checks everything that is read later: keys, the shape, every tensor and its scales,
 * the vocabularies. Then parameters point into the file. */
#include "runtime/model.h"

#include "base/buffer.h"
#include "base/finite.h"
#include "base/utf8.h"
#include "format/values.h"
#include "kernels/i4.h"
#include "model/arch_file.h"
#include "model/param.h"
#include "model/transformer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ramus_status read_text(ramus_buffer *out, const ramus_gguf *file, const char *key,
                              bool *found, ramus_error *err)
{
    return ramus_gguf_values(file).read(file, key, RAMUS_SETTING_TEXT, out, found, err);
}

static ramus_status expect_text(const ramus_gguf *file, const char *key, const char *expected,
                                ramus_error *err)
{
    ramus_buffer text = {0};
    bool found = false;
    ramus_status st = read_text(&text, file, key, &found, err);
    const char *value = text.data ? text.data : "";
    if (!st && !found) st = ramus_fail(err, RAMUS_BAD_FORMAT, "it has no key '%s'", key);
    if (!st && strcmp(value, expected) != 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT,
                        "%s is '%.64s', expected %s, as `ramus export` writes it", key, value,
                        expected);
    ramus_buffer_free(&text);
    return st;
}

/* The layout of matrices; *i4: also of those of 4 bits. */
static ramus_status read_layout(bool *i4, const ramus_gguf *file, ramus_error *err)
{
    static const char key[] = RAMUS_MODEL_ARCHITECTURE ".layout";
    const ramus_status st = expect_text(file, key, RAMUS_MODEL_LAYOUT_I4, NULL);
    if (st == RAMUS_NO_MEMORY) return ramus_fail_memory(err, "a model");
    *i4 = !st;
    return *i4 ? RAMUS_OK : expect_text(file, key, RAMUS_MODEL_LAYOUT, err);
}

bool ramus_model_takes_i8(const ramus_weight *w)
{
    return ramus_role_is_matrix(w->role) && w->dims[w->n_dims - 1] <= RAMUS_I8_MOST_INPUTS;
}

/* The matrices of a parameter: how many, and their shape. */
static void matrix_shape(const ramus_weight *w, size_t *branches, int *n, int *k)
{
    *branches = w->n_dims == 3 ? (size_t)w->dims[0] : 1;
    *n = w->dims[w->n_dims - 2];
    *k = w->dims[w->n_dims - 1];
}

static ramus_status wrong_shape(const ramus_gguf_tensor *t, const ramus_weight *w, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s: type %s and %zu numbers do not fit a parameter of %zu numbers", w->name,
                      ramus_gguf_dtype_name(t->dtype), t->count, w->count);
}

/* Whether a tensor has this type and shape; the fastest dimension comes first. */
static bool is_shaped(const ramus_gguf_tensor *t, ramus_gguf_dtype dtype, int n_dims,
                      const size_t *dims)
{
    bool same = t->dtype == dtype && t->n_dims == n_dims;
    for (int i = 0; i < n_dims && same; i++)
        same = t->dims[i] == dims[i];
    return same;
}

/* Kernels may negate a weight of 8 bits, and -128 has no negative: rows would answer otherwise. In
 * 4 bits any byte is a value. */
static ramus_status check_bytes(const ramus_gguf_tensor *t, ramus_error *err)
{
    if (!memchr(t->data, (uint8_t)INT8_MIN, t->count)) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s has a weight of -128, expected -127 to 127",
                      t->name);
}

/* Rows would answer otherwise for numbers that are none. */
static ramus_status check_finite(const ramus_gguf_tensor *t, ramus_error *err)
{
    const bool half = t->dtype == RAMUS_GGUF_F16;
    if ((half ? ramus_finite_halves : ramus_finite_floats)(t->data, t->count)) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s has a number that is infinite or NaN", t->name);
}

/* Scales of type F16 say that a matrix has 4 bits, of type F32 that it has 8. */
static ramus_status bind_packed(ramus_weight *w, const ramus_gguf *file, const ramus_gguf_tensor *t,
                                ramus_error *err)
{
    if (!ramus_model_takes_i8(w))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is of type I8, expected F32", w->name);
    char name[RAMUS_MAX_NAME + sizeof RAMUS_MODEL_SCALE];
    (void)snprintf(name, sizeof name, "%s" RAMUS_MODEL_SCALE, w->name);
    const ramus_gguf_tensor *scale = ramus_gguf_find(file, name);
    if (!scale) return ramus_fail(err, RAMUS_BAD_FORMAT, "tensor %s is missing", name);

    size_t branches = 0;
    int n = 0, k = 0;
    matrix_shape(w, &branches, &n, &k);
    const bool i4 = scale->dtype == RAMUS_GGUF_F16;
    if (!i4 && scale->dtype != RAMUS_GGUF_F32)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s is of type %s, expected F32 (8 bits) or F16 (4 bits)", name,
                          ramus_gguf_dtype_name(scale->dtype));
    const size_t rows = branches * (((size_t)n + RAMUS_I8_OUTPUTS - 1) / RAMUS_I8_OUTPUTS);
    const size_t tiles = (size_t)(i4 ? ramus_i4_tiles(k) : ramus_i8_groups(k));
    if (!is_shaped(t, RAMUS_GGUF_I8, 4, (size_t[]){RAMUS_I8_INPUTS, RAMUS_I8_OUTPUTS, tiles, rows}))
        return wrong_shape(t, w, err);
    const size_t groups = (size_t)ramus_i4_groups(k), outputs = branches * (size_t)n;
    const size_t numbers = i4 ? RAMUS_I8_OUTPUTS * groups * rows : outputs;
    if (!(i4 ? is_shaped(scale, RAMUS_GGUF_F16, 3, (size_t[]){RAMUS_I8_OUTPUTS, groups, rows})
             : is_shaped(scale, RAMUS_GGUF_F32, 1, &outputs)))
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s has %zu numbers of type %s, expected %zu of type %s", name,
                          scale->count, ramus_gguf_dtype_name(scale->dtype), numbers,
                          i4 ? "F16 in groups" : "F32");
    w->dtype = i4 ? RAMUS_I4 : RAMUS_I8;
    w->tiles = t->data;
    if (i4)
        w->half = scale->data;
    else
        w->scale = scale->data;
    const ramus_status st = check_finite(scale, err);
    return st || i4 ? st : check_bytes(t, err);
}

static ramus_status bind_f32(ramus_weight *w, const ramus_gguf_tensor *t, ramus_error *err)
{
    size_t dims[RAMUS_MAX_DIMS] = {0};
    for (int i = 0; i < w->n_dims; i++)
        dims[i] = (size_t)w->dims[w->n_dims - 1 - i];
    if (!is_shaped(t, RAMUS_GGUF_F32, w->n_dims, dims)) return wrong_shape(t, w, err);
    w->data = (ramus_real *)t->data; // never written to: the graph is not for training
    return check_finite(t, err);
}

/* Points every parameter into the file; a tensor that is none is an error. i4: some may have 4
 * bits.
 */
static ramus_status bind_weights(ramus_model *m, bool i4, ramus_error *err)
{
    const bool real_is_float = sizeof(ramus_real) == sizeof(float);
    RAMUS_ASSERT(real_is_float);
    int used = 0;
    for (int i = 0; i < m->weights->n; i++) {
        ramus_weight *w = &m->weights->items[i];
        const ramus_gguf_tensor *t = ramus_gguf_find(m->file, w->name);
        if (!t) return ramus_fail(err, RAMUS_BAD_FORMAT, "tensor %s is missing", w->name);
        const bool packed = t->dtype == RAMUS_GGUF_I8;
        const ramus_status st = packed ? bind_packed(w, m->file, t, err) : bind_f32(w, t, err);
        if (st) return st;
        if (w->dtype == RAMUS_I4 && !i4)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "%s has 4 bits, which the key ramus.layout does not say", w->name);
        used += packed ? 2 : 1;
    }
    if (used != ramus_gguf_count(m->file))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "has %d tensors, expected %d for its shape",
                          ramus_gguf_count(m->file), used);
    return RAMUS_OK;
}

/* Every piece has a row of the word matrix, and one of them ends a sentence. */
static ramus_status check_vocabs(const ramus_model *m, ramus_error *err)
{
    static const char *const sides[] = {"source", "target"};
    const int words[] = {m->arch.source_vocab, m->arch.target_vocab};
    for (int i = 0; i < 2; i++) {
        if (ramus_vocab_count(m->vocabs[i]) != words[i])
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "the %s vocabulary has %d pieces, the model %d words", sides[i],
                              ramus_vocab_count(m->vocabs[i]), words[i]);
        if (ramus_vocab_eos(m->vocabs[i]) < 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "the %s vocabulary has no piece for the end of a sentence", sides[i]);
    }
    return RAMUS_OK;
}

static ramus_status read_vocab(ramus_vocab **out, const ramus_gguf *file, const char *key,
                               ramus_error *err)
{
    const ramus_gguf_value *blob = NULL;
    ramus_status st = ramus_gguf_get_array(file, key, RAMUS_GGUF_UINT8, &blob, err);
    if (st) return st;
    st = ramus_vocab_parse(out, blob->data, blob->count, err);
    return st ? ramus_fail_in(err, st, key) : RAMUS_OK;
}

static ramus_status read_vocabs(ramus_model *m, ramus_error *err)
{
    static const char *const keys[] = {RAMUS_MODEL_ARCHITECTURE ".vocab.source",
                                       RAMUS_MODEL_ARCHITECTURE ".vocab.target"};
    const bool has_target = ramus_gguf_value_find(m->file, keys[1]) != NULL;
    if (!has_target && !ramus_gguf_value_find(m->file, keys[0])) return RAMUS_OK; // it has none
    if (!has_target && m->arch.source_vocab != m->arch.target_vocab)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "it has no key '%s'", keys[1]);
    ramus_status st = read_vocab(&m->vocabs[0], m->file, keys[0], err);
    if (!st && has_target) st = read_vocab(&m->vocabs[1], m->file, keys[1], err);
    if (!st && !has_target) m->vocabs[1] = m->vocabs[0];
    return st ? st : check_vocabs(m, err);
}

static const struct {
    const char *name, *key;
} infos[RAMUS_MODEL_INFOS] = {
    {"source_language", RAMUS_MODEL_ARCHITECTURE ".source_language"},
    {"target_language", RAMUS_MODEL_ARCHITECTURE ".target_language"},
    {"name", "general.name"},
    {"description", "general.description"},
    {"license", "general.license"},
    {"scores", RAMUS_MODEL_ARCHITECTURE ".scores"},
};

const char *ramus_model_info(const ramus_model *model, const char *key)
{
    for (int i = 0; i < RAMUS_MODEL_INFOS && model && key; i++)
        if (strcmp(key, infos[i].name) == 0) return model->info[i];
    return NULL;
}

void ramus_model_tell(ramus_model *model, const char *key, char **text)
{
    for (int i = 0; i < RAMUS_MODEL_INFOS; i++) {
        if (strcmp(key, infos[i].name) != 0) continue;
        free(model->info[i]);
        model->info[i] = *text;
        *text = NULL;
    }
}

static ramus_status read_info(char **out, const ramus_gguf *file, const char *key, ramus_error *err)
{
    ramus_buffer text = {0};
    bool found = false;
    const ramus_status st = read_text(&text, file, key, &found, err);
    if (st)
        ramus_buffer_free(&text);
    else
        *out = text.data; // freed by close
    return st;
}

static ramus_status list_weights(ramus_model *m, ramus_error *err)
{
    const ramus_limits one = {1, 1, 1};
    const ramus_build build = {.head = RAMUS_HEAD_LOSS, .source = one, .target = one};
    ramus_graph *g = NULL;
    ramus_status st = ramus_transformer_create(&g, &m->arch, &build, err);
    if (!st) st = ramus_weights_list(&m->weights, g, err);
    ramus_graph_destroy(g);
    return st;
}

static ramus_status read_model(ramus_model *m, ramus_error *err)
{
    const ramus_values_reader values = ramus_gguf_values(m->file);
    ramus_status st = expect_text(m->file, "general.architecture", RAMUS_MODEL_ARCHITECTURE, err);
    bool i4 = false;
    if (!st) st = read_layout(&i4, m->file, err);
    if (!st) st = ramus_arch_read(&m->arch, &values, err);
    if (!st) st = list_weights(m, err);
    if (!st) st = bind_weights(m, i4, err);
    if (!st) st = read_vocabs(m, err);
    for (int i = 0; i < RAMUS_MODEL_INFOS && !st; i++)
        st = read_info(&m->info[i], m->file, infos[i].key, err);
    return st;
}

/* Continues after the file is open; `label` is its name in errors. */
static ramus_status open_model(ramus_model **out, ramus_gguf *file, const char *label,
                               ramus_error *err)
{
    ramus_error inner = {0};
    ramus_model *m = calloc(1, sizeof *m);
    if (!m) {
        ramus_gguf_close(file);
        return ramus_fail_memory(err, "a model");
    }
    m->file = file;
    const ramus_status st = read_model(m, &inner);
    if (!st) {
        *out = m;
        return RAMUS_OK;
    }
    ramus_model_close(m);
    ramus_utf8_clean(inner.message); // texts come from strangers
    return ramus_fail(err, st, "%s: %s", label, inner.message);
}

ramus_status ramus_model_open(ramus_model **out, const char *path, ramus_error *err)
{
    ramus_gguf *file = NULL;
    ramus_status st = ramus_check_given(out, "where the model goes", err);
    if (!st) st = ramus_check_given(path, "the path of the model", err);
    if (!st) st = ramus_gguf_open(&file, path, err);
    return st ? st : open_model(out, file, path, err);
}

ramus_status ramus_model_open_memory(ramus_model **out, const void *data, size_t size,
                                     ramus_error *err)
{
    static const char label[] = "the model in memory";
    ramus_gguf *file = NULL;
    ramus_status st = ramus_check_given(out, "where the model goes", err);
    if (!st) st = ramus_check_given(data, label, err);
    if (st) return st;
    if ((uintptr_t)data % 8)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s does not begin at a multiple of 8 bytes",
                          label);
    st = ramus_gguf_open_memory(&file, data, size, label, err);
    return st ? st : open_model(out, file, label, err);
}

ramus_status ramus_model_verify(const ramus_model *model, ramus_error *err)
{
    ramus_status st = ramus_check_given(model, "the model", err);
    for (; model && !st; model = model->next) {
        bool found = false;
        if (model->file)
            st = ramus_gguf_verify_tensors(model->file, RAMUS_MODEL_CHECKSUMS, &found, err);
        if (model->file && !st)
            st = ramus_gguf_verify(model->file, RAMUS_MODEL_CHECKSUM, &found, err);
        if (!st && !found)
            st = ramus_fail(err, RAMUS_NOT_FOUND, "it has no checksum, as newer exports have");
    }
    return st;
}

ramus_status ramus_model_from(ramus_model **out, const ramus_arch *a, ramus_weights *weights,
                              ramus_vocab *const vocabs[2], ramus_error *err)
{
    const ramus_model made = {
        .arch = *a, .weights = weights, .vocabs = {vocabs[0], vocabs[1] ? vocabs[1] : vocabs[0]}};
    const ramus_status st = check_vocabs(&made, err);
    if (st) return st;
    ramus_model *m = malloc(sizeof *m);
    if (!m) return ramus_fail_memory(err, "a model");
    *m = made;
    *out = m;
    return RAMUS_OK;
}

ramus_status ramus_model_join(ramus_model *model, ramus_model *other, ramus_error *err)
{
    static const char *const sides[] = {"source", "target"};
    for (int i = 0; i < 2; i++)
        if (!model->vocabs[i] || !other->vocabs[i] ||
            !ramus_vocab_equal(model->vocabs[i], other->vocabs[i]))
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "has another %s vocabulary than the first model of the ensemble",
                              sides[i]);
    while (model->next)
        model = model->next;
    model->next = other;
    return RAMUS_OK;
}

void ramus_model_close(ramus_model *m)
{
    if (!m) return;
    ramus_model_close(m->next);
    ramus_weights_destroy(m->weights);
    if (m->vocabs[1] != m->vocabs[0]) ramus_vocab_destroy(m->vocabs[1]);
    ramus_vocab_destroy(m->vocabs[0]);
    for (int i = 0; i < RAMUS_MODEL_INFOS; i++)
        free(m->info[i]);
    ramus_gguf_close(m->file);
    free(m);
}
