/* How a translation is written as Markdown. First it is put together: text, with each byte flagged
 * as text, and the bytes of marks. A line break waits until there are words on both sides of it.
 * Then what was put together is parsed: where text turns out to be markup it gets a backslash,
 * until none does. Text that is no markup stays as it is. */
#include "document/markdown.h"

#include "base/list.h"

#include <string.h>

static const char escapable[] = "\\`*_[]<>|~#!$&{}()'\"@^";

enum { RAW = ' ', TEXT = 't', BEGINS_LINE = 'l', TO_ESCAPE = 'e' };

typedef struct writer {
    ramus_md_text *t;
    const ramus_marked *m;
    int form;
    int break_mark;         // a line break that waits; -1: none
    int open_from, open_to; // marks: OPENs that wait for their first word
    bool line_begins;       // the next byte begins a line
    bool empty;             // there is nothing on the line so far
    bool parse;             // it has a character that may be markup
} writer;

int ramus_md_form_escaping(char c)
{
    const char *found = c ? strchr(escapable, c) : NULL;
    return found ? 1 << (found - escapable) : 0;
}

static void put(writer *w, const char *bytes, size_t size, char flag)
{
    ramus_md_text *t = w->t;
    ramus_buffer_add(&t->written, bytes, size);
    for (size_t i = 0; i < size; i++)
        ramus_buffer_add(&t->flags, &flag, 1);
}

static const char *raw_of(const writer *w, int i)
{
    return w->m->raws + w->m->marks[i].raw;
}

static void put_raw(writer *w, int i)
{
    put(w, raw_of(w, i), w->m->marks[i].raw_size, RAW);
    w->line_begins = false;
    w->empty = false;
}

static bool is_emphasis(const writer *w, int i)
{
    return w->m->marks[i].raw_size && strchr("*_~", raw_of(w, i)[0]);
}

/* The kind of character beside a mark, as far as it is text. */
static ramus_md_side text_before(const writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    if (i > 0 && mark[-1].at + mark[-1].size == mark->at) return RAMUS_MD_SPACE;
    return ramus_md_side_before(w->m->text, mark->at);
}

static ramus_md_side text_after(const writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    if (i + 1 < w->m->n_marks && mark[1].at == mark->at) return RAMUS_MD_SPACE;
    return ramus_md_side_after(w->m->text, w->m->size, mark->at + mark->size);
}

/* Writes the stars of emphasis. Within a word only stars are emphasis, "_" is not. */
static void put_stars(writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    const int open = mark->kind == RAMUS_MARK_OPEN ? i : mark->pair;
    const int close = mark->kind == RAMUS_MARK_OPEN ? mark->pair : i;
    const bool in_word =
        text_before(w, open) == RAMUS_MD_LETTER || text_after(w, close) == RAMUS_MD_LETTER;
    if (raw_of(w, i)[0] == '_' && in_word)
        put(w, "**", mark->raw_size < 2 ? mark->raw_size : 2, RAW);
    else
        put(w, raw_of(w, i), mark->raw_size, RAW);
    w->line_begins = false;
    w->empty = false;
}

static void put_break(writer *w)
{
    if (w->break_mark < 0) return;
    put_raw(w, w->break_mark);
    w->break_mark = -1;
    w->line_begins = !(w->form & RAMUS_MD_HTML);
    w->empty = true;
}

static void put_opens(writer *w)
{
    for (; w->open_from < w->open_to; w->open_from++) {
        if (w->m->marks[w->open_from].kind != RAMUS_MARK_OPEN) continue;
        if (is_emphasis(w, w->open_from))
            put_stars(w, w->open_from);
        else
            put_raw(w, w->open_from);
        w->t->opens[w->open_from] = w->t->written.size;
    }
}

/* Takes spaces of text off the end. */
static void take_spaces(writer *w)
{
    ramus_buffer *written = &w->t->written, *flags = &w->t->flags;
    while (written->size && written->data[written->size - 1] == ' ' &&
           flags->data[flags->size - 1] == TEXT)
        written->size = --flags->size;
}

/* How many bytes at the beginning of a text stand before emphasis that opens there: it opens before
 * a word, and within a word not before punctuation. */
static size_t before_stars(const writer *w, const char *text, size_t size)
{
    const ramus_buffer *written = &w->t->written;
    size_t at = 0;
    ramus_md_side before = ramus_md_side_before(written->data, written->size);
    while (at < size) {
        const ramus_md_side after = ramus_md_side_after(text, size, at);
        const bool opens = after == RAMUS_MD_LETTER ||
                           (after == RAMUS_MD_PUNCTUATION && before != RAMUS_MD_LETTER);
        if (opens) return at;
        before = after == RAMUS_MD_PUNCTUATION ? RAMUS_MD_LETTER : after; // "a,"b: both go
        at++;
        while (at < size && ((unsigned char)text[at] & 0xC0) == 0x80)
            at++;
    }
    return 0;
}

/* How many bytes at the end of what is written stand behind emphasis number i, which closes there:
 * it closes behind a word, and within a word not behind punctuation. */
static size_t behind_stars(const writer *w, int i)
{
    const ramus_buffer *written = &w->t->written;
    const ramus_mark *mark = &w->m->marks[i];
    const size_t least = mark->pair >= 0 ? w->t->opens[mark->pair] : written->size;
    ramus_md_side after = text_after(w, i);
    size_t at = written->size;
    while (at > least && w->t->flags.data[at - 1] == TEXT) {
        const ramus_md_side before = ramus_md_side_before(written->data, at);
        if (before == RAMUS_MD_LETTER ||
            (before == RAMUS_MD_PUNCTUATION && after != RAMUS_MD_LETTER))
            return written->size - at;
        after = before == RAMUS_MD_PUNCTUATION ? RAMUS_MD_LETTER : before;
        at = ramus_md_back(written->data, at);
    }
    return 0;
}

static void put_bytes(writer *w, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (ramus_md_form_escaping(text[i]) & w->form) {
            put(w, "\\", 1, RAW);
            put(w, text + i, 1, RAW);
        } else {
            put(w, text + i, 1, w->line_begins ? BEGINS_LINE : TEXT);
            w->parse |= text[i] && strchr("\\`*_[]<&~!", text[i]);
        }
        w->line_begins = w->empty = false;
    }
}

static void put_text(writer *w, const char *text, size_t size)
{
    size_t spaces = 0;
    while (spaces < size && text[spaces] == ' ')
        spaces++;
    const bool breaks = w->break_mark >= 0 || (w->empty && w->t->written.size);
    if (spaces == size && breaks) return;
    put_break(w);
    if (breaks) {
        text += spaces;
        size -= spaces;
    } else if (w->open_from < w->open_to && is_emphasis(w, w->open_from)) {
        const size_t n = before_stars(w, text, size);
        put_bytes(w, text, n);
        text += n;
        size -= n;
    }
    if (!size) return;
    put_opens(w);
    put_bytes(w, text, size);
}

/* The end of a link whose text names its definition: another text needs the name behind it. */
static void put_label(writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    const ramus_buffer *written = &w->t->written;
    const char *name = raw_of(w, i) + 1;
    const size_t from = mark->pair >= 0 ? w->t->opens[mark->pair] : written->size;
    const size_t size = mark->raw_size - 1;
    const bool same =
        written->size - from == size && (!size || memcmp(written->data + from, name, size) == 0);
    put(w, "]", 1, RAW);
    if (!same || name[-1] == '\2') put(w, "[", 1, RAW);
    if (!same) put(w, name, size, RAW);
    if (!same || name[-1] == '\2') put(w, "]", 1, RAW);
}

static void put_end_of_emphasis(writer *w, int i)
{
    ramus_buffer *written = &w->t->written, *behind = &w->t->escaped;
    const size_t n = behind_stars(w, i);
    ramus_buffer_clear(behind);
    if (n) ramus_buffer_add(behind, written->data + written->size - n, n);
    written->size -= n;
    w->t->flags.size -= n;
    put_stars(w, i);
    if (n && !behind->failed) put(w, behind->data, n, TEXT);
}

static void put_close(writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    const bool emphasis = is_emphasis(w, i);
    if (emphasis && w->open_from < w->open_to && mark->pair == w->open_to - 1) {
        w->open_to--; // emphasis of nothing
        return;
    }
    if (w->open_from < w->open_to) {
        put_break(w);
        put_opens(w);
    }
    if (emphasis)
        put_end_of_emphasis(w, i);
    else if (mark->raw_size && (raw_of(w, i)[0] == '\1' || raw_of(w, i)[0] == '\2'))
        put_label(w, i);
    else
        put(w, raw_of(w, i), mark->raw_size, RAW);
    w->empty = w->line_begins = false;
}

static void put_mark(writer *w, int i)
{
    switch (w->m->marks[i].kind) {
    case RAMUS_MARK_OPEN:
        if (w->open_from == w->open_to) w->open_from = i;
        w->open_to = i + 1;
        break;
    case RAMUS_MARK_CLOSE:
        put_close(w, i);
        break;
    case RAMUS_MARK_CUT:
        if (w->empty || w->break_mark >= 0) break;
        take_spaces(w);
        w->break_mark = i;
        break;
    case RAMUS_MARK_POINT:
    case RAMUS_MARK_KEEP:
        put_break(w);
        put_opens(w);
        put_raw(w, i);
        break;
    }
}

static void put_together(writer *w)
{
    const ramus_marked *m = w->m;
    size_t at = 0;
    ramus_buffer_clear(&w->t->written);
    ramus_buffer_clear(&w->t->flags);
    for (int i = 0; i < m->n_marks; i++) {
        const ramus_mark *mark = &m->marks[i];
        if (mark->at > at) put_text(w, m->text + at, mark->at - at);
        put_mark(w, i);
        at = mark->at + mark->size;
    }
    if (m->size > at) put_text(w, m->text + at, m->size - at);
    put_opens(w);
}

static size_t count(const char *line, size_t size, char c)
{
    size_t n = 0;
    while (n < size && line[n] == c)
        n++;
    return n;
}

static bool is_rule(const char *line, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == line[0])
            n++;
        else if (!ramus_md_is_space(line[i]))
            return false;
    }
    return n >= 3;
}

/* Which byte of a line of a paragraph needs a backslash, so that it begins nothing else; `size`:
 * none. `any_list`: not only a list that begins with 1. */
static size_t to_escape(const char *line, size_t size, bool first, bool any_list)
{
    const char c = line[0];
    const size_t n = count(line, size, c);
    const bool ends = n == size || ramus_md_is_space(line[n]);
    if (c == '>' || (c == '#' && n <= 6 && ends)) return 0;
    if ((c == '`' || c == '~') && n >= 3) return 0;
    if ((c == '-' || c == '+' || c == '*') && n == 1 && ends) return 0;
    if ((c == '-' || c == '*' || c == '_') && is_rule(line, size)) return 0;
    if ((c == '-' || c == '=') && !first && n == size) return 0;
    if (c == '<') {
        const size_t name = 1 + (size > 1 && line[1] == '/');
        size_t end = name;
        while (end < size && (ramus_md_is_letter(line[end]) || ramus_md_is_digit(line[end])))
            end++;
        if (ramus_md_is_named(ramus_md_block_elements, line + name, end - name) ||
            ramus_md_is_named(ramus_md_raw_elements, line + name, end - name) ||
            (size > 1 && (line[1] == '!' || line[1] == '?')))
            return 0;
    }
    if (c == '[' && first) {
        const size_t end = ramus_md_label_end(line, size, 0);
        if (end && end < size && line[end] == ':') return 0;
    }
    size_t digits = 0;
    while (digits < size && digits < 10 && ramus_md_is_digit(line[digits]))
        digits++;
    if (digits && digits < 10 && digits < size && (line[digits] == '.' || line[digits] == ')') &&
        (digits + 1 == size || ramus_md_is_space(line[digits + 1])) &&
        (any_list || (digits == 1 && c == '1')))
        return digits;
    return size;
}

static bool flag_line_starts(writer *w)
{
    ramus_buffer *written = &w->t->written, *flags = &w->t->flags;
    bool any = false;
    for (size_t at = 0; at < flags->size; at++) {
        if (flags->data[at] != BEGINS_LINE) continue;
        const char *line = written->data + at, *feed = memchr(line, '\n', written->size - at);
        const size_t size = feed ? (size_t)(feed - line) : written->size - at;
        const bool first = at == 0 && (w->form & RAMUS_MD_FIRST);
        const size_t found = to_escape(line, size, first, first || (w->form & RAMUS_MD_LAZY));
        flags->data[at] = TEXT;
        if (found == size || flags->data[at + found] == RAW) continue;
        flags->data[at + found] = TO_ESCAPE;
        any = true;
    }
    return any;
}

static bool flag_markup(writer *w)
{
    ramus_md_inline *parser = &w->t->parser;
    const ramus_buffer *written = &w->t->written;
    char *flags = w->t->flags.data;
    bool any = false;
    parser->text = written->data;
    parser->size = written->size;
    parser->html = w->form & RAMUS_MD_HTML;
    ramus_md_parse(parser);
    for (int i = 0; i < parser->n; i++) {
        const ramus_md_piece *p = &parser->pieces[i];
        if (!p->markup) continue;
        for (size_t at = p->from;
             at < p->to && flags[at] == TEXT && written->data[at] == written->data[p->from]; at++) {
            flags[at] = TO_ESCAPE;
            any = true;
        }
    }
    return any;
}

static void escape(writer *w)
{
    ramus_md_text *t = w->t;
    const ramus_buffer before = t->written, flags = t->flags;
    t->written = t->escaped;
    ramus_buffer_clear(&t->written);
    t->flags = (ramus_buffer){0};
    for (size_t i = 0; i < before.size; i++) {
        const char c = before.data[i];
        const bool is = flags.data[i] == TO_ESCAPE;
        if (is && (w->form & RAMUS_MD_HTML)) {
            put(w, c == '<' ? "&lt;" : "&amp;", c == '<' ? 4 : 5, RAW);
            continue;
        }
        if (is) put(w, "\\", 1, RAW);
        put(w, &c, 1, is ? RAW : flags.data[i]);
    }
    t->escaped = before;
    ramus_buffer old = flags;
    ramus_buffer_free(&old);
}

void ramus_md_write(ramus_md_text *t, const ramus_block *block, const ramus_marked *translation,
                    ramus_buffer *out)
{
    writer w = {.t = t, .m = translation, .form = block->form, .break_mark = -1};
    w.line_begins = block->form & (RAMUS_MD_FIRST | RAMUS_MD_LINE);
    w.empty = true;
    const size_t room = (size_t)translation->n_marks + 1;
    bool failed = RAMUS_LIST_RESERVE(t->opens, t->open_room, room, "marks", NULL);
    for (size_t i = 0; i < room && !failed; i++)
        t->opens[i] = 0;
    if (!failed) put_together(&w);
    if (!failed && t->written.size && !t->written.failed && !t->flags.failed) {
        if (flag_line_starts(&w)) escape(&w);
        // Each time some text becomes raw, so this ends; three times are hardly ever needed.
        for (int i = 0; i < 8 && w.parse && !t->written.failed && !t->flags.failed; i++) {
            if (!flag_markup(&w)) break;
            escape(&w);
        }
    }
    failed = failed || t->written.failed || t->flags.failed || t->parser.failed;
    if (!failed && t->written.size) ramus_buffer_add(out, t->written.data, t->written.size);
    out->failed |= failed;
}
