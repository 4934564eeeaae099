/* Marks of the text come first; between two of them terms and spans take turns, whichever stands
 * first. A term inside of a longer span is part of that: a name in an address stays one. */
#include "runtime/kept.h"

#include "base/list.h"
#include "text/spans.h"

#include <stdlib.h>

void ramus_kept_free(ramus_kept_list *k)
{
    free(k->items);
    *k = (ramus_kept_list){0};
}

static ramus_status add(ramus_kept_list *k, ramus_kept keep, ramus_error *err)
{
    const ramus_status st =
        RAMUS_LIST_RESERVE(k->items, k->room, (size_t)k->n + 1, "what is kept", err);
    if (!st) k->items[k->n++] = keep;
    return st;
}

/* Adds what is found in text[from .. end). */
static ramus_status find_between(ramus_kept_list *k, const char *text, size_t from, size_t end,
                                 const ramus_terms *terms, bool spans, ramus_error *err)
{
    ramus_term term = {0};
    ramus_span span = {0};
    bool has_term = terms != NULL, has_span = spans;
    ramus_status st = RAMUS_OK;
    while (!st) {
        if (has_term && (term.size == 0 || term.at < from))
            has_term = ramus_terms_next(terms, text, end, from, &term);
        if (has_span && (span.size == 0 || span.at < from))
            has_span = ramus_span_next(text, end, from, &span);
        if (!has_term && !has_span) break;
        const bool first = has_term && (!has_span || term.at < span.at ||
                                        (term.at == span.at && term.size >= span.size));
        if (first) {
            const bool same = !term.put;
            st = add(k,
                     (ramus_kept){.at = term.at,
                                  .size = term.size,
                                  .put = same ? text + term.at : term.put,
                                  .put_size = same ? term.size : term.put_size,
                                  .mark = -1},
                     err);
            from = term.at + term.size;
        } else {
            st = add(k,
                     (ramus_kept){.at = span.at,
                                  .size = span.size,
                                  .put = text + span.at,
                                  .put_size = span.size,
                                  .mark = -1,
                                  .loose = ramus_span_is_loose(span.kind)},
                     err);
            from = span.at + span.size;
        }
    }
    return st;
}

ramus_status ramus_kept_find(ramus_kept_list *k, const ramus_marked *text, const ramus_terms *terms,
                             bool spans, ramus_error *err)
{
    size_t from = 0;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < text->n_marks && !st; i++) {
        const ramus_mark *m = &text->marks[i];
        if (m->kind != RAMUS_MARK_KEEP) continue;
        st = find_between(k, text->text, from, m->at, terms, spans, err);
        if (!st)
            st = add(k,
                     (ramus_kept){.at = m->at,
                                  .size = m->size,
                                  .put = text->text + m->at,
                                  .put_size = m->size,
                                  .mark = i},
                     err);
        from = m->at + m->size;
    }
    return st ? st : find_between(k, text->text, from, text->size, terms, spans, err);
}

void ramus_kept_replace(ramus_kept *keeps, int n, const char *text, size_t from, size_t end,
                        ramus_buffer *out)
{
    const size_t start = out->size;
    for (int i = 0; i < n; i++) {
        char symbol[RAMUS_SYMBOL_SIZE];
        ramus_symbol_write(symbol, i % RAMUS_SYMBOLS);
        ramus_buffer_add(out, text + from, keeps[i].at - from);
        keeps[i].symbol = out->size - start;
        ramus_buffer_add(out, symbol, sizeof symbol);
        from = keeps[i].at + keeps[i].size;
    }
    ramus_buffer_add(out, text + from, end - from);
}

void ramus_symbol_write(char *to, int i)
{
    to[0] = (char)0xEE;
    to[1] = (char)0x80;
    to[2] = (char)(0x80 + i);
}

int ramus_symbol_read(const char *text, size_t size)
{
    const unsigned char *t = (const unsigned char *)text;
    if (size < RAMUS_SYMBOL_SIZE || t[0] != 0xEE || t[1] != 0x80 || t[2] < 0x80 ||
        t[2] >= 0x80 + RAMUS_SYMBOLS)
        return -1;
    return t[2] - 0x80;
}
