/* words.h - lines cut into words as SacreBLEU cuts them, and words made into numbers.
 *
 * A tokenization is one row of a table: 13a (the one of WMT, mteval-v13a), intl (mteval-v14: at
 * every punctuation mark and symbol of Unicode), zh (each Chinese character a word, the rest as
 * 13a), char (each character a word), none (white space only).
 *
 * A ramus_words is the workspace of one thread: the words of a hypothesis and of its references go
 * in one after the other, and equal words have equal numbers until ramus_words_clear(). It grows to
 * the longest line it has seen and then allocates no more. */
#ifndef RAMUS_EVAL_WORDS_H
#define RAMUS_EVAL_WORDS_H

#include "eval/line.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ramus_tokenization ramus_tokenization;
typedef struct ramus_words ramus_words;

const ramus_tokenization *ramus_tokenization_find(const char *name); // NULL: no such row
const ramus_tokenization *ramus_tokenization_at(int i);              // NULL past the last row
const char *ramus_tokenization_name(const ramus_tokenization *t);
extern const char *const ramus_tokenization_names[]; // of all rows, then NULL

/* The words of chrF++: cut at white space, one ASCII punctuation mark taken off the end or else off
 * the beginning. Not in the table: BLEU does not use it. */
extern const ramus_tokenization ramus_tokenization_chrf;

/* The caller ends *out with ramus_words_destroy(). */
RAMUS_CHECKED ramus_status ramus_words_create(ramus_words **out, const ramus_tokenization *t,
                                              bool lowercase, ramus_error *err);
void ramus_words_destroy(ramus_words *w); // NULL is fine

void ramus_words_clear(ramus_words *w);

/* Appends the words of `line`. */
RAMUS_CHECKED ramus_status ramus_words_add(ramus_words *w, ramus_line line, ramus_error *err);

/* How many words were added since the last clear, and the number of each, in order. The pointer is
 * good until the next call that changes `w`. */
int ramus_words_count(const ramus_words *w);
const uint32_t *ramus_words_numbers(const ramus_words *w);

/* The text of a word by its number; good until the next call that changes `w`. */
ramus_line ramus_words_text(const ramus_words *w, uint32_t number);

#endif
