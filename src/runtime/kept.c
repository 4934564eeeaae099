/* Marks of the text come first; between two of them terms, spans and foreign words take turns,
 * whichever stands first. A term inside of a longer span is part of that: a name in an address
 * stays one. */
#include "runtime/kept.h"

#include "base/list.h"
#include "text/foreign.h"
#include "text/spans.h"

#include <stdint.h>
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

/* What was found next by each of those that look for keeps. */
typedef struct {
    ramus_term term;
    ramus_span span;
    ramus_foreign foreign;
    bool has_term, has_span, has_foreign;
} finds;

/* Looks further where what was found begins before `from`. */
static void find_next(finds *f, const char *text, size_t from, size_t end, const ramus_keeping *how)
{
    if (f->has_term && (f->term.size == 0 || f->term.at < from))
        f->has_term = ramus_terms_next(how->terms, text, end, from, &f->term);
    if (f->has_span && (f->span.size == 0 || f->span.at < from))
        f->has_span = ramus_span_next(text, end, from, &f->span);
    if (f->has_foreign && (f->foreign.size == 0 || f->foreign.at < from))
        f->has_foreign = ramus_foreign_next(how->reader, text, end, from, &f->foreign);
}

/* The first of them; the longer one of a term and a span that begin together; what is foreign ends
 * where another one begins. Its size is 0 if there is none. */
static ramus_kept first_of(const finds *f, const char *text)
{
    const size_t term = f->has_term ? f->term.at : SIZE_MAX;
    const size_t span = f->has_span ? f->span.at : SIZE_MAX;
    const size_t other = term < span ? term : span;
    if (f->has_foreign && f->foreign.at < other) {
        const size_t room = other - f->foreign.at;
        const size_t size = f->foreign.size < room ? f->foreign.size : room;
        return (ramus_kept){.at = f->foreign.at,
                            .size = size,
                            .put = text + f->foreign.at,
                            .put_size = size,
                            .mark = -1,
                            .loose = !f->foreign.word};
    }
    if (f->has_term && (term < span || (term == span && f->term.size >= f->span.size))) {
        const bool same = !f->term.put;
        return (ramus_kept){.at = term,
                            .size = f->term.size,
                            .put = same ? text + term : f->term.put,
                            .put_size = same ? f->term.size : f->term.put_size,
                            .mark = -1};
    }
    if (f->has_span)
        return (ramus_kept){.at = span,
                            .size = f->span.size,
                            .put = text + span,
                            .put_size = f->span.size,
                            .mark = -1,
                            .loose = ramus_span_is_loose(f->span.kind)};
    return (ramus_kept){0};
}

/* Adds what is found in text[from .. end). */
static ramus_status find_between(ramus_kept_list *k, const char *text, size_t from, size_t end,
                                 const ramus_keeping *how, ramus_error *err)
{
    finds f = {.has_term = how->terms, .has_span = how->spans, .has_foreign = how->reader};
    ramus_status st = RAMUS_OK;
    while (!st) {
        find_next(&f, text, from, end, how);
        const ramus_kept next = first_of(&f, text);
        if (next.size == 0) break;
        st = add(k, next, err);
        from = next.at + next.size;
    }
    return st;
}

ramus_status ramus_kept_find(ramus_kept_list *k, const ramus_marked *text, const ramus_keeping *how,
                             ramus_error *err)
{
    size_t from = 0;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < text->n_marks && !st; i++) {
        const ramus_mark *m = &text->marks[i];
        if (m->kind != RAMUS_MARK_KEEP) continue;
        st = find_between(k, text->text, from, m->at, how, err);
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
    return st ? st : find_between(k, text->text, from, text->size, how, err);
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
