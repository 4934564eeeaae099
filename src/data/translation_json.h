/* translation_json.h - a translation as JSON, and the words for notes about it. */
#ifndef RAMUS_DATA_TRANSLATION_JSON_H
#define RAMUS_DATA_TRANSLATION_JSON_H

#include "base/buffer.h"

/* Adds members of an object: text, score, log_prob, tokens, log_probs and alignment of t[0], then
 * source_tokens, sentences, notes and, where n_best > 1, n_best. */
void ramus_translation_json(ramus_buffer *out, const ramus_translation *t, int n_best);

/* Adds a list of the words of a set of notes. */
void ramus_notes_json(ramus_buffer *out, unsigned set);

/* The i-th note, i = 0, 1, ..: its bit; 0: there are no more. */
unsigned ramus_note_bit(int i);

/* Of one bit: a word, and a sentence that stands behind "line 7"; NULL where it is no note. */
const char *ramus_note_word(unsigned bit);
const char *ramus_note_sentence(unsigned bit);

#endif
