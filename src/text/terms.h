/* terms.h - a glossary: what certain words and phrases become in a translation, whatever a model
 * thinks. Read-only once made, any number of threads. */
#ifndef RAMUS_TEXT_TERMS_H
#define RAMUS_TEXT_TERMS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A place where a term stands. */
typedef struct ramus_term {
    size_t at, size; // bytes of the text
    const char *put; // what it becomes; NULL: it stays as it is
    size_t put_size;
} ramus_term;

/* The first term that stands on word borders within text[from .. size), of several at one place the
 * longest; false: there is none. Scanning goes on behind it. */
bool ramus_terms_next(const ramus_terms *t, const char *text, size_t size, size_t from,
                      ramus_term *out);

#endif
