/* inspect.h - what `ramus inspect` prints about the kinds of files that it knows. */
#ifndef RAMUS_CLI_INSPECT_H
#define RAMUS_CLI_INSPECT_H

#include "base/buffer.h"
#include <ramus/ramus.h>

/* Checks the GGUF file at `path` whole and adds what is in it to `out`. */
RAMUS_CHECKED ramus_status ramus_inspect_gguf(ramus_buffer *out, const char *path, bool json,
                                              ramus_error *err);

/* Adds "  key = text" and a line feed; further lines of the text are indented. */
void ramus_inspect_text(ramus_buffer *out, const char *key, const char *text, size_t size);

/* "f32", "int8" or "int4": the type of a model's smallest matrices. */
const char *ramus_inspect_type(const ramus_model *m);

#endif
