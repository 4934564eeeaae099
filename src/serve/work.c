/* Works are made here and freed by the queue, which counts their references. */
#include "serve/work.h"

#include <stdlib.h>
#include <string.h>

ramus_status ramus_work_create(ramus_work **out, int n, ramus_error *err)
{
    ramus_work *w = calloc(1, sizeof *w);
    if (w) w->items = calloc((size_t)n + 1, sizeof *w->items);
    if (!w || !w->items) {
        free(w);
        return ramus_fail_memory(err, "the request");
    }
    for (int i = 0; i < n; i++)
        w->items[i].work = w;
    w->n = w->left = n;
    w->references = 1;
    *out = w;
    return RAMUS_OK;
}

void ramus_item_fail(ramus_item *item, ramus_status status, const ramus_error *err)
{
    item->status = status;
    free(item->failure);
    item->failure = strdup(err->message);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool ramus_how_equal(const ramus_how *a, const ramus_how *b)
{
    return a->beam == b->beam && a->n_best == b->n_best && a->details == b->details &&
           a->unprotected == b->unprotected && a->scores == b->scores &&
           a->whole_lines == b->whole_lines && a->glossary == b->glossary &&
           same_text(a->format, b->format) && same_text(a->prefix, b->prefix);
}

int ramus_characters(ramus_text text)
{
    int n = 0;
    for (size_t i = 0; i < text.size; i++)
        n += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return n;
}
