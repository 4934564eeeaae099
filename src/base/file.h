/* file.h - whole files: mapped for reading, written so that a reader sees the old or the new one;
 * and where the program's own lie. */
#ifndef RAMUS_BASE_FILE_H
#define RAMUS_BASE_FILE_H

#include "base/status.h"

#include <stddef.h>

/* A file mapped read-only. Starts as {0}. */
typedef struct ramus_file {
    const unsigned char *data; // NULL for an empty file
    size_t size;
} ramus_file;

/* Maps the whole file. A folder, a pipe or a missing file is an error. */
RAMUS_CHECKED ramus_status ramus_file_map(ramus_file *out, const char *path, ramus_error *err);
void ramus_file_unmap(ramus_file *file); // {0} is fine

/* The folder of the running program, without a slash at its end; "" when it is not known or `size`
 * bytes do not hold it. */
void ramus_program_folder(char *folder, size_t size);

/* A file being replaced: bytes go to a temporary file beside it, which takes its name on commit. */
typedef struct ramus_writer ramus_writer;

RAMUS_CHECKED ramus_status ramus_writer_create(ramus_writer **out, const char *path,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_writer_write(ramus_writer *w, const void *data, size_t size,
                                              ramus_error *err);

/* Syncs, renames, syncs the folder. After success the new file survives a power cut. */
RAMUS_CHECKED ramus_status ramus_writer_commit(ramus_writer *w, ramus_error *err);

/* Frees `w`; what was not committed is removed and the old file stays. NULL is fine. */
void ramus_writer_destroy(ramus_writer *w);

#endif
