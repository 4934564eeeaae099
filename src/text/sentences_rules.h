/* sentences_rules.h - the decisions behind sentences.h, one file each; inside text/ only. */
#ifndef RAMUS_TEXT_SENTENCES_RULES_H
#define RAMUS_TEXT_SENTENCES_RULES_H

#include "text/sentences.h"
#include "text/sentences_chars.h"
#include "text/sentences_language.h"

/* What has been seen of the sentence that is being read. */
typedef struct ramus_sentence_scan {
    size_t start;
    bool content;  // something other than marks, quotes and brackets
    bool bracket;  // inside a bracket that opened after the first word
    bool straight; // inside straight double quotes
    bool embedded; // inside a quotation that follows a word without a colon or comma
    bool quotes;   // a quotation opened after the first word
} ramus_sentence_scan;

/* sentences_mark.c: the marks that start at `at`. Returns where the sentence ends if they end it:
 * closing quotes, brackets and emoji included; else 0. *past is set behind the marks. */
size_t ramus_sentence_mark(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                           size_t *past);

/* What follows the marks. */
typedef struct ramus_sentence_after {
    bool gap;         // white space between
    bool quote;       // a quotation opens
    ramus_char first; // the kind of the first character that is not white space
    ramus_char kind;  // the same, behind opening quotes, brackets and dashes
    size_t word, end; // letters and digits from there on
} ramus_sentence_after;

/* sentences_point.c: true when the single point at `at` ends the sentence. */
bool ramus_sentence_point(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                          const ramus_sentence_after *after);

/* True when marks without white space after them clearly end a sentence ("end.The next"). */
bool ramus_sentence_runs_on(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                            const ramus_sentence_after *after, bool asks);

/* True when the word before `at` and white space is an article or the like: "ein ... Haus". */
bool ramus_sentence_goes_on(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at);

/* True when the word after the marks is one that starts sentences. */
bool ramus_sentence_starts(const ramus_sentences *s, const ramus_sentence_after *after);

/* sentences_line.c: true when the line break between `at` and `next` (white space, `breaks` line
 * ends) ends the sentence before it. */
bool ramus_sentence_line_ends(const ramus_sentences *s, size_t at, size_t next, int breaks);

/* sentences_limit.c: the size of the first piece of text[0 .. size), which has too many tokens. */
size_t ramus_sentence_cut(const ramus_sentences *s, const char *text, size_t size);

#endif
