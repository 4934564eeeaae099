/* tensor_list.h - tensors while a file is being read; for the readers of this folder. */
#ifndef RAMUS_FORMAT_TENSOR_LIST_H
#define RAMUS_FORMAT_TENSOR_LIST_H

#include "format/safetensors.h"
#include "format/stored.h"

typedef struct ramus_tensor_list {
    ramus_safetensor *items; // names are the list's, data is the archive's
    int n;
    size_t room;
} ramus_tensor_list;

void ramus_tensor_list_free(ramus_tensor_list *l); // back to {0}

/* Adds a tensor of so many bytes from `data` on, of which `room` are there; name: `size` bytes.
 * Sets count and size, which must be in there. */
RAMUS_CHECKED ramus_status ramus_tensor_list_add(ramus_tensor_list *l, const char *name,
                                                 size_t name_size, const ramus_safetensor *t,
                                                 size_t room, ramus_error *err);

/* The tensors of NumPy's archive, and of PyTorch's. */
RAMUS_CHECKED ramus_status ramus_npz_read(ramus_tensor_list *out, const ramus_stored *archive,
                                          ramus_error *err);
RAMUS_CHECKED ramus_status ramus_pickle_read(ramus_tensor_list *out, const ramus_stored *archive,
                                             const ramus_stored_entry *pickle, ramus_error *err);

/* The same of PyTorch's format of before version 1.6: whether it is one, and its tensors. `entries`
 * become the storages; the caller ends them with ramus_stored_free(). */
bool ramus_old_torch_is(const unsigned char *data, size_t size);
RAMUS_CHECKED ramus_status ramus_old_torch_read(ramus_tensor_list *out, ramus_stored *entries,
                                                const unsigned char *data, size_t size,
                                                ramus_error *err);

/* A storage by its key, which is in the pickle. */
typedef struct ramus_pickle_storage {
    const char *key;
    size_t key_size;
    size_t value, size; // bytes of a value, and of all
} ramus_pickle_storage;

/* What a pickle has without its storages: those that it names, and the items of its lists. */
typedef struct ramus_pickle_survey {
    ramus_pickle_storage *storages, *listed;
    int n_storages, n_listed;
    size_t storage_room, listed_room;
} ramus_pickle_survey;

/* Adds to *out, and sets *end to the bytes of the pickle, behind which others may follow. */
RAMUS_CHECKED ramus_status ramus_pickle_look(ramus_pickle_survey *out,
                                             const ramus_stored_entry *pickle, size_t *end,
                                             ramus_error *err);
void ramus_pickle_survey_free(ramus_pickle_survey *s); // back to {0}

#endif
