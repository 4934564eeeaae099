/* The iterator: reads characters from `at` on, asks the line rules at white space and the mark
 * rules at marks, and hands a sentence that is too long to sentences_limit.c, piece by piece. */
#include "text/sentences.h"

#include "base/status.h"
#include "text/marker.h"
#include "text/sentences_rules.h"

#include <string.h>

/* Notes what stands at the start of the line. */
static void read_marker(ramus_sentences *s)
{
    const ramus_marker m = ramus_marker_read(s->text, s->size, s->line.start);
    s->line.item = m.kind != RAMUS_MARKER_NONE;
    s->line.marker = s->line.item ? s->line.start + m.size : s->line.start;
    s->line.number = m.number;
}

void ramus_sentences_init(ramus_sentences *s, const char *language, const char *text, size_t size)
{
    *s = (ramus_sentences){.text = text, .size = size};
    s->language = ramus_sentence_language_find(language);
    s->at = s->leading = ramus_char_skip_space(text, size, 0);
    s->line.start = s->at;
    s->line.first = true;
    read_marker(s);
}

void ramus_sentences_limit(ramus_sentences *s, int limit, ramus_sentence_count *count, void *arg)
{
    RAMUS_ASSERT(limit > 0 && count);
    s->limit = limit;
    s->count = count;
    s->arg = arg;
}

/* How many lines end in the white space text[at .. next): 2 for an end of a paragraph. */
static int count_breaks(const char *text, size_t at, size_t next)
{
    int breaks = 0;

    while (at < next && breaks < 2) {
        const ramus_char_at c = ramus_char_read(text, next, at);
        at += (size_t)c.size;
        if (c.kind == RAMUS_CHAR_PAGE) return 2;
        if (c.kind != RAMUS_CHAR_LINE) continue;
        if (c.code == '\r' && at < next && text[at] == '\n') at++;
        breaks++;
    }
    return breaks;
}

/* Whether the white space text[at .. next), which has no line end, stands between two cells of a
 * table: it has a tab. That between a list marker and its item does not. */
static bool ends_cell(const ramus_sentences *s, size_t at, size_t next)
{
    return at > s->line.marker && memchr(s->text + at, '\t', next - at);
}

/* Notes that reading continues behind the white space text[at .. next). `ended`: a line rule found
 * the end of a sentence in it. */
static void enter_line(ramus_sentences *s, size_t next, int breaks, bool ended)
{
    if (breaks == 0) return;
    s->line.start = next;
    s->line.first = ended || breaks > 1;
    read_marker(s);
}

/* Brings what is known about the sentence up to date with the character at `at`. */
static void look_at(ramus_sentence_scan *scan, const ramus_sentences *s, size_t at, ramus_char_at c)
{
    if (c.kind == RAMUS_CHAR_OPEN || c.kind == RAMUS_CHAR_QUOTE) {
        const ramus_char before = ramus_char_back(s->text, scan->start, at).kind;
        const bool after_word = ramus_char_is_letter(before) || before == RAMUS_CHAR_DIGIT;
        if (c.code == '"') scan->straight = !scan->straight;
        if (c.code == '"' ? scan->straight
                          : c.code == 0x201C || c.code == 0x300C || c.code == 0x300E) {
            scan->embedded = after_word;
            scan->quotes |= scan->content;
        }
        if (c.code == '(' || c.code == '[' || c.code == 0xFF08) scan->bracket = scan->content;
    } else if (c.code == ')' || c.code == ']' || c.code == 0xFF09) {
        scan->bracket = false;
    } else if (c.kind != RAMUS_CHAR_CLOSE && c.kind != RAMUS_CHAR_JOIN &&
               !ramus_char_is_mark(c.kind)) {
        scan->content = true;
    }
}

/* Reads one sentence, and the white space after it. */
static void read_sentence(ramus_sentences *s, ramus_sentence *out)
{
    ramus_sentence_scan scan = {.start = s->at, .straight = s->straight};
    size_t at = s->at, end = 0;
    bool line_ended = false;

    while (end == 0) {
        const ramus_char_at c = ramus_char_read(s->text, s->size, at);
        const bool greek_ask = c.code == ';' && at > 0 && // a Greek letter before it: a question
                               ramus_char_back(s->text, scan.start, at).code - 0x370 < 0x90;
        if (c.kind == RAMUS_CHAR_END) {
            end = at;
        } else if (ramus_char_is_space(c.kind)) {
            const size_t next = ramus_char_skip_space(s->text, s->size, at);
            const int breaks = count_breaks(s->text, at, next);
            line_ended =
                next == s->size || (breaks > 0 ? ramus_sentence_line_ends(s, at, next, breaks)
                                               : ends_cell(s, at, next));
            if (line_ended)
                end = at;
            else
                enter_line(s, next, breaks, false);
            at = next;
        } else if (ramus_char_is_mark(c.kind) || greek_ask) {
            end = ramus_sentence_mark(s, &scan, at, &at);
        } else {
            look_at(&scan, s, at, c);
            at += (size_t)c.size;
        }
    }
    const size_t next = ramus_char_skip_space(s->text, s->size, end);
    const int breaks = count_breaks(s->text, end, next);
    enter_line(s, next, breaks, line_ended);
    while (at < end) // the closing quotes that the mark took with it
        scan.straight ^= s->text[at++] == '"';
    s->straight = scan.straight && breaks < 2; // no quotation without an end beyond a paragraph
    *out = (ramus_sentence){scan.start, end - scan.start, next - end, true};
    s->at = next;
}

/* Takes the first piece off the rest of a sentence; all of it if that has few enough tokens. */
static void take_piece(ramus_sentences *s, ramus_sentence *out)
{
    ramus_sentence *rest = &s->rest;
    const char *text = s->text + rest->start;
    const size_t cut = ramus_sentence_cut(s, text, rest->size);

    *out = *rest;
    if (cut < rest->size) {
        const size_t next = ramus_char_skip_space(text, rest->size, cut);
        *out = (ramus_sentence){rest->start, cut, next - cut, false};
        *rest = (ramus_sentence){rest->start + next, rest->size - next, rest->separator, true};
    } else {
        rest->size = 0;
    }
}

bool ramus_sentences_next(ramus_sentences *s, ramus_sentence *out)
{
    if (s->rest.size == 0) {
        if (s->at == s->size) return false;
        read_sentence(s, out);
        if (s->limit == 0) return true;
        s->rest = *out;
    }
    take_piece(s, out);
    return true;
}
