/* Subtitles, SubRip and WebVTT: cues of a time line and lines of text. A sentence may run over
 * several cues: cues are joined to one block where the text of one does not end a sentence, and the
 * next follows soon or begins with a small letter. Line breaks and what stands between the texts
 * are cuts of the block, so that each cue gets its share of the translation. All else is copied. */
#include "document/subtitles.h"
#include "document/breaks.h"
#include "document/formats.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CUES 8                       // joined to one block
#define SOON      1500                    // milliseconds between cues that may be of one sentence
#define MOST_TEXT (RAMUS_BLOCK_BYTES / 2) // of a line, and of a cue; more is cut

typedef struct cue {
    size_t text, end;  // bytes of its lines
    size_t next;       // what comes after it
    long begins, ends; // milliseconds
    bool timed, cut;   // its text is too long and goes on at `next`
    uint64_t head;
} cue;

typedef struct subtitles {
    bool in_text; // d->at is within the text of a cue
    ramus_subtitle_line *lines;
    int n;
    size_t room;
} subtitles;

typedef struct line {
    size_t from, to, next;
} line;

/* A line, or the first MOST_TEXT bytes of it, up to the end of a character. */
static line read_line(const ramus_document *d, size_t at)
{
    const size_t most = d->size - at > MOST_TEXT ? MOST_TEXT : d->size - at;
    const char *feed = most ? memchr(d->data + at, '\n', most) : NULL;
    if (feed) return (line){at, (size_t)(feed - d->data), (size_t)(feed - d->data) + 1};
    size_t cut = at + most;
    if (cut < d->size)
        while (cut > at + most - 4 && ((unsigned char)d->data[cut] & 0xC0) == 0x80)
            cut--;
    return (line){at, cut, cut};
}

static bool is_blank(const ramus_document *d, line l)
{
    while (l.from < l.to && ramus_is_space(d->data[l.from]))
        l.from++;
    return l.from == l.to;
}

static bool is_number(const ramus_document *d, line l)
{
    size_t digits = 0;
    for (size_t i = l.from; i < l.to; i++) {
        if (d->data[i] >= '0' && d->data[i] <= '9')
            digits++;
        else if (!ramus_is_space(d->data[i]))
            return false;
    }
    return digits > 0;
}

/* Reads "01:02:03,456" and moves *at behind it; -1: there is none. */
static long read_time(const ramus_document *d, size_t *at, size_t end)
{
    long time = 0, n = -1;
    size_t i = *at;
    while (i < end && ramus_is_space(d->data[i]))
        i++;
    for (; i < end; i++) {
        const char c = d->data[i];
        if (c >= '0' && c <= '9')
            n = (n < 0 ? 0 : n % 100000) * 10 + (c - '0');
        else if (n >= 0 && (c == ':' || c == ',' || c == '.'))
            time = (time % 100000 + n) * (c == ':' ? 60 : 1000), n = 0;
        else
            break;
    }
    *at = i;
    return n < 0 ? -1 : time + n;
}

static bool read_times(const ramus_document *d, line l, cue *c)
{
    size_t at = l.from;
    c->begins = read_time(d, &at, l.to);
    while (at < l.to && ramus_is_space(d->data[at]))
        at++;
    if (c->begins < 0 || l.to - at < 3 || memcmp(d->data + at, "-->", 3) != 0) return false;
    at += 3;
    c->ends = read_time(d, &at, l.to);
    return c->ends >= 0;
}

/* Reads the time line of the cue at `at`. Text of a cue that has none begins at `at`. */
static cue read_head(const ramus_document *d, size_t at, bool in_text)
{
    cue c = {.text = at, .end = at, .next = at};
    const line l = read_line(d, at);
    if (!in_text && !read_times(d, l, &c)) {
        const line second = read_line(d, l.next);
        c.timed = l.next > l.to && read_times(d, second, &c);
        if (c.timed) c.text = second.next;
    } else if (!in_text) {
        c.timed = true;
        c.text = l.next;
    }
    return c;
}

/* Reads the cue at `at` with its text. */
static cue read_cue(const ramus_document *d, size_t at, bool in_text)
{
    cue c = read_head(d, at, in_text), next;
    line l = {0};
    for (c.end = c.next = c.text; c.next < d->size; c.next = l.next) {
        l = read_line(d, c.next);
        if (is_blank(d, l) || read_times(d, l, &next)) break;
        if (is_number(d, l) && read_times(d, read_line(d, l.next), &next)) break;
        if (l.next - c.text > MOST_TEXT && c.end > c.text) c.cut = true;
        if (c.cut) break;
        c.end = l.to;
        c.cut = l.next == l.to && l.next < d->size;
        if (c.cut) {
            c.next = l.next;
            break;
        }
    }
    return c;
}

/* Adds the lines of a cue to the list; returns the number of the first. */
static int add_lines(const ramus_document *d, cue *c, ramus_blocks *out)
{
    subtitles *s = d->state;
    const bool vtt = d->format == &ramus_format_vtt;
    const int first = s->n;
    ramus_subtitle_line whole = {.from = c->text, .to = c->end};
    ramus_subtitle_strip(&whole, d->data, vtt);
    c->head = whole.head;
    if (whole.dash) whole.from = c->text; // the first line has it
    for (size_t at = whole.from; at < whole.to;) {
        const char *feed = memchr(d->data + at, '\n', whole.to - at);
        const size_t to = feed ? (size_t)(feed - d->data) : whole.to;
        ramus_subtitle_line x = {.from = at, .to = to};
        at = to + 1;
        ramus_subtitle_strip(&x, d->data, vtt);
        if (x.from == x.to) continue;
        if (RAMUS_LIST_RESERVE(s->lines, s->room, (size_t)s->n + 1, "lines", NULL)) {
            out->failed = true;
            return first;
        }
        s->lines[s->n++] = x;
        if (s->n - 1 == first) continue;
        const ramus_subtitle_line *before = &s->lines[s->n - 2];
        s->lines[s->n - 1].joins =
            !x.dash && !x.is_sound && !before->is_sound && x.head == before->head;
    }
    return first;
}

static bool has_letter(const ramus_document *d, const ramus_subtitle_line *x)
{
    for (size_t i = x->from; i < x->to; i++)
        if ((unsigned char)d->data[i] >= 0x80 || (d->data[i] | 0x20) >= 'a') return true;
    return false;
}

/* Whether the text of cue `b`, with the list's line number `first`, goes on with that of `a`. */
static bool joins(const ramus_document *d, const cue *a, const cue *b, int first)
{
    const subtitles *s = d->state;
    if (first == 0 || first == s->n || a->head != b->head) return false;
    const ramus_subtitle_line *before = &s->lines[first - 1], *x = &s->lines[first];
    if (x->dash || x->is_sound || before->is_sound || x->head != before->head) return false;
    const ramus_subtitle_end end = ramus_subtitle_line_end(before, d->data);
    if (!has_letter(d, before)) return false;
    if (end == RAMUS_SUBTITLE_ENDS) return false;
    return ramus_subtitle_begins_small(x, d->data) ||
           (end == RAMUS_SUBTITLE_GOES_ON && b->begins - a->ends < SOON);
}

static void read_cues(ramus_document *d, cue c, ramus_blocks *out)
{
    subtitles *s = d->state;
    s->n = 0;
    (void)add_lines(d, &c, out);
    const size_t start = c.text;
    for (int n = 1; n < MOST_CUES && c.timed && !c.cut && !out->failed; n++) {
        size_t at = c.next;
        while (at < d->size && at - c.next < 16 && ramus_is_space(d->data[at])) // blank lines
            at++;
        while (at > c.next && d->data[at - 1] != '\n')
            at--;
        if (at == d->size) break;
        cue next = read_cue(d, at, false);
        if (!next.timed || next.cut || next.end - start > MOST_TEXT) break;
        const int first = add_lines(d, &next, out);
        if (!joins(d, &c, &next, first)) {
            s->n = first;
            break;
        }
        s->lines[first].joins = true;
        c = next;
    }
    for (int i = 0, n; i < s->n; i += n) {
        for (n = 1; i + n < s->n && s->lines[i + n].joins; n++)
            continue;
        ramus_subtitle_block(s->lines + i, n, d->data, d->format == &ramus_format_vtt, out);
    }
    d->at = c.next;
    s->in_text = c.cut;
}

static ramus_status read_subtitles(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    (void)err;
    subtitles *s = d->state;
    const line l = read_line(d, d->at);
    if (d->at == 0 && d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) {
        d->at = 3;
        return RAMUS_OK;
    }
    if (is_blank(d, l)) {
        d->at = l.next;
        s->in_text = false;
        return RAMUS_OK;
    }
    const bool outside = !s->in_text && d->format == &ramus_format_vtt;
    if (outside && !read_head(d, d->at, false).timed)
        d->at = l.next; // of the header, a note, a style: its text is not looked at
    else
        read_cues(d, read_cue(d, d->at, s->in_text), out);
    if (d->at == l.from) d->at = l.next;
    return RAMUS_OK;
}

static void write_subtitles(const ramus_document *d, const ramus_block *block,
                            const ramus_marked *translation, ramus_buffer *out)
{
    (void)d;
    ramus_subtitle_write(block, translation, out);
}

static void close_subtitles(ramus_document *d)
{
    subtitles *s = d->state;
    free(s->lines);
}

const ramus_format ramus_format_srt = {
    .name = "srt",
    .extensions = "srt",
    .state_size = sizeof(subtitles),
    .read = read_subtitles,
    .write = write_subtitles,
    .close = close_subtitles,
};

const ramus_format ramus_format_vtt = {
    .name = "vtt",
    .extensions = "vtt",
    .state_size = sizeof(subtitles),
    .read = read_subtitles,
    .write = write_subtitles,
    .close = close_subtitles,
};
