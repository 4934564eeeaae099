/* One pass from the first byte to the data. Every read asks first whether so many bytes are
 * left, and counts are checked against the bytes that their entries need at least, so work and
 * memory follow the file, not its claims. */
#include "format/gguf_header.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH     8                             // bytes of the length before a text
#define MIN_VALUE  (LENGTH + 1 + 4 + 1)          // bytes of an entry: key, type, value
#define MIN_TENSOR (LENGTH + 1 + 4 + 4 + LENGTH) // name, number of dimensions, type, offset

/* What is needed only while a header is read. */
typedef struct reader {
    ramus_gguf_header *h;
    const unsigned char *bytes; // the whole file
    size_t at, size;
    const char *text; // the one read last
    size_t data_used; // bytes of data, padded, of the tensors read so far
} reader;

static size_t left(const reader *r)
{
    return r->size - r->at;
}

/* The length of a text of the file. */
static size_t text_size(const char *text)
{
    return (size_t)ramus_gguf_whole(text - LENGTH, LENGTH);
}

static ramus_status need(const reader *r, uint64_t size, const char *what, ramus_error *err)
{
    if (size <= left(r)) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: %s takes %llu bytes, but only %zu follow",
                      r->at, what, (unsigned long long)size, left(r));
}

static ramus_status read_whole(reader *r, uint64_t *out, size_t size, const char *what,
                               ramus_error *err)
{
    const ramus_status st = need(r, size, what, err);
    if (st) return st;
    *out = ramus_gguf_whole(r->bytes + r->at, size);
    r->at += size;
    return RAMUS_OK;
}

/* Reads a text, of which text_size() then knows the length. */
static ramus_status read_text(reader *r, const char *what, ramus_error *err)
{
    uint64_t size = 0;
    ramus_status st = read_whole(r, &size, LENGTH, "a length", err);
    if (st) return st;
    st = need(r, size, what, err);
    if (st) return st;
    r->text = (const char *)(r->bytes + r->at);
    const size_t bad = ramus_utf8_check(r->text, (size_t)size);
    if (bad < size)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found 0x%02X, expected UTF-8",
                          r->at + bad, r->bytes[r->at + bad]);
    r->at += (size_t)size;
    return RAMUS_OK;
}

/* Reads a key or a name: a text that a zero can end. */
static ramus_status read_name(reader *r, const char *what, ramus_error *err)
{
    const size_t at = r->at;
    const ramus_status st = read_text(r, what, err);
    if (st) return st;
    const size_t size = text_size(r->text);
    if (size < 1 || size > RAMUS_GGUF_MAX_KEY)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: %s of %zu bytes, expected 1 to %d", at,
                          what, size, RAMUS_GGUF_MAX_KEY);
    const char *zero = memchr(r->text, '\0', size);
    if (zero)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "byte %zu: found a zero byte in %s, expected text only",
                          at + LENGTH + (size_t)(zero - r->text), what);
    return RAMUS_OK;
}

static ramus_status fail_in_entry(ramus_error *err, ramus_status status, const char *kind,
                                  const char *name)
{
    char context[128];
    const size_t size = text_size(name);
    (void)snprintf(context, sizeof context, "%s '%.*s'", kind, size < 80 ? (int)size : 80, name);
    return ramus_fail_in(err, status, context);
}

static ramus_status read_texts(reader *r, ramus_gguf_value *v, ramus_error *err)
{
    const size_t begin = r->at;
    for (size_t i = 0; i < v->count; i++) {
        const ramus_status st = read_text(r, "a text", err);
        if (st) return st;
        if (v->is_array) ramus_buffer_add(&r->h->texts, &r->text, sizeof r->text);
    }
    v->data = v->is_array ? (const char *)(r->bytes + begin) : r->text;
    v->size = v->is_array ? r->at - begin : text_size(r->text);
    return ramus_buffer_check(&r->h->texts, err);
}

/* Reads numbers or bools that are known to follow. */
static ramus_status read_numbers(reader *r, ramus_gguf_value *v, ramus_error *err)
{
    const unsigned char *bytes = r->bytes + r->at;
    v->data = bytes;
    v->size = v->count * ramus_gguf_type_size(v->type);
    for (size_t i = 0; v->type == RAMUS_GGUF_BOOL && i < v->count; i++)
        if (bytes[i] > 1)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found %d, a bool is 0 or 1",
                              r->at + i, bytes[i]);
    r->at += v->size;
    return RAMUS_OK;
}

/* Reads what follows a key. */
static ramus_status read_typed(reader *r, ramus_gguf_value *v, ramus_error *err)
{
    uint64_t type = 0, count = 1;
    ramus_status st = read_whole(r, &type, 4, "its type", err);
    if (st) return st;
    v->is_array = type == RAMUS_GGUF_ARRAY;
    if (v->is_array) st = read_whole(r, &type, 4, "the type of its elements", err);
    if (!st && v->is_array) st = read_whole(r, &count, 8, "the number of its elements", err);
    if (st) return st;
    if (type == RAMUS_GGUF_ARRAY)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "it is an array of arrays, expected one of numbers, bools or strings");
    if (type > RAMUS_GGUF_FLOAT64)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its type is %llu, expected 0 to %d",
                          (unsigned long long)type, RAMUS_GGUF_FLOAT64);
    v->type = (ramus_gguf_type)type;
    const bool is_text = v->type == RAMUS_GGUF_STRING;
    if (count > left(r) / (is_text ? LENGTH : ramus_gguf_type_size(v->type)))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "it has %llu %s, but only %zu bytes follow",
                          (unsigned long long)count, ramus_gguf_type_name(v->type), left(r));
    v->count = (size_t)count;
    return is_text ? read_texts(r, v, err) : read_numbers(r, v, err);
}

/* The one key that the container itself knows. */
static ramus_status read_alignment(reader *r, const ramus_gguf_value *v, ramus_error *err)
{
    if (v->type != RAMUS_GGUF_UINT32 || v->is_array)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "it is %s%s, expected uint32",
                          v->is_array ? "an array of " : "", ramus_gguf_type_name(v->type));
    const uint64_t alignment = ramus_gguf_whole(v->data, v->size);
    if (!ramus_gguf_alignment_fits(alignment))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "it is %llu, expected a power of two, 8 to 65536",
                          (unsigned long long)alignment);
    r->h->alignment = (size_t)alignment;
    return RAMUS_OK;
}

static ramus_status read_value(reader *r, ramus_error *err)
{
    static const char alignment[] = RAMUS_GGUF_ALIGNMENT;
    ramus_gguf_value v = {0};
    ramus_status st = read_name(r, "a key", err);
    if (st) return st;
    v.key = r->text;
    st = read_typed(r, &v, err);
    if (!st && text_size(v.key) == sizeof alignment - 1 &&
        memcmp(v.key, alignment, sizeof alignment - 1) == 0)
        st = read_alignment(r, &v, err);
    if (st) return fail_in_entry(err, st, "key", v.key);
    ramus_buffer_add(&r->h->values, &v, sizeof v);
    return ramus_buffer_check(&r->h->values, err);
}

static ramus_status read_dims(reader *r, ramus_gguf_tensor *t, ramus_error *err)
{
    uint64_t n = 0;
    ramus_status st = read_whole(r, &n, 4, "the number of its dimensions", err);
    if (st) return st;
    if (n > RAMUS_GGUF_DIMS)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "it has %llu dimensions, expected at most %d",
                          (unsigned long long)n, RAMUS_GGUF_DIMS);
    t->n_dims = (int)n;
    for (int i = 0; i < t->n_dims; i++) {
        uint64_t size = 0;
        st = read_whole(r, &size, 8, "a dimension", err);
        if (st) return st;
        t->dims[i] = (size_t)size;
        if (t->dims[i] != size)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "its dimension %d is %llu, memory has less", i,
                              (unsigned long long)size);
    }
    return RAMUS_OK;
}

/* Tensors lie one behind the other, each padded to the alignment; ggml takes no other order. */
static ramus_status check_place(reader *r, const ramus_gguf_tensor *t, uint64_t offset,
                                ramus_error *err)
{
    if (offset % r->h->alignment != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its data is at %llu, expected a multiple of %zu",
                          (unsigned long long)offset, r->h->alignment);
    if (offset != r->data_used)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its data is at %llu, expected %zu, %s",
                          (unsigned long long)offset, r->data_used,
                          offset < r->data_used ? "behind that of the tensors before it"
                                                : "without a hole");
    if (r->data_used > r->size || t->size > r->size - r->data_used)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "it has %zu bytes of data at %llu, more than the file", t->size,
                          (unsigned long long)offset);
    r->data_used += ramus_gguf_pad(t->size, r->h->alignment);
    return RAMUS_OK;
}

/* Reads what follows a name. */
static ramus_status read_info(reader *r, ramus_gguf_tensor *t, ramus_error *err)
{
    uint64_t dtype = 0, offset = 0;
    ramus_status st = read_dims(r, t, err);
    if (!st) st = read_whole(r, &dtype, 4, "its type", err);
    if (!st) st = ramus_gguf_dtype_check(dtype, err);
    if (st) return st;
    t->dtype = (ramus_gguf_dtype)dtype;
    st = ramus_gguf_measure(t, err);
    if (!st) st = read_whole(r, &offset, 8, "the place of its data", err);
    return st ? st : check_place(r, t, offset, err);
}

static ramus_status read_tensor(reader *r, ramus_error *err)
{
    ramus_gguf_tensor t = {0};
    ramus_status st = read_name(r, "a name", err);
    if (st) return st;
    t.name = r->text;
    st = read_info(r, &t, err);
    if (st) return fail_in_entry(err, st, "tensor", t.name);
    ramus_buffer_add(&r->h->tensors, &t, sizeof t);
    return ramus_buffer_check(&r->h->tensors, err);
}

/* A number of entries that each take `least` bytes, or more. */
static ramus_status read_count(reader *r, uint64_t *out, size_t least, const char *what,
                               ramus_error *err)
{
    ramus_status st = read_whole(r, out, 8, what, err);
    if (st) return st;
    size_t most = (r->size - RAMUS_GGUF_START) / least;
    if (most > INT_MAX) most = INT_MAX;
    if (*out > most)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s is %llu, a file of %zu bytes has at most %zu",
                          what, (unsigned long long)*out, r->size, most);
    return RAMUS_OK;
}

static ramus_status read_start(reader *r, uint64_t *n_tensors, uint64_t *n_values, ramus_error *err)
{
    if (r->size < RAMUS_GGUF_START)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%zu bytes, a GGUF file has at least %d", r->size,
                          RAMUS_GGUF_START);
    if (memcmp(r->bytes, RAMUS_GGUF_MAGIC, 4) != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "begins with %02X %02X %02X %02X, expected %s%s",
                          r->bytes[0], r->bytes[1], r->bytes[2], r->bytes[3], RAMUS_GGUF_MAGIC,
                          r->bytes[8] == '{' ? ": `ramus export` makes such a file of a checkpoint"
                                             : "");
    const uint64_t version = ramus_gguf_whole(r->bytes + 4, 4);
    if (version != 0 && (version & 0xFFFF) == 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a big-endian GGUF file, expected little-endian");
    if (version != RAMUS_GGUF_VERSION)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "GGUF version %llu, expected %d",
                          (unsigned long long)version, RAMUS_GGUF_VERSION);
    r->at = 8;
    const ramus_status st = read_count(r, n_tensors, MIN_TENSOR, "the number of tensors", err);
    return st ? st : read_count(r, n_values, MIN_VALUE, "the number of keys", err);
}

/* Finds the data of every tensor behind the header, which ends here. */
static ramus_status place_data(reader *r, ramus_error *err)
{
    ramus_gguf_tensor *tensors = (void *)r->h->tensors.data;
    const size_t n = r->h->tensors.size / sizeof *tensors;
    const size_t begin = ramus_gguf_pad(r->at, r->h->alignment);
    const size_t size = r->size > begin ? r->size - begin : 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        ramus_gguf_tensor *t = &tensors[i];
        if (used > size || t->size > size - used) {
            const ramus_status st =
                ramus_fail(err, RAMUS_BAD_FORMAT,
                           "it has %zu bytes of data at %zu, the file has %zu bytes of data",
                           t->size, used, size);
            return fail_in_entry(err, st, "tensor", t->name);
        }
        t->data = r->bytes + begin + used;
        used += ramus_gguf_pad(t->size, r->h->alignment);
    }
    if (size > used)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%zu bytes follow the last tensor and its padding, expected none",
                          size - used);
    return RAMUS_OK;
}

/* Bytes of the names that begin records of `size` bytes, with a zero for each. */
static size_t names_size(const ramus_buffer *records, size_t size)
{
    size_t total = 0;
    for (size_t at = 0; at < records->size; at += size)
        total += text_size(*(const char **)(void *)(records->data + at)) + 1;
    return total;
}

/* Copies these names, and the records take the copies. */
static char *copy_names(char *to, ramus_buffer *records, size_t size)
{
    for (size_t at = 0; at < records->size; at += size) {
        const char **name = (void *)(records->data + at);
        const size_t length = text_size(*name);
        *name = memcpy(to, *name, length);
        to[length] = '\0';
        to += length + 1;
    }
    return to;
}

/* Gives every entry what is its own; nothing else points into the file's names any more. */
static ramus_status keep_names(ramus_gguf_header *h, ramus_error *err)
{
    const size_t total = names_size(&h->values, sizeof(ramus_gguf_value)) +
                         names_size(&h->tensors, sizeof(ramus_gguf_tensor));
    h->names = malloc(total + 1);
    if (!h->names) return ramus_fail_memory(err, "the names of tensors");
    copy_names(copy_names(h->names, &h->values, sizeof(ramus_gguf_value)), &h->tensors,
               sizeof(ramus_gguf_tensor));
    ramus_gguf_value *values = (void *)h->values.data;
    const char *const *texts = (const void *)h->texts.data;
    for (size_t i = 0; i < h->values.size / sizeof *values; i++)
        if (values[i].is_array && values[i].type == RAMUS_GGUF_STRING) {
            values[i].texts = texts;
            if (texts) texts += values[i].count;
        }
    return RAMUS_OK;
}

ramus_status ramus_gguf_header_read(ramus_gguf_header *h, const unsigned char *bytes, size_t size,
                                    ramus_error *err)
{
    reader r = {.h = h, .bytes = bytes, .size = size, .text = (const char *)bytes};
    uint64_t n_tensors = 0, n_values = 0;
    h->alignment = RAMUS_GGUF_DEFAULT_ALIGNMENT;
    ramus_status st = read_start(&r, &n_tensors, &n_values, err);
    for (uint64_t i = 0; !st && i < n_values; i++)
        st = read_value(&r, err);
    for (uint64_t i = 0; !st && i < n_tensors; i++)
        st = read_tensor(&r, err);
    if (!st) st = place_data(&r, err);
    return st ? st : keep_names(h, err);
}

void ramus_gguf_header_free(ramus_gguf_header *h)
{
    ramus_buffer_free(&h->values);
    ramus_buffer_free(&h->tensors);
    ramus_buffer_free(&h->texts);
    free(h->names);
    *h = (ramus_gguf_header){0};
}
