/* inputs.h - the text that a command works on: files, its arguments, or standard input.
 *
 * Arguments are one text, joined by spaces as echo joins them; the argument "-" alone is standard
 * input, as is the file "-". */
#ifndef RAMUS_CLI_INPUTS_H
#define RAMUS_CLI_INPUTS_H

#include "cli/command.h"
#include "data/lines.h"

typedef struct ramus_inputs ramus_inputs;

/* Whether a file name, or NULL, stands for standard input. */
bool ramus_inputs_is_standard(const char *path);

/* Whether there are arguments to work on. */
bool ramus_inputs_is_text(const ramus_options *o);

/* Refuses both files and arguments. */
RAMUS_CHECKED ramus_status ramus_inputs_check(const ramus_texts *files, const ramus_options *o,
                                              ramus_error *err);

/* Looks at all files, so that a wrong one shows before the work begins. `files` and `o` must
 * outlive *out, which the caller ends with ramus_inputs_close(). */
RAMUS_CHECKED ramus_status ramus_inputs_open(ramus_inputs **out, const ramus_texts *files,
                                             const ramus_options *o, ramus_error *err);
void ramus_inputs_close(ramus_inputs *in); // NULL is fine

/* Sets *lines to the reader of the next file, *name to its name; NULL: there are no more. The
 * reader belongs to `in`, until the next call. */
RAMUS_CHECKED ramus_status ramus_inputs_next(ramus_inputs *in, ramus_lines **lines,
                                             const char **name, ramus_error *err);

/* The beginning of the first file, before ramus_inputs_next(): 64 KB or more, on a pipe what is
 * there. */
const char *ramus_inputs_peek(const ramus_inputs *in, size_t *size);

/* How far all files have been read, and to where, in lines or bytes; *total is 0 where nobody
 * knows. */
double ramus_inputs_done(const ramus_inputs *in);
const char *ramus_inputs_extent(const ramus_inputs *in, double *total);

#endif
