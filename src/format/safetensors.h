/* safetensors.h - checkpoints: named tensors and texts in one file
 * (huggingface.co/docs/safetensors).
 *
 * Reading maps the file; tensors are used in place. The whole header is checked when the file is
 * opened, so the results of the functions below can be trusted. An open file is read-only and
 * serves any number of threads. Values are little-endian in the file and in memory. */
#ifndef RAMUS_FORMAT_SAFETENSORS_H
#define RAMUS_FORMAT_SAFETENSORS_H

#include "base/status.h"

#include <stddef.h>

#define RAMUS_SAFETENSOR_RANK 8 // dimensions of a tensor, at most

typedef enum ramus_safetensor_dtype {
    RAMUS_SAFETENSOR_F64,
    RAMUS_SAFETENSOR_F32,
    RAMUS_SAFETENSOR_F16,
    RAMUS_SAFETENSOR_BF16,
    RAMUS_SAFETENSOR_I64,
    RAMUS_SAFETENSOR_I32,
    RAMUS_SAFETENSOR_I16,
    RAMUS_SAFETENSOR_I8,
    RAMUS_SAFETENSOR_U64,
    RAMUS_SAFETENSOR_U32,
    RAMUS_SAFETENSOR_U16,
    RAMUS_SAFETENSOR_U8,
    RAMUS_SAFETENSOR_BOOL
} ramus_safetensor_dtype;

const char *ramus_safetensor_dtype_name(ramus_safetensor_dtype dtype); // as in the file: "F32"
size_t ramus_safetensor_dtype_size(ramus_safetensor_dtype dtype);      // bytes of one value

typedef struct ramus_safetensor {
    const char *name;
    ramus_safetensor_dtype dtype;
    int rank; // 0: one value
    size_t shape[RAMUS_SAFETENSOR_RANK];
    const void *data; // aligned to the size of one value
    size_t size;      // bytes
    size_t count;     // values
} ramus_safetensor;

typedef struct ramus_safetensors_metadata {
    const char *key, *value;
} ramus_safetensors_metadata;

typedef struct ramus_safetensors ramus_safetensors;

/* Maps and checks the file. The caller ends *out with ramus_safetensors_close(). Data must lie at a
 * multiple of its type's size or of 4: programs that order tensors by name put 8-byte types behind
 * 4-byte ones, and such tensors are copied. */
RAMUS_CHECKED ramus_status ramus_safetensors_open(ramus_safetensors **out, const char *path,
                                                  ramus_error *err);

/* As ramus_safetensors_open() for a file in memory, aligned to 8, that stays the caller's and
 * unchanged until close. Errors call it `label`. */
RAMUS_CHECKED ramus_status ramus_safetensors_open_memory(ramus_safetensors **out, const void *data,
                                                         size_t size, const char *label,
                                                         ramus_error *err);
void ramus_safetensors_close(ramus_safetensors *s); // NULL is fine

/* Tensors in the order of their data. What is given out is valid until close; what is not found is
 * NULL. */
int ramus_safetensors_count(const ramus_safetensors *s);
const ramus_safetensor *ramus_safetensors_at(const ramus_safetensors *s, int i);
const ramus_safetensor *ramus_safetensors_find(const ramus_safetensors *s, const char *name);

/* Metadata in the order of the file. */
int ramus_safetensors_metadata_count(const ramus_safetensors *s);
const ramus_safetensors_metadata *ramus_safetensors_metadata_at(const ramus_safetensors *s, int i);
const char *ramus_safetensors_metadata_find(const ramus_safetensors *s, const char *key);

/* A file being put together. One thread. */
typedef struct ramus_safetensors_writer ramus_safetensors_writer;

RAMUS_CHECKED ramus_status ramus_safetensors_create(ramus_safetensors_writer **out,
                                                    ramus_error *err);
void ramus_safetensors_destroy(ramus_safetensors_writer *w); // NULL is fine

/* Copies key and value, which are UTF-8. */
RAMUS_CHECKED ramus_status ramus_safetensors_add_metadata(ramus_safetensors_writer *w,
                                                          const char *key, const char *value,
                                                          ramus_error *err);

/* Takes name, dtype, rank, shape and data; size and count follow from them. The name, in UTF-8, is
 * copied; the data stays the caller's and is read by save. */
RAMUS_CHECKED ramus_status ramus_safetensors_add_tensor(ramus_safetensors_writer *w,
                                                        const ramus_safetensor *tensor,
                                                        ramus_error *err);

/* Replaces the file at `path` as a whole; after a failure the old one is still there. A name or a
 * key that was added twice is an error. The same additions give the same bytes: tensors of wider
 * types first, otherwise as they were added; the data begins at a multiple of 64. */
RAMUS_CHECKED ramus_status ramus_safetensors_save(const ramus_safetensors_writer *w,
                                                  const char *path, ramus_error *err);

#endif
