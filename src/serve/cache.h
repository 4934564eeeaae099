/* cache.h - translations of before, up to a number of bytes; the least recently used one goes
 * first.
 *
 * A translation depends on its text, its model and how it was asked for, and on nothing else: what
 * is found here is what would be found again. Any thread. */
#ifndef RAMUS_SERVE_CACHE_H
#define RAMUS_SERVE_CACHE_H

#include "serve/work.h"

typedef struct ramus_cache ramus_cache;

RAMUS_CHECKED ramus_status ramus_cache_create(ramus_cache **out, size_t bytes, ramus_error *err);
void ramus_cache_destroy(ramus_cache *c); // NULL is fine

/* Fills item->found and returns true if its translation is there. */
bool ramus_cache_find(ramus_cache *c, ramus_item *item);

/* Keeps a copy of item->found. */
void ramus_cache_keep(ramus_cache *c, const ramus_item *item);

size_t ramus_cache_bytes(ramus_cache *c);

#endif
