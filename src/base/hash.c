/* A round of xxHash for every eight bytes, seeded with the size, so that zeros at the end count;
 * then the bits are mixed until each depends on all. */
#include "base/hash.h"

#include "base/map.h"

#include <string.h>

/* The primes of xxHash (Collet): odd, with well mixed bits. */
#define PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash ^= rotate(word * PRIME_2, 31) * PRIME_1;
    return rotate(hash, 27) * PRIME_1 + PRIME_4;
}

uint64_t ramus_hash(uint64_t seed, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = mix_word(seed + PRIME_3, size); // so that zeros at the end count
    uint64_t word = 0;

    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = mix_word(hash, word);
    }
    if (size > 0) {
        word = 0;
        memcpy(&word, bytes, size);
        hash = mix_word(hash, word);
    }
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

ramus_status ramus_hash_file(uint64_t *hash, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    const ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    *hash = ramus_hash(*hash, file.data, file.size);
    ramus_file_unmap(&file);
    return RAMUS_OK;
}
