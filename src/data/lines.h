/* lines.h - text files line by line: plain, .gz or .xz, of any size, with bounded memory.
 *
 * The first bytes of a file tell its kind, not its name; what is no text is refused
 * (data/text_check.h). A line ends with a line feed; the last one may lack it. Any bytes are
 * accepted in lines. One reader has one thread. */
#ifndef RAMUS_DATA_LINES_H
#define RAMUS_DATA_LINES_H

#include "base/buffer.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ramus_lines ramus_lines;

/* "-" is standard input. The caller ends *out with ramus_lines_close(). */
RAMUS_CHECKED ramus_status ramus_lines_open(ramus_lines **out, const char *path, ramus_error *err);
void ramus_lines_close(ramus_lines *l); // NULL is fine

/* The same for a text in memory, which is copied. */
RAMUS_CHECKED ramus_status ramus_lines_open_text(ramus_lines **out, const char *text, size_t size,
                                                 ramus_error *err);

/* Sets *line to the next line, without its line feed, valid until the next call; NULL at the end. A
 * signal that the program handles ends the wait for a writer on a pipe: RAMUS_STOPPED. A line of
 * more than 256 MB is an error. The byte behind it is the line feed, or 0 where the last line lacks
 * it, and may be written to. */
RAMUS_CHECKED ramus_status ramus_lines_next(ramus_lines *l, char **line, size_t *size,
                                            ramus_error *err);

/* Reads to the end and adds to *n how many lines there were. */
RAMUS_CHECKED ramus_status ramus_lines_count(ramus_lines *l, long *n, ramus_error *err);

/* An amount of text: lines, and bytes of the file, packed or not. */
typedef struct ramus_lines_amount {
    int64_t lines, bytes;
} ramus_lines_amount;

/* How much the file holds from where reading began: bytes are -1 where nobody knows, as of a pipe;
 * lines also where counting them takes long, as of a packed file. */
ramus_lines_amount ramus_lines_total(const ramus_lines *l);

/* How much of it has been given out. Of a packed file, bytes are those that have been read. */
ramus_lines_amount ramus_lines_done(const ramus_lines *l);

/* Whether the next line, or the end, is there without waiting for a writer on a pipe. */
bool ramus_lines_ready(ramus_lines *l);

/* The text that follows, up to 64 KB of it or more, and on a pipe what is there; it is read again
 * by ramus_lines_next(), until which it is valid. */
const char *ramus_lines_peek(ramus_lines *l, size_t *size);

/* Whether the name of a file says that it is packed: .gz, .xz. */
bool ramus_lines_are_packed(const char *path);

/* Adds `text` to *out, packed as the name of the file says. Pieces packed one after the other read
 * as one text; at least one makes a file that other programs unpack. */
RAMUS_CHECKED ramus_status ramus_lines_pack(ramus_buffer *out, const char *path, const char *text,
                                            size_t size, ramus_error *err);

/* Whether the name of a file says that its lines have columns: ".tsv", ".tsv.xz", .. */
bool ramus_lines_have_columns(const char *path);

/* The field `column` (1, 2, ..) of a line with tabs between fields; the whole line for column 0.
 * Returns NULL when there are fewer. */
const char *ramus_lines_field(const char *line, size_t size, int column, size_t *field_size);

#endif
