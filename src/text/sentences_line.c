/* Does a line break end a sentence? Only before a list marker, after a heading, or after a short
 * line whose break wrapping cannot explain. */
#include "text/marker.h"
#include "text/sentences_rules.h"

#include <string.h>

#define MAX_HEADING 60  // columns of a line that can be a heading without being marked as one
#define MAX_LINE    400 // bytes of a line that are looked at for the marker on the line after it

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
static bool is_item(const ramus_sentences *s, size_t end, size_t next, ramus_marker marker)
{
    const bool counted = marker.kind == RAMUS_MARKER_NUMBER;
    const uint32_t last = ramus_char_back(s->text, s->line.start, end).code;
    size_t at = next;

    if (last == ':' || last == 0xFF1A) return true;
    if (s->line.item && (!counted || s->line.number + 1 == marker.number)) return true;
    ramus_char_at c = ramus_char_read(s->text, s->size, at);
    while (c.kind != RAMUS_CHAR_END && c.kind != RAMUS_CHAR_LINE && at - next < MAX_LINE) {
        at += (size_t)c.size;
        c = ramus_char_read(s->text, s->size, at);
    }
    if (c.kind != RAMUS_CHAR_LINE) return false;
    at = ramus_char_skip_space(s->text, s->size, at);
    const ramus_marker following = ramus_marker_read(s->text, s->size, at);
    return following.kind == marker.kind && (!counted || following.number == marker.number + 1);
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
        columns += ramus_char_columns(c);
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
    if (breaks > 1) return true;
    if (is_rule(s->text, s->size, s->line.start) || is_rule(s->text, s->size, next)) return true;
    if (ramus_marker_read(s->text, s->size, s->line.start).kind == RAMUS_MARKER_HEADING)
        return true;
    const ramus_marker marker = ramus_marker_read(s->text, s->size, next);
    if (marker.kind == RAMUS_MARKER_SURE || marker.kind == RAMUS_MARKER_HEADING) return true;
    if (marker.kind != RAMUS_MARKER_NONE) return is_item(s, at, next, marker);
    return is_short(s, at, next);
}
