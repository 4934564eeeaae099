/* utf8.h - UTF-8 by code point. Strict: no overlong form, no surrogate, nothing above U+10FFFF. */
#ifndef RAMUS_BASE_UTF8_H
#define RAMUS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define RAMUS_UTF8_REPLACEMENT 0xFFFDu

/* Decodes the code point at text[0 .. size), size > 0. Returns how many bytes it takes and sets
 * *code. Where the bytes are not UTF-8 it returns 0 and *code is RAMUS_UTF8_REPLACEMENT; the caller
 * skips one byte. */
int ramus_utf8_decode(uint32_t *code, const char *text, size_t size);

/* Writes `code` to out and returns its bytes, 1 to 4; a surrogate or a value above U+10FFFF becomes
 * RAMUS_UTF8_REPLACEMENT. */
int ramus_utf8_encode(char out[4], uint32_t code);

/* The offset of the first byte that is not UTF-8, or `size` when all is well. */
size_t ramus_utf8_check(const char *text, size_t size);

/* Puts '?' where a message for a terminal would move its cursor or was cut inside a letter. */
void ramus_utf8_clean(char *message);

#endif
