/* Each entry NAME.npy is an array: a magic, the size of a header, and the header, which is the text
 * of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } (NumPy's
 * format versions 1 to 3). Arrays of rows are read; columns first are refused. */
#include "format/tensor_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *descr;
    ramus_safetensor_dtype dtype;
} types[] = {
    {"<f8", RAMUS_SAFETENSOR_F64},  {"<f4", RAMUS_SAFETENSOR_F32}, {"<f2", RAMUS_SAFETENSOR_F16},
    {"<i8", RAMUS_SAFETENSOR_I64},  {"<i4", RAMUS_SAFETENSOR_I32}, {"<i2", RAMUS_SAFETENSOR_I16},
    {"|i1", RAMUS_SAFETENSOR_I8},   {"<i1", RAMUS_SAFETENSOR_I8},  {"<u8", RAMUS_SAFETENSOR_U64},
    {"<u4", RAMUS_SAFETENSOR_U32},  {"<u2", RAMUS_SAFETENSOR_U16}, {"|u1", RAMUS_SAFETENSOR_U8},
    {"|b1", RAMUS_SAFETENSOR_BOOL},
};

/* A header being read. */
typedef struct {
    const char *at, *end;
} header;

static void skip_space(header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
        h->at++;
}

/* Whether this comes next; passes over it. */
static bool take(header *h, const char *text)
{
    const size_t n = strlen(text);
    skip_space(h);
    if ((size_t)(h->end - h->at) < n || memcmp(h->at, text, n) != 0) return false;
    h->at += n;
    return true;
}

static bool take_type(header *h, ramus_safetensor_dtype *out)
{
    if (!take(h, "'")) return false;
    for (int i = 0; i < RAMUS_COUNT(types); i++)
        if (take(h, types[i].descr)) {
            *out = types[i].dtype;
            return take(h, "'");
        }
    return false;
}

/* (3, 4), (3,) or () */
static bool take_shape(header *h, ramus_safetensor *t)
{
    if (!take(h, "(")) return false;
    for (t->rank = 0; !take(h, ")"); t->rank++) {
        size_t n = 0;
        const char *start = h->at;
        if (t->rank == RAMUS_SAFETENSOR_RANK) return false;
        for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
            if (n > (size_t)-1 / 16) return false;
            n = n * 10 + (size_t)(*h->at - '0');
        }
        if (h->at == start) return false;
        t->shape[t->rank] = n;
        if (!take(h, ",")) {
            t->rank++;
            return take(h, ")");
        }
    }
    return true;
}

static bool take_header(header *h, ramus_safetensor *t)
{
    unsigned seen = 0;
    if (!take(h, "{")) return false;
    while (!take(h, "}")) {
        if (take(h, "'descr':")) {
            seen |= 1;
            if (!take_type(h, &t->dtype)) return false;
        } else if (take(h, "'fortran_order':")) {
            seen |= 2;
            if (!take(h, "False")) return false;
        } else if (take(h, "'shape':")) {
            seen |= 4;
            if (!take_shape(h, t)) return false;
        } else {
            return false;
        }
        if (!take(h, ",")) {
            if (!take(h, "}")) return false;
            break;
        }
    }
    skip_space(h);
    return seen == 7 && h->at == h->end;
}

static ramus_status read_array(ramus_tensor_list *out, const ramus_stored_entry *e,
                               ramus_error *err)
{
    static const char magic[] = "\x93NUMPY", suffix[] = ".npy";
    ramus_safetensor t = {0};
    const size_t name = strlen(e->name), end = sizeof suffix - 1;
    if (name <= end || strcmp(e->name + name - end, suffix) != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the archive has an entry '%.80s', expected names that end with .npy",
                          e->name);
    const size_t before = e->size > 6 && e->data[6] == 1 ? 10 : 12;
    if (e->size < before || memcmp(e->data, magic, 6) != 0 || e->data[6] < 1 || e->data[6] > 3)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "'%.80s' is no array of NumPy", e->name);
    size_t size = 0;
    for (size_t i = 8; i < before; i++)
        size |= (size_t)e->data[i] << 8 * (i - 8);
    if (size > e->size - before)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "'%.80s' has a header of %zu bytes, but only %zu "
                          "follow",
                          e->name, size, e->size - before);
    const char *text = (const char *)e->data + before;
    header h = {text, text + size};
    if (!take_header(&h, &t))
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "'%.80s' has a header that is not of an array of numbers by rows (byte "
                          "%zu of it)",
                          e->name, (size_t)(h.at - text));
    t.data = text + size;
    return ramus_tensor_list_add(out, e->name, name - end, &t, e->size - before - size, err);
}

ramus_status ramus_npz_read(ramus_tensor_list *out, const ramus_stored *archive, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < archive->n && !st; i++)
        st = read_array(out, &archive->entries[i], err);
    return st;
}
