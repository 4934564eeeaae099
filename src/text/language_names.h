/* language_names.h - what people call a language: "de", "DE", "de_AT", "deu", "German", "Deutsch".
 */
#ifndef RAMUS_TEXT_LANGUAGE_NAMES_H
#define RAMUS_TEXT_LANGUAGE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The ISO 639-1 code of a language that is called `word`: by its code of two or three letters, with
 * or without a country, or by its name in English or in itself; capitals do not matter. NULL for
 * one that is not in the table. */
const char *ramus_language_find(const char *word);

/* The English name of the language code[0 .. size), without a country; NULL for one that is not in
 * the table. */
const char *ramus_language_name(const char *code, size_t size);

#endif
