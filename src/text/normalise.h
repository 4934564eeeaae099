/* normalise.h - text in the form that a vocabulary was trained on: replacement rules, then white
 * space.
 *
 * The rules are the "precompiled charsmap" of a SentencePiece model: a trie of byte strings (a
 * Darts-clone double array) whose values point into a list of zero-terminated replacements. At each
 * place the longest rule applies; where none does, a character stays as it is and a byte that is
 * not UTF-8 becomes U+FFFD. Read-only once made, any number of threads. */
#ifndef RAMUS_TEXT_NORMALISE_H
#define RAMUS_TEXT_NORMALISE_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/ids.h"
#include "text/trie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMUS_SPACE_SYMBOL "\xE2\x96\x81" // U+2581, stands for a space in pieces
#define RAMUS_SPACE_SIZE   3

/* Starts as {0}, which changes nothing but broken UTF-8. */
typedef struct ramus_normaliser {
    bool dummy_prefix;        // a space before the first word
    bool remove_extra_spaces; // at both ends, and all but one in a row
    bool escape_spaces;       // write U+2581 for ' '
    bool space_as_suffix;     // the dummy space goes behind the last word
    const ramus_trie *kept;   // strings that no rule touches; borrowed, NULL is fine

    uint32_t *units; // the rules; NULL without any
    size_t n_units;
    char *replacements;
    size_t replacements_size; // a zero stands behind the last byte
    bool plain[128];          // this character before another ASCII character has no rule
} ramus_normaliser;

/* Takes the rules from a charsmap of `size` bytes, size > 0, and copies them. */
RAMUS_CHECKED ramus_status ramus_normaliser_set_rules(ramus_normaliser *n,
                                                      const unsigned char *charsmap, size_t size,
                                                      ramus_error *err);

/* To be called once the rules and `kept` are in place, before the first text. */
void ramus_normaliser_prepare(ramus_normaliser *n);

void ramus_normaliser_free(ramus_normaliser *n); // {0} is fine

/* Replaces the content of *out by the normalised text. Fails when memory is out or the result would
 * exceed RAMUS_TEXT_MAX bytes. `origins` becomes, for each byte of *out, where in `text` that
 * begins of which it was made, and behind them where the text ends whose white space was dropped:
 * out->size + 1 numbers, none less than the one before. NULL: not wanted. */
RAMUS_CHECKED ramus_status ramus_normaliser_run(const ramus_normaliser *n, const char *text,
                                                size_t size, ramus_buffer *out, ramus_ids *origins,
                                                ramus_error *err);

/* What the beginning of text[0 .. size), size > 0, becomes before white space is looked at:
 * out[0 .. *out_size), which is borrowed. Returns how many bytes of the text that is, at least 1.
 */
size_t ramus_normaliser_step(const ramus_normaliser *n, const char *text, size_t size,
                             const char **out, size_t *out_size);

#define RAMUS_TEXT_MAX (1 << 28) // bytes of one text: offsets are int, three bytes per space

#endif
