/* tokenization.h - a row of the table of tokenizations; between tokenization.c and words.c only.
 *
 * SacreBLEU's tokenizers are chains of regular expressions that put spaces around characters. Here
 * each character has one of these classes, and words.c cuts in one pass. */
#ifndef RAMUS_EVAL_TOKENIZATION_H
#define RAMUS_EVAL_TOKENIZATION_H

#include "eval/words.h"

enum {
    RAMUS_CHAR_NONE, // before the first character and after the last one
    RAMUS_CHAR_SPACE,
    RAMUS_CHAR_WORD,
    RAMUS_CHAR_DIGIT,
    RAMUS_CHAR_SINGLE, // always a word of its own
    RAMUS_CHAR_POINT,  // a word of its own unless digits (or nothing) stand on both sides
    RAMUS_CHAR_DASH    // a word of its own after a digit
};

struct ramus_tokenization {
    const char *name;
    int (*class_of)(uint32_t code);
    bool entities; // undo &quot; &amp; &lt; &gt; and the marks of mteval
    bool padded;   // as if a space stood before the line and after it
    bool trimmed;  // spaces at the start do not count as something before the first character
    bool peeled;   // chrF++: one mark comes off each word
};

#endif
