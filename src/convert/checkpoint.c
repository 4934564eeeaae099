/* Hyper-parameters and vocabularies as metadata, parameters as tensors by name. Reading demands
 * exactly the tensors of the shape. */
#include "convert/checkpoint.h"

#include "base/finite.h"
#include "convert/checkpoints.h"
#include "format/names.h"
#include "format/values.h"
#include "model/arch_file.h"
#include "model/param.h"
#include "model/transformer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND_KEY "ramus.kind"
#define KIND     "checkpoint"

#define ABOUT_PREFIX "ramus.about."

const char *const ramus_about_names[RAMUS_ABOUTS] = {
    [RAMUS_ABOUT_SOURCE_LANGUAGE] = "source_language",
    [RAMUS_ABOUT_TARGET_LANGUAGE] = "target_language",
    [RAMUS_ABOUT_NAME] = "name",
    [RAMUS_ABOUT_DESCRIPTION] = "description",
    [RAMUS_ABOUT_LICENSE] = "license",
};

static const char *const vocab_names[2] = {"vocab.source", "vocab.target"};
static const char extra_prefix[] = "train.";

void ramus_checkpoint_free(ramus_checkpoint *c)
{
    ramus_weights_destroy(c->weights);
    ramus_buffer_free(&c->vocabs[0]);
    ramus_buffer_free(&c->vocabs[1]);
    for (int i = 0; i < RAMUS_ABOUTS; i++)
        free(c->about[i]);
    *c = (ramus_checkpoint){0};
}

ramus_status ramus_checkpoint_open(ramus_safetensors **out, const char *name, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_find(&path, name, err);
    if (!st) st = ramus_safetensors_open(out, path.data, err);
    ramus_buffer_free(&path);
    return st;
}

ramus_status ramus_checkpoint_tell(ramus_checkpoint *c, ramus_about which, const char *text,
                                   ramus_error *err)
{
    if (!text || !*text) return RAMUS_OK;
    char *copy = strdup(text);
    if (!copy) return ramus_fail_memory(err, "what is said about a model");
    free(c->about[which]);
    c->about[which] = copy;
    return RAMUS_OK;
}

bool ramus_checkpoint_is_extra(const char *name)
{
    return strncmp(name, extra_prefix, strlen(extra_prefix)) == 0 ||
           strcmp(name, vocab_names[0]) == 0 || strcmp(name, vocab_names[1]) == 0;
}

bool ramus_checkpoint_is(const ramus_safetensors *file)
{
    const char *kind = ramus_safetensors_metadata_find(file, KIND_KEY);
    return kind && strcmp(kind, KIND) == 0;
}

ramus_status ramus_checkpoint_arch(ramus_arch *out, const ramus_safetensors *file, ramus_error *err)
{
    if (!ramus_checkpoint_is(file))
        return ramus_fail(
            err, RAMUS_BAD_FORMAT,
            "not a ramus checkpoint: its metadata has no %s = %s (a file with the authors' "
            "tensor names is read by `ramus import`)",
            KIND_KEY, KIND);
    const ramus_values_reader values = ramus_safetensors_values(file);
    return ramus_arch_read(out, &values, err);
}

static void print_shape(char *out, size_t size, const size_t *dims, int n)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", i ? ", " : "", dims[i]);
}

static ramus_status read_tensor(const ramus_weight *w, const char *name,
                                const ramus_safetensors *file, ramus_error *err)
{
    const ramus_safetensor *t = ramus_safetensors_find(file, name);
    size_t dims[RAMUS_MAX_DIMS] = {0};
    if (!t) return ramus_fail(err, RAMUS_BAD_FORMAT, "it has no tensor %s", name);
    if (t->dtype != RAMUS_SAFETENSOR_F32)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is %s, expected F32", name,
                          ramus_safetensor_dtype_name(t->dtype));
    bool same = t->rank == w->n_dims;
    for (int i = 0; i < w->n_dims; i++) {
        dims[i] = (size_t)w->dims[i];
        same = same && t->shape[i] == dims[i];
    }
    if (!same) {
        char got[128], want[128];
        print_shape(got, sizeof got, t->shape, t->rank);
        print_shape(want, sizeof want, dims, w->n_dims);
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s has shape [%s], expected [%s]", name, got,
                          want);
    }
    if (!ramus_finite_floats(t->data, w->count))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s has a number that is infinite or NaN", name);
    memcpy(w->data, t->data, t->size);
    return RAMUS_OK;
}

ramus_status ramus_checkpoint_read_weights(ramus_weights *weights, const ramus_safetensors *file,
                                           const char *prefix, ramus_error *err)
{
    ramus_buffer name = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; !st && i < weights->n; i++) {
        ramus_buffer_clear(&name);
        ramus_buffer_print(&name, "%s%s", prefix, weights->items[i].name);
        st = ramus_buffer_check(&name, err);
        if (!st) st = read_tensor(&weights->items[i], name.data, file, err);
    }
    ramus_buffer_free(&name);
    return st;
}

/* What the model was trained for, as far as its parameters depend on it. */
static ramus_objective objective_of(const ramus_safetensors *file)
{
    const ramus_site map = {RAMUS_STACK_ENCODER, 0, RAMUS_SUBLAYER_FFN, RAMUS_MAP_IN}; // like any
    char range[RAMUS_MAX_NAME];
    ramus_param_name(range, RAMUS_ROLE_WEIGHT_RANGE, &map);
    return (ramus_objective){
        .ranges = RAMUS_RANGES_LEARNED,
        .quantize = ramus_safetensors_find(file, range) ? RAMUS_BITS_8 : RAMUS_BITS_NONE,
    };
}

/* No tensor but the model's own; each of those was read already. */
static ramus_status check_names(const ramus_weights *w, const ramus_safetensors *file,
                                ramus_error *err)
{
    ramus_names own = {0};
    ramus_status st = ramus_names_init(&own, w->items, (size_t)w->n, sizeof *w->items, err);
    for (int i = 0; !st && i < ramus_safetensors_count(file); i++) {
        const char *name = ramus_safetensors_at(file, i)->name;
        if (!ramus_checkpoint_is_extra(name) && !ramus_names_find(&own, name))
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "it has a tensor %s that this model has not",
                            name);
    }
    ramus_names_free(&own);
    return st;
}

static ramus_status read_model(ramus_checkpoint *c, const ramus_safetensors *file, ramus_error *err)
{
    const ramus_objective objective = objective_of(file);
    ramus_status st = ramus_transformer_trained(&c->weights, &c->arch, &objective, err);
    if (st) return st;
    RAMUS_ASSERT(c->weights != NULL);
    st = ramus_checkpoint_read_weights(c->weights, file, "", err);
    if (!st) st = check_names(c->weights, file, err);
    for (int i = 0; !st && i < 2; i++) {
        const ramus_safetensor *t = ramus_safetensors_find(file, vocab_names[i]);
        if (!t) continue;
        ramus_buffer_add(&c->vocabs[i], t->data, t->size);
        st = ramus_buffer_check(&c->vocabs[i], err);
    }
    for (int i = 0; !st && i < RAMUS_ABOUTS; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, ABOUT_PREFIX "%s", ramus_about_names[i]);
        st = ramus_checkpoint_tell(c, (ramus_about)i, ramus_safetensors_metadata_find(file, key),
                                   err);
    }
    return st;
}

ramus_status ramus_checkpoint_read(ramus_checkpoint *out, const ramus_safetensors *file,
                                   ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_arch(&c.arch, file, err);
    if (!st) st = read_model(&c, file, err);
    if (st)
        ramus_checkpoint_free(&c);
    else
        *out = c;
    return st;
}

ramus_status ramus_checkpoint_load(ramus_checkpoint *out, const char *name, ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_checkpoint_open(&file, name, err);
    if (st) return st;
    st = ramus_checkpoint_read(out, file, err);
    if (st) st = ramus_fail_in(err, st, name);
    ramus_safetensors_close(file);
    return st;
}

ramus_status ramus_checkpoint_vocab(ramus_vocab **out, const ramus_checkpoint *c, int side,
                                    ramus_error *err)
{
    const ramus_buffer *bytes = &c->vocabs[side && c->vocabs[1].size ? 1 : 0];
    if (bytes->size == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the checkpoint carries no vocabulary: it was not made by training");
    return ramus_vocab_parse(out, bytes->data, bytes->size, err);
}

ramus_status ramus_checkpoint_add_weights(ramus_safetensors_writer *w, const char *prefix,
                                          const ramus_weights *weights, ramus_error *err)
{
    ramus_buffer name = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; !st && i < weights->n; i++) {
        const ramus_weight *item = &weights->items[i];
        ramus_buffer_clear(&name);
        ramus_buffer_print(&name, "%s%s", prefix, item->name);
        st = ramus_buffer_check(&name, err);
        if (st) break;
        ramus_safetensor t = {.name = name.data,
                              .dtype = RAMUS_SAFETENSOR_F32,
                              .rank = item->n_dims,
                              .data = item->data};
        for (int j = 0; j < item->n_dims; j++)
            t.shape[j] = (size_t)item->dims[j];
        st = ramus_safetensors_add_tensor(w, &t, err);
    }
    ramus_buffer_free(&name);
    return st;
}

ramus_status ramus_checkpoint_add(ramus_safetensors_writer *w, const ramus_checkpoint *c,
                                  ramus_error *err)
{
    const ramus_values_writer values = ramus_safetensors_values_to(w);
    ramus_status st = ramus_safetensors_add_metadata(w, KIND_KEY, KIND, err);
    if (!st) st = ramus_arch_write(&c->arch, &values, err);
    for (int i = 0; !st && i < RAMUS_ABOUTS; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, ABOUT_PREFIX "%s", ramus_about_names[i]);
        if (c->about[i]) st = ramus_safetensors_add_metadata(w, key, c->about[i], err);
    }
    if (!st) st = ramus_checkpoint_add_weights(w, "", c->weights, err);
    for (int i = 0; !st && i < 2; i++) {
        const ramus_safetensor t = {.name = vocab_names[i],
                                    .dtype = RAMUS_SAFETENSOR_U8,
                                    .rank = 1,
                                    .shape = {c->vocabs[i].size},
                                    .data = c->vocabs[i].data};
        if (c->vocabs[i].size) st = ramus_safetensors_add_tensor(w, &t, err);
    }
    return st;
}

ramus_status ramus_checkpoint_save(const ramus_checkpoint *c, const char *path, ramus_error *err)
{
    ramus_safetensors_writer *w = NULL;
    ramus_status st = ramus_safetensors_create(&w, err);
    if (!st) st = ramus_checkpoint_add(w, c, err);
    if (!st) st = ramus_safetensors_save(w, path, err);
    ramus_safetensors_destroy(w);
    return st;
}
