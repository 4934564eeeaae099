/* An exported model is opened as the runtime opens it, its weights become floats again, and the
 * folded branches become own parts. */
#include "convert/import/import.h"

#include "convert/quantize.h"
#include "format/gguf.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/model.h"

static ramus_status copy_vocab(ramus_buffer *to, const ramus_gguf *file, const char *key,
                               ramus_error *err)
{
    const ramus_gguf_value *blob = ramus_gguf_value_find(file, key);
    if (!blob) return RAMUS_OK;
    ramus_buffer_add(to, blob->data, blob->count);
    return ramus_buffer_check(to, err);
}

static ramus_status copy_deployed(ramus_checkpoint *c, const ramus_model *m, ramus_error *err)
{
    ramus_weights *folded = NULL;
    c->arch = m->arch;
    ramus_status st = ramus_transformer_weights(&c->weights, &c->arch, true, err);
    if (!st) st = ramus_transformer_weights(&folded, &c->arch, false, err);
    for (int i = 0; i < m->weights->n && !st; i++)
        ramus_dequantize(&folded->items[i], &m->weights->items[i]);
    if (!st) ramus_weights_unfold(c->weights, folded);
    ramus_weights_destroy(folded);
    if (!st) st = copy_vocab(&c->vocabs[0], m->file, RAMUS_MODEL_ARCHITECTURE ".vocab.source", err);
    if (!st) st = copy_vocab(&c->vocabs[1], m->file, RAMUS_MODEL_ARCHITECTURE ".vocab.target", err);
    for (int i = 0; i < RAMUS_ABOUTS && !st; i++)
        st = ramus_checkpoint_tell(c, (ramus_about)i, ramus_model_info(m, ramus_about_names[i]),
                                   err);
    return st;
}

static ramus_status read_file(ramus_checkpoint *out, const char *path,
                              const ramus_import_hints *hints, ramus_error *err)
{
    (void)hints; // the file says everything
    ramus_model *m = NULL;
    ramus_checkpoint c = {0};
    ramus_status st = ramus_model_open(&m, path, err);
    if (!st) st = copy_deployed(&c, m, err);
    ramus_model_close(m);
    if (st)
        ramus_checkpoint_free(&c);
    else
        *out = c;
    return st;
}

const ramus_import_dialect ramus_import_deployed = {"deployed", ramus_gguf_detect, read_file};
