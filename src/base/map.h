/* map.h - a whole file mapped for reading. */
#ifndef RAMUS_BASE_MAP_H
#define RAMUS_BASE_MAP_H

#include "base/status.h"

#include <stddef.h>

/* Starts as {0}. */
typedef struct ramus_file {
    const unsigned char *data; // NULL for an empty file
    size_t size;
} ramus_file;

/* Maps the whole file. A folder, a pipe or a missing file is an error. */
RAMUS_CHECKED ramus_status ramus_file_map(ramus_file *out, const char *path, ramus_error *err);
void ramus_file_unmap(ramus_file *file); // {0} is fine

#endif
