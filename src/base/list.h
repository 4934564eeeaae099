/* list.h - the one way to grow an array: its room doubles, so that n additions cost n steps.
 *
 *     ramus_part *items = NULL;
 *     size_t room = 0;
 *     st = RAMUS_LIST_RESERVE(items, room, (size_t)n + 1, "the text", err);
 *     if (!st) items[n++] = part;
 *     ...
 *     free(items); */
#ifndef RAMUS_BASE_LIST_H
#define RAMUS_BASE_LIST_H

#include "base/status.h"

#include <stddef.h>

/* Makes sure that `items` has room for `wanted` items, of which there are at most INT_MAX: they are
 * counted in int. New room is not set to anything. On failure, which calls the list `what`, all is
 * as it was. */
#define RAMUS_LIST_RESERVE(items, room, wanted, what, err)                                         \
    ramus_list_reserve((void *)&(items), &(room), wanted, sizeof *(items), what, err)

/* The same for items of `size` bytes and the address of the pointer to them. */
RAMUS_CHECKED ramus_status ramus_list_reserve(void *items, size_t *room, size_t wanted, size_t size,
                                              const char *what, ramus_error *err);

#endif
