/* Five pickles one behind the other: a magic number, a version, sizes of C's types, the object, and
 * the keys of its storages. Behind them the storages in that order, each with the number of its
 * values before it. The object is read twice: to learn how large storages are, then with them. */
#include "format/tensor_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 64 // of a key

/* PROTO 2, the number 0x1950a86a20f9469cfc6c; PROTO 2, 1001; each with STOP */
static const unsigned char magic[] = {0x80, 2,    0x8a, 10,   0x6c, 0xfc, 0x9c,
                                      0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
                                      '.',  0x80, 2,    'M',  0xe9, 3,    '.'};

bool ramus_old_torch_is(const unsigned char *data, size_t size)
{
    return size >= 15 && memcmp(data, magic, 15) == 0;
}

/* The pickle at *at without its storages; *at moves behind it. */
static ramus_status look(ramus_pickle_survey *out, ramus_stored_entry *pickle,
                         const unsigned char *data, size_t size, size_t *at, ramus_error *err)
{
    size_t end = 0;
    *pickle = (ramus_stored_entry){"data.pkl", data + *at, size - *at};
    const ramus_status st = ramus_pickle_look(out, pickle, &end, err);
    *at += end;
    return st;
}

static const ramus_pickle_storage *find(const ramus_pickle_survey *s,
                                        const ramus_pickle_storage *key)
{
    for (int i = 0; i < s->n_storages; i++)
        if (s->storages[i].key_size == key->key_size &&
            memcmp(s->storages[i].key, key->key, key->key_size) == 0)
            return &s->storages[i];
    return NULL;
}

/* Entry data/KEY for the storage at *at, which moves behind it. */
static ramus_status add_storage(ramus_stored *out, const ramus_pickle_storage *storage,
                                const unsigned char *data, size_t size, size_t *at,
                                ramus_error *err)
{
    uint64_t count = 0;
    if (!storage || storage->key_size > NAME_MOST || memchr(storage->key, 0, storage->key_size))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "storage %d is of no tensor of the file", out->n);
    for (size_t i = 0; i < 8 && size - *at >= 8; i++)
        count |= (uint64_t)data[*at + i] << 8 * i;
    if (size - *at < 8 || count != storage->size / storage->value || storage->size > size - *at - 8)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "storage %d has %llu values, expected %zu, and %zu bytes for them",
                          out->n, (unsigned long long)count, storage->size / storage->value,
                          storage->size);
    char *name = out->names + (size_t)out->n * (NAME_MOST + sizeof "data/");
    memcpy(name, "data/", 5);
    memcpy(name + 5, storage->key, storage->key_size);
    name[5 + storage->key_size] = '\0';
    out->entries[out->n++] = (ramus_stored_entry){name, data + *at + 8, storage->size};
    *at += 8 + storage->size;
    return RAMUS_OK;
}

ramus_status ramus_old_torch_read(ramus_tensor_list *out, ramus_stored *entries,
                                  const unsigned char *data, size_t size, ramus_error *err)
{
    ramus_pickle_survey object = {0}, other = {0}, keys = {0};
    ramus_stored_entry pickle, last;
    size_t at = sizeof magic;
    if (size < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "is no file of PyTorch's version 1001");
    ramus_status st = look(&other, &last, data, size, &at, err);
    if (!st) st = look(&object, &pickle, data, size, &at, err);
    if (!st) st = look(&keys, &last, data, size, &at, err);
    const size_t n = (size_t)keys.n_listed;
    if (!st) {
        entries->entries = calloc(n + 1, sizeof *entries->entries);
        entries->names = calloc(n + 1, NAME_MOST + sizeof "data/");
        if (!entries->entries || !entries->names) st = ramus_fail_memory(err, "storages");
    }
    for (size_t i = 0; i < n && !st; i++)
        st = add_storage(entries, find(&object, &keys.listed[i]), data, size, &at, err);
    if (!st && at != size)
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "%zu bytes follow its last storage", size - at);
    if (!st) st = ramus_pickle_read(out, entries, &pickle, err);
    ramus_pickle_survey_free(&object);
    ramus_pickle_survey_free(&other);
    ramus_pickle_survey_free(&keys);
    return st;
}
