/* Counts the groups of digits of the source in a table of bounded size, and takes off those of the
 * target and its words for small numbers. What is left over is missing. */
#include "text/spans_rules.h"

#include <stdint.h>
#include <string.h>

#define MAX_NUMBERS 64 // different ones of the source
#define MAX_WORD    24 // bytes of a word for a number
#define NONE        0  // no key: that of 0 is 1

typedef struct counts {
    uint64_t keys[MAX_NUMBERS];
    long missing[MAX_NUMBERS];
    int n;
} counts;

/* In lower case; the first word of a row is the one that begins compounds, such as "zweimal". */
static const struct {
    const char *stem, *words;
} numbers[] = {
    {"null", "zero nought nil"},
    {"ein", "one once first eine einen einem einer eines eins erste ersten erster erstes erstem"},
    {"zwei", "two twice second both zweite zweiten zweiter zweites zweitem beide beiden"},
    {"drei", "three third thrice dritte dritten dritter drittes drittem dreien"},
    {"vier", "four fourth vierte vierten vierter viertes viertem"},
    {"fünf", "five fifth fünfte fünften fünfter fünftes fünftem"},
    {"sechs", "six sixth sechste sechsten sechster sechstes sechstem"},
    {"sieben", "seven seventh siebte siebten siebter siebtes siebtem siebente siebenten"},
    {"acht", "eight eighth achte achten achter achtes achtem"},
    {"neun", "nine ninth neunte neunten neunter neuntes neuntem"},
    {"zehn", "ten tenth zehnte zehnten zehnter zehntes zehntem"},
    {"elf", "eleven eleventh elfte elften elfter elftes elftem"},
    {"zwölf", "twelve twelfth dozen dutzend zwölfte zwölften zwölfter zwölftes zwölftem"},
};

static const char *const tails[] = {"mal",   "fach",  "jähr",  "täg",      "wöch",
                                    "monat", "stünd", "minüt", "stell",    "seit",
                                    "teil",  "stöck", "köpf",  "dimension"};

/* The key of a number does not count zeros before it. It is another one for any other number of up
 * to 18 digits. */
static uint64_t add_digit(uint64_t key, char digit)
{
    return key == 1 && digit == '0' ? key : key * 11 + (uint64_t)(digit - '0');
}

/* Reads the number at *at and moves behind it: its key, or NONE for zeros alone such as those of
 * "3:00", which a translation may leave out. */
static uint64_t read_number(const ramus_span_text *t, size_t *at)
{
    uint64_t key = 1;
    size_t first = 0;

    for (; ramus_is_digit(ramus_span_byte(t, *at)); first++)
        key = add_digit(key, t->text[(*at)++]);
    if (key == 1 && first > 1) return NONE;
    while (first <= 3 && key > 1) { // groups of three
        const char c = ramus_span_byte(t, *at);
        const size_t gap = c == '.' || c == ',' || c == '\''  ? 1
                           : ramus_span_has(t, *at, "\u2019") ? 3
                                                              : ramus_span_space(t, *at);
        if (gap == 0 || ramus_span_digits(t, *at + gap, 4) != 3) break;
        *at += gap;
        for (int i = 0; i < 3; i++)
            key = add_digit(key, t->text[(*at)++]);
    }
    return key;
}

/* The key of the word at *at, if it is a number of the table, else NONE; moves behind it. */
static uint64_t read_word(const ramus_span_text *t, size_t *at)
{
    char word[MAX_WORD + 1] = "";
    size_t n = 0;

    for (size_t size = ramus_span_word(t, *at); size; size = ramus_span_word(t, *at)) {
        if (ramus_is_digit(t->text[*at])) break;
        for (size_t i = 0; i < size; i++, n++) {
            const char c = t->text[*at + i];
            if (n < MAX_WORD) word[n] = (char)(ramus_is_upper(c) ? c + ('a' - 'A') : c);
        }
        *at += size;
    }
    if (n == 0 || n > MAX_WORD) return NONE;
    for (int i = 0; i < (int)(sizeof numbers / sizeof numbers[0]); i++) {
        const size_t stem = strlen(numbers[i].stem);
        bool found = ramus_span_listed(numbers[i].words, word, n);
        if (n >= stem && memcmp(word, numbers[i].stem, stem) == 0) {
            found |= n == stem;
            for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++)
                found |= strncmp(word + stem, tails[k], strlen(tails[k])) == 0;
        }
        if (!found) continue;
        uint64_t key = 1;
        if (i >= 10) key = add_digit(key, '1');
        return add_digit(key, (char)('0' + i % 10));
    }
    return NONE;
}

static void count(counts *c, uint64_t key, long n)
{
    int i = 0;
    while (i < c->n && c->keys[i] != key)
        i++;
    if (key == NONE || (i == c->n && (n < 0 || c->n == MAX_NUMBERS))) return;
    if (i == c->n) c->keys[c->n++] = key;
    c->missing[i] += n;
}

bool ramus_numbers_kept(const char *source, size_t source_size, const char *target,
                        size_t target_size)
{
    const ramus_span_text from = {source, source_size}, to = {target, target_size};
    counts c = {0};
    bool kept = true;

    for (size_t at = 0; at < source_size;) {
        if (ramus_is_digit(source[at]))
            count(&c, read_number(&from, &at), 1);
        else
            at++;
    }
    for (size_t at = 0; c.n > 0 && at < target_size;) {
        if (ramus_is_digit(target[at]))
            count(&c, read_number(&to, &at), -1);
        else if (ramus_span_word(&to, at))
            count(&c, read_word(&to, &at), -1);
        else
            at++;
    }
    for (int i = 0; i < c.n; i++)
        kept &= c.missing[i] <= 0;
    return kept;
}
