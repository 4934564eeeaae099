/* found.h - a translation, kept after the session that made it has gone on. */
#ifndef RAMUS_SERVE_FOUND_H
#define RAMUS_SERVE_FOUND_H

#include "base/buffer.h"

/* Starts as {0}. */
typedef struct ramus_found {
    ramus_buffer texts; // n translations, best first: read with ramus_found_text()
    int n;
    double score, log_prob; // of the first
    unsigned notes;
    int sentences;
    int n_source, n_target; // tokens; 0 without details
    ramus_buffer details;   // members of a JSON object; empty without details
} ramus_found;

void ramus_found_free(ramus_found *f); // back to {0}
void ramus_found_add(ramus_found *f, const char *text, size_t size);

/* Translation number j < n, with a zero behind it that `size` does not count. */
ramus_text ramus_found_text(const ramus_found *f, int j);

/* Makes *to, which is {0}, a copy; to->texts.failed where memory is out. */
void ramus_found_copy(ramus_found *to, const ramus_found *from);

#endif
