/* The block that is being made is the one behind the last item: it counts once it has ended. A
 * close finds its open from the back, so that pairs are nested. */
#include "document/blocks.h"

#include "base/list.h"
#include "text/letters.h"

#include <stdlib.h>
#include <string.h>

void ramus_blocks_free(ramus_blocks *b)
{
    ramus_buffer_free(&b->texts);
    ramus_buffer_free(&b->raws);
    free(b->items);
    free(b->marks);
    *b = (ramus_blocks){0};
}

void ramus_blocks_clear(ramus_blocks *b)
{
    ramus_buffer_clear(&b->texts);
    ramus_buffer_clear(&b->raws);
    b->n = b->n_marks = 0;
    b->failed = false;
}

ramus_status ramus_blocks_check(const ramus_blocks *b, ramus_error *err)
{
    if (b->failed) return ramus_fail_memory(err, "the document");
    const ramus_status st = ramus_buffer_check(&b->texts, err);
    return st ? st : ramus_buffer_check(&b->raws, err);
}

void ramus_blocks_begin(ramus_blocks *b, size_t from)
{
    if (RAMUS_LIST_RESERVE(b->items, b->item_room, (size_t)b->n + 1, "blocks", NULL)) {
        b->failed = true;
        return;
    }
    b->items[b->n] = (ramus_block){.from = from, .text = b->texts.size, .first_mark = b->n_marks};
}

void ramus_blocks_text(ramus_blocks *b, const char *text, size_t size)
{
    if (!b->failed) ramus_buffer_add(&b->texts, text, size);
}

static ramus_mark *add_mark(ramus_blocks *b, ramus_mark_kind kind, const char *raw, size_t size)
{
    if (b->failed ||
        RAMUS_LIST_RESERVE(b->marks, b->mark_room, (size_t)b->n_marks + 1, "marks", NULL)) {
        b->failed = true;
        return NULL;
    }
    ramus_mark *m = &b->marks[b->n_marks++];
    *m = (ramus_mark){.kind = kind,
                      .pair = -1,
                      .at = b->texts.size - b->items[b->n].text,
                      .raw = b->raws.size,
                      .raw_size = size};
    ramus_buffer_add(&b->raws, raw, size);
    return m;
}

void ramus_blocks_mark(ramus_blocks *b, ramus_mark_kind kind, const char *raw, size_t size)
{
    ramus_mark *m = add_mark(b, kind, raw, size);
    if (!m || kind != RAMUS_MARK_CLOSE) return;
    const int first = b->items[b->n].first_mark;
    int open = b->n_marks - 2;
    while (open >= first && (b->marks[open].kind != RAMUS_MARK_OPEN || b->marks[open].pair >= 0))
        open--;
    if (open < first) {
        m->kind = RAMUS_MARK_POINT;
        return;
    }
    m->pair = open - first;
    b->marks[open].pair = b->n_marks - 1 - first;
}

void ramus_blocks_keep(ramus_blocks *b, const char *text, size_t size, const char *raw,
                       size_t raw_size)
{
    ramus_mark *m = add_mark(b, RAMUS_MARK_KEEP, raw, raw_size);
    if (!m) return;
    m->size = size;
    ramus_buffer_add(&b->texts, text, size);
}

/* Whether there is something to translate outside of what is kept. */
static bool has_words(const ramus_blocks *b, const ramus_block *block)
{
    const char *text = b->texts.data ? b->texts.data + block->text : "";
    size_t at = 0;
    for (int i = 0; i < block->n_marks; i++) {
        const ramus_mark *m = &b->marks[block->first_mark + i];
        if (m->kind != RAMUS_MARK_KEEP) continue;
        if (ramus_has_letter(text + at, m->at - at)) return true;
        at = m->at + m->size;
    }
    return ramus_has_letter(text + at, block->size - at);
}

bool ramus_blocks_end(ramus_blocks *b, size_t to, int form)
{
    if (b->failed || b->texts.failed) return false;
    ramus_block *block = &b->items[b->n];
    block->to = to;
    block->size = b->texts.size - block->text;
    block->n_marks = b->n_marks - block->first_mark;
    block->form = form;
    for (int i = block->first_mark; i < b->n_marks; i++)
        if (b->marks[i].kind == RAMUS_MARK_OPEN && b->marks[i].pair < 0)
            b->marks[i].kind = RAMUS_MARK_POINT;
    if (has_words(b, block)) {
        b->n++;
        return true;
    }
    b->texts.size = block->text;
    if (b->n_marks > block->first_mark) b->raws.size = b->marks[block->first_mark].raw;
    b->n_marks = block->first_mark;
    return false;
}

ramus_marked ramus_blocks_marked(const ramus_blocks *b, int block)
{
    const ramus_block *x = &b->items[block];
    return (ramus_marked){.text = x->size ? b->texts.data + x->text : "",
                          .size = x->size,
                          .marks = x->n_marks ? b->marks + x->first_mark : NULL,
                          .n_marks = x->n_marks,
                          .raws = b->raws.data};
}

static void add_plain(ramus_buffer *out, const char *text, size_t size)
{
    ramus_buffer_add(out, text, size);
}

void ramus_marked_write(const ramus_marked *m,
                        void (*escape)(ramus_buffer *out, const char *text, size_t size),
                        ramus_buffer *out)
{
    size_t at = 0;
    if (!escape) escape = add_plain;
    for (int i = 0; i < m->n_marks; i++) {
        const ramus_mark *mark = &m->marks[i];
        if (mark->at > at) escape(out, m->text + at, mark->at - at);
        if (mark->raw_size) ramus_buffer_add(out, m->raws + mark->raw, mark->raw_size);
        at = mark->at + mark->size;
    }
    if (m->size > at) escape(out, m->text + at, m->size - at);
}
