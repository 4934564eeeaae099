/* Open addressing with linear steps. The table doubles when it is three quarters full. */
#include "data/hash_set.h"

#include <stdlib.h>

#define LEAST 1024 // slots

/* The slot that holds `hash`, or the free one where it belongs. */
static uint64_t *find(const ramus_hash_set *s, uint64_t hash)
{
    size_t i = (size_t)hash & (s->room - 1);
    while (s->slots[i] && s->slots[i] != hash)
        i = (i + 1) & (s->room - 1);
    return &s->slots[i];
}

static ramus_status grow(ramus_hash_set *s, ramus_error *err)
{
    ramus_hash_set more = {.room = s->room ? 2 * s->room : LEAST, .n = s->n};
    more.slots = calloc(more.room, sizeof *more.slots);
    if (!more.slots) return ramus_fail_memory(err, "the hashes of what was seen");
    for (size_t i = 0; i < s->room; i++)
        if (s->slots[i]) *find(&more, s->slots[i]) = s->slots[i];
    free(s->slots);
    *s = more;
    return RAMUS_OK;
}

ramus_status ramus_hash_set_add(ramus_hash_set *s, uint64_t hash, bool *added, ramus_error *err)
{
    hash += hash == 0; // 0 is a free slot
    if (4 * (s->n + 1) > 3 * s->room) {
        const ramus_status st = grow(s, err);
        if (st) return st;
    }
    uint64_t *slot = find(s, hash);
    if (added) *added = *slot == 0;
    s->n += *slot == 0;
    *slot = hash;
    return RAMUS_OK;
}

bool ramus_hash_set_has(const ramus_hash_set *s, uint64_t hash)
{
    return s->room && *find(s, hash + (hash == 0)) != 0;
}

void ramus_hash_set_free(ramus_hash_set *s)
{
    free(s->slots);
    *s = (ramus_hash_set){0};
}
