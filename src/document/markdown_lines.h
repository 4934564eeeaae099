/* markdown_lines.h - lines of Markdown: what stands before their content, and what they begin;
 * inside document/ only. */
#ifndef RAMUS_DOCUMENT_MARKDOWN_LINES_H
#define RAMUS_DOCUMENT_MARKDOWN_LINES_H

#include "document/markdown.h"

#define RAMUS_MD_DEPTH 32 // of quotes and lists in each other; deeper ones are text

/* A line, and how far it is read. A tab reaches to the next multiple of four columns. */
typedef struct ramus_md_cursor {
    const char *data;
    size_t begin, end, next; // of the line: its content, and the line after it
    size_t at;               // up to here it is read
    int column;
    bool partial; // the line goes on behind `end`
} ramus_md_cursor;

#define RAMUS_MD_LINE_BYTES (RAMUS_BLOCK_BYTES / 2) // two such pieces are no more than a block

/* The line that begins at `at`, or the first RAMUS_MD_LINE_BYTES of it. */
ramus_md_cursor ramus_md_read_line(const char *data, size_t size, size_t at);

int ramus_md_indent(const ramus_md_cursor *c); // columns of white space from c->at on
void ramus_md_skip_columns(ramus_md_cursor *c, int n);
void ramus_md_skip_space(ramus_md_cursor *c);
bool ramus_md_is_blank(const ramus_md_cursor *c);

typedef enum ramus_md_start {
    RAMUS_MD_TEXT_LINE,
    RAMUS_MD_BLANK,
    RAMUS_MD_INDENTED,
    RAMUS_MD_QUOTE,
    RAMUS_MD_ITEM, // also of a footnote, and of a list of definitions
    RAMUS_MD_HEADING,
    RAMUS_MD_UNDERLINE, // of a heading
    RAMUS_MD_RULE,
    RAMUS_MD_FENCE,
    RAMUS_MD_HTML_LINE,  // begins HTML up to a blank line
    RAMUS_MD_RAW_LINE,   // begins HTML that is left alone up to a certain end
    RAMUS_MD_COPIED_LINE // "[!NOTE]", "::: tip"
} ramus_md_start;

/* What begins at the cursor. `in_paragraph`: in the container of a paragraph that goes on. */
ramus_md_start ramus_md_classify(const ramus_md_cursor *c, bool in_paragraph);

/* Skips the marker of a list item, and a box of a task. Returns how many columns the lines of the
 * item are indented by. */
int ramus_md_skip_marker(ramus_md_cursor *c);

/* Skips what opens a block of code; a line of `length` such characters closes it. */
typedef struct ramus_md_fence {
    char c;
    size_t length;
} ramus_md_fence;
ramus_md_fence ramus_md_read_fence(const ramus_md_cursor *c);
bool ramus_md_closes_fence(const ramus_md_cursor *c, const ramus_md_fence *f);

/* The kind of raw HTML that a line begins, 1 to 5 as CommonMark counts, 0: none; and whether a line
 * from `from` on has its end. */
int ramus_md_raw_kind(const ramus_md_cursor *c);
bool ramus_md_ends_raw(const ramus_md_cursor *c, size_t from, int kind);

bool ramus_md_is_definition(const ramus_md_cursor *c); // of a link
int ramus_md_count_cells(const char *line, size_t size);
bool ramus_md_is_delimiter_row(const char *line, size_t size);

#endif
