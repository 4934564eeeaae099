/* The text of subtitles: tags become marks, the entities of WebVTT characters. At a cut between two
 * cues the writer ends the tags that are open and begins them again, for a cue is shown alone. A
 * line break within a cue is left out where one of its lines would be empty: a blank line would end
 * the cue. */
#include "document/breaks.h"
#include "document/subtitles.h"

#include "base/utf8.h"
#include "text/case.h"

#include <string.h>
#include <strings.h>

#define NOTE      "\xE2\x99" // the first bytes of U+2669 to U+266B, notes; two of them are common
#define MOST_TAGS 16         // open at once; more are points

enum { VTT = 1, HAS_AMP = 2, HAS_GT = 4, HAS_NBSP = 8 }; // the form of a block

typedef struct tag {
    size_t from, to;
    size_t name, name_size;
    bool opens, closes; // neither: it stands alone
} tag;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_note(const char *data, size_t at, size_t end)
{
    return end - at >= 3 && memcmp(data + at, NOTE, 2) == 0 &&
           (unsigned char)data[at + 2] >= 0xA9 && (unsigned char)data[at + 2] <= 0xAC;
}

/* Reads "<i>", "</i>", "<v Anna>", "<00:01.000>", "{\an8}", "{y:i}" or a note; false: there is
 * none.
 */
static bool read_tag(tag *t, const char *data, size_t at, size_t end, bool vtt)
{
    static const char *const names[] = {"i", "b", "u", "s", "font"};
    *t = (tag){.from = at};
    if (is_note(data, at, end)) {
        t->to = at + 3;
        return true;
    }
    const char first = at < end ? data[at] : '\0', second = at + 1 < end ? data[at + 1] : '\0';
    const bool brace =
        first == '{' && !vtt &&
        (second == '\\' || (at + 2 < end && is_letter(second) && data[at + 2] == ':'));
    if (first != '<' && !brace) return false;
    const size_t most = end - at > 500 ? at + 500 : end;
    t->to = at + 1;
    while (t->to < most && !strchr("<>{}\n", data[t->to]))
        t->to++;
    if (t->to >= most || data[t->to] != (brace ? '}' : '>')) return false;
    t->to++;
    if (brace) return true;
    t->closes = second == '/';
    t->name = at + 1 + t->closes;
    size_t i = t->name;
    while (i < t->to && is_letter(data[i]))
        i++;
    t->name_size = i - t->name;
    if (vtt) {
        const bool voice = t->name_size == 1 && data[t->name] == 'v';
        t->opens = t->name_size && !t->closes && !voice;
        t->closes &= !voice;
        return t->name_size || t->closes || is_digit(second);
    }
    t->opens = !t->closes;
    for (int k = 0; k < RAMUS_COUNT(names); k++)
        if (strlen(names[k]) == t->name_size &&
            strncasecmp(names[k], data + t->name, t->name_size) == 0)
            return data[i] == '>' || ramus_is_space(data[i]);
    return false;
}

/* The tag that ends the text before `end`. */
static bool read_tag_before(tag *t, const char *data, size_t from, size_t end, bool vtt)
{
    const size_t least = end - from > 500 ? end - 500 : from;
    if (end == from) return false;
    if (end - from >= 3 && is_note(data, end - 3, end)) return read_tag(t, data, end - 3, end, vtt);
    if (data[end - 1] != '>' && data[end - 1] != '}') return false;
    for (size_t at = end - 1; at > least;) {
        if (data[--at] == '<' || data[at] == '{')
            return read_tag(t, data, at, end, vtt) && t->to == end;
    }
    return false;
}

static bool same_name(const char *data, const tag *a, const tag *b)
{
    return a->name_size == b->name_size &&
           strncasecmp(data + a->name, data + b->name, a->name_size) == 0;
}

/* Where the tag that closes `open` begins; `end`: nowhere. */
static size_t find_close(const char *data, const tag *open, size_t end, bool vtt)
{
    int depth = 0;
    tag t;
    for (size_t at = open->to; at < end; at++) {
        const char *found = memchr(data + at, '<', end - at);
        if (!found) break;
        at = (size_t)(found - data);
        if (!read_tag(&t, data, at, end, vtt) || !same_name(data, open, &t)) continue;
        if (t.opens) depth++;
        if (t.closes && depth-- == 0) return at;
    }
    return end;
}

static size_t dash_at(const char *data, size_t at, size_t end)
{
    size_t n = 0;
    if (at < end && data[at] == '-') n = 1;
    if (end - at >= 3 && memcmp(data + at, "\xE2\x80", 2) == 0 &&
        (unsigned char)data[at + 2] >= 0x90 && (unsigned char)data[at + 2] <= 0x95)
        n = 3;
    if (!n || at + n >= end || is_digit(data[at + n])) return 0;
    return n;
}

static bool is_sound(const char *data, const ramus_subtitle_line *x)
{
    if (x->to - x->from < 3) return false;
    const char first = data[x->from], last = first == '[' ? ']' : ')';
    if ((first != '[' && first != '(') || data[x->to - 1] != last) return false;
    return !memchr(data + x->from, last, x->to - x->from - 1);
}

void ramus_subtitle_strip(ramus_subtitle_line *x, const char *data, bool vtt)
{
    tag t;
    x->head = 14695981039346656037u; // FNV-1a
    for (int n = 0; n < 32; n++) {   // a bound for texts of nothing but tags
        ramus_trim(data, &x->from, &x->to);
        const size_t dash = x->dash ? 0 : dash_at(data, x->from, x->to);
        if (dash) {
            x->dash = true;
            x->from += dash;
            continue;
        }
        if (read_tag(&t, data, x->from, x->to, vtt)) {
            const size_t close = t.opens ? find_close(data, &t, x->to, vtt) : x->to;
            tag last;
            const bool around =
                close < x->to && read_tag(&last, data, close, x->to, vtt) && last.to == x->to;
            if (close == x->to || around) {
                for (size_t i = t.from; i < t.to; i++)
                    x->head = (x->head ^ (unsigned char)data[i]) * 1099511628211u;
                x->from = t.to;
                if (around) x->to = close;
                continue;
            }
        }
        // A tag at the end that closes something has its beginning within the text.
        if (!read_tag_before(&t, data, x->from, x->to, vtt) || t.closes) break;
        x->to = t.from;
    }
    x->is_sound = is_sound(data, x);
}

static bool ends_in(const char *data, size_t from, size_t to, const char *end)
{
    const size_t n = strlen(end);
    return to - from >= n && memcmp(data + to - n, end, n) == 0;
}

ramus_subtitle_end ramus_subtitle_line_end(const ramus_subtitle_line *x, const char *data)
{
    static const char *const closers[] = {
        "\"",           "'",        ")",        "]",           "\xE2\x80\x9C", "\xE2\x80\x9D",
        "\xE2\x80\x99", "\xC2\xBB", "\xC2\xAB", "\xE3\x80\x8D"};
    static const char *const weak[] = {"...", "\xE2\x80\xA6", "-", "\xE2\x80\x93", "\xE2\x80\x94"};
    static const char *const ends[] = {
        ".", "!", "?", "\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F", "\xD8\x9F", "\xE0\xA5\xA4"};
    size_t to = x->to;
    for (bool more = true; more;) {
        tag t;
        more = false;
        while (to > x->from && ramus_is_space(data[to - 1]))
            to--;
        for (int i = 0; i < RAMUS_COUNT(closers) && !more; i++)
            if (ends_in(data, x->from, to, closers[i])) {
                to -= strlen(closers[i]);
                more = true;
            }
        if (!more && read_tag_before(&t, data, x->from, to, true)) {
            to = t.from;
            more = true;
        }
    }
    for (int i = 0; i < RAMUS_COUNT(weak); i++)
        if (ends_in(data, x->from, to, weak[i])) return RAMUS_SUBTITLE_MAY_GO_ON;
    for (int i = 0; i < RAMUS_COUNT(ends); i++)
        if (ends_in(data, x->from, to, ends[i])) return RAMUS_SUBTITLE_ENDS;
    return RAMUS_SUBTITLE_GOES_ON;
}

bool ramus_subtitle_begins_small(const ramus_subtitle_line *x, const char *data)
{
    size_t at = x->from;
    uint32_t code = 0, upper[RAMUS_CASE_MOST];
    while (
        at < x->to &&
        (strchr("\"'. ", data[at]) || (x->to - at >= 3 && memcmp(data + at, "\xE2\x80", 2) == 0)) &&
        data[at])
        at += data[at] == '\xE2' ? 3 : 1; // quotes and dots
    if (at >= x->to || !ramus_utf8_decode(&code, data + at, x->to - at)) return false;
    return ramus_case_upper(upper, code) != 1 || upper[0] != code;
}

static const struct entity {
    const char *name, *text;
    int form;
} entities[] = {
    {"&amp;", "&", HAS_AMP}, {"&lt;", "<", 0},
    {"&gt;", ">", HAS_GT},   {"&nbsp;", "\xC2\xA0", HAS_NBSP},
    {"&quot;", "\"", 0},     {"&apos;", "'", 0},
    {"&#39;", "'", 0},
};

/* Adds the entity at `at`; returns its end, or `at` where there is none. */
static size_t add_entity(const char *data, size_t at, size_t end, int *form, ramus_blocks *out)
{
    size_t i = at + 1;
    for (int k = 0; k < RAMUS_COUNT(entities); k++) {
        const size_t n = strlen(entities[k].name);
        if (end - at < n || memcmp(data + at, entities[k].name, n) != 0) continue;
        ramus_blocks_text(out, entities[k].text, strlen(entities[k].text));
        *form |= entities[k].form;
        return at + n;
    }
    while (i < end && i - at < 32 && (is_letter(data[i]) || data[i] == '#' || is_digit(data[i])))
        i++;
    if (i >= end || i == at + 1 || data[i] != ';') return at;
    ramus_blocks_keep(out, data + at, i + 1 - at, data + at, i + 1 - at);
    return i + 1;
}

/* Adds the text of a line; `stack` has the tags that are open. */
static void add_line(const ramus_subtitle_line *x, const char *data, tag *stack, int *depth,
                     int *form, ramus_blocks *out)
{
    const bool vtt = *form & VTT;
    size_t plain = x->from; // up to here it is added
    for (size_t at = x->from; at < x->to;) {
        tag t;
        if (vtt && data[at] == '&') {
            ramus_blocks_text(out, data + plain, at - plain);
            plain = add_entity(data, at, x->to, form, out);
            at = plain > at ? plain : at + 1;
            continue;
        }
        if (!read_tag(&t, data, at, x->to, vtt)) {
            at++;
            continue;
        }
        ramus_mark_kind kind = RAMUS_MARK_POINT;
        if (t.opens && *depth < MOST_TAGS) {
            kind = RAMUS_MARK_OPEN;
            stack[(*depth)++] = t;
        } else if (t.closes && *depth && same_name(data, &stack[*depth - 1], &t)) {
            kind = RAMUS_MARK_CLOSE;
            (*depth)--;
        }
        ramus_blocks_text(out, data + plain, at - plain);
        ramus_blocks_mark(out, kind, data + at, t.to - at);
        at = plain = t.to;
    }
    ramus_blocks_text(out, data + plain, x->to - plain);
}

void ramus_subtitle_block(const ramus_subtitle_line *lines, int n, const char *data, bool vtt,
                          ramus_blocks *out)
{
    tag stack[MOST_TAGS];
    int depth = 0, form = vtt ? VTT : 0;
    ramus_blocks_begin(out, lines[0].from);
    for (int i = 0; i < n; i++) {
        if (i) {
            const size_t from = lines[i - 1].to;
            ramus_blocks_text(out, " ", 1);
            ramus_blocks_mark(out, RAMUS_MARK_CUT, data + from, lines[i].from - from);
        }
        add_line(&lines[i], data, stack, &depth, &form, out);
    }
    (void)ramus_blocks_end(out, lines[n - 1].to, form);
}

typedef struct writer {
    const ramus_marked *m;
    ramus_buffer *out;
    size_t start; // of the block in the output
    int form;
    int break_mark;      // a line break within a cue that waits for words; -1: none
    bool line_begins;    // nothing is on the line so far
    int open[MOST_TAGS]; // marks
    int n_open;
} writer;

static void put_raw(writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    if (mark->raw_size) ramus_buffer_add(w->out, w->m->raws + mark->raw, mark->raw_size);
}

static void put_break(writer *w)
{
    if (w->break_mark >= 0) put_raw(w, w->break_mark);
    w->break_mark = -1;
    w->line_begins = false;
}

/* Whether text[at] == '&' would be read as the beginning of an entity. */
static bool is_entity(const char *text, size_t at, size_t size)
{
    size_t i = at + 1;
    while (i < size && i - at < 32 && (is_letter(text[i]) || text[i] == '#' || is_digit(text[i])))
        i++;
    return i > at + 1 && i < size && text[i] == ';';
}

static void put_text(writer *w, const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && text[at] == ' ' && (w->line_begins || w->break_mark >= 0))
        at++;
    if (at < size) put_break(w);
    for (; at < size; at++) {
        const bool arrow = at >= 2 && memcmp(text + at - 2, "-->", 3) == 0;
        const bool vtt = w->form & VTT;
        if (vtt && text[at] == '<') {
            ramus_buffer_text(w->out, "&lt;");
        } else if (vtt && text[at] == '>' && (arrow || w->form & HAS_GT)) {
            ramus_buffer_text(w->out, "&gt;");
        } else if (vtt && text[at] == '&' && (w->form & HAS_AMP || is_entity(text, at, size))) {
            ramus_buffer_text(w->out, "&amp;");
        } else if (w->form & HAS_NBSP && size - at >= 2 && memcmp(text + at, "\xC2\xA0", 2) == 0) {
            ramus_buffer_text(w->out, "&nbsp;");
            at++;
        } else {
            if (arrow) ramus_buffer_text(w->out, " "); // it would look like a time line
            ramus_buffer_add(w->out, text + at, 1);
        }
    }
}

static bool is_between_cues(const writer *w, const ramus_mark *mark)
{
    for (size_t i = 0; i + 3 <= mark->raw_size; i++)
        if (memcmp(w->m->raws + mark->raw + i, "-->", 3) == 0) return true;
    return false;
}

static void put_cut(writer *w, int i)
{
    const ramus_mark *mark = &w->m->marks[i];
    while (w->out->size > w->start && w->out->data[w->out->size - 1] == ' ')
        w->out->size--;
    if (!is_between_cues(w, mark)) {
        if (!w->line_begins && w->break_mark < 0) w->break_mark = i;
        return;
    }
    for (int k = w->n_open - 1; k >= 0; k--)
        put_raw(w, w->m->marks[w->open[k]].pair);
    put_raw(w, i);
    for (int k = 0; k < w->n_open; k++)
        put_raw(w, w->open[k]);
    w->break_mark = -1;
    w->line_begins = true;
}

static void put_mark(writer *w, int i)
{
    switch (w->m->marks[i].kind) {
    case RAMUS_MARK_CUT:
        put_cut(w, i);
        return;
    case RAMUS_MARK_OPEN:
        put_break(w);
        put_raw(w, i);
        if (w->n_open < MOST_TAGS) w->open[w->n_open++] = i;
        return;
    case RAMUS_MARK_CLOSE:
        put_raw(w, i); // before a line break that waits
        if (w->n_open) w->n_open--;
        return;
    case RAMUS_MARK_POINT:
    case RAMUS_MARK_KEEP:
        put_break(w);
        put_raw(w, i);
        return;
    }
}

void ramus_subtitle_write(const ramus_block *block, const ramus_marked *translation,
                          ramus_buffer *out)
{
    const ramus_marked *m = translation;
    writer w = {.m = m, .out = out, .start = out->size, .form = block->form, .break_mark = -1};
    size_t at = 0;
    w.line_begins = true;
    for (int i = 0; i < m->n_marks; i++) {
        if (m->marks[i].at > at) put_text(&w, m->text + at, m->marks[i].at - at);
        put_mark(&w, i);
        at = m->marks[i].at + m->marks[i].size;
    }
    if (m->size > at) put_text(&w, m->text + at, m->size - at);
}
