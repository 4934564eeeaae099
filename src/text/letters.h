/* letters.h - is there anything to translate? Letters of every script, without tables. */
#ifndef RAMUS_TEXT_LETTERS_H
#define RAMUS_TEXT_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a code point may be part of a word: every letter is, and some signs that are rare. */
bool ramus_letter(uint32_t code);

/* Whether a text has a letter; bytes that are not UTF-8 are none. */
bool ramus_has_letter(const char *text, size_t size);

#endif
