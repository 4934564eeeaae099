/* Does a line break end a sentence? Only before a list marker, after a heading, or after a short
 * line whose break wrapping cannot explain. */
#include "text/sentences_rules.h"

#include <string.h>

#define MAX_HEADING 60  // columns of a line that can be a heading without being marked as one
#define MAX_LINE    400 // bytes of a line that are looked at for the marker on the line after it

enum {
    MARKER_NONE,
    MARKER_SURE,   // signs that nothing else starts a line with: a bullet, "2)", "(b)"
    MARKER_DASH,   // could be a dash in a sentence
    MARKER_NUMBER, // "3." could be a date
    MARKER_HEADING // "## "
};

static bool is_bullet(uint32_t code)
{
    return code == '*' || code == 0x2022 || code == 0x2023 || code == 0x25E6 || code == 0x2043 ||
           (code >= 0x25A0 && code <= 0x25FF) || code == 0xB7 || code == 0x30FB ||
           (code >= 0x2713 && code <= 0x2717) || (code >= 0x27A4 && code <= 0x27BE);
}

static bool is_ideographic_number(uint32_t code)
{
    static const uint32_t numbers[] = {0x4E00, 0x4E8C, 0x4E09, 0x56DB, 0x4E94,
                                       0x516D, 0x4E03, 0x516B, 0x4E5D, 0x5341};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (code == numbers[i]) return true;
    return false;
}

static bool space_at(const char *text, size_t size, size_t at)
{
    const ramus_char kind = ramus_char_read(text, size, at).kind;
    return ramus_char_is_space(kind) || kind == RAMUS_CHAR_END;
}

/* "12." "12)" "(12)" "b)" and, with full-width signs, the same without a space after it. */
static int read_number(const char *text, size_t size, size_t at, int *number)
{
    ramus_char_at c = ramus_char_read(text, size, at);
    const bool bracket = c.code == '(' || c.code == 0xFF08;
    int digits = 0, letters = 0, ideographs = 0, value = 0;

    if (bracket) at += (size_t)c.size;
    for (;; at += (size_t)c.size) {
        c = ramus_char_read(text, size, at);
        if (c.code >= '0' && c.code <= '9' && digits < 3)
            digits++, value = value * 10 + (int)(c.code - '0');
        else if (is_ideographic_number(c.code) && ideographs < 3)
            ideographs++;
        else if (c.code - 'a' < 26 && letters == 0)
            letters++;
        else
            break;
    }
    if ((digits > 0) + (letters > 0) + (ideographs > 0) != 1) return MARKER_NONE;
    *number = digits ? value : -1;
    const bool space = space_at(text, size, at + (size_t)c.size);
    if (c.code == 0xFF09 || (c.code == 0x3001 && !letters)) return MARKER_SURE;
    if (c.code == ')' && (space || ideographs)) return MARKER_SURE;
    return c.code == '.' && digits && !bracket && space ? MARKER_NUMBER : MARKER_NONE;
}

int ramus_sentence_marker(const char *text, size_t size, size_t at, int *number)
{
    const ramus_char_at c = ramus_char_read(text, size, at);
    size_t hashes = 0;

    *number = -1;
    while (hashes < 7 && at + hashes < size && text[at + hashes] == '#')
        hashes++;
    if (hashes > 0 && hashes < 7 && space_at(text, size, at + hashes)) return MARKER_HEADING;
    if (c.code >= 0x2460 && c.code <= 0x2473) return MARKER_SURE; // a number in a circle
    if (c.kind == RAMUS_CHAR_END) return MARKER_NONE;
    if (space_at(text, size, at + (size_t)c.size)) {
        if (is_bullet(c.code)) return MARKER_SURE;
        if (c.kind == RAMUS_CHAR_DASH || c.code == '+') return MARKER_DASH;
    }
    return read_number(text, size, at, number);
}

/* Three or more of the same - = * _ and nothing else: drawn under a heading or between parts. */
static bool is_rule(const char *text, size_t size, size_t at)
{
    const char sign = at < size ? text[at] : '\0';
    size_t n = 0;

    if (sign == '\0' || !strchr("-=*_", sign)) return false;
    while (n < MAX_LINE && at + n < size && text[at + n] == sign)
        n++;
    const ramus_char kind = ramus_char_read(text, size, at + n).kind;
    return n >= 3 && (kind == RAMUS_CHAR_END || kind == RAMUS_CHAR_LINE);
}

/* A dash or a number is a list marker when the line before is an item, announces a list, or the
 * line after has a marker of the same kind. */
static bool is_item(const ramus_sentences *s, size_t end, size_t next, int marker, int number)
{
    const bool counted = marker == MARKER_NUMBER;
    const uint32_t last = ramus_char_back(s->text, s->line.start, end).code;
    size_t at = next;

    if (last == ':' || last == 0xFF1A) return true;
    if (s->line.item && (!counted || s->line.number + 1 == number)) return true;
    ramus_char_at c = ramus_char_read(s->text, s->size, at);
    while (c.kind != RAMUS_CHAR_END && c.kind != RAMUS_CHAR_LINE && at - next < MAX_LINE) {
        at += (size_t)c.size;
        c = ramus_char_read(s->text, s->size, at);
    }
    if (c.kind != RAMUS_CHAR_LINE) return false;
    int following = -1;
    at = ramus_char_skip_space(s->text, s->size, at);
    return ramus_sentence_marker(s->text, s->size, at, &following) == marker &&
           (!counted || following == number + 1);
}

/* Columns from `at` to the end of the line, at most `most`; *word is set to those of its first
 * word. An ideograph takes two columns, and two of them are a word: a mark may follow the first. */
static int count_columns(const char *text, size_t size, size_t at, int most, int *word)
{
    int columns = 0;

    *word = 0;
    while (columns < most) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        if (c.kind == RAMUS_CHAR_END || c.kind == RAMUS_CHAR_LINE || c.kind == RAMUS_CHAR_PAGE)
            break;
        if (*word == 0 && ramus_char_is_space(c.kind)) *word = columns;
        columns += c.code >= 0x2E80 ? 2 : c.kind != RAMUS_CHAR_JOIN;
        if (*word == 0 && c.kind == RAMUS_CHAR_WIDE && columns >= 4) *word = columns;
        at += (size_t)c.size;
    }
    if (*word == 0) *word = columns;
    return columns;
}

/* The line is a heading, or the last one of a list: it is short, it ends without punctuation, the
 * next one does not start in lower case, and wrapping cannot explain the break, because the first
 * word of the next line would have fitted into a line as long as the next one. */
static bool is_short(const ramus_sentences *s, size_t end, size_t next)
{
    const ramus_char_at first = ramus_char_read(s->text, s->size, s->line.start);
    const ramus_char_at last = ramus_char_back(s->text, s->line.start, end);
    ramus_char_at begin = ramus_char_read(s->text, s->size, next);
    int ignored = 0, word = 0;

    if (!s->line.first && !s->line.item) return false;
    if (first.kind == RAMUS_CHAR_LOWER && !s->line.item) return false;
    if (!ramus_char_is_letter(last.kind) && last.kind != RAMUS_CHAR_DIGIT &&
        last.kind != RAMUS_CHAR_CLOSE && last.code != ':' && last.code != 0xFF1A)
        return false;
    if (begin.kind == RAMUS_CHAR_OPEN || begin.kind == RAMUS_CHAR_QUOTE)
        begin = ramus_char_read(s->text, s->size, next + (size_t)begin.size);
    if (begin.kind == RAMUS_CHAR_LOWER ||
        !(ramus_char_is_letter(begin.kind) || begin.kind == RAMUS_CHAR_DIGIT))
        return false;
    const int columns = count_columns(s->text, end, s->line.start, MAX_HEADING + 1, &ignored);
    if (columns > MAX_HEADING) return false;
    const int next_columns = count_columns(s->text, s->size, next, 4 * MAX_HEADING, &word);
    return columns + 1 + word <= next_columns;
}

bool ramus_sentence_line_ends(const ramus_sentences *s, size_t at, size_t next, int breaks)
{
    int number = -1;

    if (breaks > 1) return true;
    if (is_rule(s->text, s->size, s->line.start) || is_rule(s->text, s->size, next)) return true;
    if (ramus_sentence_marker(s->text, s->size, s->line.start, &number) == MARKER_HEADING)
        return true;
    const int marker = ramus_sentence_marker(s->text, s->size, next, &number);
    if (marker == MARKER_SURE || marker == MARKER_HEADING) return true;
    if (marker != MARKER_NONE) return is_item(s, at, next, marker, number);
    return is_short(s, at, next);
}
