/* Plain text: each line that has something to translate is a block. */
#include "document/formats.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static ramus_status read_line(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    (void)err;
    const char *line = d->data + d->at, *feed = memchr(line, '\n', d->size - d->at);
    const size_t size = feed ? (size_t)(feed - line) : d->size - d->at;
    size_t from = 0, to = size;
    while (from < to && is_space(line[from]))
        from++;
    while (to > from && is_space(line[to - 1]))
        to--;
    if (to > from) {
        ramus_blocks_begin(out, d->at + from);
        ramus_blocks_text(out, line + from, to - from);
        (void)ramus_blocks_end(out, d->at + to, 0);
    }
    d->at += size + (feed != NULL);
    return RAMUS_OK;
}

static void write_line(const ramus_document *d, const ramus_block *block,
                       const ramus_marked *translation, ramus_buffer *out)
{
    (void)d;
    (void)block;
    ramus_marked_write(translation, NULL, out);
}

const ramus_format ramus_format_text = {
    .name = "text",
    .extensions = "txt text",
    .about = "lines and paragraphs",
    .read = read_line,
    .write = write_line,
};
