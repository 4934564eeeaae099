/* foreign.h - words and signs of a text that a vocabulary has no pieces for: another script, a rare
 * accent, a mathematical sign.
 *
 * A model sees them as bytes or as the unknown piece, of which it has learned little. */
#ifndef RAMUS_TEXT_FOREIGN_H
#define RAMUS_TEXT_FOREIGN_H

#include "text/vocab.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_foreign {
    size_t at, size; // bytes of the text; size > 0
    bool word;       // else a run of signs
} ramus_foreign;

/* Sets *out to the first foreign stretch of text[from .. size); false when there is none. A word is
 * foreign as a whole if one of its letters is, but for small words in Latin letters; of scripts
 * without spaces, the letters alone are. A number that touches a foreign sign belongs to it. White
 * space, accents, dashes and bytes that are not UTF-8 never are foreign, and nothing is where the
 * pieces are words. `from` is where a word may begin. In valid UTF-8 a stretch begins and ends
 * between code points. The time is linear, nothing is allocated. */
bool ramus_foreign_next(const ramus_vocab *v, const char *text, size_t size, size_t from,
                        ramus_foreign *out);

#endif
