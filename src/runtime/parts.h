/* parts.h - texts cut into the units that the model translates: sentences, or whole lines.
 *
 * What is between the parts of a text is copied: white space, list markers, sentences without a
 * letter. What must be copied within a part (kept.h) has symbols in its ids, where the model knows
 * symbols; else the sentence is cut into fragments around it. A sentence in capitals goes through
 * the model in small letters. The lists keep their memory from call to call and grow to the
 * largest. */
#ifndef RAMUS_RUNTIME_PARTS_H
#define RAMUS_RUNTIME_PARTS_H

#include "runtime/kept.h"
#include "text/tokenizer.h"

#include <stdbool.h>

typedef struct ramus_part {
    int first, n;            // its ids, EOS included; n > 0
    size_t at, end;          // bytes of the text
    int first_keep, n_keeps; // in `keeps`: symbol 0, 1, .. of its ids
    bool ends;               // a sentence ends behind it
    bool fragment;           // it is translated only if the part before the fragments fails
    bool failed;             // no translation has all symbols: its fragments take its place
    int n_fragments;         // they are the next parts
    bool done;               // it is translated
    bool capitals;           // it is in capitals: its ids are of small letters
} ramus_part;

/* How texts are cut. */
typedef struct ramus_cutting {
    bool whole;               // a text is one sentence, unless it is too long; nothing around it
    bool bare;                // all of it goes through the model, as it is
    const ramus_terms *terms; // NULL: none
    bool ends;                // `ends` of the lists is wanted
} ramus_cutting;

typedef struct ramus_parts {
    ramus_tokenizer *tokenizer;
    int limit; // tokens of a part, EOS included
    int eos;
    int symbols;               // that the model knows, the first ones
    const char *language;      // of the rules that find sentences; NULL: those for most languages
    const ramus_vocab *reader; // what it cannot read is copied if there are symbols for it

    ramus_part *items;
    int n;
    ramus_kept_list keeps;
    ramus_ids ids;
    ramus_ids ends; // of each id, EOS too: the byte of the text behind it; empty if not wanted

    size_t room; // from here on its own
    bool bare;   // of the text that is being cut
    ramus_buffer model;
    ramus_buffer small;    // a sentence in capitals, in small letters
    ramus_status counting; // how it went, in a text that is being cut
    ramus_error *err;      // of it
} ramus_parts;

void ramus_parts_free(ramus_parts *p); // the lists; the tokenizer is the caller's

/* Empties the lists and keeps the memory. */
void ramus_parts_clear(ramus_parts *p);

/* Adds the parts of a text. *split: it has a sentence that is too long, *apart: one that was cut
 * into fragments. */
RAMUS_CHECKED ramus_status ramus_parts_add(ramus_parts *p, const ramus_marked *text,
                                           const ramus_cutting *how, bool *split, bool *apart,
                                           ramus_error *err);

#endif
