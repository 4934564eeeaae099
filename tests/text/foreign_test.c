/* What a vocabulary cannot read. The truth is the tokenizer: a stretch that is foreign has pieces
 * of bytes or the unknown one, and what is left of a text without its foreign stretches has none.
 */
#include "base/rng.h"
#include "check.h"
#include "text/foreign.h"
#include "text/tokenizer.h"

#include <stdlib.h>
#include <string.h>

static ramus_vocab *load(const char *name)
{
    char path[512];
    ramus_vocab *v = NULL;
    ramus_error err = {0};
    snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    REQUIRE_OK(ramus_vocab_load(&v, path, &err), err);
    return v;
}

/* Whether the ids of a text tell bytes or what is unknown. */
static bool has_unknown(ramus_tokenizer *t, const ramus_vocab *v, const char *text, size_t size)
{
    ramus_ids ids = {0};
    ramus_error err = {0};
    REQUIRE_OK(ramus_tokenizer_encode(t, text, size, &ids, &err), err);
    bool unknown = false;
    for (int i = 0; i < ids.n; i++) {
        const ramus_piece_kind kind = ramus_vocab_kind(v, ids.data[i]);
        unknown |= kind == RAMUS_PIECE_BYTE || kind == RAMUS_PIECE_UNKNOWN;
    }
    ramus_ids_free(&ids);
    return unknown;
}

/* The text with its foreign stretches in brackets. */
static const char *marked(const ramus_vocab *v, const char *text)
{
    static char out[512];
    ramus_foreign f = {0};
    size_t n = 0, from = 0;
    const size_t size = strlen(text);
    for (; ramus_foreign_next(v, text, size, from, &f); from = f.at + f.size)
        n += (size_t)snprintf(out + n, sizeof out - n, "%.*s%c%.*s%c", (int)(f.at - from),
                              text + from, f.word ? '[' : '(', (int)f.size, text + f.at,
                              f.word ? ']' : ')');
    snprintf(out + n, sizeof out - n, "%s", text + from);
    return out;
}

static void words_and_signs_are_found_whole(void)
{
    ramus_vocab *v = load("bpe-4k"); // of English and German
    static const char *const cases[][2] = {
        {"The angle \u03B1 is small.", "The angle [\u03B1] is small."},
        {"\u041C\u043E\u0441\u043A\u0432\u0430 \u0438 \u041A\u0438\u0435\u0432",
         "[\u041C\u043E\u0441\u043A\u0432\u0430] [\u0438] [\u041A\u0438\u0435\u0432]"},
        {"a\u6771\u4EAC\u3002b", "a[\u6771\u4EAC\u3002]b"},
        {"Jir\u030C\u00ED and \u0158eho\u0159's", "[Jir\u030C\u00ED] and [\u0158eho\u0159]'s"},
        {"\u0142\u00F3d\u017A", "\u0142\u00F3d\u017A"}, // a small word in Latin letters
        {"A\u03B1b3", "[A\u03B1b3]"},
        {"A \u2264 B", "A (\u2264) B"},
        {"\u20B42,500.75m or \u20B4.", "(\u20B42,500.75m) or (\u20B4)."},
        {"\uFF21\uFF22 \uFB01ne", "\uFF21\uFF22 \uFB01ne"},               // normalised
        {"non\u2011stop Wort\u00ADteil", "non\u2011stop Wort\u00ADteil"}, // glue
        {"\xFF\xC3 Plain, text!", "\xFF\xC3 Plain, text!"},
        {"", ""},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        EXPECT_TEXT(marked(v, cases[i][0]), cases[i][1]);
    ramus_vocab_destroy(v);
}

static void pieces_of_words_have_nothing_foreign(void)
{
    ramus_vocab *v = load("word");
    EXPECT_TEXT(marked(v, "\u03B1 \u2264"), "\u03B1 \u2264");
    ramus_vocab_destroy(v);
}

static uint64_t drawings;

static int drawn(int below)
{
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    return (int)(ramus_rng_bits(&rng, drawings++) % (uint32_t)below);
}

/* Random text of letters of several scripts, signs and white space; no word begins with a small
 * Latin letter. */
static size_t draw(char *text)
{
    static const char *const parts[] = {"A",      "Be",     " ",      " ",      "1",
                                        "\u03B1", "\u0416", "\u6771", "\u2264", "\u0158",
                                        ".",      ",",      "\u20B4", "\u3002", "\U0001D54F"};
    size_t n = 0;
    for (int i = 1 + drawn(12); i > 0; i--) {
        const char *part = parts[drawn(RAMUS_COUNT(parts))];
        memcpy(text + n, part, strlen(part));
        n += strlen(part);
    }
    return n;
}

static void the_tokenizer_agrees(void)
{
    static const char *const names[] = {"bpe-4k", "unigram-8k", "zh-4k", "char", "symbols"};
    int n_foreign = 0;
    for (int k = 0; k < RAMUS_COUNT(names); k++) {
        ramus_vocab *v = load(names[k]);
        ramus_tokenizer *t = NULL;
        ramus_error err = {0};
        REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
        for (int i = 0; i < 4000; i++) {
            char text[128] = {0}, rest[128] = {0};
            const size_t size = draw(text);
            size_t n = 0, from = 0;
            ramus_foreign f = {0};
            for (; ramus_foreign_next(v, text, size, from, &f); from = f.at + f.size) {
                EXPECT(f.size > 0 && f.at >= from && f.at + f.size <= size, "in order");
                EXPECT(has_unknown(t, v, text + f.at, f.size), "%s: '%.*s' of '%s' is known",
                       names[k], (int)f.size, text + f.at, text);
                memcpy(rest + n, text + from, f.at - from);
                n += f.at - from;
                rest[n++] = ' ';
                n_foreign++;
            }
            memcpy(rest + n, text + from, size - from);
            n += size - from;
            EXPECT(!has_unknown(t, v, rest, n), "%s: '%s' has unknown text, of '%s'", names[k],
                   rest, text);
        }
        ramus_tokenizer_destroy(t);
        ramus_vocab_destroy(v);
    }
    EXPECT(n_foreign > 10000, "%d foreign stretches", n_foreign);
}

CHECK_MAIN({"words_and_signs_are_found_whole", words_and_signs_are_found_whole},
           {"pieces_of_words_have_nothing_foreign", pieces_of_words_have_nothing_foreign},
           {"the_tokenizer_agrees", the_tokenizer_agrees})
