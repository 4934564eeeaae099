/* Growing an array: twice the room, or as much as is wanted if that is more. The pointer is copied
 * in and out as bytes, since a T * must not be read as a void *. */
#include "base/list.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

ramus_status ramus_list_reserve(void *items, size_t *room, size_t wanted, size_t size,
                                const char *what, ramus_error *err)
{
    void *data = NULL;
    if (wanted <= *room) return RAMUS_OK;
    size_t more = *room > FIRST_ROOM / 2 ? 2 * *room : FIRST_ROOM;
    if (more < wanted) more = wanted;
    if (wanted > INT_MAX || more > PTRDIFF_MAX / size) return ramus_fail_memory(err, what);
    memcpy(&data, items, sizeof data);
    data = realloc(data, more * size);
    if (!data) return ramus_fail_memory(err, what);
    memcpy(items, &data, sizeof data);
    *room = more;
    return RAMUS_OK;
}
