/* The header is JSON: members are tensors, but for the one of the metadata. Each tensor is
 * checked alone: its type, its shape, and bytes that are as many as these need. */
#include "format/safetensors_header.h"

#include "base/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is needed only while a header is read. */
typedef struct reader {
    ramus_safetensors_header *h;
    const unsigned char *bytes; // the whole file
    size_t data_at, data_size;  // what follows the header
    ramus_json json;            // counts bytes of the file
    ramus_buffer word;          // the string read last
    size_t texts_used, texts_size;
    bool has_metadata;
} reader;

typedef struct entry {
    ramus_safetensor tensor;
    size_t offsets[2];
} entry;

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [RAMUS_SAFETENSOR_F64] = {"F64", 8},   [RAMUS_SAFETENSOR_F32] = {"F32", 4},
    [RAMUS_SAFETENSOR_F16] = {"F16", 2},   [RAMUS_SAFETENSOR_BF16] = {"BF16", 2},
    [RAMUS_SAFETENSOR_I64] = {"I64", 8},   [RAMUS_SAFETENSOR_I32] = {"I32", 4},
    [RAMUS_SAFETENSOR_I16] = {"I16", 2},   [RAMUS_SAFETENSOR_I8] = {"I8", 1},
    [RAMUS_SAFETENSOR_U64] = {"U64", 8},   [RAMUS_SAFETENSOR_U32] = {"U32", 4},
    [RAMUS_SAFETENSOR_U16] = {"U16", 2},   [RAMUS_SAFETENSOR_U8] = {"U8", 1},
    [RAMUS_SAFETENSOR_BOOL] = {"BOOL", 1},
};

const char *ramus_safetensor_dtype_name(ramus_safetensor_dtype dtype)
{
    RAMUS_ASSERT((int)dtype >= 0 && (int)dtype < RAMUS_COUNT(dtypes));
    return dtypes[dtype].name;
}

size_t ramus_safetensor_dtype_size(ramus_safetensor_dtype dtype)
{
    RAMUS_ASSERT((int)dtype >= 0 && (int)dtype < RAMUS_COUNT(dtypes));
    return dtypes[dtype].size;
}

ramus_status ramus_safetensor_measure(ramus_safetensor *t, ramus_error *err)
{
    size_t size = ramus_safetensor_dtype_size(t->dtype);
    bool empty = false;
    RAMUS_ASSERT(t->rank >= 0 && t->rank <= RAMUS_SAFETENSOR_RANK);
    for (int i = 0; i < t->rank; i++) {
        const size_t n = t->shape[i];
        empty = empty || n == 0;
        if (n > 0 && size > SIZE_MAX / n)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "its shape has more values than memory has addresses");
        if (n > 0)
            size *= n; // also past an empty dimension: no product of some dimensions overflows
    }
    t->size = empty ? 0 : size;
    t->count = t->size / ramus_safetensor_dtype_size(t->dtype);
    return RAMUS_OK;
}

static bool is_word(const reader *r, const char *text)
{
    return r->word.size == strlen(text) && memcmp(r->word.data, text, r->word.size) == 0;
}

/* Copies the word to where it stays. A string takes at least its own bytes and two quotes in the
 * header, so that all of them with their zeros fit into as many bytes as the header has. */
static ramus_status keep_word(reader *r, const char **out, ramus_error *err)
{
    const size_t size = r->word.size + 1;
    if (strlen(r->word.data) != r->word.size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "byte %zu: '%.80s' is followed by a zero byte, expected text only",
                          r->json.at, r->word.data);
    RAMUS_ASSERT(size <= r->texts_size - r->texts_used);
    *out = memcpy(r->h->texts + r->texts_used, r->word.data, size);
    r->texts_used += size;
    return RAMUS_OK;
}

static ramus_status read_dtype(reader *r, entry *e, ramus_error *err)
{
    ramus_status st = ramus_json_string(&r->json, &r->word, err);
    if (st) return st;
    ramus_buffer names = {0};
    for (int i = 0; i < RAMUS_COUNT(dtypes); i++) {
        if (is_word(r, dtypes[i].name)) {
            e->tensor.dtype = (ramus_safetensor_dtype)i;
            goto done;
        }
        ramus_buffer_print(&names, "%s%s", i ? ", " : "", dtypes[i].name);
    }
    st = ramus_fail(err, RAMUS_BAD_FORMAT, "its dtype is '%.20s', expected one of %s", r->word.data,
                    names.data ? names.data : "");
done:
    ramus_buffer_free(&names);
    return st;
}

/* Reads an array of at most `most` sizes, the value of `what`. */
static ramus_status read_sizes(reader *r, const char *what, size_t *out, int most, int *n,
                               ramus_error *err)
{
    bool more = false;
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_ARRAY, err);
    for (*n = 0; !st; ++*n) {
        int64_t value = 0;
        st = ramus_json_element(&r->json, &more, err);
        if (st || !more) break;
        if (*n == most)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "its %s has more than %d numbers", what, most);
        st = ramus_json_whole(&r->json, &value, err);
        if (st) break;
        out[*n] = (size_t)value;
        if (value < 0 || (int64_t)out[*n] != value)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "its %s has %lld, expected 0 to %zu", what,
                              (long long)value, (size_t)SIZE_MAX);
    }
    return st;
}

static ramus_status read_shape(reader *r, entry *e, ramus_error *err)
{
    return read_sizes(r, "shape", e->tensor.shape, RAMUS_SAFETENSOR_RANK, &e->tensor.rank, err);
}

static ramus_status read_offsets(reader *r, entry *e, ramus_error *err)
{
    int n = 0;
    const ramus_status st = read_sizes(r, "data_offsets", e->offsets, 2, &n, err);
    if (st || n == 2) return st;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "its data_offsets has %d numbers, expected 2", n);
}

static const struct {
    const char *key;
    ramus_status (*read)(reader *r, entry *e, ramus_error *err);
} fields[] = {
    {"dtype", read_dtype},
    {"shape", read_shape},
    {"data_offsets", read_offsets},
};

static ramus_status read_fields(reader *r, entry *e, ramus_error *err)
{
    bool more = false, seen[RAMUS_COUNT(fields)] = {false};
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_OBJECT, err);
    while (!st) {
        int i = 0;
        st = ramus_json_member(&r->json, &more, &r->word, err);
        if (st || !more) break;
        while (i < RAMUS_COUNT(fields) && !is_word(r, fields[i].key))
            i++;
        if (i == RAMUS_COUNT(fields))
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "it has the key '%.80s', expected dtype, shape and data_offsets",
                              r->word.data);
        if (seen[i])
            return ramus_fail(err, RAMUS_BAD_FORMAT, "it has two %s, expected one", fields[i].key);
        seen[i] = true;
        st = fields[i].read(r, e, err);
    }
    for (int i = 0; !st && i < RAMUS_COUNT(fields); i++)
        if (!seen[i]) st = ramus_fail(err, RAMUS_BAD_FORMAT, "it has no %s", fields[i].key);
    return st;
}

/* Finds the bytes of a tensor, which must be as many as it needs and where they can be used. */
static ramus_status place_data(const reader *r, entry *e, ramus_error *err)
{
    ramus_safetensor *t = &e->tensor;
    const size_t begin = e->offsets[0], end = e->offsets[1];
    const ramus_status st = ramus_safetensor_measure(t, err);
    if (st) return st;
    if (begin > end)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its data_offsets run backwards, %zu to %zu",
                          begin, end);
    if (end > r->data_size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "its data_offsets are %zu to %zu, the file has %zu bytes of data", begin,
                          end, r->data_size);
    if (end - begin != t->size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "its data_offsets hold %zu bytes, its dtype and shape need %zu",
                          end - begin, t->size);
    const size_t alignment = dtypes[t->dtype].size < 4 ? dtypes[t->dtype].size : 4;
    if ((r->data_at + begin) % alignment != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "its data is at byte %zu of the file, %s needs a multiple of %zu",
                          r->data_at + begin, dtypes[t->dtype].name, alignment);
    t->data = r->bytes + r->data_at + begin;
    return RAMUS_OK;
}

static ramus_status fail_in_tensor(ramus_error *err, ramus_status status, const char *name)
{
    char context[128];
    (void)snprintf(context, sizeof context, "tensor '%.80s'", name);
    return ramus_fail_in(err, status, context);
}

/* Reads one member of the header whose key, the name, is the word. */
static ramus_status read_tensor(reader *r, ramus_error *err)
{
    entry e = {0};
    if (r->word.size == 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: a tensor has an empty name",
                          r->json.at);
    ramus_status st = keep_word(r, &e.tensor.name, err);
    if (st) return st;
    st = read_fields(r, &e, err);
    if (!st) st = place_data(r, &e, err);
    if (st) return fail_in_tensor(err, st, e.tensor.name);
    ramus_buffer_add(&r->h->tensors, &e.tensor, sizeof e.tensor);
    return ramus_buffer_check(&r->h->tensors, err);
}

/* Reads one member of the metadata whose key is the word. */
static ramus_status read_pair(reader *r, ramus_error *err)
{
    ramus_safetensors_metadata m = {0};
    ramus_status st = keep_word(r, &m.key, err);
    if (st) return st;
    st = ramus_json_string(&r->json, &r->word, err);
    if (st) return st;
    st = keep_word(r, &m.value, err);
    if (st) return st;
    ramus_buffer_add(&r->h->metadata, &m, sizeof m);
    return ramus_buffer_check(&r->h->metadata, err);
}

static ramus_status read_metadata(reader *r, ramus_error *err)
{
    bool more = false;
    if (r->has_metadata)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "the header has two %s, expected one",
                          RAMUS_SAFETENSORS_METADATA);
    r->has_metadata = true;
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_OBJECT, err);
    while (!st) {
        st = ramus_json_member(&r->json, &more, &r->word, err);
        if (st || !more) break;
        st = read_pair(r, err);
    }
    return st ? ramus_fail_in(err, st, RAMUS_SAFETENSORS_METADATA) : RAMUS_OK;
}

static ramus_status read_members(reader *r, ramus_error *err)
{
    bool more = false;
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_OBJECT, err);
    while (!st) {
        st = ramus_json_member(&r->json, &more, &r->word, err);
        if (st || !more) break;
        st = is_word(r, RAMUS_SAFETENSORS_METADATA) ? read_metadata(r, err) : read_tensor(r, err);
    }
    return st ? st : ramus_json_end(&r->json, err);
}

ramus_status ramus_safetensors_header_read(ramus_safetensors_header *h, const unsigned char *bytes,
                                           size_t data_at, size_t size, ramus_error *err)
{
    RAMUS_ASSERT(data_at > RAMUS_SAFETENSORS_LENGTH && data_at <= size);
    reader r = {.h = h, .bytes = bytes, .data_at = data_at, .data_size = size - data_at};
    r.texts_size = data_at - RAMUS_SAFETENSORS_LENGTH;
    h->texts = malloc(r.texts_size);
    if (!h->texts) return ramus_fail_memory(err, "the names of tensors");
    ramus_json_init(&r.json, (const char *)bytes, RAMUS_SAFETENSORS_LENGTH, data_at);
    const ramus_status st = read_members(&r, err);
    ramus_buffer_free(&r.word);
    return st;
}

void ramus_safetensors_header_free(ramus_safetensors_header *h)
{
    ramus_buffer_free(&h->tensors);
    ramus_buffer_free(&h->metadata);
    free(h->texts);
    *h = (ramus_safetensors_header){0};
}
