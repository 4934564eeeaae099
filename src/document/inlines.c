/* Pairs are found with a list of the OPENs that wait for theirs, which is threaded through them. A
 * paragraph is looked for from tag to tag; inside of one, another one begins the search anew. */
#include "document/inlines.h"

#include "base/list.h"
#include "document/breaks.h"
#include "document/markup.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST (1 << 20) // bytes of a paragraph; longer ones stay as they are

void ramus_inlines_free(ramus_inlines *l)
{
    free(l->items);
    ramus_buffer_free(&l->raws);
    ramus_buffer_free(&l->formats);
    *l = (ramus_inlines){.open = -1};
}

void ramus_inlines_clear(ramus_inlines *l)
{
    ramus_buffer_clear(&l->raws);
    ramus_buffer_clear(&l->formats);
    l->n = 0;
    l->open = -1;
    l->failed = l->strange = false;
}

ramus_inline *ramus_inlines_add(ramus_inlines *l, ramus_inline_kind kind, size_t from, size_t to,
                                const char *raw, size_t raw_size)
{
    if (RAMUS_LIST_RESERVE(l->items, l->room, (size_t)l->n + 1, "a paragraph", NULL)) {
        l->failed = true;
        return NULL;
    }
    ramus_inline *x = &l->items[l->n++];
    *x = (ramus_inline){.kind = kind,
                        .mark = RAMUS_MARK_POINT,
                        .from = from,
                        .to = to,
                        .raw = l->raws.size,
                        .raw_size = raw_size,
                        .pair = -1};
    ramus_buffer_add(&l->raws, raw, raw_size);
    l->failed = l->failed || l->raws.failed;
    return x;
}

ramus_inline *ramus_inlines_open(ramus_inlines *l, size_t from, size_t to, const char *raw,
                                 size_t raw_size)
{
    ramus_inline *x = ramus_inlines_add(l, RAMUS_INLINE_OPEN, from, to, raw, raw_size);
    if (!x) return NULL;
    x->pair = l->open;
    l->open = l->n - 1;
    return x;
}

ramus_inline *ramus_inlines_last_open(ramus_inlines *l)
{
    return l->open >= 0 ? &l->items[l->open] : NULL;
}

ramus_inline *ramus_inlines_close(ramus_inlines *l, size_t from, size_t to, const char *raw,
                                  size_t raw_size)
{
    ramus_inline *x = ramus_inlines_add(l, RAMUS_INLINE_CLOSE, from, to, raw, raw_size);
    if (!x) return NULL;
    if (l->open < 0) {
        x->kind = RAMUS_INLINE_MARK;
        return x;
    }
    x->pair = l->open;
    l->open = l->items[x->pair].pair;
    l->items[x->pair].pair = l->n - 1;
    return x;
}

void ramus_inlines_drop_open(ramus_inlines *l)
{
    ramus_inline *x = &l->items[l->open];
    l->open = x->pair;
    x->kind = RAMUS_INLINE_MARK;
    x->pair = -1;
}

bool ramus_inlines_trim(ramus_inlines *l, int *first, int *last)
{
    while (l->open >= 0)
        ramus_inlines_drop_open(l);
    int a = 0, z = l->n - 1;
    while (a < l->n && !l->items[a].word)
        a++;
    while (z >= 0 && !l->items[z].word)
        z--;
    if (a >= l->n || z < 0) return false;
    *first = a;
    *last = z;
    for (int i = a - 1; i >= 0; i--) // pairs that end between words
        if (l->items[i].kind == RAMUS_INLINE_OPEN && l->items[i].pair > a && l->items[i].pair < z)
            *first = i;
    for (int i = z + 1; i < l->n; i++) // pairs that begin there
        if (l->items[i].kind == RAMUS_INLINE_CLOSE && l->items[i].pair > a && l->items[i].pair < z)
            *last = i;
    return true;
}

const char *ramus_inlines_cut(const ramus_document *d, const ramus_inlines *l,
                              const ramus_inline *cut)
{
    const ramus_inline *x = cut;
    while (x < l->items + l->n && !x->word)
        x++;
    if (!cut->line || x == l->items + l->n) return "\n\n";
    size_t from = x->text, to = x->text + x->size;
    ramus_trim(d->data, &from, &to);
    return ramus_begins_small(d->data + from, to - from) ? " " : "\n\n";
}

static bool is_paragraph(const ramus_paragraphs *p, const char *data, const ramus_markup_token *t)
{
    for (const char *const *name = p->names; *name; name++)
        if (ramus_markup_is(data + t->name, t->name_size, *name)) return true;
    return false;
}

size_t ramus_element_end(const char *data, size_t size, size_t at)
{
    ramus_markup_token t = ramus_markup_next(data, size, at, RAMUS_XML);
    const char *name = data + t.name;
    const size_t n = t.name_size;
    size_t depth = 0;
    for (; t.kind != RAMUS_MARKUP_END; t = ramus_markup_next(data, size, t.to, RAMUS_XML)) {
        const bool same = t.name_size == n && n > 0 && memcmp(data + t.name, name, n) == 0;
        if (same && t.kind == RAMUS_MARKUP_OPEN) depth++;
        if (same && t.kind == RAMUS_MARKUP_CLOSE) depth--;
        if (depth == 0) return t.to;
    }
    return size;
}

bool ramus_paragraphs_next(const ramus_paragraphs *p, ramus_document *d, size_t *from, size_t *to)
{
    size_t depth = 0, words = 0;
    bool nested = false;
    while (d->at < d->size) {
        const ramus_markup_token t = ramus_markup_next(d->data, d->size, d->at, RAMUS_XML);
        d->at = t.to;
        if (t.kind == RAMUS_MARKUP_TEXT)
            words += t.to - t.from;
        else if (t.kind != RAMUS_MARKUP_CLOSE)
            words += 2; // an empty line, if it is a break
        if (t.kind == RAMUS_MARKUP_OPEN && p->skipped &&
            ramus_markup_is(d->data + t.name, t.name_size, p->skipped))
            d->at = ramus_element_end(d->data, d->size, t.from);
        if (t.name_size == 0 || !is_paragraph(p, d->data, &t)) continue;
        if (t.kind == RAMUS_MARKUP_OPEN) {
            nested = depth > 0;
            depth++;
            if (depth > 1 && p->outer) continue;
            *from = t.to;
            words = 0;
            depth = 1;
        } else if (t.kind == RAMUS_MARKUP_CLOSE && depth > 0 && --depth == 0) {
            *to = t.from;
            if (p->outer && !nested) continue;
            if (*to - *from > LONGEST || words > RAMUS_BLOCK_BYTES) continue;
            return true;
        }
    }
    return false;
}

ramus_status ramus_paragraphs_check(const ramus_document *d, ramus_error *err)
{
    if (d->size < 4 || memcmp(d->data, "PK\3\4", 4) != 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "found an archive, expected the XML of a document that is in one");
}
