/* terms_set.h - what a glossary is made of; inside text/ only. */
#ifndef RAMUS_TEXT_TERMS_SET_H
#define RAMUS_TEXT_TERMS_SET_H

#include "base/buffer.h"
#include "text/trie.h"

#include <locale.h>
#include <regex.h>

/* How many letters of a text are capitals. */
typedef enum ramus_capitals {
    RAMUS_CAPITALS_NONE,  // not the first letter
    RAMUS_CAPITALS_FIRST, // the first one
    RAMUS_CAPITALS_ALL,   // all, at least two
    RAMUS_CAPITALS        // their number
} ramus_capitals;

typedef struct ramus_term_entry {
    bool kept;                       // it stays as it is
    bool follows;                    // the target takes the capitals of the text
    ramus_capitals capitals;         // of the source
    size_t puts[RAMUS_CAPITALS + 1]; // puts[c] .. puts[c + 1]: the target with capitals c
} ramus_term_entry;

struct ramus_terms {
    ramus_term_entry *entries;
    int n;
    size_t entry_room;
    ramus_buffer targets;   // bytes that `puts` count
    ramus_trie any, exact;  // sources to entries: folded, and as they are
    ramus_buffer keep_text; // all expressions as one
    regex_t keep;
    bool keeps;      // there is one
    locale_t locale; // that expressions are read in: UTF-8, whatever the program has
};

/* Writes the folded form of a code point, the same for both cases of a letter; returns its bytes.
 */
#define RAMUS_FOLD_BYTES 12
int ramus_terms_fold(char out[RAMUS_FOLD_BYTES], uint32_t code);

ramus_capitals ramus_terms_capitals(const char *text, size_t size);

#endif
