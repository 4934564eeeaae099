/* The first bytes tell the format; archives become a list of tensors. */
#include "format/tensors.h"

#include "base/list.h"
#include "base/map.h"
#include "base/utf8.h"
#include "format/names.h"
#include "format/tensor_list.h"

#include <stdlib.h>
#include <string.h>

struct ramus_tensors {
    ramus_file mapped; // {0} when the bytes are the caller's
    ramus_file file;
    ramus_safetensors *safetensors; // NULL: an archive
    ramus_stored archive;
    ramus_tensor_list list;
    ramus_names names;
};

void ramus_tensor_list_free(ramus_tensor_list *l)
{
    for (int i = 0; i < l->n; i++)
        free((char *)l->items[i].name);
    free(l->items);
    *l = (ramus_tensor_list){0};
}

ramus_status ramus_tensor_list_add(ramus_tensor_list *l, const char *name, size_t name_size,
                                   const ramus_safetensor *t, size_t room, ramus_error *err)
{
    size_t count = 1;
    const size_t value = ramus_safetensor_dtype_size(t->dtype);
    if (name_size == 0 || name_size > 1024 || memchr(name, 0, name_size) ||
        ramus_utf8_check(name, name_size) < name_size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "tensor %d has a name of %zu bytes, expected 1 to 1024 of UTF-8", l->n,
                          name_size);
    for (int i = 0; i < t->rank; i++) {
        if (t->shape[i] && count > (size_t)-1 / value / t->shape[i])
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "tensor '%.*s' has more values than memory has addresses",
                              (int)(name_size < 80 ? name_size : 80), name);
        count *= t->shape[i];
    }
    if (count * value > room)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "tensor '%.*s' has %zu values in %zu bytes, expected %zu bytes",
                          (int)(name_size < 80 ? name_size : 80), name, count, room, count * value);
    ramus_status st =
        RAMUS_LIST_RESERVE(l->items, l->room, (size_t)l->n + 1, "the list of tensors", err);
    if (st) return st;
    char *copy = malloc(name_size + 1);
    if (!copy) return ramus_fail_memory(err, "the list of tensors");
    memcpy(copy, name, name_size);
    copy[name_size] = '\0';
    ramus_safetensor *to = &l->items[l->n++];
    *to = *t;
    to->name = copy;
    to->count = count;
    to->size = count * value;
    return RAMUS_OK;
}

static ramus_status read_archive(ramus_tensors *t, ramus_error *err)
{
    ramus_status st = ramus_stored_read(&t->archive, t->file.data, t->file.size, err);
    if (st) return st;
    const ramus_stored_entry *pickle = ramus_stored_find(&t->archive, "data.pkl");
    return pickle ? ramus_pickle_read(&t->list, &t->archive, pickle, err)
                  : ramus_npz_read(&t->list, &t->archive, err);
}

static ramus_status index_names(ramus_tensors *t, ramus_error *err)
{
    const ramus_status st =
        ramus_names_init(&t->names, t->list.items, (size_t)t->list.n, sizeof *t->list.items, err);
    const char *twice = st ? NULL : ramus_names_repeated(&t->names);
    if (twice)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "tensor '%.80s': its name appears twice", twice);
    return st;
}

static ramus_status read_tensors(ramus_tensors *t, ramus_error *err)
{
    const unsigned char *data = t->file.data;
    const size_t size = t->file.size;
    ramus_status st = RAMUS_OK;
    if (ramus_stored_is(data, size))
        st = read_archive(t, err);
    else if (ramus_old_torch_is(data, size))
        st = ramus_old_torch_read(&t->list, &t->archive, data, size, err);
    else
        return ramus_safetensors_open_memory(&t->safetensors, data, size, "the file", err);
    return st ? st : index_names(t, err);
}

ramus_status ramus_tensors_open_memory(ramus_tensors **out, const void *data, size_t size,
                                       ramus_error *err)
{
    ramus_tensors *t = calloc(1, sizeof *t);
    if (!t) return ramus_fail_memory(err, "the list of tensors");
    t->file = (ramus_file){data, size};
    const ramus_status st = read_tensors(t, err);
    if (st)
        ramus_tensors_close(t);
    else
        *out = t;
    return st;
}

ramus_status ramus_tensors_open(ramus_tensors **out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    st = ramus_tensors_open_memory(out, file.data, file.size, err);
    if (!st) {
        (*out)->mapped = file;
        return RAMUS_OK;
    }
    ramus_file_unmap(&file);
    return ramus_fail_in(err, st, path);
}

void ramus_tensors_close(ramus_tensors *t)
{
    if (!t) return;
    ramus_names_free(&t->names);
    ramus_tensor_list_free(&t->list);
    ramus_stored_free(&t->archive);
    ramus_safetensors_close(t->safetensors);
    ramus_file_unmap(&t->mapped);
    free(t);
}

int ramus_tensors_count(const ramus_tensors *t)
{
    return t->safetensors ? ramus_safetensors_count(t->safetensors) : t->list.n;
}

const ramus_safetensor *ramus_tensors_at(const ramus_tensors *t, int i)
{
    return t->safetensors ? ramus_safetensors_at(t->safetensors, i) : &t->list.items[i];
}

const ramus_safetensor *ramus_tensors_find(const ramus_tensors *t, const char *name)
{
    return t->safetensors ? ramus_safetensors_find(t->safetensors, name)
                          : ramus_names_find(&t->names, name);
}
