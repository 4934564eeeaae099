/* log.h - the access log: a JSON object on each line. Any thread. */
#ifndef RAMUS_SERVE_LOG_H
#define RAMUS_SERVE_LOG_H

#include "base/buffer.h"

typedef struct ramus_log ramus_log;

/* Appends to the file; "-" is standard output, NULL no log. */
RAMUS_CHECKED ramus_status ramus_log_open(ramus_log **out, const char *path, ramus_error *err);
void ramus_log_close(ramus_log *l); // NULL is fine

/* Opens the file anew: it may have been moved. */
RAMUS_CHECKED ramus_status ramus_log_reopen(ramus_log *l, ramus_error *err);

typedef struct ramus_log_entry {
    const char *peer, *dialect, *path;
    int code, texts, characters;
    double seconds;
    ramus_text text; // data NULL: it is not told
} ramus_log_entry;

void ramus_log_write(ramus_log *l, const ramus_log_entry *e);

#endif
