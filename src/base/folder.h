/* folder.h - folders: made, joined with a name, and the one of the running program. */
#ifndef RAMUS_BASE_FOLDER_H
#define RAMUS_BASE_FOLDER_H

#include "base/buffer.h"
#include "base/folder.h"
#include "base/status.h"

/* Makes the folder, and those above it, if missing. */
RAMUS_CHECKED ramus_status ramus_folder_make(const char *folder, ramus_error *err);

/* Sets *path to folder/name; the caller frees the buffer. */
RAMUS_CHECKED ramus_status ramus_folder_path(ramus_buffer *path, const char *folder,
                                             const char *name, ramus_error *err);

/* The folder of the running program, without a slash at its end; "" when it is not known or `size`
 * bytes do not hold it. */
void ramus_program_folder(char *folder, size_t size);

#endif
