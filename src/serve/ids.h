/* ids.h - names that nobody can guess. */
#ifndef RAMUS_SERVE_IDS_H
#define RAMUS_SERVE_IDS_H

#include "base/status.h"

#include <stdbool.h>

#define RAMUS_ID_ROOM 37 // 36 letters and a zero

/* Writes a random UUID (RFC 4122, version 4). */
RAMUS_CHECKED ramus_status ramus_id_make(char id[RAMUS_ID_ROOM], ramus_error *err);

/* Whether two texts are equal, in a time that does not depend on where they differ. */
bool ramus_secret_equal(const char *a, const char *b);

#endif
