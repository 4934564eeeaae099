/* moved_marks.h - a law of formats that are XML: wherever marks go, properly nested, it stays
 * well-formed. */
#ifndef TESTS_DOCUMENT_MOVED_MARKS_H
#define TESTS_DOCUMENT_MOVED_MARKS_H

#include "document/markup.h"
#include "identity.h"

/* Whether each tag is closed in its turn. */
static inline bool is_well_formed(const char *data, size_t size)
{
    ramus_markup_token open[64];
    int depth = 0;
    for (size_t at = 0; at < size;) {
        const ramus_markup_token t = ramus_markup_next(data, size, at, RAMUS_XML);
        at = t.to;
        if (t.kind == RAMUS_MARKUP_OPEN) open[depth++] = t;
        if (t.kind != RAMUS_MARKUP_CLOSE) continue;
        if (depth-- == 0 || open[depth].name_size != t.name_size ||
            memcmp(data + open[depth].name, data + t.name, t.name_size) != 0)
            return false;
    }
    return depth == 0;
}

typedef struct moved_marks {
    ramus_marked in;
    ramus_mark out[64];
    int n;
    uint64_t x;
} moved_marks;

static inline unsigned drawn(moved_marks *m, unsigned below)
{
    m->x = m->x * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->x >> 33) % below;
}

/* Puts the marks from .. to in another order; what a pair has inside stays in it. */
static inline void move_marks(moved_marks *m, int from, int to)
{
    int units[64], n = 0;
    for (int i = from; i < to; i++) {
        units[n++] = i;
        if (m->in.marks[i].kind == RAMUS_MARK_OPEN) i = m->in.marks[i].pair;
    }
    for (; n > 0; n--) {
        const unsigned k = drawn(m, (unsigned)n);
        const int i = units[k], pair = m->in.marks[i].pair;
        m->out[m->n++] = m->in.marks[i];
        if (m->in.marks[i].kind == RAMUS_MARK_OPEN) {
            move_marks(m, i + 1, pair);
            m->out[m->n++] = m->in.marks[pair];
        }
        units[k] = units[n - 1];
    }
}

/* Writes all blocks with their marks moved. */
static inline void expect_well_formed(const char *format, const char *data, unsigned seed)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_error err = {0};
    moved_marks m = {.x = seed};
    REQUIRE_OK(ramus_document_open(&d, ramus_format_find(format), data, strlen(data), NULL, &err),
               err);
    REQUIRE_OK(ramus_document_read(d, &b, 100000, &err), err);
    EXPECT(b.n > 0, "no blocks");
    for (int i = 0; i < b.n; i++) {
        ramus_marked text = m.in = ramus_blocks_marked(&b, i);
        m.n = 0;
        move_marks(&m, 0, text.n_marks);
        EXPECT_INT(m.n, text.n_marks, "marks");
        for (int k = 0; k < m.n; k++) {
            const size_t first = k ? m.out[k - 1].at : 0;
            m.out[k].at = first + drawn(&m, (unsigned)(text.size - first) / 2 + 1);
            m.out[k].size = 0;
        }
        text.marks = m.out;
        ramus_document_write(d, &b.items[i], &text, &out);
    }
    ramus_document_write_rest(d, &out);
    EXPECT(is_well_formed(out.data, out.size), "%s, %u: %s", format, seed, out.data);
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&out);
}

#endif
