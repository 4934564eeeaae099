/* safetensors_header.h - the header of a safetensors file, each tensor checked alone.
 *
 * A file is the length of the header (64 bits, little-endian), the header (JSON) and the data.
 * Private to safetensors.c, which checks how the tensors lie together, and the writer. */
#ifndef RAMUS_FORMAT_SAFETENSORS_HEADER_H
#define RAMUS_FORMAT_SAFETENSORS_HEADER_H

#include "base/buffer.h"
#include "format/safetensors.h"

#include <stdbool.h>

#define RAMUS_SAFETENSORS_LENGTH     8         // bytes of the length
#define RAMUS_SAFETENSORS_MAX_HEADER 100000000 // bytes of the header; others have the same limit
#define RAMUS_SAFETENSORS_METADATA   "__metadata__" // the key that names no tensor

/* Sets count and size from dtype and shape; more bytes than memory can have is an error. */
RAMUS_CHECKED ramus_status ramus_safetensor_measure(ramus_safetensor *t, ramus_error *err);

/* Starts as {0}. */
typedef struct ramus_safetensors_header {
    ramus_buffer tensors;  // ramus_safetensor, in the order of the header
    ramus_buffer metadata; // ramus_safetensors_metadata, in the order of the header
    char *texts;           // every name, key and value, each with its zero
} ramus_safetensors_header;

/* Reads the header, which ends where the data begins, of a file of `size` bytes. Tensors point into
 * `bytes`; names are the header's own. `err` is not NULL: its sentence is put together here. The
 * caller ends `h` with ramus_safetensors_header_free(), also after a failure. */
RAMUS_CHECKED ramus_status ramus_safetensors_header_read(ramus_safetensors_header *h,
                                                         const unsigned char *bytes, size_t data_at,
                                                         size_t size, ramus_error *err);
void ramus_safetensors_header_free(ramus_safetensors_header *h); // back to {0}

#endif
