/* The first bytes tell the kind of file; a checkpoint is folded and becomes a model in memory. */
#include "convert/load.h"

#include "convert/checkpoint.h"
#include "convert/checkpoints.h"
#include "format/gguf.h"
#include "model/fold.h"
#include "model/transformer.h"

static ramus_status load_checkpoint(ramus_model **out, const char *path, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_weights *folded = NULL;
    ramus_vocab *vocabs[2] = {NULL};
    ramus_status st = ramus_checkpoint_load(&c, path, err);
    if (st) return st;
    st = ramus_checkpoint_vocab(&vocabs[0], &c, 0, err);
    if (!st) st = ramus_checkpoint_vocab(&vocabs[1], &c, 1, err);
    if (!st) st = ramus_transformer_weights(&folded, &c.arch, false, err);
    if (!st) {
        ramus_weights_fold(folded, c.weights);
        st = ramus_model_from(out, &c.arch, folded, vocabs, err);
        for (int i = 0; !st && i < RAMUS_ABOUTS; i++)
            ramus_model_tell(*out, ramus_about_names[i], &c.about[i]);
    }
    if (st) {
        st = ramus_fail_in(err, st, path);
        ramus_weights_destroy(folded);
        ramus_vocab_destroy(vocabs[0]);
        ramus_vocab_destroy(vocabs[1]);
    }
    ramus_checkpoint_free(&c);
    return st;
}

static ramus_status load_file(ramus_model **out, const char *path, ramus_error *err)
{
    bool gguf = false;
    ramus_status st = ramus_gguf_detect(&gguf, path, err);
    if (st) return st;
    if (!gguf) return load_checkpoint(out, path, err);
    ramus_model *m = NULL;
    st = ramus_model_open(&m, path, err);
    if (!st && !m->vocabs[0]) {
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "%s: has no vocabulary", path);
        ramus_model_close(m);
    }
    if (!st) *out = m;
    return st;
}

ramus_status ramus_model_load(ramus_model **out, const char *name, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_find(&path, name, err);
    if (!st) st = load_file(out, path.data, err);
    ramus_buffer_free(&path);
    return st;
}
