/* text_lines.h - the lines of plain text, and which of them are prose that was wrapped. */
#ifndef RAMUS_DOCUMENT_TEXT_LINES_H
#define RAMUS_DOCUMENT_TEXT_LINES_H

#include "document/format.h"
#include "text/marker.h"
#include "text/sentences_chars.h"

/* "  > - text of the line  \r\n": offsets into the document, and columns of the line. */
typedef struct ramus_text_line {
    size_t start, next;      // the line, its break included
    size_t content, end;     // its text: without quotation marks, list marker, white space around
    size_t stop;             // where its break begins
    size_t cell;             // where the last cell of its text begins; `content`: it has only one
    int quotes;              // quotation marks before it: >
    ramus_marker marker;     // none: {0}
    int indent, cell_indent; // the columns before `content` and `cell`
    int columns, word;       // those up to `end`, and those of the first word of the text
    ramus_char_at first;     // the first character of the text that is no quote or bracket
    ramus_char_at last;      // the last one
    bool words, lower;       // it has letters or digits, and letters in lower case
    bool fields;             // it is a row of a table: cells, or commas without spaces
    bool page;               // no paragraph goes on behind it: a form feed, or too long for a line
    bool joins;              // its text goes on with that of the line before
} ramus_text_line;

/* Finds where the line at `at` begins and ends; a line of more than RAMUS_BLOCK_BYTES is cut. The
 * text still has its marker, and nothing is known about joins. */
ramus_text_line ramus_text_line_read(const char *data, size_t size, size_t at);

/* Takes the list marker from the text of each line, and decides which of them join the line before.
 * The lines follow each other, none of them blank, but perhaps the last. *number is that of the
 * last marker seen, from paragraph to paragraph; it begins as 0. */
void ramus_text_lines_join(ramus_text_line *lines, int n, const char *data, size_t size,
                           ramus_wrapped how, int *number);

/* The columns of data[from .. to), of which the first one is number `column`. */
int ramus_text_columns(const char *data, size_t from, size_t to, int column);

#define RAMUS_TEXT_GAP 4 // spaces that divide cells in any line

/* Where in data[from .. to) a gap begins that has a tab or `least` spaces; `to`: nowhere. *end is
 * set behind it. */
size_t ramus_text_gap(const char *data, size_t from, size_t to, int least, size_t *end);

/* What stands between the texts of two lines that are joined: a space, or nothing. *drops is set to
 * the bytes of a hyphen that the first of them loses at its end. */
const char *ramus_text_glue(const ramus_text_line *a, const ramus_text_line *b, const char *data,
                            size_t *drops);

#endif
