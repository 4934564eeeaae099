/* White space waits until a word or a mark comes after it: so it is left out at the end, and before
 * a mark it is one space. A reference is decoded where a browser does so; one that only a newer
 * table or the document itself can explain is kept as it is, and one for white space is a CUT. */
#include "base/utf8.h"
#include "document/markup.h"

#include <stdio.h>
#include <string.h>

/* What HTML takes numbers 0x80 to 0x9F for: bytes of Windows-1252. */
static const unsigned short windows[32] = {
    0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
    0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

/* A reference at the beginning of a text. */
typedef struct reference {
    size_t size;   // of it in the text; 0: there is none
    uint32_t code; // 0: its name is not known
} reference;

static int digit_of(char c, int base)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f') return (c | 0x20) - 'a' + 10;
    return -1;
}

/* "&#8364;" or "&#x20AC;". */
static reference read_number(const char *text, size_t size, ramus_markup markup)
{
    const int base = size > 2 && (text[2] | 0x20) == 'x' ? 16 : 10;
    const size_t first = base == 16 ? 3 : 2;
    size_t at = first;
    uint32_t code = 0;
    for (; at < size && digit_of(text[at], base) >= 0; at++)
        if (code <= 0x10FFFF) code = code * (uint32_t)base + (uint32_t)digit_of(text[at], base);
    const bool ended = at < size && text[at] == ';';
    if (at == first || (!ended && markup == RAMUS_XML)) return (reference){0};
    if (markup == RAMUS_HTML && code >= 0x80 && code < 0xA0) code = windows[code - 0x80];
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        code = RAMUS_UTF8_REPLACEMENT;
    return (reference){at + ended, code};
}

static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A name that needs no ';', as "&copy 2022". In an attribute, "?a=1&copy=2" has none. */
static reference read_old_name(const char *text, size_t size, size_t end, bool attribute)
{
    for (size_t n = end < 7 ? end : 7; n > 2; n--) { // the longest has 6 letters
        const uint32_t code = ramus_html_entity(text + 1, n - 1);
        if (!code || code > 0xFF || code == '\'') continue;
        if (attribute && n < size && (text[n] == '=' || is_letter(text[n]))) break;
        return (reference){n, code};
    }
    return (reference){0};
}

static reference read_reference(const char *text, size_t size, const ramus_markup_text *t)
{
    if (size > 1 && text[1] == '#') return read_number(text, size, t->markup);
    size_t end = 1;
    while (end < size && end < 64 &&
           (is_letter(text[end]) ||
            (t->markup == RAMUS_XML && (text[end] == '.' || text[end] == '-' || text[end] == '_'))))
        end++;
    if (end > 1 && end < size && text[end] == ';') {
        const uint32_t code = ramus_html_entity(text + 1, end - 1);
        const bool known = t->markup == RAMUS_HTML || (code < 0x80 && text[1] >= 'a');
        return (reference){end + 1, known ? code : 0};
    }
    if (t->markup == RAMUS_XML) return (reference){0};
    return read_old_name(text, size, end, t->attribute);
}

static void put(ramus_markup_text *t, const char *text, size_t size)
{
    if (t->space && t->word) ramus_blocks_text(t->blocks, " ", 1);
    ramus_blocks_text(t->blocks, text, size);
    t->word = true;
    t->space = false;
}

static void end_word(ramus_markup_text *t)
{
    if (t->space && t->word) {
        ramus_blocks_text(t->blocks, " ", 1);
        t->word = false;
    }
    t->space = false;
}

void ramus_markup_text_mark(ramus_markup_text *t, ramus_mark_kind kind, const char *raw,
                            size_t size)
{
    end_word(t);
    ramus_blocks_mark(t->blocks, kind, raw, size);
}

void ramus_markup_text_keep(ramus_markup_text *t, const char *text, size_t size, const char *raw,
                            size_t raw_size)
{
    end_word(t);
    ramus_blocks_keep(t->blocks, text, size, raw, raw_size);
    t->word = true;
}

static void put_reference(ramus_markup_text *t, const reference *r, const char *raw)
{
    char letter[4];
    const int n = ramus_utf8_encode(letter, r->code);
    if (!r->code) {
        ramus_markup_text_keep(t, raw, r->size, raw, r->size);
    } else if (t->collapse && n == 1 && ramus_markup_is_space(letter[0])) {
        char ended[16] = ""; // what comes after the mark must not go on with its number
        snprintf(ended, sizeof ended, "&#%u;", (unsigned)r->code);
        const bool as_is = raw[r->size - 1] == ';';
        t->space = true;
        ramus_markup_text_mark(t, RAMUS_MARK_CUT, as_is ? raw : ended,
                               as_is ? r->size : strlen(ended));
    } else {
        put(t, letter, (size_t)n);
    }
}

/* Adds text up to the first '&', or all of it; returns how much. */
static size_t add_plain(ramus_markup_text *t, const char *text, size_t size, bool references)
{
    size_t at = 0;
    while (at < size && !(references && text[at] == '&')) {
        size_t end = at;
        while (end < size && !(references && text[end] == '&') &&
               !(t->collapse && ramus_markup_is_space(text[end])))
            end++;
        if (end > at) {
            put(t, text + at, end - at);
            at = end;
        } else {
            t->space = true;
            at++;
        }
    }
    return at;
}

void ramus_markup_text_plain(ramus_markup_text *t, const char *text, size_t size)
{
    (void)add_plain(t, text, size, false);
}

void ramus_markup_text_add(ramus_markup_text *t, const char *text, size_t size)
{
    for (size_t at = 0;;) {
        at += add_plain(t, text + at, size - at, true);
        if (at == size) return;
        const reference r = read_reference(text + at, size - at, t);
        if (r.size)
            put_reference(t, &r, text + at);
        else
            put(t, "&", 1);
        at += r.size ? r.size : 1;
    }
}

void ramus_markup_span(const ramus_marked *m, int i, size_t *from, size_t *to)
{
    const ramus_mark *before = i > 0 ? &m->marks[i - 1] : NULL;
    const ramus_mark *after = i < m->n_marks ? &m->marks[i] : NULL;
    *from = before ? before->at + before->size : 0;
    *to = after ? after->at : m->size;
    while (before && before->kind == RAMUS_MARK_CUT && *from < *to && m->text[*from] == ' ')
        ++*from;
    while (after && after->kind == RAMUS_MARK_CUT && *from < *to && m->text[*to - 1] == ' ')
        --*to;
}

void ramus_markup_write(const ramus_marked *m,
                        void (*escape)(ramus_buffer *out, const char *text, size_t size),
                        ramus_buffer *out)
{
    for (int i = 0; i <= m->n_marks; i++) {
        size_t from = 0, to = 0;
        ramus_markup_span(m, i, &from, &to);
        escape(out, m->text + from, to - from);
        if (i < m->n_marks) ramus_buffer_add(out, m->raws + m->marks[i].raw, m->marks[i].raw_size);
    }
}

/* Writes text with references for the bytes in `special`, and for the no-break space if asked. */
static void escape(ramus_buffer *out, const char *text, size_t size, const char *special,
                   bool no_break)
{
    size_t done = 0;
    for (size_t i = 0; i < size; i++) {
        const char *name = NULL;
        size_t n = 1;
        if (text[i] == '\xC2' && no_break && i + 1 < size && text[i + 1] == '\xA0')
            name = "&nbsp;", n = 2;
        else if (text[i] == '\0' || !strchr(special, text[i]))
            continue;
        else if (text[i] == '&')
            name = "&amp;";
        else if (text[i] == '<')
            name = "&lt;";
        else if (text[i] == '>')
            name = "&gt;";
        else
            name = text[i] == '"' ? "&quot;" : "&#39;";
        ramus_buffer_add(out, text + done, i - done);
        ramus_buffer_text(out, name);
        i += n - 1;
        done = i + 1;
    }
    ramus_buffer_add(out, text + done, size - done);
}

void ramus_markup_escape_xml(ramus_buffer *out, const char *text, size_t size)
{
    escape(out, text, size, "&<>", false);
}

void ramus_markup_escape_html(ramus_buffer *out, const char *text, size_t size)
{
    escape(out, text, size, "&<>", true);
}

void ramus_markup_escape_double(ramus_buffer *out, const char *text, size_t size)
{
    escape(out, text, size, "&<\"", false);
}

void ramus_markup_escape_single(ramus_buffer *out, const char *text, size_t size)
{
    escape(out, text, size, "&<'", false);
}
