/* gguf_header.h - what stands before the data of a GGUF file, every entry checked.
 *
 * Private to gguf.c, which indexes the entries, and the writer. */
#ifndef RAMUS_FORMAT_GGUF_HEADER_H
#define RAMUS_FORMAT_GGUF_HEADER_H

#include "base/buffer.h"
#include "format/gguf.h"

#define RAMUS_GGUF_MAGIC             "GGUF"
#define RAMUS_GGUF_VERSION           3
#define RAMUS_GGUF_START             24    // bytes of magic, version and the two counts
#define RAMUS_GGUF_MAX_KEY           65535 // bytes of a key; the limit of the format
#define RAMUS_GGUF_ALIGNMENT         "general.alignment"
#define RAMUS_GGUF_DEFAULT_ALIGNMENT 32

bool ramus_gguf_alignment_fits(uint64_t alignment); // a power of two, 8 to 65536

/* `size` rounded up to a multiple of `alignment`. */
size_t ramus_gguf_pad(size_t size, size_t alignment);

/* Sets count and size from dtype and dims; an empty dimension, or more bytes than memory can have,
 * is an error. */
RAMUS_CHECKED ramus_status ramus_gguf_measure(ramus_gguf_tensor *t, ramus_error *err);

/* Whether tensors of ggml's type `number` can be read. */
RAMUS_CHECKED ramus_status ramus_gguf_dtype_check(uint64_t number, ramus_error *err);

uint64_t ramus_gguf_whole(const void *bytes, size_t size); // little-endian, 1 to 8 bytes
size_t ramus_gguf_type_size(ramus_gguf_type type);         // bytes of one value; 0: they differ

#define RAMUS_GGUF_CHECKSUM 16 // digits

/* Writes the checksum of a file whose header is those bytes, with the digits at `at` in it. */
void ramus_gguf_checksum(char sum[RAMUS_GGUF_CHECKSUM + 1], const char *header, size_t size,
                         size_t at, const ramus_gguf_tensor *tensors, size_t n);

/* Starts as {0}. */
typedef struct ramus_gguf_header {
    ramus_buffer values;  // ramus_gguf_value, in the order of the file
    ramus_buffer tensors; // ramus_gguf_tensor, in the order of the file
    ramus_buffer texts;   // const char *: each text of an array; its length is before it
    char *names;          // every key and name, each with its zero
    size_t alignment;
} ramus_gguf_header;

/* Reads the header of a file of `size` bytes and finds the data. Values and tensors point into
 * `bytes`; keys and names are the header's own. Several entries may have one name. The caller ends
 * `h` with ramus_gguf_header_free(), also after a failure. */
RAMUS_CHECKED ramus_status ramus_gguf_header_read(ramus_gguf_header *h, const unsigned char *bytes,
                                                  size_t size, ramus_error *err);
void ramus_gguf_header_free(ramus_gguf_header *h); // back to {0}

#endif
