/* clean_side.h - one side of a pair, looked at once for all rules of data/clean.h. */
#ifndef RAMUS_DATA_CLEAN_SIDE_H
#define RAMUS_DATA_CLEAN_SIDE_H

#include "base/buffer.h"
#include "text/language_words.h"

#include <stdbool.h>
#include <stdint.h>

/* Starts as {0}; its memory is used again for the next text. */
typedef struct ramus_clean_side {
    const char *text; // borrowed
    size_t size;
    bool utf8;
    uint32_t *codes; // [n] code points; U+FFFD for each byte that is not UTF-8
    int n;
    int words;                    // see ramus_clean_side_read()
    int letters, visible;         // code points that are letters; that are no white space
    int scripts[RAMUS_N_SCRIPTS]; // letters of each; Kana count as Han
    ramus_buffer key;             // lower case; a space for each run of punctuation and white space
    ramus_buffer loose;           // the key without numbers
    int loose_words;

    char *lower; // scratch: the text in lower case
    size_t room, lower_room, lower_size;
} ramus_clean_side;

/* Words are what white space separates. Where a script has none between words (Han, Kana, Thai),
 * two letters are a word. */
RAMUS_CHECKED ramus_status ramus_clean_side_read(ramus_clean_side *s, const char *text, size_t size,
                                                 ramus_error *err);
void ramus_clean_side_free(ramus_clean_side *s);

/* A letter of Han counts as four of Latin: it says as much. */
int ramus_clean_side_weight(ramus_script script);

#endif
