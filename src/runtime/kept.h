/* kept.h - the stretches of a text that do not go through the model as they are: each stands in
 * the translation once.
 *
 * In the text that the model sees, a keep is a symbol: a letter of private use, U+E000 and the next
 * ones, which models learn to carry over. Sentences are found in that text, so none ends inside of
 * what is kept. Memory is kept from call to call. */
#ifndef RAMUS_RUNTIME_KEPT_H
#define RAMUS_RUNTIME_KEPT_H

#include "document/blocks.h"
#include "text/terms.h"
#include "text/vocab.h"

#define RAMUS_SYMBOLS     16 // U+E000 .. U+E00F
#define RAMUS_SYMBOL_SIZE 3  // bytes of one

typedef struct ramus_kept {
    size_t at, size; // bytes of the text
    size_t symbol;   // the byte of the model's text where its symbol stands
    const char *put; // what the translation has for it
    size_t put_size;
    int mark;   // its number among the marks of the text; -1: it was found
    bool loose; // it is no part of a sentence: an emoji before or behind one
} ramus_kept;

typedef struct ramus_kept_list {
    ramus_kept *items;
    int n;
    size_t room;
} ramus_kept_list;

/* What is kept besides KEEP marks. */
typedef struct ramus_keeping {
    const ramus_terms *terms;  // a glossary; NULL: none
    bool spans;                // what is not language (text/spans.h)
    const ramus_vocab *reader; // words and signs that it cannot read (text/foreign.h); NULL: none
} ramus_keeping;

void ramus_kept_free(ramus_kept_list *k);

/* Adds the keeps of a text. They come in order and do not overlap. */
RAMUS_CHECKED ramus_status ramus_kept_find(ramus_kept_list *k, const ramus_marked *text,
                                           const ramus_keeping *how, ramus_error *err);

/* Adds text[from .. end) to *out with symbols for the n keeps in it, and sets their places there.
 */
void ramus_kept_replace(ramus_kept *keeps, int n, const char *text, size_t from, size_t end,
                        ramus_buffer *out);

/* Writes symbol number i over the one at `to`. */
void ramus_symbol_write(char *to, int i);

/* The number of the symbol that `text` begins with; -1: it begins with none. */
int ramus_symbol_read(const char *text, size_t size);

#endif
