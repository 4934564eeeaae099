/* parts.h - texts cut into the units that the model translates: a line, or its sentences.
 *
 * A part borrows its text. The list keeps its memory from call to call and grows to the largest. */
#ifndef RAMUS_RUNTIME_PARTS_H
#define RAMUS_RUNTIME_PARTS_H

#include "text/tokenizer.h"

#include <stdbool.h>

typedef struct ramus_part {
    int first, n;       // its ids, EOS included; 0: nothing to translate
    const char *behind; // the white space behind it in the text
    size_t behind_size;
} ramus_part;

typedef struct ramus_parts {
    ramus_tokenizer *tokenizer;
    int limit; // tokens of a part, EOS included
    int eos;
    const char *language; // of the rules that find sentences; NULL: those for most languages

    ramus_part *items;
    int n;
    size_t room;
    ramus_ids ids;
} ramus_parts;

void ramus_parts_free(ramus_parts *p); // the lists; the tokenizer is the caller's

/* Empties the list and keeps the memory. */
void ramus_parts_clear(ramus_parts *p);

/* Adds the parts of a text: all of it, or its sentences when `document` is set or it has too many
 * tokens, of which *split tells. *leading: how many bytes of a document stand before its first
 * part. A part that has nothing to translate has no ids. */
RAMUS_CHECKED ramus_status ramus_parts_add(ramus_parts *p, ramus_text text, bool document,
                                           bool *split, size_t *leading, ramus_error *err);

#endif
