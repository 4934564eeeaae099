/* gguf.h - model files: named values and tensors in one file, the container of ggml
 * (docs/FORMAT.md; github.com/ggml-org/ggml/blob/master/docs/gguf.md), version 3, little-endian.
 *
 * Reading maps the file; tensors and values are used in place. Everything that the functions below
 * give out is checked when the file is opened. An open file is read-only and serves any number of
 * threads. */
#ifndef RAMUS_FORMAT_GGUF_H
#define RAMUS_FORMAT_GGUF_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMUS_GGUF_DIMS 4 // dimensions of a tensor, at most

/* Types of tensors with ggml's numbers; a file with another type is refused. */
typedef enum ramus_gguf_dtype {
    RAMUS_GGUF_F32 = 0,
    RAMUS_GGUF_F16 = 1,
    RAMUS_GGUF_I8 = 24,
    RAMUS_GGUF_I16 = 25,
    RAMUS_GGUF_I32 = 26,
    RAMUS_GGUF_I64 = 27,
    RAMUS_GGUF_F64 = 28,
    RAMUS_GGUF_BF16 = 30
} ramus_gguf_dtype;

const char *ramus_gguf_dtype_name(ramus_gguf_dtype dtype); // "F32"
size_t ramus_gguf_dtype_size(ramus_gguf_dtype dtype);      // bytes of one value

typedef struct ramus_gguf_tensor {
    const char *name;
    ramus_gguf_dtype dtype;
    int n_dims;                   // 0: one value
    size_t dims[RAMUS_GGUF_DIMS]; // fastest first: a matrix [out, in] has {in, out}
    const void *data;             // aligned, see ramus_gguf_open()
    size_t size;                  // bytes
    size_t count;                 // values, at least 1
} ramus_gguf_tensor;

/* Types of metadata with the numbers of the file. */
typedef enum ramus_gguf_type {
    RAMUS_GGUF_UINT8,
    RAMUS_GGUF_INT8,
    RAMUS_GGUF_UINT16,
    RAMUS_GGUF_INT16,
    RAMUS_GGUF_UINT32,
    RAMUS_GGUF_INT32,
    RAMUS_GGUF_FLOAT32,
    RAMUS_GGUF_BOOL,
    RAMUS_GGUF_STRING,
    RAMUS_GGUF_ARRAY, // in files only: a value has the type of its elements
    RAMUS_GGUF_UINT64,
    RAMUS_GGUF_INT64,
    RAMUS_GGUF_FLOAT64
} ramus_gguf_type;

const char *ramus_gguf_type_name(ramus_gguf_type type); // "uint8"

/* One entry of the metadata: a single value, or an array of them. */
typedef struct ramus_gguf_value {
    const char *key;
    ramus_gguf_type type; // of each element
    bool is_array;
    size_t count;             // elements; 1 when it is no array
    const void *data;         // as in the file, not aligned; the text itself when it is one text
    size_t size;              // bytes of data; the length when it is one text
    const char *const *texts; // private: where each text of an array begins
} ramus_gguf_value;

typedef struct ramus_gguf ramus_gguf;

/* Whether the file at `path` begins like one of these. */
RAMUS_CHECKED ramus_status ramus_gguf_detect(bool *out, const char *path, ramus_error *err);

/* Maps and checks the file. The caller ends *out with ramus_gguf_close(). Tensors are aligned to
 * ramus_gguf_alignment(), or to a page where that is less. */
RAMUS_CHECKED ramus_status ramus_gguf_open(ramus_gguf **out, const char *path, ramus_error *err);

/* As ramus_gguf_open() for a file in memory that stays the caller's and unchanged until close.
 * `data` is aligned to 8 at least, and tensors are aligned no better than it is. Errors call it
 * `label`. */
RAMUS_CHECKED ramus_status ramus_gguf_open_memory(ramus_gguf **out, const void *data, size_t size,
                                                  const char *label, ramus_error *err);
void ramus_gguf_close(ramus_gguf *g); // NULL is fine

size_t ramus_gguf_alignment(const ramus_gguf *g); // a power of two, 8 to 65536

/* Tensors in the order of the file. What is given out is valid until close; what is not found is
 * NULL. */
int ramus_gguf_count(const ramus_gguf *g);
const ramus_gguf_tensor *ramus_gguf_at(const ramus_gguf *g, int i);
const ramus_gguf_tensor *ramus_gguf_find(const ramus_gguf *g, const char *name);

/* Reads the whole file and compares it with the checksum that `key` has (ramus_gguf_save()); sets
 * *found to whether it has one. Damage is an error whose message leaves out the file. */
RAMUS_CHECKED ramus_status ramus_gguf_verify(const ramus_gguf *g, const char *key, bool *found,
                                             ramus_error *err);

/* The same of each tensor: `key` has an array of uint64, the hashes of the tensors' data in their
 * order. The message names the tensor that is damaged. */
RAMUS_CHECKED ramus_status ramus_gguf_verify_tensors(const ramus_gguf *g, const char *key,
                                                     bool *found, ramus_error *err);

/* Metadata in the order of the file, valid until close; NULL where not found. */
int ramus_gguf_value_count(const ramus_gguf *g);
const ramus_gguf_value *ramus_gguf_value_at(const ramus_gguf *g, int i);
const ramus_gguf_value *ramus_gguf_value_find(const ramus_gguf *g, const char *key);

/* Element `i` < v->count of an array; element 0 of a single value. No zero ends a text. */
uint64_t ramus_gguf_uint_at(const ramus_gguf_value *v, size_t i); // uint8 to uint64, bool
int64_t ramus_gguf_int_at(const ramus_gguf_value *v, size_t i);   // int8 to int64
double ramus_gguf_real_at(const ramus_gguf_value *v, size_t i);   // float32, float64
const char *ramus_gguf_text_at(const ramus_gguf_value *v, size_t i, size_t *size);

/* Metadata that must be there: a key that is missing or of another type is an error. Its message
 * names the key; the caller adds the file. Integers may have any width that holds them, reals may
 * be float32 or float64. */
RAMUS_CHECKED ramus_status ramus_gguf_get_uint(const ramus_gguf *g, const char *key, uint64_t *out,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_get_int(const ramus_gguf *g, const char *key, int64_t *out,
                                              ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_get_real(const ramus_gguf *g, const char *key, double *out,
                                               ramus_error *err); // maybe infinite or no number
RAMUS_CHECKED ramus_status ramus_gguf_get_bool(const ramus_gguf *g, const char *key, bool *out,
                                               ramus_error *err);

/* The text is UTF-8, `size` bytes in the file; no zero ends it, and it may have some. */
RAMUS_CHECKED ramus_status ramus_gguf_get_text(const ramus_gguf *g, const char *key,
                                               const char **out, size_t *size, ramus_error *err);

/* An array of exactly this type. One of uint8 is a blob: count bytes at data. */
RAMUS_CHECKED ramus_status ramus_gguf_get_array(const ramus_gguf *g, const char *key,
                                                ramus_gguf_type type, const ramus_gguf_value **out,
                                                ramus_error *err);

/* A file being put together. One thread. */
typedef struct ramus_gguf_writer ramus_gguf_writer;

/* `alignment` of tensors: a power of two, 8 to 65536. It is the file's first key. */
RAMUS_CHECKED ramus_status ramus_gguf_create(ramus_gguf_writer **out, size_t alignment,
                                             ramus_error *err);
void ramus_gguf_destroy(ramus_gguf_writer *w); // NULL is fine

/* Copy key and value. Keys have 1 to 65535 bytes; they and texts are UTF-8. */
RAMUS_CHECKED ramus_status ramus_gguf_add_uint(ramus_gguf_writer *w, const char *key,
                                               uint32_t value, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_real(ramus_gguf_writer *w, const char *key, float value,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_bool(ramus_gguf_writer *w, const char *key, bool value,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_text(ramus_gguf_writer *w, const char *key,
                                               const char *text, size_t size, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_texts(ramus_gguf_writer *w, const char *key,
                                                const char *const *texts, size_t n,
                                                ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_ints(ramus_gguf_writer *w, const char *key,
                                               const int32_t *values, size_t n, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_reals(ramus_gguf_writer *w, const char *key,
                                                const float *values, size_t n, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_add_blob(ramus_gguf_writer *w, const char *key,
                                               const void *data, size_t size, ramus_error *err);

/* A text that save sets to the checksum of the file: 16 digits that stand for the bytes before the
 * digits, those behind them in front of the data, and the data of each tensor (base/hash.h). */
RAMUS_CHECKED ramus_status ramus_gguf_add_checksum(ramus_gguf_writer *w, const char *key,
                                                   ramus_error *err);

/* An array of the hashes of all tensors that were added, for ramus_gguf_verify_tensors(): comes
 * after the last of them. */
RAMUS_CHECKED ramus_status ramus_gguf_add_tensor_checksums(ramus_gguf_writer *w, const char *key,
                                                           ramus_error *err);

/* Takes name, dtype, n_dims, dims and data; size and count follow from them. The name, in UTF-8 and
 * of at most 63 bytes as ggml has it, is copied; the data stays the caller's and is read by save.
 * No dimension is 0. */
RAMUS_CHECKED ramus_status ramus_gguf_add_tensor(ramus_gguf_writer *w,
                                                 const ramus_gguf_tensor *tensor, ramus_error *err);

/* Replaces the file at `path` as a whole; after a failure the old one is still there. A name or a
 * key that was added twice is an error. The same additions in the same order give the same bytes.
 */
RAMUS_CHECKED ramus_status ramus_gguf_save(const ramus_gguf_writer *w, const char *path,
                                           ramus_error *err);

/* The same; the file takes its place only if `check` finds nothing wrong with it. Until then its
 * bytes are at `beside`. Pipes and devices are not checked. */
typedef ramus_status ramus_gguf_check(const char *beside, const char *path, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_gguf_save_checked(const ramus_gguf_writer *w, const char *path,
                                                   ramus_gguf_check *check, ramus_error *err);

#endif
