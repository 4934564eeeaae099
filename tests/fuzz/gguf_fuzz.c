/* Fuzz target (libFuzzer) for GGUF files: the input is a file.
 *
 *     gguf_fuzz FOLDER tests/golden/gguf
 *
 * A finding is a crash, a sanitizer report, a time-out or a broken law (abort). */
#include "base/utf8.h"
#include "format/gguf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum; // of everything that was read

static void require(bool condition)
{
    if (!condition) abort();
}

static void use_element(const ramus_gguf_value *v, size_t i)
{
    size_t size = 0;
    const char *text = NULL;
    switch (v->type) {
    case RAMUS_GGUF_STRING:
        text = ramus_gguf_text_at(v, i, &size);
        require(ramus_utf8_check(text, size) == size);
        break;
    case RAMUS_GGUF_FLOAT32:
    case RAMUS_GGUF_FLOAT64:
        sum += ramus_gguf_real_at(v, i) > 0;
        break;
    case RAMUS_GGUF_INT8:
    case RAMUS_GGUF_INT16:
    case RAMUS_GGUF_INT32:
    case RAMUS_GGUF_INT64:
        sum += (uint64_t)ramus_gguf_int_at(v, i);
        break;
    default:
        sum += ramus_gguf_uint_at(v, i);
        require(v->type != RAMUS_GGUF_BOOL || ramus_gguf_uint_at(v, i) <= 1);
    }
}

/* A value is found, and asking for it by every type either gives it or tells why not. */
static void use_value(const ramus_gguf *g, const ramus_gguf_value *v)
{
    ramus_error err = {0};
    uint64_t whole = 0;
    int64_t with_sign = 0;
    double real = 0;
    bool yes = false;
    const char *text = NULL;
    size_t size = 0;
    int n = 0;
    require(v->key[0] && ramus_gguf_value_find(g, v->key) == v);
    require(v->is_array || v->count == 1);
    for (size_t i = 0; i < v->count; i++)
        use_element(v, i);
    n += ramus_gguf_get_uint(g, v->key, &whole, &err) == RAMUS_OK;
    n += ramus_gguf_get_int(g, v->key, &with_sign, &err) == RAMUS_OK;
    if (n == 2) require(whole == (uint64_t)with_sign);
    n += ramus_gguf_get_real(g, v->key, &real, &err) == RAMUS_OK;
    n += ramus_gguf_get_bool(g, v->key, &yes, &err) == RAMUS_OK;
    n += ramus_gguf_get_text(g, v->key, &text, &size, &err) == RAMUS_OK;
    require(v->is_array ? n == 0 : n > 0);
}

static void use_tensor(const ramus_gguf *g, const ramus_gguf_tensor *t, const uint8_t *data,
                       size_t size)
{
    const uint8_t *bytes = t->data;
    size_t count = 1;
    require(t->name[0] && ramus_gguf_find(g, t->name) == t);
    require(bytes >= data && t->size <= size - (size_t)(bytes - data));
    require((size_t)(bytes - data) % ramus_gguf_alignment(g) == 0);
    for (int i = 0; i < t->n_dims; i++)
        count *= t->dims[i];
    require(count == t->count && t->size == count * ramus_gguf_dtype_size(t->dtype));
    for (size_t i = 0; i < t->size; i++)
        sum += bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    uint8_t *copy = malloc(size ? size : 1); // aligned, and asan knows its end
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    if (ramus_gguf_open_memory(&g, copy, size, "input", &err)) {
        require(!g && strncmp(err.message, "input: ", 7) == 0);
        free(copy);
        return 0;
    }
    for (int i = 0; i < ramus_gguf_value_count(g); i++)
        use_value(g, ramus_gguf_value_at(g, i));
    for (int i = 0; i < ramus_gguf_count(g); i++)
        use_tensor(g, ramus_gguf_at(g, i), copy, size);
    ramus_gguf_close(g);
    free(copy);
    return 0;
}
