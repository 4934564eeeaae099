/* capitals.h - texts in capitals alone: "WHERE IS THE STATION?".
 *
 * Models see few of them in training and translate them badly. In small letters they read such a
 * text as well as any other. */
#ifndef RAMUS_TEXT_CAPITALS_H
#define RAMUS_TEXT_CAPITALS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a text has four capitals or more and no small letter. An eszett is not counted: most
 * writers have no capital for it. */
bool ramus_capitals_only(const char *text, size_t size);

/* Makes the capitals of a text small; not its first letter if a sentence begins there. No byte
 * moves: a capital whose small letter has another number of bytes stays. */
void ramus_capitals_drop(char *text, size_t size, bool begins);

/* Adds a text in capitals. Bytes that are not UTF-8 are copied. */
void ramus_capitals_add(ramus_buffer *out, const char *text, size_t size);

#endif
