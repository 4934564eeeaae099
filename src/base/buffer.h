/* buffer.h - bytes that grow: for output, messages and headers that are put together in pieces.
 *
 * Starts as {0}. Running out of memory is remembered, not reported at each call: later additions
 * are dropped and ramus_buffer_check() tells at the end. */
#ifndef RAMUS_BASE_BUFFER_H
#define RAMUS_BASE_BUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_buffer {
    char *data; // `size` bytes and a zero after them; NULL while empty
    size_t size, capacity;
    bool failed;
} ramus_buffer;

void ramus_buffer_free(ramus_buffer *b);  // back to {0}
void ramus_buffer_clear(ramus_buffer *b); // empty, no failure, the memory kept
void ramus_buffer_add(ramus_buffer *b, const void *data, size_t size);
void ramus_buffer_text(ramus_buffer *b, const char *text);
void ramus_buffer_print(ramus_buffer *b, const char *format, ...) RAMUS_PRINTF(2, 3);

/* Adds `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void ramus_buffer_json(ramus_buffer *b, const char *text, size_t size);

RAMUS_CHECKED ramus_status ramus_buffer_check(const ramus_buffer *b, ramus_error *err);

#endif
