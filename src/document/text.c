/* Plain text: the lines up to a blank one are read together. Each has a block, but for lines of
 * wrapped prose, which share one and are wrapped again when they are written. */
#include "document/formats.h"

#include "base/list.h"
#include "document/text_lines.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
    ramus_text_line *lines; // up to a blank one
    int n, number;
    size_t room;
} state;

static void close_text(ramus_document *d)
{
    free(((state *)d->state)->lines);
}

/* Reads lines up to a blank one, or RAMUS_BLOCK_BYTES. */
static ramus_status read_lines(ramus_document *d, state *s, ramus_error *err)
{
    size_t at = d->at;
    s->n = 0;
    for (bool more = true; more;) {
        const ramus_status st =
            RAMUS_LIST_RESERVE(s->lines, s->room, (size_t)s->n + 1, "lines", err);
        if (st) return st;
        const ramus_text_line l = ramus_text_line_read(d->data, d->size, at);
        if (s->n > 0 && l.next - d->at > RAMUS_BLOCK_BYTES) break;
        s->lines[s->n++] = l;
        at = l.next;
        more = l.content < l.end && !l.page && at < d->size;
    }
    d->at = at;
    return RAMUS_OK;
}

static void add_block(const char *data, size_t from, size_t to, ramus_blocks *out)
{
    ramus_blocks_begin(out, from);
    ramus_blocks_text(out, data + from, to - from);
    (void)ramus_blocks_end(out, to, 0);
}

#define ROW_GAP  3 // spaces within a line that make it a row of cells
#define CELL_GAP 2 // spaces between cells of a row

/* The spaces that divide cells of data[from .. to). Behind the end of a sentence stand some, too;
 * where a tab divides cells, two spaces do not. */
static int cell_gap(const char *data, size_t from, size_t to)
{
    for (size_t next = to; from < to; from = next) {
        const size_t gap = ramus_text_gap(data, from, to, ROW_GAP, &next);
        const ramus_char last = ramus_char_back(data, from, gap).kind;
        const bool ended = ramus_char_is_mark(last) || last == RAMUS_CHAR_CLOSE;
        if (gap < to && !ended && !memchr(data + gap, '\t', next - gap)) return CELL_GAP;
    }
    return RAMUS_TEXT_GAP;
}

/* Each cell of data[from .. to) is a block. */
static void add_cells(const char *data, size_t from, size_t to, int least, ramus_blocks *out)
{
    while (from < to) {
        size_t next = to;
        const size_t gap = ramus_text_gap(data, from, to, least, &next);
        size_t end = gap;
        while (end > from && data[end - 1] == ' ') // before the last cell there may be less
            end--;
        add_block(data, from, end, out);
        from = next;
    }
}

/* Adds text with single spaces between its words. */
static void add_words(const char *data, size_t from, size_t to, ramus_blocks *out)
{
    while (from < to) {
        const char *space = memchr(data + from, ' ', to - from);
        const size_t end = space ? (size_t)(space - data) : to;
        ramus_blocks_text(out, data + from, end - from);
        if (space) ramus_blocks_text(out, " ", 1);
        for (from = end; from < to && data[from] == ' ';)
            from++;
    }
}

/* The block of lines that are joined. Its form tells how far into its line it begins. */
static void add_prose(const char *data, const ramus_text_line *lines, int n, ramus_blocks *out)
{
    size_t from = lines[0].cell;
    ramus_blocks_begin(out, from);
    for (int i = 0; i < n; i++) {
        const char *glue = "";
        size_t drops = 0;
        if (i + 1 < n) glue = ramus_text_glue(&lines[i], &lines[i + 1], data, &drops);
        add_words(data, from, lines[i].end - drops, out);
        ramus_blocks_text(out, glue, strlen(glue));
        if (i + 1 < n) from = lines[i + 1].content;
    }
    (void)ramus_blocks_end(out, lines[n - 1].end, 1 + (int)(lines[0].cell - lines[0].start));
}

static ramus_status read_paragraph(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    state *s = d->state;
    const ramus_status st = read_lines(d, s, err);
    if (st) return st;
    ramus_text_lines_join(s->lines, s->n, d->data, d->size, d->options->wrapped, &s->number);
    for (int i = 0, next = 0; i < s->n; i = next) {
        const ramus_text_line *l = &s->lines[i];
        for (next = i + 1; next < s->n && s->lines[next].joins;)
            next++;
        const int least = cell_gap(d->data, l->content, l->end);
        add_cells(d->data, l->content, l->cell, least, out);
        if (next == i + 1)
            add_cells(d->data, l->cell, l->end, least, out);
        else
            add_prose(d->data, l, next - i, out);
    }
    return RAMUS_OK;
}

/* --- writing --- */

/* How the lines of a paragraph are made. */
typedef struct shape {
    int width;                 // columns
    int first, rest;           // columns before the text of the first line, and of the others
    const char *stop, *prefix; // what ends a line, and what stands before the text of the next one
    size_t stop_size, prefix_size;
} shape;

static shape find_shape(const ramus_document *d, const ramus_block *block)
{
    const size_t start = block->from - (size_t)(block->form - 1);
    shape s = {.first = ramus_text_columns(d->data, start, block->from, 0)};
    for (size_t at = start; at < block->to;) {
        const ramus_text_line l = ramus_text_line_read(d->data, d->size, at);
        const int columns = ramus_text_columns(d->data, l.start, l.end, 0);
        if (columns > s.width) s.width = columns;
        if (at == start) {
            s.stop = d->data + l.stop;
            s.stop_size = l.next - l.stop;
        } else if (!s.prefix) {
            s.prefix = d->data + l.start;
            s.prefix_size = l.content - l.start;
            s.rest = ramus_text_columns(d->data, l.start, l.content, 0);
        }
        at = l.next;
    }
    return s;
}

static bool is_gap(ramus_char_at c)
{
    return c.code == ' ' || c.code == '\t' || c.kind == RAMUS_CHAR_LINE;
}

static bool is_wide(ramus_char_at c)
{
    return c.code >= 0x2E80 && c.kind != RAMUS_CHAR_LETTER;
}

/* Whether a line may end between two characters without a space. */
static bool may_part(ramus_char_at a, ramus_char_at b)
{
    return (is_wide(a) || is_wide(b)) && a.kind != RAMUS_CHAR_OPEN && b.kind != RAMUS_CHAR_CLOSE &&
           b.kind != RAMUS_CHAR_QUOTE && b.kind != RAMUS_CHAR_JOIN && b.kind != RAMUS_CHAR_DASH &&
           !ramus_char_is_mark(b.kind) && b.kind != RAMUS_CHAR_WEAK;
}

/* Where the part of the text ends that begins at `at` and stays on one line. */
static size_t find_part(const char *text, size_t size, size_t at)
{
    ramus_char_at c = ramus_char_read(text, size, at);
    for (;;) {
        at += (size_t)c.size;
        const ramus_char_at next = ramus_char_read(text, size, at);
        if (next.kind == RAMUS_CHAR_END || is_gap(next) || may_part(c, next)) return at;
        c = next;
    }
}

static void wrap(const shape *s, const char *text, size_t size, ramus_buffer *out)
{
    int column = s->first;
    for (size_t at = 0, start = 0;; start = at) {
        for (ramus_char_at c; c = ramus_char_read(text, size, at), is_gap(c);)
            at += (size_t)c.size;
        if (at == size) return;
        const bool space = at > start && start > 0;
        const size_t end = find_part(text, size, at);
        const int columns = ramus_text_columns(text, at, end, 0);
        if (start > 0 && column + space + columns > s->width) {
            ramus_buffer_add(out, s->stop, s->stop_size);
            ramus_buffer_add(out, s->prefix, s->prefix_size);
            column = s->rest;
        } else if (space) {
            ramus_buffer_add(out, " ", 1);
            column++;
        }
        ramus_buffer_add(out, text + at, end - at);
        column += columns;
        at = end;
    }
}

static void write_paragraph(const ramus_document *d, const ramus_block *block,
                            const ramus_marked *translation, ramus_buffer *out)
{
    if (block->form == 0) {
        ramus_marked_write(translation, NULL, out);
        return;
    }
    ramus_buffer text = {0};
    ramus_marked_write(translation, NULL, &text);
    const shape s = find_shape(d, block);
    if (text.data) wrap(&s, text.data, text.size, out);
    out->failed |= text.failed;
    ramus_buffer_free(&text);
}

const ramus_format ramus_format_text = {
    .name = "text",
    .extensions = "txt text",
    .state_size = sizeof(state),
    .read = read_paragraph,
    .write = write_paragraph,
    .close = close_text,
};
