/* documents.h - what tests of formats share: a document is read, and its blocks are shown as text.
 *
 * "[from,to form] text" a line, with marks in it as {<raw}, {raw>}, {.raw}, {|raw}, {=raw=text}. */
#ifndef TESTS_DOCUMENT_DOCUMENTS_H
#define TESTS_DOCUMENT_DOCUMENTS_H

#include "check.h"
#include "document/format.h"

#include <string.h>

/* Adds a block to *out without its place: "text {<<b>}bold{</b>>}". */
static inline void show_block(const ramus_blocks *b, int i, ramus_buffer *out)
{
    const ramus_marked m = ramus_blocks_marked(b, i);
    size_t at = 0;
    for (int k = 0; k < m.n_marks; k++) {
        const ramus_mark *mark = &m.marks[k];
        const int raw = (int)mark->raw_size;
        const char *bytes = m.raws + mark->raw;
        ramus_buffer_add(out, m.text + at, mark->at - at);
        at = mark->at + mark->size;
        switch (mark->kind) {
        case RAMUS_MARK_OPEN:
            ramus_buffer_print(out, "{<%.*s}", raw, bytes);
            break;
        case RAMUS_MARK_CLOSE:
            ramus_buffer_print(out, "{%.*s>}", raw, bytes);
            break;
        case RAMUS_MARK_POINT:
            ramus_buffer_print(out, "{.%.*s}", raw, bytes);
            break;
        case RAMUS_MARK_CUT:
            ramus_buffer_print(out, "{|%.*s}", raw, bytes);
            break;
        case RAMUS_MARK_KEEP:
            ramus_buffer_print(out, "{=%.*s=%.*s}", raw, bytes, (int)mark->size, m.text + mark->at);
            break;
        }
    }
    ramus_buffer_add(out, m.text + at, m.size - at);
    ramus_buffer_text(out, "\n");
}

/* How blocks are written in read_document(). */
typedef enum { AS_IT_IS, AS_ITSELF, IN_CAPITALS } written_as;

/* Reads all of a document in steps of `bytes`. Blocks come to *blocks, one a line, and the document
 * to *copy: with blocks left as they are, "translated" by themselves, or by ASCII capitals. */
static inline void read_document(const char *format, const ramus_format_options *options,
                                 const char *data, size_t size, size_t bytes, written_as how,
                                 ramus_buffer *blocks, ramus_buffer *copy)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer capitals = {0};
    ramus_error err = {0};
    const ramus_format *row = ramus_format_find(format);
    EXPECT(row != NULL, "no format %s", format);
    if (!row) return;
    ramus_status st = ramus_document_open(&d, row, data, size, options, &err);
    EXPECT_INT(st, RAMUS_OK, err.message);
    while (!st && !ramus_document_ended(d)) {
        ramus_blocks_clear(&b);
        st = ramus_document_read(d, &b, bytes, &err);
        EXPECT_INT(st, RAMUS_OK, err.message);
        for (int i = 0; i < b.n && !st; i++) {
            ramus_marked m = ramus_blocks_marked(&b, i);
            show_block(&b, i, blocks);
            ramus_buffer_clear(&capitals);
            ramus_buffer_add(&capitals, m.text, m.size);
            for (size_t k = 0; k < m.size; k++)
                if (capitals.data[k] >= 'a' && capitals.data[k] <= 'z') capitals.data[k] -= 32;
            if (how == IN_CAPITALS) m.text = capitals.data;
            ramus_document_write(d, &b.items[i], how == AS_IT_IS ? NULL : &m, copy);
        }
        ramus_document_write_rest(d, copy);
    }
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&capitals);
}

#endif
