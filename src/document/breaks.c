/* A CUT is made behind each run of white space that has a line feed. When it is written, the text
 * on both sides is trimmed, since the CUT itself writes the white space. */
#include "document/breaks.h"

#include "base/utf8.h"
#include "text/case.h"

#include <string.h>

#define WRAPPED 50 // bytes of a line that may have been ended for its length

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

bool ramus_begins_small(const char *text, size_t size)
{
    uint32_t code = 0, upper[RAMUS_CASE_MOST] = {0};
    if (size == 0 || !ramus_utf8_decode(&code, text, size)) return false;
    return ramus_case_upper(upper, code) > 1 || upper[0] != code;
}

/* Whether a sentence may go on over text[from .. to), white space with a line break. Its line
 * begins at `start`. */
static bool goes_on(const char *text, size_t size, size_t start, size_t from, size_t to)
{
    const char *feed = memchr(text + from, '\n', to - from);
    const size_t next = (size_t)(feed - text) + 1;
    if (from == start || memchr(text + next, '\n', to - next)) return false; // an empty line
    if (ramus_begins_small(text + to, size - to)) return true;
    return from - start >= WRAPPED && to == next && !memchr(".!?:;", text[from - 1], 5);
}

void ramus_breaks_add(ramus_blocks *b, const char *text, size_t size, ramus_escape *escape)
{
    ramus_buffer raw = {0};
    size_t at = 0;
    while (at < size) {
        const char *feed = memchr(text + at, '\n', size - at);
        size_t from = feed ? (size_t)(feed - text) : size, to = from;
        while (feed && from > at && ramus_is_space(text[from - 1]))
            from--;
        while (to < size && ramus_is_space(text[to]))
            to++;
        ramus_blocks_text(b, text + at, from - at);
        if (feed) {
            const bool joins = goes_on(text, size, at, from, to);
            ramus_blocks_text(b, joins ? " " : "\n\n", joins ? 1 : 2);
            ramus_buffer_clear(&raw);
            escape(&raw, text + from, to - from);
            if (raw.failed) b->failed = true;
            ramus_blocks_mark(b, RAMUS_MARK_CUT, raw.data, raw.size);
        }
        at = to;
    }
    ramus_buffer_free(&raw);
}

/* Whether text stands on both sides of a mark. */
static bool is_inside(const ramus_marked *m, const ramus_mark *mark)
{
    size_t first = 0, end = m->size;
    ramus_trim(m->text, &first, &end);
    return mark->at > first && mark->at < end;
}

bool ramus_breaks_next(ramus_breaks *b)
{
    const ramus_marked *m = b->marked;
    if (b->next > m->n_marks) return false;
    const ramus_mark *mark = b->next < m->n_marks ? &m->marks[b->next] : NULL;
    const bool cuts = mark && mark->kind == RAMUS_MARK_CUT;
    size_t from = b->at, to = mark ? mark->at : m->size;
    if (to < from) to = from; // two CUTs may stand at the same space
    while (b->cut && from < to && ramus_is_space(m->text[from]))
        from++;
    while (cuts && to > from && ramus_is_space(m->text[to - 1]))
        to--;
    b->text = m->text + from;
    b->size = to - from;
    b->next++;
    b->cut = cuts || (b->cut && from == to);
    b->mark = mark;
    if (!mark) return true;
    if (mark->at + mark->size > b->at) b->at = mark->at + mark->size;
    if (!cuts || !b->inside || is_inside(m, mark)) return true;
    static const ramus_mark none = {.kind = RAMUS_MARK_CUT};
    b->mark = &none;
    return true;
}

void ramus_breaks_write(const ramus_marked *m, ramus_escape *escape, ramus_buffer *out)
{
    for (ramus_breaks b = {.marked = m}; ramus_breaks_next(&b);) {
        if (b.size) escape(out, b.text, b.size);
        if (b.mark && b.mark->raw_size)
            ramus_buffer_add(out, m->raws + b.mark->raw, b.mark->raw_size);
    }
}
