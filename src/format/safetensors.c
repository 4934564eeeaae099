/* Opening maps the file, reads the header, orders the tensors by place, checks that they cover
 * the data without gap or overlap, and indexes their names. Tensors that are not aligned for
 * their type are copied. */
#include "format/safetensors.h"

#include "base/map.h"
#include "base/utf8.h"
#include "format/names.h"
#include "format/safetensors_header.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are used as they are in the file, which is little-endian"
#endif

struct ramus_safetensors {
    ramus_file file; // {0} when the bytes are the caller's
    ramus_safetensors_header header;
    ramus_names tensor_names, metadata_keys;
    void *copies; // data of tensors that lie where they cannot be read
};

/* Empty tensors, which share their place with a neighbour, come first and by name. */
static int compare_places(const void *a, const void *b)
{
    const ramus_safetensor *left = a, *right = b;
    const char *p = left->data, *q = right->data;
    if (p != q) return p < q ? -1 : 1;
    if (left->size != right->size) return left->size < right->size ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void sort_by_place(ramus_safetensors *s)
{
    const int n = ramus_safetensors_count(s);
    if (n > 1) qsort(s->header.tensors.data, (size_t)n, sizeof(ramus_safetensor), compare_places);
}

static ramus_status index_names(ramus_safetensors *s, ramus_error *err)
{
    ramus_status st =
        ramus_names_init(&s->tensor_names, s->header.tensors.data,
                         (size_t)ramus_safetensors_count(s), sizeof(ramus_safetensor), err);
    if (st) return st;
    st = ramus_names_init(&s->metadata_keys, s->header.metadata.data,
                          (size_t)ramus_safetensors_metadata_count(s),
                          sizeof(ramus_safetensors_metadata), err);
    if (st) return st;
    const char *twice = ramus_names_repeated(&s->tensor_names);
    if (twice)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "tensor '%.80s': its name appears twice", twice);
    twice = ramus_names_repeated(&s->metadata_keys);
    if (twice)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: the key '%.80s' appears twice",
                          RAMUS_SAFETENSORS_METADATA, twice);
    return RAMUS_OK;
}

/* Every byte of the data, which begins at `data`, belongs to exactly one tensor. */
static ramus_status check_cover(const ramus_safetensors *s, const unsigned char *data, size_t size,
                                ramus_error *err)
{
    const ramus_safetensor *before = NULL;
    size_t end = 0;
    for (int i = 0; i < ramus_safetensors_count(s); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(s, i);
        const size_t begin = (size_t)((const unsigned char *)t->data - data);
        if (begin < end)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "tensor '%.80s': its data begins at %zu, inside that of '%.80s'",
                              t->name, begin, before->name);
        if (begin > end)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "tensor '%.80s': its data begins at %zu, expected %zu: a hole",
                              t->name, begin, end);
        end = begin + t->size;
        before = t;
    }
    if (end != size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the tensors have %zu bytes of data, the file has %zu", end, size);
    return RAMUS_OK;
}

/* Finds where the header ends and the data begins. */
static ramus_status find_data(size_t *out, const unsigned char *bytes, size_t size,
                              ramus_error *err)
{
    uint64_t length = 0;
    if (size < RAMUS_SAFETENSORS_LENGTH)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%zu bytes, a safetensors file has at least %d",
                          size, RAMUS_SAFETENSORS_LENGTH);
    for (int i = 0; i < RAMUS_SAFETENSORS_LENGTH; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    if (memcmp(bytes, "GGUF", 4) == 0)
        return ramus_fail(
            err, RAMUS_BAD_FORMAT,
            "is a GGUF file, expected a checkpoint: `ramus import` makes one of a model");
    if (length > RAMUS_SAFETENSORS_MAX_HEADER && bytes[RAMUS_SAFETENSORS_LENGTH - 1])
        return ramus_fail(err, RAMUS_BAD_FORMAT, "is neither GGUF nor safetensors");
    if (length > RAMUS_SAFETENSORS_MAX_HEADER)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "a header of %llu bytes, a safetensors file has at most %d",
                          (unsigned long long)length, RAMUS_SAFETENSORS_MAX_HEADER);
    if (length > size - RAMUS_SAFETENSORS_LENGTH)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a header of %zu bytes, but only %zu follow",
                          (size_t)length, size - RAMUS_SAFETENSORS_LENGTH);
    if (length == 0 || bytes[RAMUS_SAFETENSORS_LENGTH] != '{')
        return ramus_fail(err, RAMUS_BAD_FORMAT, "the header does not begin with '{'");
    *out = RAMUS_SAFETENSORS_LENGTH + (size_t)length;
    return RAMUS_OK;
}

static bool is_aligned(const ramus_safetensor *t)
{
    return (uintptr_t)t->data % ramus_safetensor_dtype_size(t->dtype) == 0;
}

/* Copies the tensors that lie where they cannot be read; the checks are done. */
static ramus_status copy_unaligned(ramus_safetensors *s, ramus_error *err)
{
    ramus_safetensor *tensors = (void *)s->header.tensors.data;
    const int n = ramus_safetensors_count(s);
    size_t total = 0; // no more than the file and 7 bytes a tensor
    for (int i = 0; i < n; i++)
        if (!is_aligned(&tensors[i])) total += (tensors[i].size + 7) / 8 * 8;
    s->copies = malloc(total + 1);
    if (!s->copies) return ramus_fail_memory(err, "tensors that are not aligned");
    char *copy = s->copies;
    for (int i = 0; i < n; i++) {
        ramus_safetensor *t = &tensors[i];
        if (is_aligned(t)) continue;
        t->data = memcpy(copy, t->data, t->size);
        copy += (t->size + 7) / 8 * 8; // 8: the largest size of a value
    }
    return RAMUS_OK;
}

static ramus_status read_file(ramus_safetensors *s, const unsigned char *bytes, size_t size,
                              ramus_error *err)
{
    size_t at = 0;
    ramus_status st = find_data(&at, bytes, size, err);
    if (st) return st;
    st = ramus_safetensors_header_read(&s->header, bytes, at, size, err);
    if (st) return st;
    sort_by_place(s); // before the index, which holds where the records are
    st = index_names(s, err);
    if (st) return st;
    st = check_cover(s, bytes + at, size - at, err);
    return st ? st : copy_unaligned(s, err);
}

/* Reads into `s`, which becomes *out or is closed. */
static ramus_status open_bytes(ramus_safetensors **out, ramus_safetensors *s, const void *bytes,
                               size_t size, const char *label, ramus_error *err)
{
    const ramus_status st = read_file(s, bytes, size, err);
    if (st) {
        ramus_safetensors_close(s);
        if (err) ramus_utf8_clean(err->message); // names come from strangers
        return ramus_fail_in(err, st, label);
    }
    *out = s;
    return RAMUS_OK;
}

ramus_status ramus_safetensors_open(ramus_safetensors **out, const char *path, ramus_error *err)
{
    ramus_safetensors *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "an open file");
    const ramus_status st = ramus_file_map(&s->file, path, err);
    if (st) {
        ramus_safetensors_close(s);
        return st;
    }
    return open_bytes(out, s, s->file.data, s->file.size, path, err);
}

ramus_status ramus_safetensors_open_memory(ramus_safetensors **out, const void *data, size_t size,
                                           const char *label, ramus_error *err)
{
    RAMUS_ASSERT((uintptr_t)data % 8 == 0); // the largest size of a value
    ramus_safetensors *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "an open file");
    return open_bytes(out, s, data, size, label, err);
}

void ramus_safetensors_close(ramus_safetensors *s)
{
    if (!s) return;
    ramus_names_free(&s->tensor_names);
    ramus_names_free(&s->metadata_keys);
    ramus_safetensors_header_free(&s->header);
    ramus_file_unmap(&s->file);
    free(s->copies);
    free(s);
}

int ramus_safetensors_count(const ramus_safetensors *s)
{
    return (int)(s->header.tensors.size / sizeof(ramus_safetensor));
}

const ramus_safetensor *ramus_safetensors_at(const ramus_safetensors *s, int i)
{
    RAMUS_ASSERT(i >= 0 && i < ramus_safetensors_count(s));
    return (const ramus_safetensor *)(const void *)s->header.tensors.data + i;
}

const ramus_safetensor *ramus_safetensors_find(const ramus_safetensors *s, const char *name)
{
    return ramus_names_find(&s->tensor_names, name);
}

int ramus_safetensors_metadata_count(const ramus_safetensors *s)
{
    return (int)(s->header.metadata.size / sizeof(ramus_safetensors_metadata));
}

const ramus_safetensors_metadata *ramus_safetensors_metadata_at(const ramus_safetensors *s, int i)
{
    RAMUS_ASSERT(i >= 0 && i < ramus_safetensors_metadata_count(s));
    return (const ramus_safetensors_metadata *)(const void *)s->header.metadata.data + i;
}

const char *ramus_safetensors_metadata_find(const ramus_safetensors *s, const char *key)
{
    const ramus_safetensors_metadata *found = ramus_names_find(&s->metadata_keys, key);
    return found ? found->value : NULL;
}
