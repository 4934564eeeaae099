/* trie.h - strings to numbers, walked byte by byte: a double array.
 *
 * A state is an index into `units`. The state reached from `s` by a byte stands at base(s) ^ byte
 * and names `s` as its parent, so that one load tells whether the step exists. Read-only
 * after it was built, any number of threads. */
#ifndef RAMUS_TEXT_TRIE_H
#define RAMUS_TEXT_TRIE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define RAMUS_TRIE_ROOT 0u
#define RAMUS_TRIE_NONE 0u // no such state: the root is never the end of a step

typedef struct ramus_trie_unit {
    uint32_t base;
    uint32_t parent; // the state before it; none of the root's and of free units
    int32_t value;   // of the string that ends here, or -1
} ramus_trie_unit;

/* Starts as {0}; may be walked once ramus_trie_build() has filled it. */
typedef struct ramus_trie {
    ramus_trie_unit *units;
    int n_units;
} ramus_trie;

typedef struct ramus_trie_entry {
    const char *text;              // no zero byte in it
    int size;                      // at least 1
    int32_t value;                 // at least 0
    struct ramus_trie_entry *next; // for ramus_trie_build() alone
} ramus_trie_entry;

/* Builds from n entries, possibly none. Two equal texts are an error. The texts are not needed
 * afterwards. The caller ends *out with ramus_trie_free(). */
RAMUS_CHECKED ramus_status ramus_trie_build(ramus_trie *out, ramus_trie_entry *entries, int n,
                                            ramus_error *err);
void ramus_trie_free(ramus_trie *t); // {0} is fine

/* The state after `byte`, or RAMUS_TRIE_NONE. */
static inline uint32_t ramus_trie_step(const ramus_trie *t, uint32_t state, unsigned char byte)
{
    const uint32_t at = t->units[state].base ^ byte;
    return t->units[at].parent == state ? at : RAMUS_TRIE_NONE;
}

/* The state after all bytes of `text`, or RAMUS_TRIE_NONE. */
uint32_t ramus_trie_walk(const ramus_trie *t, uint32_t state, const char *text, size_t size);

/* The value of exactly this text, or -1. */
int32_t ramus_trie_find(const ramus_trie *t, const char *text, size_t size);

/* The length of the longest entry that `text` begins with; 0 when there is none. */
size_t ramus_trie_longest(const ramus_trie *t, const char *text, size_t size);

#endif
