/* Opening maps the file, reads the header, refuses repeated names and sorts an index of them. A
 * value is read where it lies, byte by byte, since nothing before the data is aligned. */
#include "format/gguf.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/utf8.h"
#include "format/gguf_header.h"
#include "format/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are used as they are in the file, which is little-endian"
#endif

struct ramus_gguf {
    ramus_file file; // {0} when the bytes are the caller's
    const char *bytes;
    size_t size;
    ramus_gguf_header header;
    ramus_names keys, tensor_names;
};

static ramus_status check_repeated(const ramus_names *names, const char *what, ramus_error *err)
{
    const char *twice = ramus_names_repeated(names);
    if (!twice) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s '%.80s' appears twice", what, twice);
}

static ramus_status read_file(ramus_gguf *g, const void *bytes, size_t size, ramus_error *err)
{
    ramus_status st = ramus_gguf_header_read(&g->header, bytes, size, err);
    if (st) return st;
    g->bytes = bytes;
    g->size = size;
    st = ramus_names_init(&g->keys, g->header.values.data, (size_t)ramus_gguf_value_count(g),
                          sizeof(ramus_gguf_value), err);
    if (st) return st;
    st = ramus_names_init(&g->tensor_names, g->header.tensors.data, (size_t)ramus_gguf_count(g),
                          sizeof(ramus_gguf_tensor), err);
    if (st) return st;
    st = check_repeated(&g->keys, "key", err);
    return st ? st : check_repeated(&g->tensor_names, "tensor", err);
}

ramus_status ramus_gguf_detect(bool *out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    const ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    *out = file.size >= 4 && memcmp(file.data, "GGUF", 4) == 0;
    ramus_file_unmap(&file);
    return RAMUS_OK;
}

typedef struct {
    const void *data;
    size_t size;
    const char *label; // their name in errors
} bytes;

/* Reads into `g`, which becomes *out or is closed. */
static ramus_status open_bytes(ramus_gguf **out, ramus_gguf *g, bytes b, ramus_error *err)
{
    const ramus_status st = read_file(g, b.data, b.size, err);
    if (st) {
        if (err) ramus_utf8_clean(err->message); // names come from strangers
        (void)ramus_fail_in(err, st, b.label);
        ramus_gguf_close(g);
        return st;
    }
    *out = g;
    return RAMUS_OK;
}

ramus_status ramus_gguf_open(ramus_gguf **out, const char *path, ramus_error *err)
{
    ramus_gguf *g = calloc(1, sizeof *g);
    if (!g) return ramus_fail_memory(err, "an open file");
    const ramus_status st = ramus_file_map(&g->file, path, err);
    if (st) {
        ramus_gguf_close(g);
        return st;
    }
    return open_bytes(out, g, (bytes){g->file.data, g->file.size, path}, err);
}

ramus_status ramus_gguf_open_memory(ramus_gguf **out, const void *data, size_t size,
                                    const char *label, ramus_error *err)
{
    RAMUS_ASSERT((uintptr_t)data % 8 == 0); // the largest size of a value
    ramus_gguf *g = calloc(1, sizeof *g);
    if (!g) return ramus_fail_memory(err, "an open file");
    return open_bytes(out, g, (bytes){data, size, label}, err);
}

void ramus_gguf_close(ramus_gguf *g)
{
    if (!g) return;
    ramus_names_free(&g->keys);
    ramus_names_free(&g->tensor_names);
    ramus_gguf_header_free(&g->header);
    ramus_file_unmap(&g->file);
    free(g);
}

size_t ramus_gguf_alignment(const ramus_gguf *g)
{
    return g->header.alignment;
}

int ramus_gguf_count(const ramus_gguf *g)
{
    return (int)(g->header.tensors.size / sizeof(ramus_gguf_tensor));
}

const ramus_gguf_tensor *ramus_gguf_at(const ramus_gguf *g, int i)
{
    RAMUS_ASSERT(i >= 0 && i < ramus_gguf_count(g));
    return (const ramus_gguf_tensor *)(const void *)g->header.tensors.data + i;
}

const ramus_gguf_tensor *ramus_gguf_find(const ramus_gguf *g, const char *name)
{
    return ramus_names_find(&g->tensor_names, name);
}

int ramus_gguf_value_count(const ramus_gguf *g)
{
    return (int)(g->header.values.size / sizeof(ramus_gguf_value));
}

const ramus_gguf_value *ramus_gguf_value_at(const ramus_gguf *g, int i)
{
    RAMUS_ASSERT(i >= 0 && i < ramus_gguf_value_count(g));
    return (const ramus_gguf_value *)(const void *)g->header.values.data + i;
}

const ramus_gguf_value *ramus_gguf_value_find(const ramus_gguf *g, const char *key)
{
    return ramus_names_find(&g->keys, key);
}

ramus_status ramus_gguf_verify(const ramus_gguf *g, const char *key, bool *found, ramus_error *err)
{
    const ramus_gguf_value *v = ramus_gguf_value_find(g, key);
    const ramus_gguf_tensor *tensors = (const void *)g->header.tensors.data;
    const size_t n = (size_t)ramus_gguf_count(g);
    char sum[RAMUS_GGUF_CHECKSUM + 1];
    *found = v != NULL;
    if (!v) return RAMUS_OK;
    if (v->type != RAMUS_GGUF_STRING || v->is_array || v->size != RAMUS_GGUF_CHECKSUM)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is no text of %d characters", key,
                          RAMUS_GGUF_CHECKSUM);
    const size_t header = n ? (size_t)((const char *)tensors[0].data - g->bytes) : g->size;
    const size_t at = (size_t)((const char *)v->data - g->bytes);
    ramus_gguf_checksum(sum, g->bytes, header, at, tensors, n);
    if (memcmp(sum, v->data, RAMUS_GGUF_CHECKSUM) == 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "is damaged: its bytes have the checksum %s, '%.80s' says %.*s", sum, key,
                      RAMUS_GGUF_CHECKSUM, (const char *)v->data);
}

ramus_status ramus_gguf_verify_tensors(const ramus_gguf *g, const char *key, bool *found,
                                       ramus_error *err)
{
    const ramus_gguf_value *v = ramus_gguf_value_find(g, key);
    const size_t n = (size_t)ramus_gguf_count(g);
    *found = v != NULL;
    if (!v) return RAMUS_OK;
    if (v->type != RAMUS_GGUF_UINT64 || !v->is_array || v->count != n)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is no list of %zu checksums", key, n);
    for (size_t i = 0; i < n; i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(g, (int)i);
        const uint64_t got = ramus_hash(0, t->data, t->size), want = ramus_gguf_uint_at(v, i);
        if (got != want)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "is damaged: %.300s has the checksum %016" PRIx64
                              ", '%.80s' says %016" PRIx64,
                              t->name, got, key, want);
    }
    return RAMUS_OK;
}

static bool is_unsigned(ramus_gguf_type type)
{
    return type == RAMUS_GGUF_UINT8 || type == RAMUS_GGUF_UINT16 || type == RAMUS_GGUF_UINT32 ||
           type == RAMUS_GGUF_UINT64;
}

static bool is_signed(ramus_gguf_type type)
{
    return type == RAMUS_GGUF_INT8 || type == RAMUS_GGUF_INT16 || type == RAMUS_GGUF_INT32 ||
           type == RAMUS_GGUF_INT64;
}

/* The bits of element `i`. */
static uint64_t bits_at(const ramus_gguf_value *v, size_t i)
{
    const size_t size = ramus_gguf_type_size(v->type);
    RAMUS_ASSERT(i < v->count);
    return ramus_gguf_whole((const char *)v->data + i * size, size);
}

uint64_t ramus_gguf_uint_at(const ramus_gguf_value *v, size_t i)
{
    RAMUS_ASSERT(is_unsigned(v->type) || v->type == RAMUS_GGUF_BOOL);
    return bits_at(v, i);
}

int64_t ramus_gguf_int_at(const ramus_gguf_value *v, size_t i)
{
    RAMUS_ASSERT(is_signed(v->type));
    const uint64_t sign = (uint64_t)1 << (8 * ramus_gguf_type_size(v->type) - 1);
    const uint64_t bits = bits_at(v, i);
    return bits & sign ? -(int64_t)(sign - 1 - (bits ^ sign)) - 1 : (int64_t)bits;
}

double ramus_gguf_real_at(const ramus_gguf_value *v, size_t i)
{
    const uint64_t bits = bits_at(v, i);
    const uint32_t low = (uint32_t)bits;
    float narrow = 0;
    double wide = 0;
    RAMUS_ASSERT(v->type == RAMUS_GGUF_FLOAT32 || v->type == RAMUS_GGUF_FLOAT64);
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return v->type == RAMUS_GGUF_FLOAT32 ? (double)narrow : wide;
}

const char *ramus_gguf_text_at(const ramus_gguf_value *v, size_t i, size_t *size)
{
    RAMUS_ASSERT(v->type == RAMUS_GGUF_STRING && i < v->count);
    const char *text = v->is_array ? v->texts[i] : v->data;
    *size = v->is_array ? (size_t)ramus_gguf_whole(text - 8, 8) : v->size;
    return text;
}

static ramus_status fail_type(const ramus_gguf_value *v, const char *expected, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is %s%s, expected %s", v->key,
                      v->is_array ? "an array of " : "", ramus_gguf_type_name(v->type), expected);
}

/* Finds what must be there, a single value or an array. */
static ramus_status get(const ramus_gguf *g, const char *key, const ramus_gguf_value **out,
                        ramus_error *err)
{
    *out = ramus_gguf_value_find(g, key);
    if (*out) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "it has no key '%.80s'", key);
}

ramus_status ramus_gguf_get_uint(const ramus_gguf *g, const char *key, uint64_t *out,
                                 ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (v->is_array || (!is_unsigned(v->type) && !is_signed(v->type)))
        return fail_type(v, "a whole number", err);
    if (is_signed(v->type) && ramus_gguf_int_at(v, 0) < 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is %lld, expected at least 0", key,
                          (long long)ramus_gguf_int_at(v, 0));
    *out = bits_at(v, 0);
    return RAMUS_OK;
}

ramus_status ramus_gguf_get_int(const ramus_gguf *g, const char *key, int64_t *out,
                                ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (v->is_array || (!is_unsigned(v->type) && !is_signed(v->type)))
        return fail_type(v, "a whole number", err);
    if (is_unsigned(v->type) && ramus_gguf_uint_at(v, 0) > INT64_MAX)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is %llu, expected less than 2^63", key,
                          (unsigned long long)ramus_gguf_uint_at(v, 0));
    *out = is_signed(v->type) ? ramus_gguf_int_at(v, 0) : (int64_t)ramus_gguf_uint_at(v, 0);
    return RAMUS_OK;
}

ramus_status ramus_gguf_get_real(const ramus_gguf *g, const char *key, double *out,
                                 ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (v->is_array || (v->type != RAMUS_GGUF_FLOAT32 && v->type != RAMUS_GGUF_FLOAT64))
        return fail_type(v, "float32 or float64", err);
    *out = ramus_gguf_real_at(v, 0);
    return RAMUS_OK;
}

ramus_status ramus_gguf_get_bool(const ramus_gguf *g, const char *key, bool *out, ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (v->is_array || v->type != RAMUS_GGUF_BOOL) return fail_type(v, "bool", err);
    *out = ramus_gguf_uint_at(v, 0) != 0;
    return RAMUS_OK;
}

ramus_status ramus_gguf_get_text(const ramus_gguf *g, const char *key, const char **out,
                                 size_t *size, ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (v->is_array || v->type != RAMUS_GGUF_STRING) return fail_type(v, "string", err);
    *out = ramus_gguf_text_at(v, 0, size);
    return RAMUS_OK;
}

ramus_status ramus_gguf_get_array(const ramus_gguf *g, const char *key, ramus_gguf_type type,
                                  const ramus_gguf_value **out, ramus_error *err)
{
    const ramus_gguf_value *v = NULL;
    const ramus_status st = get(g, key, &v, err);
    if (st) return st;
    if (!v->is_array || v->type != type)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is %s%s, expected an array of %s", key,
                          v->is_array ? "an array of " : "", ramus_gguf_type_name(v->type),
                          ramus_gguf_type_name(type));
    *out = v;
    return RAMUS_OK;
}
