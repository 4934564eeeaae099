/* Text is cut at special words. Each stretch loses its language codes, then its pieces are found.
 * A code is what the regular expression >>.+<< matches: on a line, from the first >> to the last
 * << with anything between. So a line has one code at most. */
#include "text/literals.h"

#include <string.h>

typedef struct {
    ramus_tokenizer *t;
    const ramus_sampling *how;
    ramus_ids *ids, *ends;
} encoding;

/* The first `what` in text[at .. size), or `size`. */
static size_t find(const char *text, size_t at, size_t size, const char *what, size_t n)
{
    for (; at + n <= size; at++)
        if (memcmp(text + at, what, n) == 0) return at;
    return size;
}

/* The first code at or behind `at`: text[*start .. *end). */
static bool find_code(const char *text, size_t size, size_t at, size_t *start, size_t *end)
{
    while (at < size) {
        const char *newline = memchr(text + at, '\n', size - at);
        const size_t line = newline ? (size_t)(newline - text) : size;
        *start = find(text, at, line, ">>", 2);
        for (*end = line; *end >= *start + 5; --*end)
            if (memcmp(text + *end - 2, "<<", 2) == 0) return true;
        at = line + 1;
    }
    return false;
}

static ramus_status add_id(const encoding *e, int id, size_t end, ramus_error *err)
{
    const ramus_status st = ramus_ids_add(e->ids, id, err);
    return st || !e->ends ? st : ramus_ids_add(e->ends, (int)end, err);
}

/* The ids of text[first .. last) without its codes. */
static ramus_status add_stretch(const encoding *e, const char *text, size_t first, size_t last,
                                ramus_error *err)
{
    ramus_tokenizer *t = e->t;
    const char *all = text + first;
    const size_t size = last - first;
    size_t start = 0, end = 0, at = 0;
    const int first_end = e->ends ? e->ends->n : 0;
    ramus_status st = RAMUS_OK;
    if (size == 0) return RAMUS_OK;
    if (!find_code(all, size, 0, &start, &end)) {
        st = ramus_tokenizer_stretch(t, all, size, e->how, e->ids, e->ends, err);
        for (int i = first_end; !st && e->ends && i < e->ends->n; i++)
            e->ends->data[i] += (int)first;
        return st;
    }
    if (start == 0) st = add_id(e, ramus_vocab_lookup(t->words, all, end), first + end, err);
    const int n = e->ends ? e->ends->n : 0;
    ramus_buffer_clear(&t->plain);
    for (bool found = true; found; at = end, found = find_code(all, size, at, &start, &end))
        ramus_buffer_add(&t->plain, all + at, start - at);
    ramus_buffer_add(&t->plain, all + at, size - at);
    if (!st) st = ramus_buffer_check(&t->plain, err);
    if (!st && t->plain.size)
        st = ramus_tokenizer_stretch(t, t->plain.data, t->plain.size, e->how, e->ids, e->ends, err);
    size_t dropped = first; // bytes before a place of `plain` that it lacks
    bool more = find_code(all, size, 0, &start, &end);
    for (int i = n; !st && e->ends && i < e->ends->n; i++) {
        const size_t place = (size_t)e->ends->data[i];
        while (more && place + dropped - first > start) {
            dropped += end - start;
            more = find_code(all, size, end, &start, &end);
        }
        const size_t least = i > first_end ? (size_t)e->ends->data[i - 1] : first;
        e->ends->data[i] = (int)(place + dropped < least ? least : place + dropped);
    }
    return st;
}

/* The special word that text begins with, or -1. */
static int special_at(const ramus_vocab *v, const char *text, size_t size)
{
    const int ids[] = {v->eos, v->unk, v->pad};
    for (int i = 0; i < RAMUS_COUNT(ids); i++) {
        const ramus_piece *p = ids[i] < 0 ? NULL : &v->pieces[ids[i]];
        if (p && (size_t)p->size <= size && memcmp(text, p->text, (size_t)p->size) == 0)
            return ids[i];
    }
    return -1;
}

/* Puts t->lead before the ids from number `first` on. */
static ramus_status add_lead(const encoding *e, int first, int first_end, ramus_error *err)
{
    ramus_status st = add_id(e, 0, 0, err);
    if (st) return st;
    memmove(e->ids->data + first + 1, e->ids->data + first,
            (size_t)(e->ids->n - first - 1) * sizeof(int));
    e->ids->data[first] = e->t->lead;
    if (!e->ends) return RAMUS_OK;
    memmove(e->ends->data + first_end + 1, e->ends->data + first_end,
            (size_t)(e->ends->n - first_end - 1) * sizeof(int));
    e->ends->data[first_end] = 0;
    return RAMUS_OK;
}

ramus_status ramus_literals_encode(ramus_tokenizer *t, const char *text, size_t size,
                                   const ramus_sampling *how, ramus_ids *ids, ramus_ids *ends,
                                   ramus_error *err)
{
    const encoding e = {t, how, ids, ends};
    const int first = ids->n, first_end = ends ? ends->n : 0;
    size_t done = 0, start = 0, end = 0;
    const bool coded = find_code(text, size, 0, &start, &end) && start == 0;
    ramus_status st = RAMUS_OK;
    if (size > RAMUS_TEXT_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a text of %zu bytes, expected at most %d", size,
                          RAMUS_TEXT_MAX);
    for (size_t at = 0; at < size && !st;) {
        const int id = special_at(t->words, text + at, size - at);
        if (id < 0) {
            at++;
            continue;
        }
        st = add_stretch(&e, text, done, at, err);
        at += (size_t)t->words->pieces[id].size;
        if (!st) st = add_id(&e, id, at, err);
        done = at;
    }
    if (!st) st = add_stretch(&e, text, done, size, err);
    if (!st && t->lead >= 0 && ids->n > first && !coded) st = add_lead(&e, first, first_end, err);
    return st;
}

void ramus_tokenizer_lead(ramus_tokenizer *t, int id)
{
    t->lead = t->words ? id : -1;
}
