/* language_words.h - the words of a text, and the slots of the language table that a word adds up;
 * for language.c and for the recipe that makes the table.
 *
 * A word is a run of letters of one script. Latin letters are taken as capitals, with Ä, Ö, Ü as
 * AE, OE, UE, and may have apostrophes between them. Latin characters between white space that hold
 * a digit, one of @ / \ _ = or a point inside have no words: numbers, addresses, names of files. */
#ifndef RAMUS_TEXT_LANGUAGE_WORDS_H
#define RAMUS_TEXT_LANGUAGE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMUS_LANGUAGE_SLOTS   4096
#define RAMUS_LANGUAGE_LETTERS 32 // of a Latin word that are looked at
#define RAMUS_LANGUAGE_MOST    (3 * RAMUS_LANGUAGE_LETTERS + 1) // slots of a word, at most

/* Scores are in 16ths of a power of two: 16 more make the odds twice as high. */
#define RAMUS_LANGUAGE_UNIT    16
#define RAMUS_LANGUAGE_FOR     (5 * RAMUS_LANGUAGE_UNIT)  // the highest score of a word
#define RAMUS_LANGUAGE_AGAINST (-3 * RAMUS_LANGUAGE_UNIT) // the lowest: it may be a foreign name

/* What a slot scores for English and for German against any third language. */
extern const int8_t ramus_language_table[RAMUS_LANGUAGE_SLOTS][2];

typedef enum ramus_script {
    RAMUS_SCRIPT_NONE, // no letter
    RAMUS_SCRIPT_LATIN,
    RAMUS_SCRIPT_HAN,
    RAMUS_SCRIPT_KANA,
    RAMUS_SCRIPT_HANGUL,
    RAMUS_SCRIPT_GREEK,
    RAMUS_SCRIPT_HEBREW,
    RAMUS_SCRIPT_THAI,
    RAMUS_SCRIPT_ARMENIAN,
    RAMUS_SCRIPT_GEORGIAN,
    RAMUS_SCRIPT_OTHER, // of several languages, or rare
    RAMUS_N_SCRIPTS
} ramus_script;

ramus_script ramus_script_of(uint32_t code);

typedef struct ramus_language_word {
    ramus_script script;
    size_t n;                                   // letters; of a Latin word those looked at
    uint32_t latin[RAMUS_LANGUAGE_LETTERS + 2]; // they, between spaces
} ramus_language_word;

/* Where the reading of a text stands; starts as {text, size}, the rest zero. */
typedef struct ramus_language_words {
    const char *text;
    size_t size, at;
    size_t run_end; // `at` is inside Latin characters up to here
} ramus_language_words;

/* Reads the next word; false when there is none. Any bytes will do. */
bool ramus_language_next(ramus_language_words *w, ramus_language_word *out);

/* Writes the slots of a Latin word and returns how many there are. */
int ramus_language_slots(uint16_t out[RAMUS_LANGUAGE_MOST], const ramus_language_word *word);

#endif
