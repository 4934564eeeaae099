/* A character is known if all characters that it is normalised to are pieces: SentencePiece makes a
 * piece of each character that it keeps. */
#include "text/foreign.h"

#include "base/utf8.h"
#include "text/segment.h"
#include "text/sentences_chars.h"

#include <string.h>

/* Whether the vocabulary has pieces for each character of a normalised text. */
static bool has_pieces(const ramus_vocab *v, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + i, size - i);
        if (n == 0) return true;
        if (text[i] != ' ' && ramus_vocab_find(v, text + i, (size_t)n) < 0) return false;
        i += (size_t)n;
    }
    return true;
}

/* Whether the vocabulary knows the character at `at`; *n becomes the bytes that it is read with. */
static bool is_known(const ramus_vocab *v, const char *text, size_t size, size_t at, size_t *n)
{
    const char *out = NULL;
    size_t out_size = 0;
    if (ramus_vocab_find(v, text + at, *n) >= 0) return true;
    *n = ramus_normaliser_step(&v->normaliser, text + at, size - at, &out, &out_size);
    return has_pieces(v, out, out_size);
}

static bool is_of_word(ramus_char_at c)
{
    return c.code != RAMUS_UTF8_REPLACEMENT &&
           (c.kind == RAMUS_CHAR_UPPER || c.kind == RAMUS_CHAR_LOWER ||
            c.kind == RAMUS_CHAR_LETTER || c.kind == RAMUS_CHAR_DIGIT);
}

/* Characters that are never foreign: what they do to the text around them is lost with them. */
static bool is_glue(ramus_char_at c)
{
    return ramus_char_is_space(c.kind) || c.kind == RAMUS_CHAR_JOIN || c.kind == RAMUS_CHAR_DASH ||
           c.kind == RAMUS_CHAR_END || c.code == RAMUS_UTF8_REPLACEMENT || c.code < ' ';
}

static size_t word_end(const char *text, size_t size, size_t at)
{
    ramus_char_at c = ramus_char_read(text, size, at);
    for (; is_of_word(c) || c.kind == RAMUS_CHAR_JOIN; c = ramus_char_read(text, size, at))
        at += (size_t)c.size;
    return at;
}

/* Whether a word is one of the text's own language all the same: a small word in Latin letters with
 * a rare accent, "naive" with two dots. Names begin with a capital. */
static bool is_own(const char *text, size_t size, size_t word, uint32_t unknown)
{
    const ramus_char_at first = ramus_char_read(text, size, word);
    const bool latin = unknown < 0x250 || (unknown >= 0x1E00 && unknown < 0x1F00);
    return latin && first.kind == RAMUS_CHAR_LOWER && first.code < 0x250;
}

/* Where a number ends that touches a sign before it: an amount behind a rare currency. */
static size_t number_end(const char *text, size_t size, size_t at)
{
    for (;;) {
        if (ramus_char_read(text, size, at).kind != RAMUS_CHAR_DIGIT) return at;
        at = word_end(text, size, at);
        const bool on = at + 1 < size && (text[at] == '.' || text[at] == ',');
        if (!on || ramus_char_read(text, size, at + 1).kind != RAMUS_CHAR_DIGIT) return at;
        at++;
    }
}

/* Where unknown signs, or letters of scripts without spaces, end that begin at `at`. */
static size_t run_end(const ramus_vocab *v, const char *text, size_t size, size_t at)
{
    for (;;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        size_t n = (size_t)c.size;
        const bool accent = c.kind == RAMUS_CHAR_JOIN;
        if (!accent && (is_glue(c) || is_of_word(c) || is_known(v, text, size, at, &n))) return at;
        at += (size_t)c.size;
    }
}

/* The foreign stretch around the unknown character c at `at`, in the word that begins at `word`. */
static ramus_foreign stretch(const ramus_vocab *v, const char *text, size_t size, size_t word,
                             size_t at, ramus_char_at c)
{
    if (is_of_word(c)) return (ramus_foreign){word, word_end(text, size, at) - word, true};
    const size_t end = number_end(text, size, run_end(v, text, size, at));
    return (ramus_foreign){at, end - at, c.kind == RAMUS_CHAR_WIDE};
}

bool ramus_foreign_next(const ramus_vocab *v, const char *text, size_t size, size_t from,
                        ramus_foreign *out)
{
    if (strcmp(ramus_vocab_type(v), "word") == 0) return false;
    size_t word = from; // where the word around `at` begins
    for (size_t at = from; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        size_t n = (size_t)c.size;
        if (!is_glue(c) && !is_known(v, text, size, at, &n)) {
            if (!is_of_word(c) || !is_own(text, size, word, c.code)) {
                *out = stretch(v, text, size, word, at, c);
                return true;
            }
            n = word_end(text, size, at) - at;
        }
        at += n;
        if (!is_of_word(c) && c.kind != RAMUS_CHAR_JOIN) word = at;
    }
    return false;
}
