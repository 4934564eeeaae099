/* A text is one part unless it is a document or too long; then the sentence splitter cuts it,
 * with the tokenizer as the counter of tokens. */
#include "runtime/parts.h"

#include "base/list.h"
#include "text/sentences.h"

#include <stdlib.h>

void ramus_parts_free(ramus_parts *p)
{
    free(p->items);
    ramus_ids_free(&p->ids);
    p->items = NULL;
    p->n = 0;
    p->room = 0;
}

void ramus_parts_clear(ramus_parts *p)
{
    p->n = p->ids.n = 0;
}

/* How many tokens a stretch of text has; the ids are dropped. */
static int count_tokens(void *arg, const char *text, size_t size)
{
    ramus_parts *p = arg;
    const int first = p->ids.n;
    if (ramus_tokenizer_encode(p->tokenizer, text, size, &p->ids, NULL)) return p->limit;
    const int n = p->ids.n - first;
    p->ids.n = first;
    return n;
}

static ramus_status add_part(ramus_parts *p, const char *data, size_t size, ramus_error *err)
{
    ramus_status st = RAMUS_LIST_RESERVE(p->items, p->room, (size_t)p->n + 1, "the text", err);
    if (st) return st;
    ramus_part part = {.first = p->ids.n, .behind = data + size};
    st = ramus_tokenizer_encode(p->tokenizer, data, size, &p->ids, err);
    if (st) return st;
    if (p->ids.n - part.first >= p->limit)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "one character has %d tokens, a sentence may have %d",
                          p->ids.n - part.first, p->limit - 1);
    if (p->ids.n > part.first) st = ramus_ids_add(&p->ids, p->eos, err);
    part.n = p->ids.n - part.first;
    if (!st) p->items[p->n++] = part;
    return st;
}

ramus_status ramus_parts_add(ramus_parts *p, ramus_text text, bool document, bool *split,
                             size_t *leading, ramus_error *err)
{
    const char *data = text.data;
    const size_t size = text.size;
    const int before = p->n;
    *split = false;
    *leading = 0;
    if (!document) {
        const int first = p->ids.n;
        ramus_status st = ramus_tokenizer_encode(p->tokenizer, data, size, &p->ids, err);
        const int n = p->ids.n - first;
        p->ids.n = first;
        if (st || n == 0) return st;
        if (n < p->limit) return add_part(p, data, size, err);
        *split = true;
    }
    ramus_sentences s;
    ramus_sentence one;
    ramus_status st = RAMUS_OK;
    ramus_sentences_init(&s, p->language, data, size);
    ramus_sentences_limit(&s, p->limit - 1, count_tokens, p);
    *leading = document ? s.leading : 0;
    while (!st && ramus_sentences_next(&s, &one)) {
        st = add_part(p, data + one.start, one.size, err);
        if (!st) p->items[p->n - 1].behind_size = one.separator;
        if (!st && !one.ends) *split = true;
    }
    if (!st && !document && p->n > before) p->items[p->n - 1].behind_size = 0; // end of the line
    return st;
}
