/* A table of chains and a list by last use. A key is written out whole, so that equal hashes of
 * different texts do no harm. Details belong to a session and glossaries to a client: neither is
 * kept. */
#include "serve/cache.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 16384 // chains; a power of two

typedef struct entry {
    struct entry *chain;         // the next one of the slot
    struct entry *older, *newer; // by last use
    uint64_t hash;
    ramus_buffer key;
    ramus_found found;
} entry;

struct ramus_cache {
    pthread_mutex_t lock;
    size_t most, bytes;
    entry *newest, *oldest;
    entry *slots[SLOTS];
};

ramus_status ramus_cache_create(ramus_cache **out, size_t bytes, ramus_error *err)
{
    ramus_cache *c = calloc(1, sizeof *c);
    if (!c) return ramus_fail_memory(err, "the cache");
    c->most = bytes;
    (void)pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return RAMUS_OK;
}

static bool is_kept(const ramus_cache *c, const ramus_item *item)
{
    const ramus_how *how = &item->work->how;
    return c->most > 0 && !how->details && !how->glossary && !item->work->office &&
           !item->work->sentence && item->n_steps > 0;
}

/* Everything that an answer depends on. */
static uint64_t write_key(ramus_buffer *key, const ramus_item *item)
{
    const ramus_how *how = &item->work->how;
    for (int i = 0; i < item->n_steps; i++)
        ramus_buffer_print(key, "%ld ", item->steps[i]->serial);
    ramus_buffer_print(key, "%d %d %d %d %d %s\n%s\n", how->beam, how->n_best, how->unprotected,
                       how->whole_lines, how->scores, how->format ? how->format : "",
                       how->prefix ? how->prefix : "");
    ramus_buffer_add(key, item->source.data, item->source.size);
    return ramus_hash(0, key->data, key->size);
}

static size_t entry_bytes(const entry *e)
{
    return sizeof *e + e->key.capacity + e->found.texts.capacity;
}

/* The functions below are called with the lock held. */

static void unlink_use(ramus_cache *c, entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(ramus_cache *c, entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static void forget(ramus_cache *c, entry *e)
{
    entry **place = &c->slots[e->hash % SLOTS];
    while (*place != e)
        place = &(*place)->chain;
    *place = e->chain;
    unlink_use(c, e);
    c->bytes -= entry_bytes(e);
    ramus_buffer_free(&e->key);
    ramus_found_free(&e->found);
    free(e);
}

void ramus_cache_destroy(ramus_cache *c)
{
    if (!c) return;
    while (c->oldest)
        forget(c, c->oldest);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

static entry *look_up(const ramus_cache *c, const ramus_buffer *key, uint64_t hash)
{
    entry *e = c->slots[hash % SLOTS];
    while (e && (e->hash != hash || e->key.size != key->size ||
                 memcmp(e->key.data, key->data, key->size) != 0))
        e = e->chain;
    return e;
}

bool ramus_cache_find(ramus_cache *c, ramus_item *item)
{
    ramus_buffer key = {0};
    if (!is_kept(c, item)) return false;
    const uint64_t hash = write_key(&key, item);
    (void)pthread_mutex_lock(&c->lock);
    entry *e = key.failed ? NULL : look_up(c, &key, hash);
    if (e) {
        ramus_found_copy(&item->found, &e->found);
        unlink_use(c, e);
        link_newest(c, e);
    }
    (void)pthread_mutex_unlock(&c->lock);
    ramus_buffer_free(&key);
    if (e && item->found.texts.failed) ramus_found_free(&item->found);
    return item->found.n > 0;
}

void ramus_cache_keep(ramus_cache *c, const ramus_item *item)
{
    if (!is_kept(c, item)) return;
    entry *e = calloc(1, sizeof *e);
    if (!e) return;
    e->hash = write_key(&e->key, item);
    ramus_found_copy(&e->found, &item->found);
    (void)pthread_mutex_lock(&c->lock);
    const bool room = !e->key.failed && !e->found.texts.failed && entry_bytes(e) <= c->most;
    const bool kept = room && !look_up(c, &e->key, e->hash);
    if (kept) {
        e->chain = c->slots[e->hash % SLOTS];
        c->slots[e->hash % SLOTS] = e;
        link_newest(c, e);
        c->bytes += entry_bytes(e);
        while (c->bytes > c->most)
            forget(c, c->oldest);
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (kept) return;
    ramus_buffer_free(&e->key);
    ramus_found_free(&e->found);
    free(e);
}

size_t ramus_cache_bytes(ramus_cache *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const size_t bytes = c->bytes;
    (void)pthread_mutex_unlock(&c->lock);
    return bytes;
}
