/* stored.h - a zip archive whose entries are stored as they are, mapped and used in place.
 *
 * So are the archives of PyTorch and NumPy. An entry that is packed or encrypted is refused:
 * nothing is ever unpacked, and no entry can be larger than its file. Read-only, any number of
 * threads. */
#ifndef RAMUS_FORMAT_STORED_H
#define RAMUS_FORMAT_STORED_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_stored_entry {
    const char *name;          // the first member: format/names.h
    const unsigned char *data; // in the archive
    size_t size;
} ramus_stored_entry;

typedef struct ramus_stored {
    ramus_stored_entry *entries; // in the order of the archive's list
    int n;
    char *names;
} ramus_stored;

/* Whether bytes begin as an archive does. */
bool ramus_stored_is(const unsigned char *data, size_t size);

/* Lists the archive in data[0 .. size), which must stay as long as *out is used. The caller ends
 * *out with ramus_stored_free(). */
RAMUS_CHECKED ramus_status ramus_stored_read(ramus_stored *out, const unsigned char *data,
                                             size_t size, ramus_error *err);
void ramus_stored_free(ramus_stored *s); // back to {0}

/* The only entry whose name ends so, NULL where there is none. Several: the first. */
const ramus_stored_entry *ramus_stored_find(const ramus_stored *s, const char *end);

#endif
