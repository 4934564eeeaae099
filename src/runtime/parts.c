/* Keeps are replaced by symbols first; then the sentence splitter cuts what the model will see,
 * with the tokenizer as the counter of tokens; then each sentence loses what can stand outside of
 * it. */
#include "runtime/parts.h"

#include "base/list.h"
#include "text/capitals.h"
#include "text/letters.h"
#include "text/sentences.h"
#include "text/sentences_chars.h"
#include "text/spans.h"

#include <stdlib.h>

/* A text that is being cut. */
typedef struct {
    ramus_parts *p;
    const ramus_marked *source;
    const ramus_cutting *how;
    char *text; // what the model sees: the source with symbols, or the source itself
    size_t size;
    int first_keep, n_keeps;
    int keep;        // the first one behind what was cut already
    size_t sentence; // where the one that is being added begins
    bool capitals;   // it is in capitals
    bool apart;
} cutting;

void ramus_parts_free(ramus_parts *p)
{
    free(p->items);
    ramus_kept_free(&p->keeps);
    ramus_ids_free(&p->ids);
    ramus_ids_free(&p->ends);
    ramus_buffer_free(&p->model);
    ramus_buffer_free(&p->small);
    p->items = NULL;
    p->n = 0;
    p->room = 0;
}

void ramus_parts_clear(ramus_parts *p)
{
    p->n = p->ids.n = p->ends.n = p->keeps.n = 0;
}

/* How a stretch of text goes through the model: in small letters, with a capital at most where it
 * begins a sentence, if the sentence is in capitals. */
typedef enum { AS_IT_IS, SMALL, BEGINS_SENTENCE } letters;

/* Adds the ids of a stretch of text, and their ends if `ends`. */
static ramus_status encode(ramus_parts *p, const char *text, size_t size, letters how, bool ends,
                           ramus_error *err)
{
    if (how != AS_IT_IS) {
        ramus_buffer_clear(&p->small);
        ramus_buffer_add(&p->small, text, size);
        const ramus_status st = ramus_buffer_check(&p->small, err);
        if (st) return st;
        ramus_capitals_drop(p->small.data, size, how == BEGINS_SENTENCE);
        text = p->small.data;
    }
    if (ends)
        return ramus_tokenizer_encode_ranges(p->tokenizer, text, size, &p->ids, &p->ends, err);
    return ramus_tokenizer_encode(p->tokenizer, text, size, &p->ids, err);
}

/* How many tokens a stretch of text has; the ids are dropped. */
static int count_tokens(void *arg, const char *text, size_t size)
{
    ramus_parts *p = arg;
    const int first = p->ids.n;
    const bool capitals = !p->bare && ramus_capitals_only(text, size);
    if (!p->counting)
        p->counting = encode(p, text, size, capitals ? BEGINS_SENTENCE : AS_IT_IS, false, p->err);
    if (p->counting) return 0; // ends soon; ramus_parts_add() tells
    const int n = p->ids.n - first;
    p->ids.n = first;
    return n;
}

/* The byte of the source at byte `at` of the model's text, no keep before number `keep` being
 * behind it. */
static size_t source_at(const cutting *c, int keep, size_t at)
{
    const ramus_kept *k = c->p->keeps.items;
    const int last = c->first_keep + c->n_keeps;
    while (keep < last && k[keep].symbol < at)
        keep++;
    if (keep == c->first_keep) return at;
    k += keep - 1;
    return at - k->symbol - RAMUS_SYMBOL_SIZE + k->at + k->size;
}

/* The ends of tokens are bytes of the model's text from `start` on; they become bytes of the
 * source. */
static void move_ends(const cutting *c, int first, size_t start)
{
    const ramus_kept *k = c->p->keeps.items;
    const int last = c->first_keep + c->n_keeps;
    int *end = c->p->ends.data;
    int keep = c->keep;
    for (int i = first; i < c->p->ends.n; i++) {
        const size_t at = start + (size_t)end[i];
        while (keep < last && k[keep].symbol < at)
            keep++;
        end[i] = (int)source_at(c, keep, at);
    }
}

/* Adds the part text[start .. end), whose keeps begin with number c->keep. */
static ramus_status add_part(cutting *c, size_t start, size_t end, int n_keeps, ramus_error *err)
{
    ramus_parts *p = c->p;
    ramus_status st = RAMUS_LIST_RESERVE(p->items, p->room, (size_t)p->n + 1, "the text", err);
    if (st) return st;
    ramus_part part = {.first = p->ids.n,
                       .at = source_at(c, c->keep, start),
                       .end = source_at(c, c->keep, end),
                       .first_keep = c->keep,
                       .n_keeps = n_keeps,
                       .capitals = c->capitals};
    for (int i = 0; i < n_keeps; i++)
        ramus_symbol_write(c->text + p->keeps.items[c->keep + i].symbol, i);
    const int ends = p->ends.n;
    const letters how = !c->capitals ? AS_IT_IS : start == c->sentence ? BEGINS_SENTENCE : SMALL;
    st = encode(p, c->text + start, end - start, how, c->how->ends, err);
    if (st || p->ids.n == part.first) return st;
    if (p->ids.n - part.first >= p->limit)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "one character has %d tokens, a sentence may have %d",
                          p->ids.n - part.first, p->limit - 1);
    if (c->how->ends) move_ends(c, ends, start);
    st = ramus_ids_add(&p->ids, p->eos, err);
    if (!st && c->how->ends) st = ramus_ids_add(&p->ends, (int)part.end, err);
    part.n = p->ids.n - part.first;
    if (!st) p->items[p->n++] = part;
    return st;
}

static bool is_sign(ramus_char kind)
{
    return kind >= RAMUS_CHAR_POINT && kind <= RAMUS_CHAR_SIGN;
}

/* Skips signs that touch a keep before text[at], and those that stand alone behind them: they are
 * copied. A model drops what begins with a comma, or a quote that is closed elsewhere. */
static size_t skip_signs(const char *text, size_t size, size_t at)
{
    for (bool first = true;; first = false) {
        const size_t start = first ? at : ramus_char_skip_space(text, size, at);
        size_t end = start;
        ramus_char_at c = ramus_char_read(text, size, end);
        for (; is_sign(c.kind); c = ramus_char_read(text, size, end))
            end += (size_t)c.size;
        const bool alone = ramus_char_is_space(c.kind) || c.kind == RAMUS_CHAR_END;
        if (!first && (end == start || !alone)) return start;
        at = end;
    }
}

/* The same backward from a keep behind text[start .. end): where the text before the signs ends. */
static size_t skip_signs_back(const char *text, size_t start, size_t end)
{
    for (bool first = true;; first = false) {
        ramus_char_at c = ramus_char_back(text, start, end);
        for (; !first && ramus_char_is_space(c.kind); c = ramus_char_back(text, start, end))
            end -= (size_t)c.size;
        size_t at = end;
        for (; is_sign(c.kind); c = ramus_char_back(text, start, at))
            at -= (size_t)c.size;
        const bool alone = ramus_char_is_space(c.kind) || c.kind == RAMUS_CHAR_END;
        if (!first && (at == end || !alone)) return end;
        end = at;
    }
}

/* Adds the stretches between the keeps of text[start .. end), of which there are n. */
static ramus_status add_fragments(cutting *c, size_t start, size_t end, int n, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i <= n && !st; i++) {
        const size_t stop = i < n ? c->p->keeps.items[c->keep].symbol : end;
        const size_t from = i > 0 ? skip_signs(c->text, stop, start) : start;
        const size_t to = i < n ? skip_signs_back(c->text, from, stop) : stop;
        if (ramus_has_letter(c->text + from, to - from)) st = add_part(c, from, to, 0, err);
        start = stop + RAMUS_SYMBOL_SIZE;
        if (i < n) c->keep++;
    }
    return st;
}

/* Adds fragments that take the place of a part if that fails. */
static ramus_status add_spare_fragments(cutting *c, size_t start, size_t end, int part,
                                        ramus_error *err)
{
    ramus_parts *p = c->p;
    const ramus_status st = add_fragments(c, start, end, p->items[part].n_keeps, err);
    for (int i = part + 1; i < p->n; i++)
        p->items[i].fragment = true;
    p->items[part].n_fragments = p->n - part - 1;
    return st;
}

/* Takes from a sentence what stands outside of it: markers of lists, emoji at its ends. */
static void trim(const cutting *c, size_t *start, size_t *end, bool line)
{
    const ramus_kept *k = c->p->keeps.items;
    int first = c->keep, last = c->first_keep + c->n_keeps;
    if (line) *start += ramus_span_marker(c->text + *start, *end - *start);
    while (first < last && k[first].symbol < *start) // of sentences before, or in the marker
        first++;
    while (last > first && k[last - 1].symbol >= *end) // of sentences behind
        last--;
    while (first < last && k[first].symbol == *start && k[first].loose) {
        *start = ramus_char_skip_space(c->text, *end, *start + RAMUS_SYMBOL_SIZE);
        first++;
    }
    while (last > first && k[last - 1].symbol + RAMUS_SYMBOL_SIZE == *end && k[last - 1].loose) {
        *end = k[--last].symbol;
        while (*end > *start && (c->text[*end - 1] == ' ' || c->text[*end - 1] == '\t'))
            --*end;
    }
}

/* Adds a sentence, or a piece of one. `line`: it is the first one of a line. */
static ramus_status add_sentence(cutting *c, const ramus_sentence *one, bool line, ramus_error *err)
{
    ramus_parts *p = c->p;
    const ramus_kept *k = c->p->keeps.items;
    const int last = c->first_keep + c->n_keeps, before = p->n;
    size_t from = one->start, to = one->start + one->size;
    ramus_status st = RAMUS_OK;
    if (!c->how->bare) trim(c, &from, &to, line);
    while (c->keep < last && k[c->keep].symbol < from)
        c->keep++;
    int n = 0;
    while (c->keep + n < last && k[c->keep + n].symbol < to)
        n++;
    const int behind = c->keep + n;
    c->sentence = from;
    c->capitals = !c->how->bare && ramus_capitals_only(c->text + from, to - from);
    if (!c->how->bare && !ramus_has_letter(c->text + from, to - from)) {
        // nothing to translate
    } else if (n <= p->symbols) {
        st = add_part(c, from, to, n, err);
        if (!st && n && p->n > before) st = add_spare_fragments(c, from, to, before, err);
    } else {
        st = add_fragments(c, from, to, n, err);
        c->apart = true;
    }
    c->keep = behind;
    if (!st && p->n > before) {
        p->items[p->n - 1].ends = one->ends;
        if (p->items[before].n_fragments) p->items[before].ends = one->ends;
    }
    return st;
}

static ramus_status cut_sentences(cutting *c, bool *split, ramus_error *err)
{
    ramus_parts *p = c->p;
    ramus_sentences s;
    ramus_sentence one;
    ramus_status st = RAMUS_OK;
    ramus_sentences_init(&s, p->language, c->text, c->size);
    ramus_sentences_limit(&s, p->limit - 1, count_tokens, p);
    p->counting = RAMUS_OK;
    p->err = err;
    bool line = true;
    while (!st && ramus_sentences_next(&s, &one)) {
        st = p->counting;
        if (!st) st = add_sentence(c, &one, line, err);
        if (!one.ends) *split = true;
        line = false;
        for (size_t i = 0; i < one.separator; i++)
            line |= c->text[one.start + one.size + i] == '\n';
    }
    return st;
}

/* A text that is not to be cut, unless it is too long. */
static ramus_status add_whole(cutting *c, bool *split, ramus_error *err)
{
    ramus_parts *p = c->p;
    p->counting = RAMUS_OK;
    p->err = err;
    const int n = count_tokens(p, c->text, c->size);
    if (p->counting || n == 0) return p->counting;
    const ramus_sentence all = {.size = c->size, .ends = true};
    if (n < p->limit) return add_sentence(c, &all, false, err);
    *split = true;
    return cut_sentences(c, split, err);
}

ramus_status ramus_parts_add(ramus_parts *p, const ramus_marked *text, const ramus_cutting *how,
                             bool *split, bool *apart, ramus_error *err)
{
    cutting c = {.p = p,
                 .source = text,
                 .how = how,
                 .text = (char *)text->text, // written to only where symbols are, in a copy
                 .size = text->size,
                 .first_keep = p->keeps.n,
                 .keep = p->keeps.n};
    ramus_status st = RAMUS_OK;
    *split = *apart = false;
    p->bare = how->bare;
    const ramus_keeping keeping = {how->terms, true, p->symbols ? p->reader : NULL};
    if (!how->bare) st = ramus_kept_find(&p->keeps, text, &keeping, err);
    c.n_keeps = p->keeps.n - c.first_keep;
    if (!st && c.n_keeps) {
        ramus_buffer_clear(&p->model);
        ramus_kept_replace(p->keeps.items + c.first_keep, c.n_keeps, text->text, 0, text->size,
                           &p->model);
        st = ramus_buffer_check(&p->model, err);
        c.text = p->model.data;
        c.size = p->model.size;
    }
    if (!st) st = how->whole ? add_whole(&c, split, err) : cut_sentences(&c, split, err);
    *apart = c.apart;
    return st;
}
