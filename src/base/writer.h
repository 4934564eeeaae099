/* writer.h - a file that is replaced as a whole: a reader sees the old or the new one.
 *
 * Bytes go to a temporary file beside it, NAME.tmp-PROCESS, which takes its name on commit, and its
 * permissions. Of a symbolic link the file is replaced that it leads to. Pipes and devices get the
 * bytes at once, and so do "-", which is standard output, /dev/stdout and /dev/stderr. */
#ifndef RAMUS_BASE_WRITER_H
#define RAMUS_BASE_WRITER_H

#include "base/status.h"

#include <stddef.h>

typedef struct ramus_writer ramus_writer;

RAMUS_CHECKED ramus_status ramus_writer_create(ramus_writer **out, const char *path,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_writer_write(ramus_writer *w, const void *data, size_t size,
                                              ramus_error *err);

/* The file with the bytes so far, which may be looked at before the commit; NULL: a pipe, a device.
 */
const char *ramus_writer_beside(const ramus_writer *w);

/* Syncs, renames, syncs the folder. After success the new file survives a power cut. */
RAMUS_CHECKED ramus_status ramus_writer_commit(ramus_writer *w, ramus_error *err);

/* Frees `w`; what was not committed is removed and the old file stays. NULL is fine. */
void ramus_writer_destroy(ramus_writer *w);

#endif
