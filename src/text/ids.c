/* One array of ints that grows as every list does (base/list.h): room for several is made at once
 * where their greatest number is known, and one by one elsewhere. */
#include "text/ids.h"

#include "base/list.h"

#include <stdlib.h>

void ramus_ids_free(ramus_ids *ids)
{
    free(ids->data);
    *ids = (ramus_ids){0};
}

ramus_status ramus_ids_reserve(ramus_ids *ids, size_t more, ramus_error *err)
{
    return RAMUS_LIST_RESERVE(ids->data, ids->room, (size_t)ids->n + more, "ids", err);
}

ramus_status ramus_ids_add(ramus_ids *ids, int id, ramus_error *err)
{
    const ramus_status st = ramus_ids_reserve(ids, 1, err);
    if (!st) ids->data[ids->n++] = id;
    return st;
}
