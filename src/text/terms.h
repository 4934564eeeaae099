/* terms.h - a glossary: what certain words and phrases become in a translation, whatever a model
 * thinks.
 *
 * ramus/ramus.h makes one and ends it (ramus_terms_open() and its neighbours). Once made it is
 * read-only, for any number of threads. */
#ifndef RAMUS_TEXT_TERMS_H
#define RAMUS_TEXT_TERMS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A place where a term stands. Starts as {0} for each text. */
typedef struct ramus_term {
    size_t at, size; // bytes of the text
    const char *put; // what it becomes, as long as the glossary lives; NULL: it stays as it is
    size_t put_size;

    size_t keep_at, keep_end; // its own: the next match of an expression, found already
} ramus_term;

/* The first term that stands on word borders within text[from .. size), of several at one place the
 * longest; false: there is none. text[0 .. from) is context for the border at the left. *out is {0}
 * at the first call for a text, and what the last call left at the others, whose `from` is never
 * smaller. What an expression of ramus_terms_keep() matches needs no word borders. */
bool ramus_terms_next(const ramus_terms *t, const char *text, size_t size, size_t from,
                      ramus_term *out);

#endif
