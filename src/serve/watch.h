/* watch.h - notices clients that leave while they wait, and requests whose time is up.
 *
 * A connection that waits is not read, so nobody else would notice. Any thread. */
#ifndef RAMUS_SERVE_WATCH_H
#define RAMUS_SERVE_WATCH_H

#include "base/status.h"

#include <stdbool.h>

typedef struct ramus_watch ramus_watch;

/* What happened: the client left, or else its time is up. Called by the watch's thread, at most
 * once for each. It must not call the watch. */
typedef void ramus_watch_fn(void *what, bool gone);

RAMUS_CHECKED ramus_status ramus_watch_create(ramus_watch **out, ramus_watch_fn *tell,
                                              ramus_error *err);
void ramus_watch_destroy(ramus_watch *w); // NULL is fine

/* Watches a socket for `seconds` from now on, under a number that no other one has. */
RAMUS_CHECKED ramus_status ramus_watch_add(ramus_watch *w, long number, int socket, double seconds,
                                           void *what, ramus_error *err);

/* Tells of all that their time is up; nothing can be added from now on. */
void ramus_watch_end(ramus_watch *w);

/* When it returns, nothing is told of that number any more. One that is not there is fine. */
void ramus_watch_remove(ramus_watch *w, long number);

#endif
