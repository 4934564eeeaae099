/* sentences_language.h - what the splitting of sentences knows about a language; inside text/ only.
 *
 * Lists are words between single spaces. An abbreviation stands without its last point and without
 * the spaces inside ("z.B" stands for "z. B."). A word that starts in lower case also matches with
 * a capital. One that starts with - is the ending of longer words. */
#ifndef RAMUS_TEXT_SENTENCES_LANGUAGE_H
#define RAMUS_TEXT_SENTENCES_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_sentence_language {
    const char *name; // ISO 639-1 code
    bool nouns;       // nouns are written with a capital, and ordinals with a point
    /* Abbreviations. Those of the default row hold in every language. */
    const char *never;  // do not end a sentence
    const char *number; // belong to the number after them; otherwise they are words
    const char *maybe;  // end a sentence only before one of `starters`
    const char *often;  // end a sentence before a capital, except before one of `times`
    /* Capitalised words. */
    const char *starters; // far more often the first word of a sentence than a name
    const char *times;    // days, months, time zones: they continue after "5 p.m.", "Mitte 19."
    const char *letters;  // words (of any case) that a letter goes with: "vitamin C"
    /* What follows a quotation that ends in a mark and belongs to the same sentence. */
    const char *said;   // verbs: one of the next words, or (without spaces) the end of the clause
    const char *quoted; // particles, as the very next characters
} ramus_sentence_language;

/* The row for a code such as "de", "de-AT", "DE_at"; the default row for others and NULL. */
const ramus_sentence_language *ramus_sentence_language_find(const char *code);

/* Finds word[0 .. size) in a list (NULL is empty), exactly or as an abbreviation. */
bool ramus_sentence_listed(const char *list, const char *word, size_t size);
bool ramus_sentence_abbreviated(const char *list, const char *word, size_t size);

/* Finds a word of the list with which text[0 .. size) starts, or ends. */
bool ramus_sentence_list_starts(const char *list, const char *text, size_t size);
bool ramus_sentence_list_ends(const char *list, const char *text, size_t size);

/* The row whose abbreviations hold in every language. */
const ramus_sentence_language *ramus_sentence_language_default(void);

#endif
