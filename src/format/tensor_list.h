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

#endif
