/* A CUT is made behind each run of white space that has a line feed. When it is written, the text
 * on both sides is trimmed, since the CUT itself writes the white space. */
#include "document/breaks.h"

#include <string.h>

bool ramus_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void ramus_trim(const char *text, size_t *from, size_t *to)
{
    while (*from < *to && ramus_is_space(text[*from]))
        ++*from;
    while (*to > *from && ramus_is_space(text[*to - 1]))
        --*to;
}

void ramus_breaks_add(ramus_blocks *b, const char *text, size_t size, ramus_escape *escape)
{
    ramus_buffer raw = {0};
    size_t at = 0;
    while (at < size) {
        const char *feed = memchr(text + at, '\n', size - at);
        size_t from = feed ? (size_t)(feed - text) : size, to = from;
        while (from > at && ramus_is_space(text[from - 1]))
            from--;
        while (to < size && ramus_is_space(text[to]))
            to++;
        ramus_blocks_text(b, text + at, to - at);
        if (feed) {
            ramus_buffer_clear(&raw);
            escape(&raw, text + from, to - from);
            if (raw.failed) b->failed = true;
            ramus_blocks_mark(b, RAMUS_MARK_CUT, raw.data, raw.size);
        }
        at = to;
    }
    ramus_buffer_free(&raw);
}

void ramus_breaks_write(const ramus_marked *m, ramus_escape *escape, ramus_buffer *out)
{
    size_t at = 0, first = 0, end = m->size;
    ramus_trim(m->text, &first, &end);
    bool cut = false; // the mark before was one
    for (int i = 0; i <= m->n_marks; i++) {
        const ramus_mark *mark = i < m->n_marks ? &m->marks[i] : NULL;
        const bool cuts = mark && mark->kind == RAMUS_MARK_CUT;
        size_t from = at, to = mark ? mark->at : m->size;
        while (cut && from < to && ramus_is_space(m->text[from]))
            from++;
        while (cuts && to > from && ramus_is_space(m->text[to - 1]))
            to--;
        if (to > from) escape(out, m->text + from, to - from);
        if (mark && mark->raw_size && (!cuts || (mark->at > first && mark->at < end)))
            ramus_buffer_add(out, m->raws + mark->raw, mark->raw_size);
        if (mark) at = mark->at + mark->size;
        cut = cuts;
    }
}
