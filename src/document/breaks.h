/* breaks.h - line breaks inside of a text, as strings of po, csv and json have them.
 *
 * White space with a line break in it gets a CUT behind it, which writes that white space: the
 * translation has as many lines as the source. Where a sentence cannot go on over the break, the
 * text of the block has an empty line there. */
#ifndef RAMUS_DOCUMENT_BREAKS_H
#define RAMUS_DOCUMENT_BREAKS_H

#include "document/blocks.h"

#include <stdbool.h>

typedef void ramus_escape(ramus_buffer *out, const char *text, size_t size);

bool ramus_is_space(char c); // ASCII white space

/* Leaves white space at both ends of text[*from .. *to) out. */
void ramus_trim(const char *text, size_t *from, size_t *to);

/* Whether a text begins with a small letter, as what goes on after a line break may. */
bool ramus_begins_small(const char *text, size_t size);

/* Adds a text to a block with its CUTs. `escape` writes white space as the format does. */
void ramus_breaks_add(ramus_blocks *b, const char *text, size_t size, ramus_escape *escape);

/* Goes over a translation as it is to be written: some text, then a mark, and so on. */
typedef struct ramus_breaks {
    const ramus_marked *marked;
    bool inside;      // a CUT at the beginning or end is left out
    const char *text; // may be empty
    size_t size;
    const ramus_mark *mark; // behind that text; NULL: it is the last one

    int next; // its own
    size_t at;
    bool cut;
} ramus_breaks;

/* Starts as {.marked = m}; false: there is nothing more. White space beside a CUT is left out. */
bool ramus_breaks_next(ramus_breaks *b);

/* Writes a translation so. */
void ramus_breaks_write(const ramus_marked *m, ramus_escape *escape, ramus_buffer *out);

#endif
