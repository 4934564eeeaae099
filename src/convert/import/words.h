/* words.h - the vocabulary of another toolkit: a list of pieces by id, read from a file. */
#ifndef RAMUS_CONVERT_IMPORT_WORDS_H
#define RAMUS_CONVERT_IMPORT_WORDS_H

#include "base/buffer.h"
#include "text/ids.h"

/* Starts as {.most = ids below it}. */
typedef struct ramus_words {
    int most;
    int n;            // the highest id and 1
    ramus_ids starts; // [n] of each id in `texts`; -1: none yet
    ramus_buffer texts;
} ramus_words;

void ramus_words_free(ramus_words *w);

/* Reads {"piece": id, ..}, a JSON object; or lines `piece: id`, where a piece may stand in quotes
 * as in YAML. Each id below the highest one has one piece. */
RAMUS_CHECKED ramus_status ramus_words_read_json(ramus_words *w, const char *text, size_t size,
                                                 ramus_error *err);
RAMUS_CHECKED ramus_status ramus_words_read_yml(ramus_words *w, const char *text, size_t size,
                                                ramus_error *err);

int ramus_words_find(const ramus_words *w, const char *piece); // its id, -1: there is none

/* The model file with these words as its piece table (text/piece_table.h): `n` words, of which the
 * last may have no text. */
RAMUS_CHECKED ramus_status ramus_words_write(const ramus_words *w, int n, int eos, int pad,
                                             const void *model, size_t size, ramus_buffer *out,
                                             ramus_error *err);

#endif
