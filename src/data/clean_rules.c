/* Each rule is a function over the two sides. Those that compare lists without order (numbers,
 * codes) compare sums of hashes. */
#include "data/clean_rules.h"

#include "base/hash.h"
#include "eval/category.h"
#include "text/language.h"

#include <string.h>

#define LEAST_WORDS 3 // without capitals, of a text in an unknown language

static bool same_bytes(const ramus_buffer *a, const ramus_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* What a byte of 0x80 to 0xBF became when UTF-8 was read as Latin-1 or Windows-1252. */
static bool is_misread(uint32_t code)
{
    static const uint32_t windows[] = {0x20AC, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x017D, 0x2018,
                                       0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
                                       0x2122, 0x0161, 0x203A, 0x0153, 0x017E, 0x0178};
    if (code >= 0x80 && code < 0xC0) return true;
    for (int i = 0; i < RAMUS_COUNT(windows); i++)
        if (windows[i] == code) return true;
    return false;
}

/* The beginnings of misread letters: Ã¼, Â©, â€“, ð for emoji. */
static bool is_mojibake(uint32_t first, uint32_t second)
{
    switch (first) {
    case 0xC2: // Â
    case 0xC3: // Ã
        return is_misread(second);
    case 0xE2: // â
        return second == 0x20AC || second == 0x80;
    case 0xF0: // ð
        return second == 0x178 || second == 0x9F;
    default:
        return false;
    }
}

static bool is_broken(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0xE000 && code < 0xF900) ||
           code == 0xFFFD || code >= 0xF0000;
}

bool ramus_clean_characters(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    (void)u;
    for (int side = 0; side < 2; side++) {
        const ramus_clean_side *s = &p->sides[side];
        if (!s->utf8) return true;
        for (int i = 0; i < s->n; i++)
            if (is_broken(s->codes[i]) ||
                (i + 1 < s->n && is_mojibake(s->codes[i], s->codes[i + 1])))
                return true;
    }
    return false;
}

static bool is_word(char c)
{
    const unsigned char b = (unsigned char)c;
    return b >= 0x80 || (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z') ||
           b == '_';
}

static size_t skip_word(const char *text, size_t size, size_t at)
{
    while (at < size && is_word(text[at]))
        at++;
    return at;
}

/* The bytes of an entity that begins at text[at]: &amp; &#39; */
static size_t entity(const char *text, size_t size, size_t at)
{
    size_t end = at + 1;
    if (end < size && text[end] == '#') end++;
    const size_t name = end;
    end = skip_word(text, size, name);
    return end > name && end < size && text[end] == ';' ? end + 1 - at : 0;
}

/* Markup that a converter left: of HTML, wikis and Markdown, escapes of programs. */
static bool has_remains(const ramus_clean_side *s)
{
    static const char *const remains[] = {"[[", "]]", "''", "](", "{{", "\\n", "[amp]", "text='"};
    for (size_t at = 0; at < s->size; at++) {
        const char c = s->text[at];
        if (c == '&' && entity(s->text, s->size, at)) return true;
        if (!memchr("[]'{\\t", c, 6)) continue;
        for (int i = 0; i < RAMUS_COUNT(remains); i++) {
            const size_t n = strlen(remains[i]);
            if (n <= s->size - at && memcmp(s->text + at, remains[i], n) == 0) return true;
        }
    }
    return false;
}

/* The bytes of a code that begins at text[at], or 0: </b>, %s, %1$d, %(name)s, {0}, ${name} */
static size_t code(const char *text, size_t size, size_t at)
{
    size_t end = at;
    if (text[end] == '<') {
        end += 1 + (end + 1 < size && text[end + 1] == '/');
        if (end >= size || (text[end] | 0x20) < 'a' || (text[end] | 0x20) > 'z') return 0;
        while (end < size && text[end] != '<' && text[end] != '>')
            end++;
        return end < size && text[end] == '>' ? end + 1 - at : 0;
    }
    if (text[end] == '%' && end + 1 < size && text[end + 1] == '(') {
        end = skip_word(text, size, end + 2);
        return end > at + 2 && end + 1 < size && text[end] == ')' && text[end + 1] == 's'
                   ? end + 2 - at
                   : 0;
    }
    if (text[end] == '%') {
        for (end++; end < size && text[end] >= '0' && text[end] <= '9';)
            end++;
        end += end < size && text[end] == '$';
        if (end >= size || !memchr("sdi", text[end], 3)) return 0;
        end++;
        return end < size && is_word(text[end]) ? 0 : end - at;
    }
    end += text[end] == '$';
    if (end >= size || text[end] != '{') return 0;
    end = skip_word(text, size, end + 1);
    return end < size && text[end] == '}' ? end + 1 - at : 0;
}

static uint64_t sum_of_codes(const ramus_clean_side *s)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < s->size;) {
        const size_t n = memchr("<%${", s->text[at], 4) ? code(s->text, s->size, at) : 0;
        if (n) sum += ramus_hash(1, s->text + at, n);
        at += n ? n : 1;
    }
    return sum;
}

bool ramus_clean_markup(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    (void)u;
    return has_remains(&p->sides[0]) || has_remains(&p->sides[1]) ||
           sum_of_codes(&p->sides[0]) != sum_of_codes(&p->sides[1]);
}

bool ramus_clean_letters(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    for (int side = 0; side < 2; side++) {
        const ramus_clean_side *s = &p->sides[side];
        if (!s->letters || s->letters < u->spec->min_letters * s->visible) return true;
    }
    return false;
}

bool ramus_clean_length(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    for (int side = 0; side < 2; side++) {
        const int words = p->sides[side].words;
        if (words < u->spec->min_words || words > u->spec->max_words) return true;
    }
    return false;
}

/* Ten characters more on each side: short texts differ more. */
bool ramus_clean_ratio(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    const double ratio = (p->sides[1].n + 10) / (u->ratio * p->sides[0].n + 10);
    return ratio > u->spec->max_ratio || ratio * u->spec->max_ratio < 1;
}

/* Few letters of a side are of its usual script, or one side alone has letters of a script that is
 * not usual here. Greek letters are symbols, too. What is the same on both sides may be a name. */
bool ramus_clean_script(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    if (same_bytes(&p->sides[0].key, &p->sides[1].key)) return false;
    for (int side = 0; side < 2; side++) {
        int own = 0, all = 0;
        for (int i = 1; i < RAMUS_N_SCRIPTS; i++) {
            const int weight = ramus_clean_side_weight((ramus_script)i) * p->sides[side].scripts[i];
            all += weight;
            own += i == (int)u->scripts[side] ? weight : 0;
        }
        if (u->scripts[side] && 10 * own < 3 * all) return true;
    }
    for (int i = 1; i < RAMUS_N_SCRIPTS; i++) {
        const bool usual = i == (int)u->scripts[0] || i == (int)u->scripts[1];
        if (usual || i == RAMUS_SCRIPT_GREEK) continue;
        if ((p->sides[0].scripts[i] > 0) != (p->sides[1].scripts[i] > 0)) return true;
    }
    return false;
}

/* Copies the words without capitals, with a space behind each, as far as there is room. Returns the
 * bytes and sets *n to the number of words. */
static size_t copy_small_words(char *out, size_t room, const ramus_clean_side *s, int *n)
{
    size_t size = 0;
    *n = 0;
    for (size_t start = 0, at = 0; at <= s->size; at++) {
        if (at < s->size && s->text[at] != ' ') continue;
        const size_t word = at - start;
        if (word && size + word < room && memcmp(s->text + start, s->lower + start, word) == 0) {
            memcpy(out + size, s->text + start, word);
            size += word;
            out[size++] = ' ';
            ++*n;
        }
        start = at + 1;
    }
    return size;
}

/* Names and terms are in no language that can be told. A text seems to be in an unknown one only if
 * its words without capitals do, too. */
static bool is_in_other(const ramus_clean_side *s, const char *language)
{
    char words[1024];
    int n = 0;
    if (!ramus_language_differs(language, s->text, s->size)) return false;
    if (ramus_language_guess(s->text, s->size, NULL)) return true;
    if (s->lower_size != s->size) return true; // letters whose lower case has another size: rare
    const size_t size = copy_small_words(words, sizeof words, s, &n);
    return n >= LEAST_WORDS && ramus_language_differs(language, words, size);
}

bool ramus_clean_language(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    return is_in_other(&p->sides[0], u->spec->from) || is_in_other(&p->sides[1], u->spec->to);
}

bool ramus_clean_same(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    return p->sides[0].words > u->spec->max_same_words &&
           same_bytes(&p->sides[0].key, &p->sides[1].key);
}

/* The value of a digit, of European, Arabic, Persian and full-width ones; -1: none. */
static int digit(uint32_t code)
{
    static const uint32_t zeros[] = {'0', 0x660, 0x6F0, 0xFF10};
    for (int i = 0; i < RAMUS_COUNT(zeros); i++)
        if (code >= zeros[i] && code < zeros[i] + 10) return (int)(code - zeros[i]);
    return -1;
}

static bool separates(uint32_t code)
{
    return code == '.' || code == ',' || code == ':' || code == '\'' || code == 0x2019 ||
           ramus_category_is_space(code);
}

/* Of numbers with four digits and more, without what separates digits. Smaller ones are often words
 * in one of the languages. */
static uint64_t sum_of_numbers(const ramus_clean_side *s)
{
    uint64_t sum = 0, number = 0;
    int digits = 0;
    for (int i = 0; i <= s->n; i++) {
        const int value = i < s->n ? digit(s->codes[i]) : -1;
        if (value >= 0) {
            number = ramus_hash(number, &value, sizeof value);
            digits++;
        } else if (!digits || i + 1 >= s->n || !separates(s->codes[i]) ||
                   digit(s->codes[i + 1]) < 0) {
            if (digits >= 4) sum += number;
            number = 0;
            digits = 0;
        }
    }
    return sum;
}

bool ramus_clean_numbers(const ramus_clean_pair *p, const ramus_clean_usual *u)
{
    (void)u;
    return sum_of_numbers(&p->sides[0]) != sum_of_numbers(&p->sides[1]);
}
