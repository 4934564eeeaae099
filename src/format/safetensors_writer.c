/* Tensors and metadata are collected, then written as one JSON header and the data: tensors of
 * wider types first, so that each lies at a multiple of its type's size. */
#include "base/utf8.h"
#include "base/writer.h"
#include "format/names.h"
#include "format/safetensors_header.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64 // of the data: one cache line, one AVX-512 register
#define MAX_WIDTH 8  // bytes of the largest value

struct ramus_safetensors_writer {
    ramus_buffer tensors;  // ramus_safetensor, names our own
    ramus_buffer metadata; // ramus_safetensors_metadata, texts our own
};

static int count(const ramus_safetensors_writer *w)
{
    return (int)(w->tensors.size / sizeof(ramus_safetensor));
}

static const ramus_safetensor *tensors(const ramus_safetensors_writer *w)
{
    return (const void *)w->tensors.data;
}

static int metadata_count(const ramus_safetensors_writer *w)
{
    return (int)(w->metadata.size / sizeof(ramus_safetensors_metadata));
}

static const ramus_safetensors_metadata *metadata(const ramus_safetensors_writer *w)
{
    return (const void *)w->metadata.data;
}

ramus_status ramus_safetensors_create(ramus_safetensors_writer **out, ramus_error *err)
{
    ramus_safetensors_writer *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "a safetensors writer");
    *out = w;
    return RAMUS_OK;
}

void ramus_safetensors_destroy(ramus_safetensors_writer *w)
{
    if (!w) return;
    for (int i = 0; i < count(w); i++)
        free((void *)tensors(w)[i].name);
    for (int i = 0; i < metadata_count(w); i++) {
        free((void *)metadata(w)[i].key);
        free((void *)metadata(w)[i].value);
    }
    ramus_buffer_free(&w->tensors);
    ramus_buffer_free(&w->metadata);
    free(w);
}

/* A text that is not UTF-8 would come back as another one. */
static ramus_status copy_text(char **out, const char *text, const char *what, ramus_error *err)
{
    const size_t size = strlen(text), bad = ramus_utf8_check(text, size);
    if (bad < size)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s '%.*s': byte %zu is 0x%02X, expected UTF-8",
                          what, bad < 80 ? (int)bad : 80, text, bad, (unsigned char)text[bad]);
    char *copy = malloc(size + 1);
    if (!copy) return ramus_fail_memory(err, what);
    memcpy(copy, text, size + 1);
    *out = copy;
    return RAMUS_OK;
}

ramus_status ramus_safetensors_add_metadata(ramus_safetensors_writer *w, const char *key,
                                            const char *value, ramus_error *err)
{
    char *own_key = NULL, *own_value = NULL;
    ramus_status st = copy_text(&own_key, key, "metadata key", err);
    if (st) goto done;
    st = copy_text(&own_value, value, "metadata value", err);
    if (st) goto done;
    const ramus_safetensors_metadata m = {own_key, own_value};
    ramus_buffer_add(&w->metadata, &m, sizeof m);
    st = ramus_buffer_check(&w->metadata, err);
    if (st) goto done;
    own_key = own_value = NULL;
done:
    free(own_key);
    free(own_value);
    return st;
}

ramus_status ramus_safetensors_add_tensor(ramus_safetensors_writer *w,
                                          const ramus_safetensor *tensor, ramus_error *err)
{
    ramus_safetensor t = *tensor;
    char *name = NULL;
    if (t.name[0] == '\0' || strcmp(t.name, RAMUS_SAFETENSORS_METADATA) == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "no tensor can be called '%s'", t.name);
    if (ramus_safetensor_measure(&t, NULL))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "tensor '%.80s': its shape has more values than memory has addresses",
                          t.name);
    RAMUS_ASSERT(t.data || t.size == 0);
    ramus_status st = copy_text(&name, t.name, "tensor", err);
    if (st) return st;
    t.name = name;
    ramus_buffer_add(&w->tensors, &t, sizeof t);
    st = ramus_buffer_check(&w->tensors, err);
    if (st) free(name);
    return st;
}

/* n records of `size` bytes that begin with their names; `what` says what they are. */
static ramus_status check_repeated(const char *what, const void *records, int n, size_t size,
                                   const char *path, ramus_error *err)
{
    ramus_names names = {0};
    ramus_status st = ramus_names_init(&names, records, (size_t)n, size, err);
    if (st) return st;
    const char *twice = ramus_names_repeated(&names);
    if (twice)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "%.200s: %s '%.80s' was added twice", path, what,
                        twice);
    ramus_names_free(&names);
    return st;
}

static void put_metadata(ramus_buffer *out, const ramus_safetensors_writer *w)
{
    ramus_buffer_print(out, "\"%s\":{", RAMUS_SAFETENSORS_METADATA);
    for (int i = 0; i < metadata_count(w); i++) {
        const ramus_safetensors_metadata *m = &metadata(w)[i];
        if (i > 0) ramus_buffer_text(out, ",");
        ramus_buffer_json(out, m->key, strlen(m->key));
        ramus_buffer_text(out, ":");
        ramus_buffer_json(out, m->value, strlen(m->value));
    }
    ramus_buffer_text(out, "}");
}

static void put_tensor(ramus_buffer *out, const ramus_safetensor *t, size_t begin)
{
    ramus_buffer_json(out, t->name, strlen(t->name));
    ramus_buffer_print(out, ":{\"dtype\":\"%s\",\"shape\":[",
                       ramus_safetensor_dtype_name(t->dtype));
    for (int i = 0; i < t->rank; i++)
        ramus_buffer_print(out, "%s%zu", i ? "," : "", t->shape[i]);
    ramus_buffer_print(out, "],\"data_offsets\":[%zu,%zu]}", begin, begin + t->size);
}

/* In the order of the data: wider types first, so that each tensor begins at a multiple of its
 * type's size. */
static void put_tensors(ramus_buffer *out, const ramus_safetensors_writer *w)
{
    size_t at = 0;
    const char *comma = metadata_count(w) > 0 ? "," : "";
    for (size_t width = MAX_WIDTH; width > 0; width /= 2)
        for (int i = 0; i < count(w); i++) {
            const ramus_safetensor *t = &tensors(w)[i];
            if (ramus_safetensor_dtype_size(t->dtype) != width) continue;
            RAMUS_ASSERT(t->size <= SIZE_MAX - at);
            ramus_buffer_text(out, comma);
            comma = ",";
            put_tensor(out, t, at);
            at += t->size;
        }
}

/* Composes the header with the length before it. */
static ramus_status put_header(ramus_buffer *out, const ramus_safetensors_writer *w,
                               const char *path, ramus_error *err)
{
    const unsigned char length[RAMUS_SAFETENSORS_LENGTH] = {0};
    ramus_buffer_add(out, length, sizeof length);
    ramus_buffer_text(out, "{");
    if (metadata_count(w) > 0) put_metadata(out, w);
    put_tensors(out, w);
    ramus_buffer_text(out, "}");
    while (!out->failed && out->size % ALIGNMENT != 0)
        ramus_buffer_text(out, " ");
    const ramus_status st = ramus_buffer_check(out, err);
    if (st) return st;
    const size_t size = out->size - RAMUS_SAFETENSORS_LENGTH;
    if (size > RAMUS_SAFETENSORS_MAX_HEADER)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%.200s: a header of %zu bytes, readers take at most %d", path, size,
                          RAMUS_SAFETENSORS_MAX_HEADER);
    for (int i = 0; i < RAMUS_SAFETENSORS_LENGTH; i++)
        out->data[i] = (char)((uint64_t)size >> 8 * i & 0xFF);
    return RAMUS_OK;
}

static ramus_status write_tensors(ramus_writer *file, const ramus_safetensors_writer *w,
                                  ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (size_t width = MAX_WIDTH; width > 0; width /= 2)
        for (int i = 0; !st && i < count(w); i++) {
            const ramus_safetensor *t = &tensors(w)[i];
            if (ramus_safetensor_dtype_size(t->dtype) == width)
                st = ramus_writer_write(file, t->data, t->size, err);
        }
    return st;
}

ramus_status ramus_safetensors_save(const ramus_safetensors_writer *w, const char *path,
                                    ramus_error *err)
{
    ramus_buffer header = {0};
    ramus_writer *file = NULL;

    ramus_status st =
        check_repeated("tensor", w->tensors.data, count(w), sizeof(ramus_safetensor), path, err);
    if (st) goto done;
    st = check_repeated("metadata", w->metadata.data, metadata_count(w),
                        sizeof(ramus_safetensors_metadata), path, err);
    if (st) goto done;
    st = put_header(&header, w, path, err);
    if (st) goto done;
    st = ramus_writer_create(&file, path, err);
    if (st) goto done;
    st = ramus_writer_write(file, header.data, header.size, err);
    if (st) goto done;
    st = write_tensors(file, w, err);
    if (st) goto done;
    st = ramus_writer_commit(file, err);
done:
    ramus_writer_destroy(file);
    ramus_buffer_free(&header);
    return st;
}
