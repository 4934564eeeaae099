/* sentences_chars.h - what a code point can mean for the end of a sentence or of a line. */
#ifndef RAMUS_TEXT_SENTENCES_CHARS_H
#define RAMUS_TEXT_SENTENCES_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ramus_char {
    RAMUS_CHAR_END,    // behind the last byte
    RAMUS_CHAR_SPACE,  // white space, also zero-width space and byte order mark
    RAMUS_CHAR_LINE,   // white space that ends a line
    RAMUS_CHAR_PAGE,   // white space that ends a paragraph: form feed, U+2029
    RAMUS_CHAR_UPPER,  // letters
    RAMUS_CHAR_LOWER,  //
    RAMUS_CHAR_LETTER, // of a script without case, and bytes that are not UTF-8
    RAMUS_CHAR_WIDE,   // of a script without spaces: ideographs, kana
    RAMUS_CHAR_DIGIT,  //
    RAMUS_CHAR_POINT,  // . which is a full stop, or part of a word or number
    RAMUS_CHAR_DOTS,   // the ellipsis
    RAMUS_CHAR_ASK,    // ? ! which end a sentence, but not inside a word
    RAMUS_CHAR_STOP,   // marks that end a sentence wherever they stand, such as U+3002
    RAMUS_CHAR_WEAK,   // , ; :
    RAMUS_CHAR_DASH,   //
    RAMUS_CHAR_OPEN,   // brackets and quotes that open
    RAMUS_CHAR_CLOSE,  // brackets and quotes that close
    RAMUS_CHAR_QUOTE,  // quotes that do either, and the stars and strokes of emphasis
    RAMUS_CHAR_SIGN,   // # $ % and the like
    RAMUS_CHAR_EMOJI,  //
    RAMUS_CHAR_JOIN    // combining marks, joiners, direction marks: part of what stands before
} ramus_char;

typedef struct ramus_char_at {
    uint32_t code;
    ramus_char kind;
    int size; // in bytes; 0 at the end of the text
} ramus_char_at;

ramus_char ramus_char_kind(uint32_t code);

/* The character at `at`, and the one that ends there (not before `least`). */
ramus_char_at ramus_char_read(const char *text, size_t size, size_t at);
ramus_char_at ramus_char_back(const char *text, size_t least, size_t at);

/* The offset of the next character that is not of the kind JOIN, and not white space. */
size_t ramus_char_skip_joins(const char *text, size_t size, size_t at);
size_t ramus_char_skip_space(const char *text, size_t size, size_t at);

static inline bool ramus_char_is_space(ramus_char c)
{
    return c >= RAMUS_CHAR_SPACE && c <= RAMUS_CHAR_PAGE;
}

static inline bool ramus_char_is_letter(ramus_char c)
{
    return c >= RAMUS_CHAR_UPPER && c <= RAMUS_CHAR_WIDE;
}

static inline bool ramus_char_is_mark(ramus_char c)
{
    return c >= RAMUS_CHAR_POINT && c <= RAMUS_CHAR_STOP;
}

/* How many columns of a line a character takes: two where the script is wide. */
static inline int ramus_char_columns(ramus_char_at c)
{
    return c.code >= 0x2E80 ? 2 : c.kind != RAMUS_CHAR_JOIN;
}

/* True when a reader sees one character on both sides of `at`: a base and its accent, a flag, a
 * family of emoji. `least` is where the text before `at` starts. */
bool ramus_char_joined(const char *text, size_t size, size_t least, size_t at);

#endif
