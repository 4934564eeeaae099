/* hash_set.h - which hashes have been seen: 11 to 22 bytes for each, whatever was hashed.
 *
 * Two texts with one hash count as the same: with a hundred million texts, once in 3,700 times (the
 * birthday bound of 64 bits). Starts as {0}. */
#ifndef RAMUS_DATA_HASH_SET_H
#define RAMUS_DATA_HASH_SET_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ramus_hash_set {
    uint64_t *slots; // [room], a power of two; 0: free
    size_t room, n;
} ramus_hash_set;

/* Adds a hash; *added (NULL is fine) tells whether it is new. */
RAMUS_CHECKED ramus_status ramus_hash_set_add(ramus_hash_set *s, uint64_t hash, bool *added,
                                              ramus_error *err);
bool ramus_hash_set_has(const ramus_hash_set *s, uint64_t hash);
void ramus_hash_set_free(ramus_hash_set *s); // {0} is fine

#endif
