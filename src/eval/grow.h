/* grow.h - arrays of a workspace that grow to the longest line and then stay. */
#ifndef RAMUS_EVAL_GROW_H
#define RAMUS_EVAL_GROW_H

#include <stddef.h>
#include <stdlib.h>

/* Returns `array` with room for at least `wanted` > 0 items of `size` bytes and updates *capacity;
 * NULL, and all as it was, when memory is out. */
static inline void *ramus_grow(void *array, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) return array;
    const size_t more = wanted > 128 ? 2 * wanted : 256;
    void *grown = realloc(array, more * size);
    if (grown) *capacity = more;
    return grown;
}

#endif
