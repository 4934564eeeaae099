/* A GGUF file as text or JSON: keys, tensors and, for a model of ours, one line that describes
 * it. Weights and scales are checked value by value. */
#include "cli/inspect.h"

#include "runtime/model.h"

#include <math.h>
#include <string.h>

#define SHOWN 8 // elements of an array, at most

static bool is_finite(const ramus_gguf_tensor *t, size_t i)
{
    switch (t->dtype) {
    case RAMUS_GGUF_F32:
        return isfinite(((const float *)t->data)[i]);
    case RAMUS_GGUF_F64:
        return isfinite(((const double *)t->data)[i]);
    case RAMUS_GGUF_F16: // an exponent of ones only
        return (((const uint16_t *)t->data)[i] & 0x7C00) != 0x7C00;
    case RAMUS_GGUF_BF16:
        return (((const uint16_t *)t->data)[i] & 0x7F80) != 0x7F80;
    default:
        return true;
    }
}

/* Scales of 8 bits are not negative; those of 4 bits may be. */
static ramus_status check_weight(const ramus_weight *w, const char *path, ramus_error *err)
{
    if (w->dtype != RAMUS_I8) return RAMUS_OK;
    const size_t scales = w->count / (size_t)w->dims[w->n_dims - 1];
    size_t broken = 0;
    for (size_t i = 0; i < scales; i++)
        broken += !(w->scale[i] >= 0);
    if (broken > 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s: %s" RAMUS_MODEL_SCALE " has %zu numbers below 0", path, w->name,
                          broken);
    return RAMUS_OK;
}

/* Whether the file says that it is a model of ours. */
static bool is_model(const ramus_gguf *file)
{
    const char *text = NULL;
    size_t size = 0;
    return !ramus_gguf_get_text(file, "general.architecture", &text, &size, NULL) &&
           size == strlen(RAMUS_MODEL_ARCHITECTURE) &&
           memcmp(text, RAMUS_MODEL_ARCHITECTURE, size) == 0;
}

static ramus_status check_model(const ramus_model *m, const char *path, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < m->weights->n && !st; i++)
        st = check_weight(&m->weights->items[i], path, err);
    return st;
}

/* Opening has checked everything else. */
static ramus_status check_numbers(const ramus_gguf *file, const char *path, ramus_error *err)
{
    for (int i = 0; i < ramus_gguf_count(file); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(file, i);
        size_t broken = 0;
        for (size_t k = 0; k < t->count; k++)
            broken += !is_finite(t, k);
        if (broken > 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "%s: %s has %zu numbers that are infinite or not a number", path,
                              t->name, broken);
    }
    return RAMUS_OK;
}

/* Element `i` as JSON, also for people. */
static void print_element(ramus_buffer *out, const ramus_gguf_value *v, size_t i)
{
    size_t size = 0;
    const char *text = NULL;
    double real = 0;
    switch (v->type) {
    case RAMUS_GGUF_STRING:
        text = ramus_gguf_text_at(v, i, &size);
        ramus_buffer_json(out, text, size);
        break;
    case RAMUS_GGUF_FLOAT32:
    case RAMUS_GGUF_FLOAT64:
        real = ramus_gguf_real_at(v, i);
        if (isfinite(real))
            ramus_buffer_print(out, "%.*g", v->type == RAMUS_GGUF_FLOAT32 ? 9 : 17, real);
        else
            ramus_buffer_text(out, "null");
        break;
    case RAMUS_GGUF_BOOL:
        ramus_buffer_text(out, ramus_gguf_uint_at(v, i) ? "true" : "false");
        break;
    case RAMUS_GGUF_INT8:
    case RAMUS_GGUF_INT16:
    case RAMUS_GGUF_INT32:
    case RAMUS_GGUF_INT64:
        ramus_buffer_print(out, "%lld", (long long)ramus_gguf_int_at(v, i));
        break;
    default:
        ramus_buffer_print(out, "%llu", (unsigned long long)ramus_gguf_uint_at(v, i));
    }
}

static void print_elements(ramus_buffer *out, const ramus_gguf_value *v)
{
    for (size_t i = 0; i < v->count && i < SHOWN; i++) {
        if (i) ramus_buffer_text(out, ", ");
        print_element(out, v, i);
    }
}

/* Slowest dimension first, as of other files. */
static void print_shape(ramus_buffer *out, const ramus_gguf_tensor *t)
{
    ramus_buffer_text(out, "[");
    for (int i = t->n_dims - 1; i >= 0; i--)
        ramus_buffer_print(out, "%zu%s", t->dims[i], i ? ", " : "");
    ramus_buffer_text(out, "]");
}

static void totals(const ramus_gguf *file, size_t *count, size_t *size)
{
    for (int i = 0; i < ramus_gguf_count(file); i++) {
        *count += ramus_gguf_at(file, i)->count;
        *size += ramus_gguf_at(file, i)->size;
    }
}

const char *ramus_inspect_type(const ramus_model *m)
{
    ramus_dtype least = RAMUS_REAL;
    for (int i = 0; i < m->weights->n; i++)
        if (m->weights->items[i].dtype > least) least = m->weights->items[i].dtype;
    return least == RAMUS_I4 ? "int4" : least == RAMUS_I8 ? "int8" : "f32";
}

/* A model in one line: what it is, not how it is stored. */
static void print_model(ramus_buffer *out, const ramus_model *m)
{
    ramus_arch a = m->arch;
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_buffer_text(out, "  ");
    ramus_setting_print(&s, ramus_setting_find(&s, "routing"), out);
    if (a.branches > 1) ramus_buffer_print(out, " with %d branches", a.branches);
    ramus_buffer_print(out, ", %d + %d layers, width %d, ", a.encoder_layers, a.decoder_layers,
                       a.width);
    if (m->vocabs[0] && m->vocabs[0] == m->vocabs[1])
        ramus_buffer_print(out, "%d words", a.source_vocab);
    else
        ramus_buffer_print(out, "%d and %d words", a.source_vocab, a.target_vocab);
    if (!m->vocabs[0]) ramus_buffer_text(out, " (no vocabulary)");
    const char *source = ramus_model_info(m, "source_language");
    const char *target = ramus_model_info(m, "target_language");
    if (source || target)
        ramus_buffer_print(out, ", %s to %s", source ? source : "?", target ? target : "?");
    ramus_buffer_print(out, ", %s weights\n", ramus_inspect_type(m));
}

static void print_json(ramus_buffer *out, const ramus_gguf *file, const ramus_model *m,
                       const char *path)
{
    size_t count = 0, size = 0;
    totals(file, &count, &size);
    ramus_buffer_text(out, "{\"file\": ");
    ramus_buffer_json(out, path, strlen(path));
    ramus_buffer_print(out, ", \"kind\": \"%s\", \"numbers\": %zu, \"bytes\": %zu",
                       m ? "model" : "gguf", count, size);
    if (m) ramus_buffer_print(out, ", \"weights\": \"%s\"", ramus_inspect_type(m));
    ramus_buffer_text(out, ", \"metadata\": {");
    for (int i = 0; i < ramus_gguf_value_count(file); i++) {
        const ramus_gguf_value *v = ramus_gguf_value_at(file, i);
        if (i) ramus_buffer_text(out, ", ");
        ramus_buffer_json(out, v->key, strlen(v->key));
        ramus_buffer_text(out, ": ");
        if (v->is_array)
            ramus_buffer_print(out, "{\"type\": \"%s\", \"count\": %zu, \"first\": [",
                               ramus_gguf_type_name(v->type), v->count);
        print_elements(out, v);
        if (v->is_array) ramus_buffer_text(out, "]}");
    }
    ramus_buffer_text(out, "}, \"tensors\": [");
    for (int i = 0; i < ramus_gguf_count(file); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(file, i);
        ramus_buffer_text(out, i ? ", {\"name\": " : "{\"name\": ");
        ramus_buffer_json(out, t->name, strlen(t->name));
        ramus_buffer_print(out,
                           ", \"dtype\": \"%s\", \"shape\": ", ramus_gguf_dtype_name(t->dtype));
        print_shape(out, t);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]}\n");
}

static void print_value(ramus_buffer *out, const ramus_gguf_value *v)
{
    if (v->type == RAMUS_GGUF_STRING && !v->is_array) {
        ramus_inspect_text(out, v->key, v->data, v->size);
        return;
    }
    ramus_buffer_print(out, "  %s = ", v->key);
    if (v->is_array)
        ramus_buffer_print(out, "%s[%zu]%s", ramus_gguf_type_name(v->type), v->count,
                           v->count ? " " : "");
    print_elements(out, v);
    ramus_buffer_text(out, v->count > SHOWN ? ", ...\n" : "\n");
}

static void print_text(ramus_buffer *out, const ramus_gguf *file, const ramus_model *m,
                       const char *path)
{
    size_t count = 0, size = 0;
    totals(file, &count, &size);
    ramus_buffer_print(out, "%s: %s, %d tensors, %zu numbers, %zu bytes; everything checked%s\n",
                       path, m ? "model" : "gguf", ramus_gguf_count(file), count, size,
                       ramus_gguf_value_find(file, RAMUS_MODEL_CHECKSUM) ? ""
                                                                         : "; it has no checksum");
    if (m) print_model(out, m);
    for (int i = 0; i < ramus_gguf_value_count(file); i++)
        print_value(out, ramus_gguf_value_at(file, i));
    for (int i = 0; i < ramus_gguf_count(file); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(file, i);
        ramus_buffer_print(out, "  %-4s %-48s ", ramus_gguf_dtype_name(t->dtype), t->name);
        print_shape(out, t);
        ramus_buffer_text(out, "\n");
    }
}

static ramus_status check_sums(const ramus_gguf *file, const char *path, ramus_error *err)
{
    bool found = false;
    ramus_status st = ramus_gguf_verify_tensors(file, RAMUS_MODEL_CHECKSUMS, &found, err);
    if (!st) st = ramus_gguf_verify(file, RAMUS_MODEL_CHECKSUM, &found, err);
    return st ? ramus_fail_in(err, st, path) : RAMUS_OK;
}

ramus_status ramus_inspect_gguf(ramus_buffer *out, const char *path, bool json, ramus_error *err)
{
    ramus_gguf *file = NULL;
    ramus_model *m = NULL;
    ramus_status st = ramus_gguf_open(&file, path, err);
    if (st) return st;
    st = check_numbers(file, path, err);
    if (!st && is_model(file)) {
        st = ramus_model_open(&m, path, err);
        if (!st) st = check_model(m, path, err);
    }
    if (!st) st = check_sums(file, path, err);
    if (!st) (json ? print_json : print_text)(out, file, m, path);
    ramus_model_close(m);
    ramus_gguf_close(file);
    return st;
}
