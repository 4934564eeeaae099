/* zip.h - an archive in memory, some of whose entries are replaced.
 *
 * What is not replaced keeps its bytes and its place. The library libzip does it; a program that
 * was built without it says so. One archive has one thread. */
#ifndef RAMUS_DATA_ZIP_H
#define RAMUS_DATA_ZIP_H

#include "base/buffer.h"

#define RAMUS_ZIP_BYTES ((size_t)256 << 20) // no more is unpacked of one archive

typedef struct ramus_zip ramus_zip;

/* Opens a copy of data[0 .. size). The caller ends *out with ramus_zip_close(). */
RAMUS_CHECKED ramus_status ramus_zip_open(ramus_zip **out, const void *data, size_t size,
                                          ramus_error *err);
void ramus_zip_close(ramus_zip *z); // NULL is fine

int ramus_zip_count(const ramus_zip *z);
const char *ramus_zip_name(const ramus_zip *z, int entry); // "" if it has none

/* Adds the bytes of an entry to *out. */
RAMUS_CHECKED ramus_status ramus_zip_read(ramus_zip *z, int entry, ramus_buffer *out,
                                          ramus_error *err);

/* Puts a copy of `data` in the place of an entry, packed as that was. */
RAMUS_CHECKED ramus_status ramus_zip_replace(ramus_zip *z, int entry, const void *data, size_t size,
                                             ramus_error *err);

/* Adds the archive with what was replaced to *out. Nothing but closing may come after it. */
RAMUS_CHECKED ramus_status ramus_zip_write(ramus_zip *z, ramus_buffer *out, ramus_error *err);

#endif
