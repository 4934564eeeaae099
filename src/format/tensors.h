/* tensors.h - the tensors of a file by name, whatever its format: safetensors, PyTorch's archive
 * with a pickle, NumPy's .npz.
 *
 * A pickle is a program. This reader knows the few instructions that a file of tensors has and the
 * few names that it may call, and builds tensors alone; anything else is refused, and nothing is
 * ever executed. The file is mapped and tensors are used in place. Read-only, any number of
 * threads. */
#ifndef RAMUS_FORMAT_TENSORS_H
#define RAMUS_FORMAT_TENSORS_H

#include "format/safetensors.h"

typedef struct ramus_tensors ramus_tensors;

/* The caller ends *out with ramus_tensors_close(). Data may lie at any address: it is to be copied
 * before it is read as numbers. */
RAMUS_CHECKED ramus_status ramus_tensors_open(ramus_tensors **out, const char *path,
                                              ramus_error *err);

/* As ramus_tensors_open() for a file in memory, aligned to 8, that stays the caller's and unchanged
 * until close. */
RAMUS_CHECKED ramus_status ramus_tensors_open_memory(ramus_tensors **out, const void *data,
                                                     size_t size, ramus_error *err);
void ramus_tensors_close(ramus_tensors *t); // NULL is fine

int ramus_tensors_count(const ramus_tensors *t);
const ramus_safetensor *ramus_tensors_at(const ramus_tensors *t, int i);
const ramus_safetensor *ramus_tensors_find(const ramus_tensors *t, const char *name); // or NULL

#endif
