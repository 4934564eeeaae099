/* A table gives the names of maps and norms in each dialect, a second one those of the rest.
 * Parameters are copied by name, as floats; what is left over must be known. */
#include "convert/import/marian.h"

#include "base/math.h"
#include "graph/ops.h"
#include "kernels/half.h"
#include "model/param.h"
#include "model/transformer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128

/* Behind the name of the layer: weight and bias of a map, gain and bias of a norm (place 0). */
static const struct {
    int sublayer, place;
    const char *names[RAMUS_MARIAN_DIALECTS][2];
} in_layer[] = {
#define HF(name)                                                                                   \
    {                                                                                              \
        name ".weight", name ".bias"                                                               \
    }
#define MAP(name, x)                                                                               \
    {                                                                                              \
        name "_W" x, name "_b" x                                                                   \
    }
#define NORM(name)                                                                                 \
    {                                                                                              \
        name "_ln_scale", name "_ln_bias"                                                          \
    }
    // clang-format off
    {RAMUS_SUBLAYER_ATTENTION, RAMUS_MAP_Q,   {HF("self_attn.q_proj"),         MAP("self", "q")}},
    {RAMUS_SUBLAYER_ATTENTION, RAMUS_MAP_K,   {HF("self_attn.k_proj"),         MAP("self", "k")}},
    {RAMUS_SUBLAYER_ATTENTION, RAMUS_MAP_V,   {HF("self_attn.v_proj"),         MAP("self", "v")}},
    {RAMUS_SUBLAYER_ATTENTION, RAMUS_MAP_O,   {HF("self_attn.out_proj"),       MAP("self", "o")}},
    {RAMUS_SUBLAYER_ATTENTION, 0,             {HF("self_attn_layer_norm"),     NORM("self_Wo")}},
    {RAMUS_SUBLAYER_CROSS,     RAMUS_MAP_Q,   {HF("encoder_attn.q_proj"),      MAP("context", "q")}},
    {RAMUS_SUBLAYER_CROSS,     RAMUS_MAP_K,   {HF("encoder_attn.k_proj"),      MAP("context", "k")}},
    {RAMUS_SUBLAYER_CROSS,     RAMUS_MAP_V,   {HF("encoder_attn.v_proj"),      MAP("context", "v")}},
    {RAMUS_SUBLAYER_CROSS,     RAMUS_MAP_O,   {HF("encoder_attn.out_proj"),    MAP("context", "o")}},
    {RAMUS_SUBLAYER_CROSS,     0,             {HF("encoder_attn_layer_norm"),  NORM("context_Wo")}},
    {RAMUS_SUBLAYER_FFN,       RAMUS_MAP_IN,  {HF("fc1"),                      MAP("ffn", "1")}},
    {RAMUS_SUBLAYER_FFN,       RAMUS_MAP_OUT, {HF("fc2"),                      MAP("ffn", "2")}},
    {RAMUS_SUBLAYER_FFN,       0,             {HF("final_layer_norm"),         NORM("ffn_ffn")}},
    // clang-format on
};

/* The rest by its role. Of several names, with commas between, the first that is there counts. */
static const struct {
    int role;
    const char *names[RAMUS_MARIAN_DIALECTS];
    bool transposed; // in Marian's own files, too: [V, D]
} beside[] = {
    {RAMUS_ROLE_EMBEDDING, {"model.shared.weight", "Wemb"}, false},
    {RAMUS_ROLE_SOURCE,
     {"model.encoder.embed_tokens.weight,model.shared.weight", "encoder_Wemb"},
     false},
    {RAMUS_ROLE_TARGET,
     {"model.decoder.embed_tokens.weight,model.shared.weight", "decoder_Wemb"},
     false},
    {RAMUS_ROLE_SOFTMAX, {"lm_head.weight", "decoder_ff_logit_out_W"}, true},
    {RAMUS_ROLE_OUTPUT_BIAS, {"final_logits_bias", "decoder_ff_logit_out_b"}, false},
};

/* What a file may have besides: nothing that is computed with. */
static const struct {
    const char *name;
    const char *copied; // it must be a copy of this tensor; NULL: anything
} spare[] = {
    // transformers #26216: it may be random where it is tied
    {"lm_head.weight", NULL},
    {"model.encoder.embed_tokens.weight", "model.shared.weight"},
    {"model.decoder.embed_tokens.weight", "model.shared.weight"},
    {"model.encoder.embed_positions.weight", NULL}, // ramus_marian_positions()
    {"model.decoder.embed_positions.weight", NULL},
    {"special:model.yml", NULL},
};

/* A file whose tensors are taken one by one. */
typedef struct {
    const ramus_tensors *file;
    ramus_marian_dialect dialect;
    bool untied; // source and target may both be a copy of what they share
    bool *taken; // [tensors]
} taking;

static bool is_float(ramus_safetensor_dtype dtype)
{
    return dtype == RAMUS_SAFETENSOR_F32 || dtype == RAMUS_SAFETENSOR_F16 ||
           dtype == RAMUS_SAFETENSOR_BF16 || dtype == RAMUS_SAFETENSOR_F64;
}

/* Value i of a tensor of floats, which may lie at any address. */
static float value_at(const ramus_safetensor *t, size_t i)
{
    const char *at = (const char *)t->data + i * ramus_safetensor_dtype_size(t->dtype);
    uint16_t half = 0;
    uint32_t bits = 0;
    float x = 0;
    double y = 0;
    switch (t->dtype) {
    case RAMUS_SAFETENSOR_F16:
        memcpy(&half, at, sizeof half);
        return ramus_half_float(half);
    case RAMUS_SAFETENSOR_BF16:
        memcpy(&half, at, sizeof half);
        bits = (uint32_t)half << 16;
        memcpy(&x, &bits, sizeof x);
        return x;
    case RAMUS_SAFETENSOR_F64:
        memcpy(&y, at, sizeof y);
        return (float)y;
    default:
        memcpy(&x, at, sizeof x);
        return x;
    }
}

static const ramus_safetensor *take(const taking *x, const char *name)
{
    const ramus_safetensor *t = ramus_tensors_find(x->file, name);
    for (int i = 0; t && i < ramus_tensors_count(x->file); i++)
        if (ramus_tensors_at(x->file, i) == t) x->taken[i] = true;
    return t;
}

/* The tensor of a role beside the layers; *transposed: it is [in, out]. */
static const ramus_safetensor *take_beside(const taking *x, int role, char name[NAME_SIZE],
                                           bool *transposed)
{
    for (int i = 0; i < RAMUS_COUNT(beside); i++) {
        if (beside[i].role != role) continue;
        *transposed = beside[i].transposed && x->dialect == RAMUS_MARIAN_OWN;
        for (const char *at = beside[i].names[x->dialect]; *at;) {
            const size_t n = strcspn(at, ",");
            if (at != beside[i].names[x->dialect] && !x->untied) break;
            (void)snprintf(name, NAME_SIZE, "%.*s", (int)n, at);
            const ramus_safetensor *t = take(x, name);
            if (t) return t;
            at += n + (at[n] == ',');
        }
    }
    return NULL;
}

/* Their name of a parameter of a layer, or of the norm of the embeddings. */
static void layer_name(char name[NAME_SIZE], ramus_marian_dialect dialect, const ramus_weight *w)
{
    static const char *const stacks[] = {"", "encoder", "decoder"};
    const ramus_site *s = &w->site;
    const bool bias = w->role == RAMUS_ROLE_BIAS || w->role == RAMUS_ROLE_NORM_BIAS;
    if (s->place == RAMUS_NORM_EMBEDDING)
        (void)snprintf(name, NAME_SIZE, "%s_emb_ln_%s_pre", stacks[s->stack],
                       bias ? "bias" : "scale");
    for (int i = 0; i < RAMUS_COUNT(in_layer); i++) {
        if (in_layer[i].sublayer != s->sublayer || in_layer[i].place != s->place) continue;
        const char *part = in_layer[i].names[dialect][bias];
        if (dialect == RAMUS_MARIAN_HUGGINGFACE)
            (void)snprintf(name, NAME_SIZE, "model.%s.layers.%d.%s", stacks[s->stack], s->layer,
                           part);
        else
            (void)snprintf(name, NAME_SIZE, "%s_l%d_%s", stacks[s->stack], s->layer + 1, part);
    }
}

static ramus_status copy(const ramus_weight *w, const ramus_safetensor *t, const char *name,
                         bool transposed, ramus_error *err)
{
    if (!t)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "there is no tensor %s, which is our %s", name,
                          w->name);
    if (!is_float(t->dtype))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is %s, expected F32, F16, BF16 or F64", name,
                          ramus_safetensor_dtype_name(t->dtype));
    const size_t rows = w->n_dims > 1 ? (size_t)w->dims[0] : 1,
                 columns = (size_t)w->dims[w->n_dims - 1];
    const size_t first = transposed ? columns : rows, second = transposed ? rows : columns;
    const bool same = t->rank == 2 ? t->shape[0] == first && t->shape[1] == second
                                   : t->rank == 1 && w->n_dims == 1 && t->shape[0] == columns;
    if (!same)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s has %d dimensions and %zu numbers, expected [%zu, %zu]", name,
                          t->rank, t->count, first, second);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            w->data[i * columns + j] = value_at(t, transposed ? j * rows + i : i * columns + j);
    return RAMUS_OK;
}

static ramus_status take_weight(const taking *x, const ramus_weight *w, ramus_error *err)
{
    char name[NAME_SIZE] = "";
    bool transposed = x->dialect == RAMUS_MARIAN_OWN && w->role == RAMUS_ROLE_WEIGHT;
    const ramus_safetensor *t = NULL;
    if (w->role == RAMUS_ROLE_SOURCE_BIAS) return RAMUS_OK; // Marian has none: zeros
    if (w->site.stack) {
        layer_name(name, x->dialect, w);
        t = take(x, name);
    } else {
        t = take_beside(x, w->role, name, &transposed);
    }
    return copy(w, t, name, transposed, err);
}

static bool same_values(const ramus_safetensor *a, const ramus_safetensor *b)
{
    if (!is_float(a->dtype) || !is_float(b->dtype) || a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (value_at(a, i) != value_at(b, i)) return false;
    return true;
}

static ramus_status check_rest(const taking *x, ramus_error *err)
{
    for (int i = 0; i < ramus_tensors_count(x->file); i++) {
        const ramus_safetensor *t = ramus_tensors_at(x->file, i);
        bool known = x->taken[i];
        for (int j = 0; j < RAMUS_COUNT(spare) && !known; j++) {
            if (strcmp(t->name, spare[j].name) != 0) continue;
            const ramus_safetensor *of =
                spare[j].copied ? ramus_tensors_find(x->file, spare[j].copied) : NULL;
            known = !spare[j].copied || (of && same_values(t, of));
            if (!known)
                return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is no copy of %s, as expected",
                                  t->name, spare[j].copied);
        }
        if (!known)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "tensor %.80s is of a feature that ramus does not have", t->name);
    }
    return RAMUS_OK;
}

ramus_status ramus_marian_weights(ramus_checkpoint *c, const ramus_tensors *file,
                                  ramus_marian_dialect dialect, ramus_error *err)
{
    taking x = {file, dialect, c->arch.tie == RAMUS_TIE_NONE,
                calloc((size_t)ramus_tensors_count(file) + 1, sizeof(bool))};
    if (!x.taken) return ramus_fail_memory(err, "the list of tensors");
    ramus_status st = ramus_arch_check(&c->arch, err);
    if (!st) st = ramus_transformer_weights(&c->weights, &c->arch, true, err);
    for (int i = 0; !st && i < c->weights->n; i++)
        st = take_weight(&x, &c->weights->items[i], err);
    if (!st) st = check_rest(&x, err);
    free(x.taken);
    return st == RAMUS_BAD_ARGUMENT ? RAMUS_BAD_FORMAT : st; // nobody but the file chose it
}

/* Whether a table [n, D] has the sines and cosines, or those rounded to 16 bits. */
static bool is_signal(const ramus_safetensor *t, bool half)
{
    const size_t width = t->shape[1], pairs = width / 2;
    for (size_t i = 0; i < pairs; i++) {
        const double rate = ramus_math_exp(-(double)i * ramus_math_log(10000) / (double)pairs);
        for (size_t p = 0; p < t->shape[0]; p++)
            for (int k = 0; k < 2; k++) {
                const double angle = (double)p * rate;
                float want = (float)(k ? ramus_math_cos(angle) : ramus_math_sin(angle));
                if (half) want = ramus_half_float(ramus_half_of(want));
                const float got = value_at(t, p * width + (k ? pairs : 0) + i);
                if (!(fabs((double)got - (double)want) <= 1e-6)) return false;
            }
    }
    return true;
}

ramus_status ramus_marian_positions(ramus_arch *arch, const ramus_tensors *file, ramus_error *err)
{
    static const char *const names[] = {"model.encoder.embed_positions.weight",
                                        "model.decoder.embed_positions.weight"};
    int found[2] = {RAMUS_POSITIONS_MARIAN, RAMUS_POSITIONS_MARIAN}, n = 0;
    for (int i = 0; i < RAMUS_COUNT(names); i++) {
        const ramus_safetensor *t = ramus_tensors_find(file, names[i]);
        if (!t) continue;
        const bool shaped =
            is_float(t->dtype) && t->rank == 2 && t->shape[1] >= 2 && t->shape[1] % 2 == 0;
        if (shaped && is_signal(t, false))
            found[n++] = RAMUS_POSITIONS_MARIAN;
        else if (shaped && is_signal(t, true))
            found[n++] = RAMUS_POSITIONS_MARIAN_F16;
        else
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "%s has learned positions, or others than sines and cosines, which "
                              "ramus does not have",
                              names[i]);
    }
    if (n == 2 && found[0] != found[1])
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s and %s are tables of different precision",
                          names[0], names[1]);
    arch->positions = found[0];
    return RAMUS_OK;
}
