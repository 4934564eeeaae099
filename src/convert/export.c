/* Folds the weights, quantises what may be, then adds keys, vocabularies and tensors to a GGUF
 * writer. */
#include "convert/export.h"

#include "format/values.h"
#include "kernels/i4.h"
#include "model/arch_file.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/model.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64 // a cache line

ramus_quantize_spec ramus_export_dtypes(ramus_export_type type, ramus_export_words words)
{
    if (type == RAMUS_EXPORT_F32) return (ramus_quantize_spec){RAMUS_REAL, RAMUS_REAL};
    return (ramus_quantize_spec){.layers = type == RAMUS_EXPORT_I4 ? RAMUS_I4 : RAMUS_I8,
                                 .words = words == RAMUS_EXPORT_WORDS_I4 ? RAMUS_I4 : RAMUS_I8};
}

static ramus_status add_text(ramus_gguf_writer *w, const char *key, const char *text,
                             ramus_error *err)
{
    return text ? ramus_gguf_add_text(w, key, text, strlen(text), err) : RAMUS_OK;
}

static const char *or_about(const char *text, const ramus_checkpoint *c, ramus_about which)
{
    return text ? text : c->about[which];
}

static ramus_status add_metadata(ramus_gguf_writer *w, const ramus_checkpoint *c,
                                 const ramus_export_spec *spec, ramus_error *err)
{
    const ramus_values_writer values = ramus_gguf_values_to(w);
    ramus_status st = add_text(w, "general.architecture", RAMUS_MODEL_ARCHITECTURE, err);
    if (!st) st = add_text(w, "general.name", or_about(spec->name, c, RAMUS_ABOUT_NAME), err);
    if (!st)
        st = add_text(w, "general.description",
                      or_about(spec->description, c, RAMUS_ABOUT_DESCRIPTION), err);
    if (!st)
        st = add_text(w, "general.license", or_about(spec->license, c, RAMUS_ABOUT_LICENSE), err);
    if (!st) st = ramus_arch_write(&c->arch, &values, err);
    const ramus_quantize_spec dtypes = ramus_export_dtypes(spec->type, spec->words);
    const bool i4 = dtypes.layers == RAMUS_I4 || dtypes.words == RAMUS_I4;
    if (!st)
        st = add_text(w, RAMUS_MODEL_ARCHITECTURE ".layout",
                      i4 ? RAMUS_MODEL_LAYOUT_I4 : RAMUS_MODEL_LAYOUT, err);
    if (!st)
        st = add_text(w, RAMUS_MODEL_ARCHITECTURE ".source_language",
                      or_about(spec->source_language, c, RAMUS_ABOUT_SOURCE_LANGUAGE), err);
    if (!st)
        st = add_text(w, RAMUS_MODEL_ARCHITECTURE ".target_language",
                      or_about(spec->target_language, c, RAMUS_ABOUT_TARGET_LANGUAGE), err);
    if (!st) st = add_text(w, RAMUS_MODEL_ARCHITECTURE ".scores", spec->scores, err);
    if (!st && c->vocabs[0].size)
        st = ramus_gguf_add_blob(w, RAMUS_MODEL_ARCHITECTURE ".vocab.source", c->vocabs[0].data,
                                 c->vocabs[0].size, err);
    if (!st && c->vocabs[1].size)
        st = ramus_gguf_add_blob(w, RAMUS_MODEL_ARCHITECTURE ".vocab.target", c->vocabs[1].data,
                                 c->vocabs[1].size, err);
    return st;
}

static ramus_status add_packed(ramus_gguf_writer *w, const ramus_weight *item, ramus_error *err)
{
    const bool i4 = item->dtype == RAMUS_I4;
    const size_t branches = item->n_dims == 3 ? (size_t)item->dims[0] : 1;
    const int n = item->dims[item->n_dims - 2], k = item->dims[item->n_dims - 1];
    const size_t rows = branches * (((size_t)n + RAMUS_I8_OUTPUTS - 1) / RAMUS_I8_OUTPUTS);
    char name[RAMUS_MAX_NAME + sizeof RAMUS_MODEL_SCALE];
    (void)snprintf(name, sizeof name, "%s" RAMUS_MODEL_SCALE, item->name);
    const ramus_gguf_tensor tiles = {.name = item->name,
                                     .dtype = RAMUS_GGUF_I8,
                                     .n_dims = 4,
                                     .dims = {RAMUS_I8_INPUTS, RAMUS_I8_OUTPUTS,
                                              (size_t)(i4 ? ramus_i4_tiles(k) : ramus_i8_groups(k)),
                                              rows},
                                     .data = item->tiles};
    const ramus_gguf_tensor scale = {.name = name,
                                     .dtype = RAMUS_GGUF_F32,
                                     .n_dims = 1,
                                     .dims = {branches * (size_t)n},
                                     .data = item->scale};
    const ramus_gguf_tensor half = {.name = name,
                                    .dtype = RAMUS_GGUF_F16,
                                    .n_dims = 3,
                                    .dims = {RAMUS_I8_OUTPUTS, (size_t)ramus_i4_groups(k), rows},
                                    .data = item->half};
    const ramus_status st = ramus_gguf_add_tensor(w, &tiles, err);
    return st ? st : ramus_gguf_add_tensor(w, i4 ? &half : &scale, err);
}

static ramus_status add_f32(ramus_gguf_writer *w, const ramus_weight *item, ramus_error *err)
{
    ramus_gguf_tensor t = {
        .name = item->name, .dtype = RAMUS_GGUF_F32, .n_dims = item->n_dims, .data = item->data};
    for (int i = 0; i < item->n_dims; i++)
        t.dims[i] = (size_t)item->dims[item->n_dims - 1 - i];
    return ramus_gguf_add_tensor(w, &t, err);
}

/* Opens the file as its users will. */
static ramus_status check_model(const char *beside, const char *path, ramus_error *err)
{
    ramus_error inner = {0};
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_open(&m, beside, &inner);
    ramus_model_close(m);
    if (!st) return RAMUS_OK;
    const size_t name = strlen(beside); // of a file that nobody will find
    const bool named = strncmp(inner.message, beside, name) == 0;
    return ramus_fail(err, st, "%s%s", named ? path : "", inner.message + (named ? name : 0));
}

ramus_status ramus_export(const ramus_checkpoint *c, const ramus_export_spec *spec,
                          const char *path, ramus_error *err)
{
    ramus_weights *folded = NULL, *quantized = NULL;
    ramus_gguf_writer *w = NULL;
    ramus_status st = ramus_transformer_weights(&folded, &c->arch, false, err);
    if (st) goto done;
    ramus_weights_fold(folded, c->weights);
    if (spec->type != RAMUS_EXPORT_F32)
        st = ramus_quantize(&quantized, folded, ramus_export_dtypes(spec->type, spec->words), err);
    if (!st) st = ramus_gguf_create(&w, ALIGNMENT, err);
    if (!st) st = add_metadata(w, c, spec, err);
    if (!st) st = ramus_gguf_add_checksum(w, RAMUS_MODEL_CHECKSUM, err);
    const ramus_weights *all = quantized ? quantized : folded;
    for (int i = 0; i < all->n && !st; i++) {
        const ramus_weight *item = &all->items[i];
        st = item->dtype == RAMUS_REAL ? add_f32(w, item, err) : add_packed(w, item, err);
    }
    if (!st) st = ramus_gguf_add_tensor_checksums(w, RAMUS_MODEL_CHECKSUMS, err);
    if (!st) st = ramus_gguf_save_checked(w, path, check_model, err);
done:
    ramus_gguf_destroy(w);
    ramus_weights_destroy(quantized);
    ramus_weights_destroy(folded);
    return st;
}
