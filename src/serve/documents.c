/* A short list; entries that are too old are removed whenever one is added or sought. */
#include "serve/documents.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define LIFE 3600.0 // seconds

struct ramus_documents {
    ramus_queue *queue;
    int n, most;
    ramus_upload **items;
};

ramus_status ramus_documents_create(ramus_documents **out, ramus_queue *queue, int most,
                                    ramus_error *err)
{
    ramus_documents *d = calloc(1, sizeof *d);
    if (d) d->items = calloc((size_t)most + 1, sizeof(ramus_upload *));
    if (!d || !d->items) {
        free(d);
        return ramus_fail_memory(err, "documents");
    }
    d->queue = queue;
    d->most = most;
    *out = d;
    return RAMUS_OK;
}

void ramus_documents_destroy(ramus_documents *d)
{
    if (!d) return;
    while (d->n > 0)
        ramus_documents_remove(d, d->items[0]);
    free(d->items);
    free(d);
}

static void remove_old(ramus_documents *d)
{
    while (d->n > 0 && ramus_clock_now() - d->items[0]->made > LIFE)
        ramus_documents_remove(d, d->items[0]);
}

/* The last part of a path, with letters that need no quoting anywhere. */
static void copy_name(char *to, size_t room, const char *name)
{
    const char *slash = strrchr(name, '/'), *back = strrchr(name, '\\');
    if (slash) name = slash + 1;
    if (back && back >= name) name = back + 1;
    size_t n = 0;
    for (; *name && n + 1 < room; name++) {
        const bool safe = (*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
                          (*name >= 'a' && *name <= 'z') || *name == '.' || *name == '-';
        to[n++] = (char)(safe ? *name : '_');
    }
    to[n] = '\0';
}

ramus_status ramus_documents_add(ramus_documents *d, const char *name, ramus_work *work,
                                 ramus_upload **out, ramus_error *err)
{
    remove_old(d);
    if (d->n == d->most)
        return ramus_fail(err, RAMUS_FAILED, "%d documents are kept: fetch them first", d->n);
    ramus_upload *u = calloc(1, sizeof *u);
    if (!u) return ramus_fail_memory(err, "a document");
    ramus_status st = ramus_id_make(u->id, err);
    if (!st) st = ramus_id_make(u->key, err);
    if (st) {
        free(u);
        return st;
    }
    copy_name(u->name, sizeof u->name, name);
    u->work = work;
    u->made = ramus_clock_now();
    d->items[d->n++] = u;
    *out = u;
    return RAMUS_OK;
}

ramus_upload *ramus_documents_find(ramus_documents *d, const char *id, const char *key)
{
    remove_old(d);
    for (int i = 0; i < d->n; i++) {
        ramus_upload *u = d->items[i];
        if (strncmp(u->id, id, RAMUS_ID_ROOM - 1) == 0 && (!key || ramus_secret_equal(u->key, key)))
            return u;
    }
    return NULL;
}

void ramus_documents_remove(ramus_documents *d, ramus_upload *u)
{
    int i = 0;
    while (d->items[i] != u)
        i++;
    memmove(d->items + i, d->items + i + 1, (size_t)(--d->n - i) * sizeof(ramus_upload *));
    (void)ramus_queue_cancel(d->queue, u->work);
    ramus_queue_release(d->queue, u->work);
    free(u);
}
