/* line.h - a line of text to be scored: borrowed bytes, brought into a form that can be compared.
 */
#ifndef RAMUS_EVAL_LINE_H
#define RAMUS_EVAL_LINE_H

#include "base/status.h"

#include <stddef.h>

/* Borrowed for the length of one call, without its line end. */
typedef struct ramus_line {
    const char *data; // NULL where a reference is missing; an empty line has a pointer
    size_t size;
} ramus_line;

ramus_line ramus_line_of(const char *text); // a zero-terminated one

#define RAMUS_LINE_LIMIT 0x20000000 // bytes of a line: counts and offsets are 32 bits wide

/* How much room the functions below need: a byte that is not UTF-8 becomes three. */
#define RAMUS_LINE_ROOM(size) (3 * (size_t)(size))

/* Copy `line` to `out` and return the bytes written, all of them UTF-8: each byte that is not
 * becomes U+FFFD. ramus_line_lower() writes lower case as Python's str.lower() does: full mappings,
 * a sigma at the end of a word by its context, no language's own rules. */
size_t ramus_line_copy(char *out, ramus_line line);
size_t ramus_line_lower(char *out, ramus_line line);

/* RAMUS_BAD_ARGUMENT where a line is longer than RAMUS_LINE_LIMIT. */
RAMUS_CHECKED ramus_status ramus_line_check(ramus_line line, ramus_error *err);

#endif
