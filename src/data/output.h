/* output.h - where a command's text goes: standard output, or a file that is replaced as a whole.
 *
 * What base/writer.h says of files, links, pipes and devices holds. A file whose name ends with .gz
 * or .xz is packed. One output has one thread. */
#ifndef RAMUS_DATA_OUTPUT_H
#define RAMUS_DATA_OUTPUT_H

#include "base/status.h"

#include <stddef.h>

typedef struct ramus_output ramus_output;

/* NULL or "-" is standard output. The caller ends *out with ramus_output_close(). */
RAMUS_CHECKED ramus_status ramus_output_open(ramus_output **out, const char *path,
                                             ramus_error *err);
RAMUS_CHECKED ramus_status ramus_output_write(ramus_output *o, const char *text, size_t size,
                                              ramus_error *err);

/* Lets a reader at the other end of a pipe have what has been written, unless it is packed. */
RAMUS_CHECKED ramus_status ramus_output_flush(ramus_output *o, ramus_error *err);

/* All is written: the file takes its name. */
RAMUS_CHECKED ramus_status ramus_output_commit(ramus_output *o, ramus_error *err);

/* Without commit the old file stays, if there is one. NULL is fine. */
void ramus_output_close(ramus_output *o);

#endif
