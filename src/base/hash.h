/* hash.h - 64 bits that say whether bytes are the same.
 *
 * For finding things again and for noticing damage, not against an adversary. The value depends on
 * the byte order of the machine. */
#ifndef RAMUS_BASE_HASH_H
#define RAMUS_BASE_HASH_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Of the bytes and of `seed`: pass the hash of what came before to chain them. */
uint64_t ramus_hash(uint64_t seed, const void *data, size_t size);

/* Replaces *hash by the hash of a file's content, with *hash as its seed. */
RAMUS_CHECKED ramus_status ramus_hash_file(uint64_t *hash, const char *path, ramus_error *err);

#endif
