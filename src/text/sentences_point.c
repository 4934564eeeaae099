/* The word before a point decides: a list of the language knows it, or its form does (initial,
 * acronym, number, clipped word). Then the word after it has a say. */
#include "text/sentences_rules.h"

#include <string.h>

#define MAX_TOKEN 64 // bytes before the point that are looked at
#define MAX_KEY   24 // bytes of an abbreviation, without its spaces

typedef enum word_kind {
    WORD_PLAIN,
    WORD_NEVER,  // the lists of ramus_sentence_language
    WORD_NUMBER, //
    WORD_MAYBE,  //
    WORD_OFTEN
} word_kind;

/* What stands before the point, back to white space or an opening quote or bracket. */
typedef struct token {
    const char *text;
    size_t size;
    size_t word;       // offset of its last part, behind - or /
    size_t elided;     // the same, behind '
    bool letters;      // nothing but letters, - and '
    bool digits;       // nothing but digits, with . and - between them
    char key[MAX_KEY]; // an abbreviation of several short parts, without spaces: "z.B"
    size_t key_size;   // 0 when there is only one part
} token;

static bool is_apostrophe(uint32_t code)
{
    return code == '\'' || code == 0x2019;
}

static token read_token(const ramus_sentences *s, size_t least, size_t at)
{
    token t = {.letters = true, .digits = true};
    size_t start = at, word = 0, elided = 0;

    if (at - least > MAX_TOKEN) least = at - MAX_TOKEN;
    while (start > least) {
        const ramus_char_at c = ramus_char_back(s->text, least, start);
        const bool apostrophe = is_apostrophe(c.code);
        if (ramus_char_is_space(c.kind) || c.kind == RAMUS_CHAR_OPEN ||
            c.kind == RAMUS_CHAR_CLOSE || c.kind == RAMUS_CHAR_STOP ||
            (c.kind == RAMUS_CHAR_QUOTE && !apostrophe && c.code != '_'))
            break;
        if ((c.kind == RAMUS_CHAR_DASH || c.code == '/') && word == 0) word = start;
        if (apostrophe && elided == 0) elided = start;
        t.letters &= ramus_char_is_letter(c.kind) || c.kind == RAMUS_CHAR_DASH ||
                     c.kind == RAMUS_CHAR_JOIN || apostrophe;
        t.digits &= c.kind == RAMUS_CHAR_DIGIT || c.kind == RAMUS_CHAR_POINT || c.code == '-';
        start -= (size_t)c.size;
    }
    t.text = s->text + start;
    t.size = at - start;
    t.word = word ? word - start : 0;
    t.elided = elided ? elided - start : 0;
    return t;
}

/* Joins the parts of "i. d. R", at most three characters each, that end with the token. */
static void join_parts(token *t, const ramus_sentences *s, size_t least)
{
    const size_t at = (size_t)(t->text - s->text);
    size_t start = at;

    for (;;) {
        ramus_char_at c = ramus_char_back(s->text, least, start);
        if (c.kind != RAMUS_CHAR_SPACE) break;
        size_t part = start - (size_t)c.size;
        if (part <= least || s->text[part - 1] != '.') break;
        const size_t end = --part;
        int letters = 0;
        c = ramus_char_back(s->text, least, part);
        while (letters < 4 && (ramus_char_is_letter(c.kind) || c.kind == RAMUS_CHAR_DIGIT)) {
            part -= (size_t)c.size;
            letters++;
            c = ramus_char_back(s->text, least, part);
        }
        if (letters == 0 || letters > 3 || end - part + t->key_size + t->size + 2 > MAX_KEY) break;
        if (c.kind != RAMUS_CHAR_SPACE && c.kind != RAMUS_CHAR_END && c.kind != RAMUS_CHAR_OPEN)
            break;
        memmove(t->key + (end - part) + 1, t->key, t->key_size);
        memcpy(t->key, s->text + part, end - part);
        t->key[end - part] = '.';
        t->key_size += end - part + 1;
        start = part;
    }
    if (t->key_size == 0) return;
    memcpy(t->key + t->key_size, t->text, t->size);
    t->key_size += t->size;
}

static word_kind look_up_in(const ramus_sentence_language *l, const char *word, size_t size)
{
    if (ramus_sentence_abbreviated(l->never, word, size)) return WORD_NEVER;
    if (ramus_sentence_abbreviated(l->maybe, word, size)) return WORD_MAYBE;
    if (ramus_sentence_abbreviated(l->often, word, size)) return WORD_OFTEN;
    if (ramus_sentence_abbreviated(l->number, word, size)) return WORD_NUMBER;
    return WORD_PLAIN;
}

static word_kind look_up(const ramus_sentences *s, const char *word, size_t size)
{
    if (size == 0 || size > MAX_KEY) return WORD_PLAIN;
    const word_kind kind = look_up_in(s->language, word, size);
    if (kind != WORD_PLAIN || !s->language->name[0]) return kind;
    return look_up_in(ramus_sentence_language_default(), word, size);
}

static bool is_vowel(char c)
{
    return c != '\0' && strchr("aeiouyAEIOUY", c);
}

/* A capital and up to four small consonants: Pfc, Kft, Bldg. */
static bool is_clipped(const char *word, size_t size)
{
    if (size < 2 || size > 5 || word[0] < 'A' || word[0] > 'Z' || is_vowel(word[0])) return false;
    for (size_t i = 1; i < size; i++)
        if (word[i] < 'a' || word[i] > 'z' || is_vowel(word[i])) return false;
    return true;
}

/* II, XIV: two or more of I, V, X. (Single letters are initials.) */
static bool is_roman(const char *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr("IVX", word[i]) || word[i] == '\0') return false;
    return size > 1 && size < 8;
}

/* How many letters the word has if it has only letters; 0 otherwise. */
static int count_letters(const char *word, size_t size)
{
    int n = 0;
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(word, size, at);
        if (c.kind != RAMUS_CHAR_JOIN && !ramus_char_is_letter(c.kind)) return 0;
        n += c.kind != RAMUS_CHAR_JOIN;
        at += (size_t)c.size;
    }
    return n;
}

/* U.S, Ph.D, U.S.S.R: parts of one or two letters. */
static bool is_acronym(const char *word, size_t size)
{
    int parts = 1;
    for (size_t at = 0, start = 0; at <= size; at++) {
        if (at < size && word[at] != '.') continue;
        const int n = count_letters(word + start, at - start);
        if (n < 1 || n > 2) return false;
        parts += at < size;
        start = at + 1;
    }
    return parts > 1;
}

/* 1, 12, 2.3, a, iv: what numbers a list when it starts a sentence. */
static bool is_enumerator(const token *t)
{
    if (t->digits) return t->size <= 3 || (t->size <= 8 && memchr(t->text, '.', t->size));
    if (count_letters(t->text, t->size) == 1) return true;
    for (size_t i = 0; i < t->size; i++)
        if (!strchr("IVXivx", t->text[i]) || t->text[i] == '\0') return false;
    return t->size <= 5;
}

/* The longest run of digits between . and - */
static size_t longest_number(const token *t)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < t->size; i++) {
        run = t->text[i] == '.' || t->text[i] == '-' ? 0 : run + 1;
        if (run > longest) longest = run;
    }
    return longest;
}

/* True when the next word has at most `most` letters or digits and a point: an initial, "B." */
static bool before_short_part(const ramus_sentences *s, const ramus_sentence_after *a, int most)
{
    const char *word = s->text + a->word;
    const size_t size = a->end - a->word;
    const int letters = a->kind == RAMUS_CHAR_DIGIT ? (int)size : count_letters(word, size);

    return letters > 0 && letters <= most && a->end < s->size && s->text[a->end] == '.';
}

/* The word before `at`, if there is only white space between them; else of size 0. */
static token read_word_before(const ramus_sentences *s, size_t least, size_t at)
{
    const ramus_char_at space = ramus_char_back(s->text, least, at);

    if (ramus_char_is_space(space.kind)) at -= (size_t)space.size;
    token before = read_token(s, least, at);
    if (!before.letters) before.size = 0;
    return before;
}

/* In German: "am 3. Oktober" has an ordinal, "Kanal 3. Dort" a number behind what it counts. */
static word_kind guess_number(const ramus_sentences *s, const token *t, const token *before,
                              const ramus_sentence_after *a)
{
    const ramus_sentence_language *l = s->language;
    const size_t digits = longest_number(t);
    const bool in_date = t->key_size > 0 || before_short_part(s, a, 2);

    if (digits <= 2 && a->kind == RAMUS_CHAR_DIGIT && in_date) return WORD_NEVER; // 3. 10. 2020
    if (!l->nouns || (digits > 2 && t->size != 3)) return WORD_PLAIN;
    const bool noun = ramus_char_read(before->text, before->size, 0).kind == RAMUS_CHAR_UPPER &&
                      !ramus_sentence_listed(l->starters, before->text, before->size);
    const bool time = ramus_sentence_listed(l->times, s->text + a->word, a->end - a->word);
    return noun && !time ? WORD_PLAIN : WORD_MAYBE;
}

static word_kind guess_letter(const ramus_sentences *s, const token *t, const token *before,
                              const ramus_sentence_after *a)
{
    const ramus_sentence_language *l = s->language;
    const bool small = t->text[0] >= 'a' && t->text[0] <= 'z';

    if (before_short_part(s, a, small ? 3 : 1)) return WORD_NEVER; // the first of several
    if (ramus_sentence_listed(l->letters, before->text, before->size)) return WORD_PLAIN;
    const bool pronoun = t->text[0] == 'I' && ramus_sentence_listed(l->starters, "I", 1);
    return pronoun && t->key_size == 0 ? WORD_PLAIN : WORD_MAYBE;
}

/* The kind of a token that no list has. */
static word_kind guess(const ramus_sentences *s, size_t least, const token *t,
                       const ramus_sentence_after *a)
{
    const char *word = t->text + t->word;
    const size_t size = t->size - t->word;
    const token before = read_word_before(s, least, (size_t)(t->text - s->text));

    if (t->digits) return guess_number(s, t, &before, a);
    if (count_letters(t->text, t->size) == 1) return guess_letter(s, t, &before, a);
    if (is_acronym(word, size) || is_clipped(word, size)) return WORD_MAYBE;
    return s->language->nouns && is_roman(word, size) ? WORD_MAYBE : WORD_PLAIN;
}

/* Whether a word is a number with up to three capitals before it, XJ-900, B204, or a letter of
 * private use, which stands for what is copied: #4711. */
static bool is_code(const char *word, const char *end)
{
    const char *at = word;
    const uint32_t first = ramus_char_read(word, (size_t)(end - word), 0).code;
    if (first >= 0xE000 && first < 0xF900) return true;
    while (at < end && at - word < 4 && ((*at >= 'A' && *at <= 'Z') || *at == '-' || *at == '/'))
        at++;
    return at < end && *at >= '0' && *at <= '9';
}

/* The kind of the token, by the lists and else by its form. */
static word_kind find_kind(const ramus_sentences *s, size_t least, token *t,
                           const ramus_sentence_after *a)
{
    join_parts(t, s, least);
    word_kind kind = look_up(s, t->key, t->key_size);
    if (kind == WORD_PLAIN) kind = look_up(s, t->text, t->size);
    if (kind == WORD_PLAIN && t->word > 0) kind = look_up(s, t->text + t->word, t->size - t->word);
    if (kind == WORD_PLAIN && t->elided > 0)
        kind = look_up(s, t->text + t->elided, t->size - t->elided);
    const bool number = a->kind == RAMUS_CHAR_DIGIT ||
                        is_roman(s->text + a->word, a->end - a->word) ||
                        is_code(s->text + a->word, s->text + s->size);
    if (kind == WORD_NUMBER) kind = number ? WORD_NEVER : WORD_PLAIN;
    return kind == WORD_PLAIN ? guess(s, least, t, a) : kind;
}

bool ramus_sentence_starts(const ramus_sentences *s, const ramus_sentence_after *after)
{
    return ramus_sentence_listed(s->language->starters, s->text + after->word,
                                 after->end - after->word);
}

bool ramus_sentence_runs_on(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                            const ramus_sentence_after *after, bool asks)
{
    const token t = read_token(s, scan->start, at);
    const ramus_char_at next = ramus_char_read(s->text, s->size, after->end);
    const bool whole = next.kind == RAMUS_CHAR_END || ramus_char_is_space(next.kind) ||
                       next.kind == RAMUS_CHAR_WEAK || is_apostrophe(next.code);

    if (t.size < 2 || !t.letters || !whole || after->kind != RAMUS_CHAR_UPPER) return false;
    for (size_t back = 1; back <= 2; back++)
        if (t.text[t.size - back] < 'a' || t.text[t.size - back] > 'z') return false;
    return asks || ramus_sentence_starts(s, after);
}

bool ramus_sentence_goes_on(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at)
{
    const token before = read_word_before(s, scan->start, at);
    char word[MAX_KEY];

    if (before.size == 0 || before.size > sizeof word) return false;
    memcpy(word, before.text, before.size);
    if (word[0] >= 'a' && word[0] <= 'z') word[0] -= 'a' - 'A';
    return ramus_sentence_listed(s->language->starters, word, before.size);
}

/* The token is the first of the sentence, or follows a colon or semicolon. */
static bool starts_item(const ramus_sentences *s, size_t start, const token *t)
{
    const size_t at = (size_t)(t->text - s->text);
    const ramus_char_at space = ramus_char_back(s->text, start, at);

    if (ramus_char_is_space(space.kind)) {
        const uint32_t code = ramus_char_back(s->text, start, at - (size_t)space.size).code;
        if (code == ':' || code == ';') return true;
    }
    if (at - start > MAX_KEY) return false;
    while (s->text + start < t->text) {
        const ramus_char_at c = ramus_char_read(s->text, s->size, start);
        if (c.kind != RAMUS_CHAR_OPEN && c.kind != RAMUS_CHAR_QUOTE) return false;
        start += (size_t)c.size;
    }
    return true;
}

bool ramus_sentence_point(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                          const ramus_sentence_after *after)
{
    const ramus_char before = ramus_char_back(s->text, scan->start, at).kind;

    if (!after->gap && before == RAMUS_CHAR_WIDE)
        return after->kind == RAMUS_CHAR_WIDE || after->quote;
    if (!after->gap) return ramus_sentence_runs_on(s, scan, at, after, false);
    if (ramus_char_is_space(before)) return true; // tokenised text
    if (after->kind == RAMUS_CHAR_LOWER) return false;

    token t = read_token(s, scan->start, at);
    if (t.size == 0) return true;
    if (starts_item(s, scan->start, &t) && is_enumerator(&t)) return false;
    switch (find_kind(s, scan->start, &t, after)) {
    case WORD_MAYBE:
        if (before_short_part(s, after, 1)) return false; // an initial
        if (after->kind == RAMUS_CHAR_UPPER && after->quote && !s->language->nouns) return true;
        return ramus_sentence_starts(s, after);
    case WORD_OFTEN:
        return !ramus_sentence_listed(s->language->times, s->text + after->word,
                                      after->end - after->word);
    case WORD_PLAIN:
        return true;
    case WORD_NEVER:
    case WORD_NUMBER:
        break;
    }
    return false;
}
