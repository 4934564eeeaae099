/* keys.h - who may ask: keys from a file, and how often each address does.
 *
 * Any thread. */
#ifndef RAMUS_SERVE_KEYS_H
#define RAMUS_SERVE_KEYS_H

#include "base/status.h"

#include <stdbool.h>

typedef struct ramus_keys ramus_keys;

/* A file with a key on each line, and perhaps a name for the log behind it; '#' begins a comment.
 * NULL: anybody may ask. The caller ends *out with ramus_keys_destroy(). */
RAMUS_CHECKED ramus_status ramus_keys_create(ramus_keys **out, const char *path, ramus_error *err);
void ramus_keys_destroy(ramus_keys *k); // NULL is fine

/* Reads the file again. On failure the keys of before stay. */
RAMUS_CHECKED ramus_status ramus_keys_reload(ramus_keys *k, ramus_error *err);

bool ramus_keys_needed(ramus_keys *k);

/* Whether it is a key; the time does not depend on how much of it is right. */
bool ramus_keys_has(ramus_keys *k, const char *key);

typedef struct ramus_rates ramus_rates;

/* At most `per_minute` requests and `connections` of an address, 0: any number. */
RAMUS_CHECKED ramus_status ramus_rates_create(ramus_rates **out, int per_minute, int connections,
                                              ramus_error *err);
void ramus_rates_destroy(ramus_rates *r); // NULL is fine

/* A connection came or went. */
void ramus_rates_connect(ramus_rates *r, const char *peer, bool came);

/* Counts `n` requests. Returns the seconds after which there is room for them: 0, now. */
int ramus_rates_ask(ramus_rates *r, const char *peer, int n);

/* Whether an address has more connections than it may have. */
bool ramus_rates_crowded(ramus_rates *r, const char *peer);

#endif
