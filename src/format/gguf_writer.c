/* Keys and values are put into a buffer as they will stand in the file, tensors into a list.
 * Saving composes the header, then writes header and data to a file that replaces the old one. */
#include "base/hash.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "format/gguf_header.h"
#include "format/names.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAME 63 // bytes of a tensor's name that ggml reads (GGML_MAX_NAME with its zero)

struct ramus_gguf_writer {
    size_t alignment;
    ramus_buffer keys;    // char *, our own, in the order of the values
    ramus_buffer values;  // keys and values as they stand in the file
    ramus_buffer tensors; // ramus_gguf_tensor, names our own
    size_t checksum;      // where its digits stand in the values; 0: there is none
};

static size_t key_count(const ramus_gguf_writer *w)
{
    return w->keys.size / sizeof(char *);
}

static size_t count(const ramus_gguf_writer *w)
{
    return w->tensors.size / sizeof(ramus_gguf_tensor);
}

static const ramus_gguf_tensor *tensors(const ramus_gguf_writer *w)
{
    return (const void *)w->tensors.data;
}

ramus_status ramus_gguf_create(ramus_gguf_writer **out, size_t alignment, ramus_error *err)
{
    RAMUS_ASSERT(ramus_gguf_alignment_fits(alignment));
    ramus_gguf_writer *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "a GGUF writer");
    w->alignment = alignment;
    const ramus_status st = ramus_gguf_add_uint(w, RAMUS_GGUF_ALIGNMENT, (uint32_t)alignment, err);
    if (st) {
        ramus_gguf_destroy(w);
        return st;
    }
    *out = w;
    return RAMUS_OK;
}

void ramus_gguf_destroy(ramus_gguf_writer *w)
{
    if (!w) return;
    for (size_t i = 0; i < key_count(w); i++)
        free(((char **)(void *)w->keys.data)[i]);
    for (size_t i = 0; i < count(w); i++)
        free((void *)tensors(w)[i].name);
    ramus_buffer_free(&w->keys);
    ramus_buffer_free(&w->values);
    ramus_buffer_free(&w->tensors);
    free(w);
}

static void put_whole(ramus_buffer *b, uint64_t value, int size)
{
    char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (char)(value >> 8 * i & 0xFF);
    ramus_buffer_add(b, bytes, (size_t)size);
}

static void put_text(ramus_buffer *b, const char *text, size_t size)
{
    put_whole(b, size, 8);
    ramus_buffer_add(b, text, size);
}

static ramus_status check_text(const char *what, const char *text, size_t size, ramus_error *err)
{
    const size_t bad = ramus_utf8_check(text, size);
    if (bad == size) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s '%.*s': byte %zu is 0x%02X, expected UTF-8",
                      what, bad < 80 ? (int)bad : 80, text, bad, (unsigned char)text[bad]);
}

/* Checks a key or a name and copies it. */
static ramus_status copy_name(char **out, const char *what, const char *name, size_t most,
                              ramus_error *err)
{
    const size_t size = strlen(name);
    const ramus_status st = check_text(what, name, size, err);
    if (st) return st;
    if (size < 1 || size > most)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s '%.80s' has %zu bytes, expected 1 to %zu",
                          what, name, size, most);
    char *copy = malloc(size + 1);
    if (!copy) return ramus_fail_memory(err, what);
    memcpy(copy, name, size + 1);
    *out = copy;
    return RAMUS_OK;
}

/* Adds a key and the type of its value, which the caller then puts into w->values. */
static ramus_status add_key(ramus_gguf_writer *w, const char *key, ramus_gguf_type type,
                            ramus_error *err)
{
    char *copy = NULL;
    ramus_status st = copy_name(&copy, "key", key, RAMUS_GGUF_MAX_KEY, err);
    if (st) return st;
    ramus_buffer_add(&w->keys, &copy, sizeof copy);
    st = ramus_buffer_check(&w->keys, err);
    if (st) {
        free(copy);
        return st;
    }
    put_text(&w->values, key, strlen(key));
    put_whole(&w->values, type, 4);
    return RAMUS_OK;
}

/* As add_key() for an array. */
static ramus_status add_array(ramus_gguf_writer *w, const char *key, ramus_gguf_type type, size_t n,
                              ramus_error *err)
{
    const ramus_status st = add_key(w, key, RAMUS_GGUF_ARRAY, err);
    if (st) return st;
    put_whole(&w->values, type, 4);
    put_whole(&w->values, n, 8);
    return RAMUS_OK;
}

ramus_status ramus_gguf_add_uint(ramus_gguf_writer *w, const char *key, uint32_t value,
                                 ramus_error *err)
{
    const ramus_status st = add_key(w, key, RAMUS_GGUF_UINT32, err);
    if (st) return st;
    put_whole(&w->values, value, 4);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_real(ramus_gguf_writer *w, const char *key, float value,
                                 ramus_error *err)
{
    const ramus_status st = add_key(w, key, RAMUS_GGUF_FLOAT32, err);
    if (st) return st;
    ramus_buffer_add(&w->values, &value, sizeof value);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_bool(ramus_gguf_writer *w, const char *key, bool value,
                                 ramus_error *err)
{
    const ramus_status st = add_key(w, key, RAMUS_GGUF_BOOL, err);
    if (st) return st;
    put_whole(&w->values, value, 1);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_text(ramus_gguf_writer *w, const char *key, const char *text,
                                 size_t size, ramus_error *err)
{
    ramus_status st = check_text("text", text, size, err);
    if (st) return st;
    st = add_key(w, key, RAMUS_GGUF_STRING, err);
    if (st) return st;
    put_text(&w->values, text, size);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_checksum(ramus_gguf_writer *w, const char *key, ramus_error *err)
{
    static const char digits[] = "0000000000000000";
    RAMUS_ASSERT(!w->checksum && sizeof digits == RAMUS_GGUF_CHECKSUM + 1);
    const ramus_status st = ramus_gguf_add_text(w, key, digits, RAMUS_GGUF_CHECKSUM, err);
    if (!st) w->checksum = w->values.size - RAMUS_GGUF_CHECKSUM;
    return st;
}

ramus_status ramus_gguf_add_tensor_checksums(ramus_gguf_writer *w, const char *key,
                                             ramus_error *err)
{
    const ramus_status st = add_array(w, key, RAMUS_GGUF_UINT64, count(w), err);
    if (st) return st;
    for (size_t i = 0; i < count(w); i++)
        put_whole(&w->values, ramus_hash(0, tensors(w)[i].data, tensors(w)[i].size), 8);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_texts(ramus_gguf_writer *w, const char *key, const char *const *texts,
                                  size_t n, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (size_t i = 0; !st && i < n; i++)
        st = check_text("text", texts[i], strlen(texts[i]), err);
    if (st) return st;
    st = add_array(w, key, RAMUS_GGUF_STRING, n, err);
    if (st) return st;
    for (size_t i = 0; i < n; i++)
        put_text(&w->values, texts[i], strlen(texts[i]));
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_ints(ramus_gguf_writer *w, const char *key, const int32_t *values,
                                 size_t n, ramus_error *err)
{
    const ramus_status st = add_array(w, key, RAMUS_GGUF_INT32, n, err);
    if (st) return st;
    ramus_buffer_add(&w->values, values, n * sizeof *values);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_reals(ramus_gguf_writer *w, const char *key, const float *values,
                                  size_t n, ramus_error *err)
{
    const ramus_status st = add_array(w, key, RAMUS_GGUF_FLOAT32, n, err);
    if (st) return st;
    ramus_buffer_add(&w->values, values, n * sizeof *values);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_blob(ramus_gguf_writer *w, const char *key, const void *data,
                                 size_t size, ramus_error *err)
{
    const ramus_status st = add_array(w, key, RAMUS_GGUF_UINT8, size, err);
    if (st) return st;
    ramus_buffer_add(&w->values, data, size);
    return ramus_buffer_check(&w->values, err);
}

ramus_status ramus_gguf_add_tensor(ramus_gguf_writer *w, const ramus_gguf_tensor *tensor,
                                   ramus_error *err)
{
    ramus_gguf_tensor t = *tensor;
    ramus_error why = {0};
    char *name = NULL;
    if (ramus_gguf_measure(&t, &why))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "tensor '%.80s': %.300s", t.name, why.message);
    RAMUS_ASSERT(t.data);
    ramus_status st = copy_name(&name, "tensor", t.name, MAX_NAME, err);
    if (st) return st;
    t.name = name;
    ramus_buffer_add(&w->tensors, &t, sizeof t);
    st = ramus_buffer_check(&w->tensors, err);
    if (st) free(name);
    return st;
}

/* n records of `size` bytes that begin with their names; `what` says what they are. */
static ramus_status check_repeated(const char *what, const ramus_buffer *records, size_t size,
                                   const char *path, ramus_error *err)
{
    ramus_names names = {0};
    ramus_status st = ramus_names_init(&names, records->data, records->size / size, size, err);
    if (st) return st;
    const char *twice = ramus_names_repeated(&names);
    if (twice)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "%.200s: %s '%.80s' was added twice", path, what,
                        twice);
    ramus_names_free(&names);
    return st;
}

static void put_zeros(ramus_buffer *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ramus_buffer_add(b, "", 1);
}

/* Composes everything before the data. */
static ramus_status put_header(ramus_buffer *out, const ramus_gguf_writer *w, ramus_error *err)
{
    size_t at = 0;
    ramus_buffer_text(out, RAMUS_GGUF_MAGIC);
    put_whole(out, RAMUS_GGUF_VERSION, 4);
    put_whole(out, count(w), 8);
    put_whole(out, key_count(w), 8);
    ramus_buffer_add(out, w->values.data, w->values.size);
    for (size_t i = 0; i < count(w); i++) {
        const ramus_gguf_tensor *t = &tensors(w)[i];
        put_text(out, t->name, strlen(t->name));
        put_whole(out, (uint64_t)t->n_dims, 4);
        for (int d = 0; d < t->n_dims; d++)
            put_whole(out, t->dims[d], 8);
        put_whole(out, t->dtype, 4);
        put_whole(out, at, 8);
        RAMUS_ASSERT(t->size <= SIZE_MAX / 2 - at);
        at += ramus_gguf_pad(t->size, w->alignment);
    }
    put_zeros(out, ramus_gguf_pad(out->size, w->alignment) - out->size);
    const ramus_status st = ramus_buffer_check(out, err);
    if (st || !w->checksum) return st;
    char sum[RAMUS_GGUF_CHECKSUM + 1];
    const size_t place = RAMUS_GGUF_START + w->checksum;
    ramus_gguf_checksum(sum, out->data, out->size, place, tensors(w), count(w));
    memcpy(out->data + place, sum, RAMUS_GGUF_CHECKSUM);
    return RAMUS_OK;
}

static ramus_status write_tensors(ramus_writer *file, const ramus_gguf_writer *w, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    ramus_buffer zeros = {0};
    put_zeros(&zeros, w->alignment);
    st = ramus_buffer_check(&zeros, err);
    for (size_t i = 0; !st && i < count(w); i++) {
        const ramus_gguf_tensor *t = &tensors(w)[i];
        st = ramus_writer_write(file, t->data, t->size, err);
        if (!st)
            st = ramus_writer_write(file, zeros.data,
                                    ramus_gguf_pad(t->size, w->alignment) - t->size, err);
    }
    ramus_buffer_free(&zeros);
    return st;
}

ramus_status ramus_gguf_save(const ramus_gguf_writer *w, const char *path, ramus_error *err)
{
    return ramus_gguf_save_checked(w, path, NULL, err);
}

ramus_status ramus_gguf_save_checked(const ramus_gguf_writer *w, const char *path,
                                     ramus_gguf_check *check, ramus_error *err)
{
    ramus_buffer header = {0};
    ramus_writer *file = NULL;

    ramus_status st = check_repeated("key", &w->keys, sizeof(char *), path, err);
    if (st) goto done;
    st = check_repeated("tensor", &w->tensors, sizeof(ramus_gguf_tensor), path, err);
    if (st) goto done;
    st = ramus_buffer_check(&w->values, err);
    if (st) goto done;
    st = put_header(&header, w, err);
    if (st) goto done;
    st = ramus_writer_create(&file, path, err);
    if (st) goto done;
    st = ramus_writer_write(file, header.data, header.size, err);
    if (st) goto done;
    st = write_tensors(file, w, err);
    if (st) goto done;
    if (check && ramus_writer_beside(file)) st = check(ramus_writer_beside(file), path, err);
    if (st) goto done;
    st = ramus_writer_commit(file, err);
done:
    ramus_writer_destroy(file);
    ramus_buffer_free(&header);
    return st;
}
