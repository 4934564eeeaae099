/* ids.h - whole numbers that grow in number: ids of pieces, or places in a text. */
#ifndef RAMUS_TEXT_IDS_H
#define RAMUS_TEXT_IDS_H

#include "base/status.h"

#include <stddef.h>

/* Owned by the caller. Starts as {0}; n = 0 empties it and keeps the memory. */
typedef struct ramus_ids {
    int *data;
    int n;
    size_t room;
} ramus_ids;

void ramus_ids_free(ramus_ids *ids); // back to {0}
RAMUS_CHECKED ramus_status ramus_ids_add(ramus_ids *ids, int id, ramus_error *err);

/* Makes room for `more` ids behind those there, and adds none. */
RAMUS_CHECKED ramus_status ramus_ids_reserve(ramus_ids *ids, size_t more, ramus_error *err);

#endif
