/* Tables give the authors' names of roles and sites. The shape is read off names and dimensions
 * and checked against the metadata; then parameters are copied by name. */
#include "convert/import/thumt.h"

#include "model/param.h"
#include "model/transformer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 256

/* The authors' names of roles and sites (model/param.h). */
static const char *const roles[RAMUS_ROLES] = {
    [RAMUS_ROLE_EMBEDDING] = "weights",
    [RAMUS_ROLE_SOURCE] = "source_embedding",
    [RAMUS_ROLE_TARGET] = "target_embedding",
    [RAMUS_ROLE_SOFTMAX] = "softmax_weights",
    [RAMUS_ROLE_SOURCE_BIAS] = "bias",
    [RAMUS_ROLE_WEIGHT] = "weight",
    [RAMUS_ROLE_BIAS] = "bias",
    [RAMUS_ROLE_SHARED_WEIGHT] = "shared_branch.weight",
    [RAMUS_ROLE_SHARED_BIAS] = "shared_branch.bias",
    [RAMUS_ROLE_GATE_WEIGHT] = "gate.weight",
    [RAMUS_ROLE_GATE_BIAS] = "gate.bias",
    [RAMUS_ROLE_NORM_GAIN] = "layer_norm.weight",
    [RAMUS_ROLE_NORM_BIAS] = "layer_norm.bias",
};
static const char *const stacks[] = {
    [RAMUS_STACK_ENCODER] = "encoder",
    [RAMUS_STACK_DECODER] = "decoder",
};
static const char *const sublayers[] = {
    [RAMUS_SUBLAYER_ATTENTION] = "self_attention",
    [RAMUS_SUBLAYER_CROSS] = "encdec_attention",
    [RAMUS_SUBLAYER_FFN] = "feed_forward",
};
static const char *const maps[] = {
    [RAMUS_MAP_Q] = "attention.q_transform",      [RAMUS_MAP_K] = "attention.k_transform",
    [RAMUS_MAP_V] = "attention.v_transform",      [RAMUS_MAP_O] = "attention.o_transform",
    [RAMUS_MAP_IN] = "ffn_layer.input_transform", [RAMUS_MAP_OUT] = "ffn_layer.output_transform",
};

/* name = what is printed; our own names are far shorter than the room. */
static void RAMUS_PRINTF(2, 3) set_name(char name[NAME_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(name, NAME_SIZE, format, args);
    va_end(args);
    RAMUS_ASSERT(n >= 0 && n < NAME_SIZE);
}

static void RAMUS_PRINTF(2, 3) append(char *name, const char *format, ...)
{
    const size_t used = strlen(name);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(name + used, NAME_SIZE - used, format, args);
    va_end(args);
    RAMUS_ASSERT(n >= 0 && used + (size_t)n < NAME_SIZE);
}

/* prefix + the authors' name of our parameter; of one branch's part of it when list is "branches"
 * or "experts". */
static void their_name(char *name, const char *prefix, const ramus_weight *w, const char *list,
                       int branch)
{
    const ramus_site *s = &w->site;
    RAMUS_ASSERT(roles[w->role] != NULL);
    set_name(name, "%s", prefix);
    if (s->stack) append(name, "%s.", stacks[s->stack]);
    if (s->sublayer) append(name, "layers.%d.%s.", s->layer, sublayers[s->sublayer]);
    if (s->place) append(name, "%s.", maps[s->place]);
    if (list) append(name, "%s.%d.", list, branch);
    append(name, "%s", roles[w->role]);
}

static const ramus_safetensor *find(const ramus_safetensors *file, const char *prefix,
                                    const char *name)
{
    char full[NAME_SIZE];
    set_name(full, "%s%s", prefix, name);
    return ramus_safetensors_find(file, full);
}

/* Copies one tensor of the file to `to`, which has the dims given. */
static ramus_status copy_tensor(ramus_real *to, const ramus_safetensors *file, const char *name,
                                int n_dims, const int *dims, ramus_error *err)
{
    const ramus_safetensor *t = ramus_safetensors_find(file, name);
    if (!t) return ramus_fail(err, RAMUS_BAD_FORMAT, "there is no tensor %s", name);
    if (t->dtype != RAMUS_SAFETENSOR_F32)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is %s, expected F32", name,
                          ramus_safetensor_dtype_name(t->dtype));
    bool same = t->rank == n_dims;
    for (int i = 0; same && i < n_dims; i++)
        same = t->shape[i] == (size_t)dims[i];
    if (!same)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s has %d dimensions and %zu numbers, expected [%d%s%d]", name, t->rank,
                          t->count, dims[0], n_dims > 1 ? ", " : " x ", n_dims > 1 ? dims[1] : 1);
    memcpy(to, t->data, t->size);
    return RAMUS_OK;
}

ramus_status ramus_import_weights(ramus_weights *weights, const ramus_arch *a,
                                  const ramus_safetensors *file, const char *prefix,
                                  ramus_error *err)
{
    const char *list = a->routing == RAMUS_MOE ? "experts" : "branches";
    int taken = 0, there = 0;
    RAMUS_ASSERT(weights != NULL);
    for (int i = 0; i < weights->n; i++) {
        const ramus_weight *w = &weights->items[i];
        char name[NAME_SIZE];
        their_name(name, prefix, w, list, 0);
        const bool stacked = w->n_dims > 1 && ramus_safetensors_find(file, name);
        const int n = stacked ? w->dims[0] : 1, skip = stacked ? 1 : 0;
        const size_t count = w->count / (size_t)n;
        for (int branch = 0; branch < n; branch++, taken++) {
            their_name(name, prefix, w, stacked ? list : NULL, branch);
            const ramus_status st = copy_tensor(w->data + (size_t)branch * count, file, name,
                                                w->n_dims - skip, w->dims + skip, err);
            if (st) return st;
        }
    }
    for (int i = 0; i < ramus_safetensors_count(file); i++)
        there += strncmp(ramus_safetensors_at(file, i)->name, prefix, strlen(prefix)) == 0;
    if (there != taken)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%d tensors named %s* belong to no parameter of this model",
                          there - taken, prefix);
    return RAMUS_OK;
}

/* How many consecutive numbers %d in `format` name a tensor of the file. */
static int count_tensors(const ramus_safetensors *file, const char *prefix, const char *before,
                         const char *after)
{
    int n = 0;
    for (;; n++) {
        char name[NAME_SIZE];
        set_name(name, "%s%d%s", before, n, after);
        if (!find(file, prefix, name)) return n;
    }
}

#define ATTENTION_Q "encoder.layers.0.self_attention.attention.q_transform."
#define FFN_IN      "encoder.layers.0.feed_forward.ffn_layer.input_transform."

/* Branches of the maps named before + "branches.0.weight" or "experts.0.weight"; 0: not routed. */
static int count_branches(const ramus_safetensors *file, const char *prefix, const char *map,
                          int *routing)
{
    char before[NAME_SIZE];
    set_name(before, "%sbranches.", map);
    int n = count_tensors(file, prefix, before, ".weight");
    if (n > 0) *routing = RAMUS_DMB;
    if (n > 0) return n;
    set_name(before, "%sexperts.", map);
    n = count_tensors(file, prefix, before, ".weight");
    if (n > 0) *routing = RAMUS_MOE;
    return n;
}

static void read_routing(ramus_arch *a, const ramus_safetensors *file, const char *prefix)
{
    const int attention = count_branches(file, prefix, ATTENTION_Q, &a->routing);
    const int ffn = count_branches(file, prefix, FFN_IN, &a->routing);
    a->branches = attention > ffn ? attention : ffn;
    if (attention && !ffn) a->routed = RAMUS_ROUTED_ATTENTION;
    if (ffn && !attention) a->routed = RAMUS_ROUTED_FFN;
    a->shared_private = find(file, prefix, ATTENTION_Q "shared_branch.weight") ||
                        find(file, prefix, FFN_IN "shared_branch.weight");
}

static int metadata_int(const ramus_safetensors *file, const char *key, int otherwise)
{
    const char *value = ramus_safetensors_metadata_find(file, key);
    return value ? (int)strtol(value, NULL, 10) : otherwise;
}

static ramus_status read_words(ramus_arch *a, const ramus_safetensors *file, const char *prefix,
                               ramus_error *err)
{
    const ramus_safetensor *all = find(file, prefix, "weights");
    const ramus_safetensor *source = all ? all : find(file, prefix, "source_embedding");
    const ramus_safetensor *target = all ? all : find(file, prefix, "target_embedding");
    if (!source || !target || source->rank != 2 || target->rank != 2)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "there is neither a matrix %sweights nor a pair %ssource_embedding, "
                          "%starget_embedding",
                          prefix, prefix, prefix);
    if (!all) a->tie = find(file, prefix, "softmax_weights") ? RAMUS_TIE_NONE : RAMUS_TIE_TARGET;
    if (source->shape[0] > 10000000 || target->shape[0] > 10000000)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a vocabulary of more than 10,000,000 words");
    a->source_vocab = (int)source->shape[0];
    a->target_vocab = (int)target->shape[0];
    return RAMUS_OK;
}

/* The hyper-parameters that names and shapes show. */
static ramus_status read_shape(ramus_arch *a, const ramus_safetensors *file, const char *prefix,
                               const ramus_import_hints *hints, ramus_error *err)
{
    const ramus_safetensor *bias = find(file, prefix, "bias");
    const ramus_status st = read_words(a, file, prefix, err);
    if (st) return st;
    read_routing(a, file, prefix);
    char name[NAME_SIZE] = FFN_IN "weight";
    if (a->routing != RAMUS_DENSE && a->routed != RAMUS_ROUTED_ATTENTION)
        set_name(name, FFN_IN "%s.0.weight", a->routing == RAMUS_MOE ? "experts" : "branches");
    const ramus_safetensor *in = find(file, prefix, name);
    if (!bias || bias->rank != 1 || !in || in->rank != 2 || bias->count > 65536 ||
        in->shape[0] > 262144)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "there is no vector %sbias or no matrix %s%s",
                          prefix, prefix, name);
    a->width = (int)bias->count;
    a->filter = ramus_numbers_of((int)in->shape[0]);
    a->encoder_layers =
        count_tensors(file, prefix, "encoder.layers.", ".feed_forward.layer_norm.weight");
    a->decoder_layers =
        count_tensors(file, prefix, "decoder.layers.", ".feed_forward.layer_norm.weight");
    a->norm = find(file, prefix, "encoder.layer_norm.weight") ? RAMUS_NORM_PRE : RAMUS_NORM_POST;
    const int heads = hints->heads ? hints->heads : metadata_int(file, "heads", 8);
    a->top_k = hints->top_k ? hints->top_k : metadata_int(file, "top_k", 2);
    if (heads < 1 || a->top_k < 1 || a->top_k > 64)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%d heads and top_k %d: expected 1 or more, and 1 to 64", heads,
                          a->top_k);
    a->heads = ramus_numbers_of(heads);
    return ramus_arch_check(a, err);
}

/* Metadata and tensors must agree. */
static ramus_status compare_metadata(const ramus_arch *a, const ramus_safetensors *file,
                                     ramus_error *err)
{
    static const char *const kinds[] = {"transformer", "transformer_dmb", "transformer_moe"};
    const struct {
        const char *key;
        int found;
    } rows[] = {
        {"hidden_size", a->width},
        {"filter_size", a->filter.items[0]},
        {"encoder_layers", a->encoder_layers},
        {"decoder_layers", a->decoder_layers},
        {"source_vocab", a->source_vocab},
        {"target_vocab", a->target_vocab},
        {"branches", a->branches},
        {"shared_private", a->shared_private},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        const int said = metadata_int(file, rows[i].key, rows[i].found);
        if (said != rows[i].found)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "its metadata says %s %d, its tensors say %d",
                              rows[i].key, said, rows[i].found);
    }
    const char *kind = ramus_safetensors_metadata_find(file, "kind");
    if (kind && strcmp(kind, kinds[a->routing]) != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its metadata says kind %s, its tensors say %s",
                          kind, kinds[a->routing]);
    const char *norm = ramus_safetensors_metadata_find(file, "normalization");
    if (norm && (strcmp(norm, "before") == 0) != (a->norm == RAMUS_NORM_PRE))
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "its metadata says normalization %s, its tensors say otherwise", norm);
    const char *epsilon = ramus_safetensors_metadata_find(file, "layer_norm_epsilon");
    if (epsilon && strtod(epsilon, NULL) != 1e-5)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "layer_norm_epsilon is %s, ramus has 1e-05",
                          epsilon);
    return RAMUS_OK;
}

ramus_status ramus_import_model(ramus_checkpoint *out, const ramus_safetensors *file,
                                const ramus_import_hints *hints, ramus_error *err)
{
    const char *prefix = ramus_safetensors_find(file, "param.bias") ? "param." : "";
    ramus_checkpoint c = {0};
    const ramus_settings defaults = ramus_arch_settings(&c.arch);
    ramus_settings_default(&defaults);
    ramus_status st = read_shape(&c.arch, file, prefix, hints, err);
    if (!st) st = compare_metadata(&c.arch, file, err);
    if (!st) st = ramus_transformer_weights(&c.weights, &c.arch, true, err);
    if (!st) st = ramus_import_weights(c.weights, &c.arch, file, prefix, err);
    if (st)
        ramus_checkpoint_free(&c);
    else
        *out = c;
    return st;
}

static ramus_status read_file(ramus_checkpoint *out, const char *path,
                              const ramus_import_hints *hints, ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = ramus_import_model(out, file, hints, err);
    if (st) st = ramus_fail_in(err, st, path);
    ramus_safetensors_close(file);
    return st;
}

const ramus_import_dialect ramus_import_thumt = {"thumt", NULL, read_file};
