/* whole.h - a document as one piece of memory: a file, unpacked if it is packed, or standard input.
 *
 * Nothing is held in memory: a file is mapped, and what must be read first goes through a temporary
 * file, which has no name. That file has a limit. */
#ifndef RAMUS_DATA_WHOLE_H
#define RAMUS_DATA_WHOLE_H

#include "base/map.h"

#define RAMUS_WHOLE_BYTES ((size_t)1 << 30) // no more is unpacked, or read of a pipe

/* "-" is standard input. The caller ends *out with ramus_file_unmap(). */
RAMUS_CHECKED ramus_status ramus_whole_read(ramus_file *out, const char *path, ramus_error *err);

#endif
