/* Reads a run of marks with what closes after it, then decides from what follows whether the
 * sentence ends: ellipses, questions, quotations and full-width marks here, single points in
 * sentences_point.c. */
#include "text/sentences_rules.h"

#define MAX_OPENERS 8  // quotes, brackets and dashes before the first word of a sentence
#define MAX_WORD    48 // bytes of a word that are looked at
#define MAX_CLAUSE  72 // bytes in which a verb of speech is looked for: 24 ideographs
#define MAX_TAG     3  // words among which it is looked for

/* A run of marks with what closes after it. */
typedef struct marks {
    size_t at, past; // the marks themselves
    size_t end;      // behind closing quotes, brackets, notes, emoji
    int points;      // how many . are in the run
    bool dots, asks, stops;
    bool full_stop;            // one of `stops` that is not a question or an exclamation
    bool in_bracket, in_title; // the first thing closed is a bracket, a title
    bool in_quote;             // a quotation is closed
} marks;

/* Reads "?!", "...", ". . ." and the like. */
static void read_marks(marks *m, const ramus_sentences *s, size_t at, ramus_char_at c)
{
    m->at = at;
    do {
        m->points += c.kind == RAMUS_CHAR_POINT;
        m->dots |= c.kind == RAMUS_CHAR_DOTS;
        m->asks |= c.kind == RAMUS_CHAR_ASK || c.kind == RAMUS_CHAR_WEAK; // WEAK: Greek ;
        m->stops |= c.kind == RAMUS_CHAR_STOP;
        m->full_stop |= c.kind == RAMUS_CHAR_STOP && c.code != 0xFF01 && c.code != 0xFF1F;
        at += (size_t)c.size;
        m->past = at;
        c = ramus_char_read(s->text, s->size, at);
        if (c.code == ' ' && m->points && !m->asks && at + 1 < s->size && s->text[at + 1] == '.') {
            const ramus_char next = ramus_char_read(s->text, s->size, at + 2).kind;
            if (ramus_char_is_letter(next) || next == RAMUS_CHAR_DIGIT) return; // ". .NET"
            c = ramus_char_read(s->text, s->size, ++at);
        }
    } while (ramus_char_is_mark(c.kind) || c.kind == RAMUS_CHAR_JOIN);
}

/* Tells a closing quote from one that opens the next sentence. */
static bool closes(const ramus_sentences *s, size_t at, ramus_char_at quote, bool straight)
{
    const ramus_char next = ramus_char_read(s->text, s->size, at + (size_t)quote.size).kind;

    if (quote.code == 0x201D || quote.code == 0x2019) return true;
    if (quote.code == '"' && straight) return true;
    return next == RAMUS_CHAR_END || ramus_char_is_space(next) || next == RAMUS_CHAR_CLOSE ||
           next == RAMUS_CHAR_WEAK || next == RAMUS_CHAR_QUOTE || next == RAMUS_CHAR_DASH ||
           ramus_char_is_mark(next);
}

/* The bytes of a note such as [12] at `at`, or 0. */
static size_t note_size(const ramus_sentences *s, size_t at)
{
    size_t n = 1;

    if (at + 2 >= s->size || s->text[at] != '[') return 0;
    while (n < 5 && at + n < s->size && s->text[at + n] >= '0' && s->text[at + n] <= '9')
        n++;
    return n > 1 && at + n < s->size && s->text[at + n] == ']' ? n + 1 : 0;
}

static bool is_superscript(uint32_t code)
{
    return code == 0xB9 || code == 0xB2 || code == 0xB3 || (code >= 0x2070 && code <= 0x2079);
}

/* A quote set off by a space, as in French or in tokenised text, closes if a space also follows. */
static bool closes_after_space(const ramus_sentences *s, size_t at, bool straight, bool wide)
{
    const ramus_char_at c = ramus_char_read(s->text, s->size, at);
    const ramus_char next = ramus_char_read(s->text, s->size, at + (size_t)c.size).kind;

    if (c.kind == RAMUS_CHAR_CLOSE || (c.code == 0x201D && wide)) return true;
    if (next != RAMUS_CHAR_END && !ramus_char_is_space(next)) return false;
    if (c.code == 0x201C) return !wide; // closes in German, opens in Chinese
    return c.code == 0xBB || c.code == 0x203A || c.code == 0x201D || c.code == 0x2019 ||
           c.code == '\'' || (c.code == '"' && straight);
}

static void read_closers(marks *m, const ramus_sentences *s, bool straight)
{
    size_t at = m->past;

    for (bool first = true;; first = false) {
        ramus_char_at c = ramus_char_read(s->text, s->size, at);
        const size_t note = note_size(s, at);
        if (c.kind == RAMUS_CHAR_SPACE &&
            closes_after_space(s, at + (size_t)c.size, straight, m->stops)) {
            at += (size_t)c.size;
            c = ramus_char_read(s->text, s->size, at);
        } else if (c.kind == RAMUS_CHAR_QUOTE && !closes(s, at, c, straight)) {
            break;
        }
        if (note) {
            c.size = (int)note;
        } else if (c.kind == RAMUS_CHAR_CLOSE || c.kind == RAMUS_CHAR_QUOTE) {
            const bool bracket = c.code == ')' || c.code == ']' || c.code == 0xFF09;
            if (c.code == '"') straight = false;
            m->in_bracket |= first && bracket;
            m->in_title |= first && (c.code == 0x300B || c.code == 0x3009);
            m->in_quote |= !bracket;
        } else if (c.kind != RAMUS_CHAR_JOIN && !is_superscript(c.code)) {
            break;
        }
        at += (size_t)c.size;
    }
    m->end = at;
}

/* The bytes of :-) and its kind at `at`, or 0. */
static size_t smiley_size(const ramus_sentences *s, size_t at)
{
    const char *t = s->text + at;
    const size_t left = s->size - at;

    if (left < 2 || (t[0] != ':' && t[0] != ';' && t[0] != '=')) return 0;
    const size_t mouth = t[1] == '-' || t[1] == '\'' ? 2 : 1;
    if (mouth >= left || !(t[mouth] == ')' || t[mouth] == '(' || t[mouth] == 'D' ||
                           t[mouth] == 'P' || t[mouth] == '/' || t[mouth] == '|'))
        return 0;
    return mouth + 1;
}

/* Emoji after the marks belong to the sentence before; after a space only if they stand alone. */
static void read_emoji(marks *m, const ramus_sentences *s)
{
    ramus_char_at c = ramus_char_read(s->text, s->size, m->end);
    const bool space = c.kind == RAMUS_CHAR_SPACE;
    const size_t start = space ? m->end + (size_t)c.size : m->end;
    size_t at = start + smiley_size(s, start);

    if (at == start) {
        c = ramus_char_read(s->text, s->size, at);
        while (c.kind == RAMUS_CHAR_EMOJI || (c.kind == RAMUS_CHAR_JOIN && at > start)) {
            at += (size_t)c.size;
            c = ramus_char_read(s->text, s->size, at);
        }
    }
    c = ramus_char_read(s->text, s->size, at);
    const bool alone = c.kind == RAMUS_CHAR_END || ramus_char_is_space(c.kind);
    if (at > start && (alone || (!space && c.kind != RAMUS_CHAR_CLOSE))) m->end = at;
}

static ramus_sentence_after read_after(const ramus_sentences *s, size_t at)
{
    ramus_sentence_after a = {0};
    ramus_char_at c = ramus_char_read(s->text, s->size, at);

    a.gap = ramus_char_is_space(c.kind);
    at = ramus_char_skip_joins(s->text, s->size, ramus_char_skip_space(s->text, s->size, at));
    c = ramus_char_read(s->text, s->size, at);
    a.first = c.kind;
    for (int i = 0; i < MAX_OPENERS; i++) {
        const bool quote = c.kind == RAMUS_CHAR_QUOTE || c.code == 0x201E || c.code == 0x201A;
        if (!quote && c.kind != RAMUS_CHAR_OPEN && c.kind != RAMUS_CHAR_DASH &&
            c.kind != RAMUS_CHAR_JOIN)
            break;
        a.quote |= quote;
        at = ramus_char_skip_space(s->text, s->size, at + (size_t)c.size);
        c = ramus_char_read(s->text, s->size, at);
    }
    const ramus_char_at second = ramus_char_read(s->text, s->size, at + (size_t)c.size);
    a.kind = c.kind;
    if (c.kind == RAMUS_CHAR_LOWER && second.kind == RAMUS_CHAR_UPPER)
        a.kind = RAMUS_CHAR_UPPER; // iPhone
    if ((c.code == ':' || c.code == '.') && a.gap && ramus_char_is_letter(second.kind)) {
        a.kind = RAMUS_CHAR_SIGN; // .NET, :ref:
        if (a.first == c.kind) a.first = RAMUS_CHAR_SIGN;
    }
    a.word = a.end = at;
    while (
        (ramus_char_is_letter(c.kind) || c.kind == RAMUS_CHAR_DIGIT || c.kind == RAMUS_CHAR_JOIN) &&
        a.end - a.word < MAX_WORD) {
        a.end += (size_t)c.size;
        c = ramus_char_read(s->text, s->size, a.end);
    }
    return a;
}

/* After a closed quotation: true for ", he said" without a comma. */
static bool is_said(const ramus_sentences *s, const ramus_sentence_after *a, const marks *m)
{
    const ramus_sentence_language *l = s->language;
    size_t at = a->word;

    if (a->first != a->kind || !ramus_char_is_letter(a->kind)) return false;
    if (ramus_sentence_list_starts(l->quoted, s->text + at, s->size - at)) return true;
    if (!l->said) return false;
    if (a->kind == RAMUS_CHAR_WIDE) { // the clause, up to the next punctuation
        ramus_char_at c = ramus_char_read(s->text, s->size, at);
        while (ramus_char_is_letter(c.kind) && at - a->word < MAX_CLAUSE) {
            at += (size_t)c.size;
            c = ramus_char_read(s->text, s->size, at);
        }
        return ramus_sentence_list_ends(l->said, s->text + a->word, at - a->word);
    }
    /* With spaces: a point would be a comma there, and "He" would be small; names and "I" continue
     * it. */
    const bool pronoun = a->end == at + 1 && s->text[at] == 'I';
    if (!m->asks || (ramus_sentence_starts(s, a) && !pronoun)) return false;
    for (int i = 0; i < MAX_TAG; i++) {
        ramus_char_at c = ramus_char_read(s->text, s->size, at);
        const size_t start = at;
        while (ramus_char_is_letter(c.kind) && at - start < MAX_WORD) {
            at += (size_t)c.size;
            c = ramus_char_read(s->text, s->size, at);
        }
        if (ramus_sentence_listed(l->said, s->text + start, at - start)) return true;
        if (c.kind == RAMUS_CHAR_POINT) at++; // Mr. Smith said
        if (!ramus_char_is_space(ramus_char_read(s->text, s->size, at).kind)) return false;
        at = ramus_char_skip_space(s->text, s->size, at);
    }
    return false;
}

/* "..." and its kind. */
static bool dots_end(const ramus_sentences *s, const ramus_sentence_scan *scan, const marks *m,
                     const ramus_sentence_after *a)
{
    const ramus_char before = ramus_char_back(s->text, scan->start, m->at).kind;

    if (before == RAMUS_CHAR_OPEN) return false; // [...]
    if (!a->gap) return ramus_sentence_runs_on(s, scan, m->at, a, false);
    if (a->kind == RAMUS_CHAR_LOWER) return false;
    if (!s->language->nouns || !ramus_char_is_space(before)) return true;
    return ramus_sentence_starts(s, a) || !ramus_sentence_goes_on(s, scan, m->at);
}

static bool marks_end(const ramus_sentences *s, const ramus_sentence_scan *scan, const marks *m)
{
    const ramus_sentence_after a = read_after(s, m->end);

    if (a.first == RAMUS_CHAR_END) return true;
    if (!scan->content) return false;
    if (a.first == RAMUS_CHAR_WEAK || a.first == RAMUS_CHAR_CLOSE || ramus_char_is_mark(a.first))
        return false;
    if (a.first == RAMUS_CHAR_DASH && !a.gap) return false;
    if (m->in_title) return false;
    if (m->in_bracket && scan->bracket && (m->points != 1 || !ramus_sentence_starts(s, &a)))
        return false;
    if (m->in_quote && !scan->quotes && is_said(s, &a, m)) return false;
    if (m->stops) return m->full_stop || !(m->in_quote && scan->embedded);
    if (m->asks) {
        const ramus_char before = ramus_char_back(s->text, scan->start, m->at).kind;
        const bool wide = before == RAMUS_CHAR_WIDE || a.kind == RAMUS_CHAR_WIDE;
        if (wide) return !(m->in_quote && scan->embedded);
        if (!a.gap) return ramus_sentence_runs_on(s, scan, m->at, &a, true);
        return a.kind != RAMUS_CHAR_LOWER;
    }
    if (m->dots || m->points > 1) return dots_end(s, scan, m, &a);
    return ramus_sentence_point(s, scan, m->at, &a);
}

size_t ramus_sentence_mark(const ramus_sentences *s, const ramus_sentence_scan *scan, size_t at,
                           size_t *past)
{
    marks m = {0};

    read_marks(&m, s, at, ramus_char_read(s->text, s->size, at));
    read_closers(&m, s, scan->straight);
    read_emoji(&m, s);
    *past = m.past;
    return marks_end(s, scan, &m) ? m.end : 0;
}
