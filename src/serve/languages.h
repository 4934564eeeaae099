/* languages.h - codes of languages as clients write them, and their names. */
#ifndef RAMUS_SERVE_LANGUAGES_H
#define RAMUS_SERVE_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the code in small letters without what follows a '-' or '_': "EN-us" is "en". False: it is
 * no code of 2 or 3 letters. `code` has RAMUS_LANGUAGE_ROOM bytes. */
bool ramus_language_code(char *code, const char *text, size_t size);

/* The English name; the code itself where it is not known. */
const char *ramus_language_title(const char *code);

#endif
