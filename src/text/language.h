/* language.h - which language a text is in: English, German, or one that its script tells.
 *
 * docs/design/language.md has the method and its errors. Nothing is allocated, the time is linear,
 * and the same answer comes on every machine. Any bytes will do. */
#ifndef RAMUS_TEXT_LANGUAGE_H
#define RAMUS_TEXT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

/* A program may act on an answer of this certainty without asking. A single word of Latin letters
 * never has it. */
#define RAMUS_LANGUAGE_SURE 0.97

/* Returns the ISO 639-1 code of the language: "en", "de", "zh", "ja", "ko", "el", "he", "th", "hy"
 * or "ka"; NULL when it is a different one or cannot be told. *certainty (NULL is fine), from 0 to
 * 1, is the probability of the answer: with NULL, of a different language; 0 for a text without
 * words. */
const char *ramus_language_guess(const char *text, size_t size, double *certainty);

/* Whether code[0 .. size) is one of them. */
bool ramus_language_is_guessed(const char *code, size_t size);

/* Whether the text is surely not in `language`, a code such as "de" or "de-AT". False for a text
 * that is short, mixed or without words, and where the guess cannot tell: NULL, or a language that
 * it has no code for while the text is in no language that it has one for. */
bool ramus_language_differs(const char *language, const char *text, size_t size);

#endif
