/* Messages of gettext. A part is a keyword with its strings; the parts of an entry come one after
 * the other, and an empty msgstr becomes a block with the text of the msgid before it. Writing
 * finds that msgid again: the form of the block is how many bytes before it stands. */
#include "document/breaks.h"
#include "document/formats.h"

#include "base/utf8.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

/* Where the strings of a part stand, from the first quote to behind the last one. */
typedef struct strings {
    size_t from, to;
    bool empty; // all of them, or there is none
    bool bad;   // one of them has no end
} strings;

typedef struct po_state {
    strings id, plural; // of this entry
    bool has_plural;
} po_state;

static size_t line_end(const ramus_document *d, size_t at)
{
    const char *feed = memchr(d->data + at, '\n', d->size - at);
    return feed ? (size_t)(feed - d->data) + 1 : d->size;
}

/* The first byte from `at` on that is no blank. */
static size_t pass_blanks(const ramus_document *d, size_t at)
{
    while (at < d->size && (d->data[at] == ' ' || d->data[at] == '\t'))
        at++;
    return at;
}

/* Adds the strings in data[at .. end) to *s. */
static void scan_strings(const char *data, size_t at, size_t end, strings *s)
{
    while (at < end && !s->bad) {
        if (ramus_is_space(data[at])) {
            at++;
            continue;
        }
        const size_t from = at++;
        while (at < end && data[at] != '"' && data[at] != '\n')
            at += data[at] == '\\' && at + 1 < end ? 2 : 1;
        s->bad = data[from] != '"' || at >= end || data[at] != '"';
        s->empty = s->empty && at == from + 1;
        if (s->to == 0) s->from = from;
        s->to = ++at;
    }
}

/* The strings that begin at `at`, within a line, and go on in the lines after it. Returns where the
 * first other line begins. */
static size_t read_strings(const ramus_document *d, size_t at, strings *s)
{
    *s = (strings){.empty = true};
    for (;;) {
        const size_t end = line_end(d, at);
        scan_strings(d->data, at, end, s);
        const size_t next = pass_blanks(d, end);
        if (next >= d->size || d->data[next] != '"') return end;
        at = next;
    }
}

static size_t decode_number(const char *text, size_t size, unsigned base, unsigned digits,
                            unsigned *value)
{
    static const char set[] = "0123456789abcdefABCDEF";
    size_t n = 0;
    for (*value = 0; n < size && n < digits; n++) {
        const char *digit = text[n] ? strchr(set, text[n]) : NULL;
        const unsigned x = digit ? (unsigned)(digit - set) : base;
        if (x >= base && !(base == 16 && x < 22)) break;
        *value = *value * base + (x < 16 ? x : x - 6);
    }
    return n;
}

/* Adds what the escape after a backslash stands for; returns its bytes. */
static size_t decode_escape(const char *text, size_t size, ramus_buffer *out)
{
    static const char letters[] = "ntrabfv\"\\", meanings[] = "\n\t\r\a\b\f\v\"\\";
    const char *letter = text[0] ? strchr(letters, text[0]) : NULL;
    unsigned value = 0;
    size_t n = 1;
    if (letter) {
        ramus_buffer_add(out, &meanings[letter - letters], 1);
        return 1;
    }
    if (text[0] == 'x')
        n = 1 + decode_number(text + 1, size - 1, 16, 2, &value);
    else
        n = decode_number(text, size, 8, 3, &value);
    const char byte = (char)value;
    ramus_buffer_add(out, &byte, 1); // zero where it is no escape
    return n > 0 ? n : 1;
}

/* Adds the text of the strings that stand in data[from .. to). */
static void decode(const char *data, size_t from, size_t to, ramus_buffer *out)
{
    for (size_t at = from; at < to; at++) {
        if (data[at] != '"') continue;
        for (at++; at < to && data[at] != '"'; at++) {
            if (data[at] == '\\' && at + 1 < to)
                at += decode_escape(data + at + 1, to - at - 1, out);
            else
                ramus_buffer_add(out, data + at, 1);
        }
    }
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80);
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* The place of the one "_" or "&" that marks the key of a menu or button: "_File", "E&xit", "Save
 * _as"; `size`: there is none. "AT&T", "&amp;" and "file_name" have none. */
static size_t find_key(const char *text, size_t size)
{
    size_t found = size, word = 0;
    if (size > 64) return size;
    for (size_t i = 0; i < size; i++) {
        if (memchr("%{$<;\n", text[i], 6)) return size;
        if (text[i] != '_' && text[i] != '&') continue;
        if (found < size) return size;
        found = i;
    }
    if (found + 1 >= size || !is_alnum(text[found + 1])) return size;
    for (word = found; word > 0 && is_alnum(text[word - 1]);)
        word--;
    const bool inside = word < found;
    if (inside && (!is_upper(text[word]) || is_upper(text[found + 1]))) return size;
    return found;
}

static void escape(ramus_buffer *out, const char *text, size_t size)
{
    static const char letters[] = "ntrabfv\"\\", meanings[] = "\n\t\r\a\b\f\v\"\\";
    for (size_t i = 0; i < size; i++) {
        const char c = text[i], *known = c ? strchr(meanings, c) : NULL;
        if (known)
            ramus_buffer_print(out, "\\%c", letters[known - meanings]);
        else if ((unsigned char)c < ' ' || c == 0x7F)
            ramus_buffer_print(out, "\\%03o", (unsigned)c);
        else
            ramus_buffer_add(out, &c, 1);
    }
}

/* The block of an empty msgstr. */
static void add_block(const ramus_document *d, const strings *id, const strings *str,
                      ramus_blocks *out)
{
    if (id->bad || id->empty || str->bad || !str->empty || str->to == 0) return;
    if (id->to - id->from > RAMUS_BLOCK_BYTES || str->from - id->from > INT_MAX) return;
    ramus_buffer text = {0};
    decode(d->data, id->from, id->to, &text);
    size_t from = 0, to = text.size;
    if (text.size) ramus_trim(text.data, &from, &to);
    if (to > from && !memchr(text.data, 0, text.size)) {
        const size_t key = from + find_key(text.data + from, to - from);
        ramus_blocks_begin(out, str->from);
        ramus_breaks_add(out, text.data + from, key - from, escape);
        if (key < to) ramus_breaks_add(out, text.data + key + 1, to - key - 1, escape);
        (void)ramus_blocks_end(out, str->to, (int)(str->from - id->from));
    }
    if (text.failed) out->failed = true;
    ramus_buffer_free(&text);
}

/* Whether the line has this keyword; *after is set behind it. */
static bool has_keyword(const ramus_document *d, size_t at, const char *keyword, size_t *after)
{
    const size_t n = strlen(keyword);
    if (d->size - at <= n || memcmp(d->data + at, keyword, n) != 0) return false;
    *after = at + n;
    return d->data[*after] == '"' || d->data[*after] == '[' || ramus_is_space(d->data[*after]);
}

static ramus_status read_part(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    po_state *s = d->state;
    const size_t at = pass_blanks(d, d->at);
    size_t after = 0;
    strings str = {0};
    (void)err;
    if (has_keyword(d, at, "msgid", &after)) {
        d->at = read_strings(d, after, &s->id);
        s->has_plural = false;
    } else if (has_keyword(d, at, "msgid_plural", &after)) {
        d->at = read_strings(d, after, &s->plural);
        s->has_plural = true;
    } else if (has_keyword(d, at, "msgstr", &after)) {
        const bool several = d->data[after] == '[';
        const bool first = !several || (after + 1 < d->size && d->data[after + 1] == '0');
        while (several && after < d->size && d->data[after] != ']' && d->data[after] != '\n')
            after++;
        d->at = read_strings(d, after + (several && after < d->size), &str);
        add_block(d, first || !s->has_plural ? &s->id : &s->plural, &str, out);
    } else {
        d->at = line_end(d, d->at);
    }
    return RAMUS_OK;
}

/* Adds strings, each on a line of its own where the source has several: a line feed ends one. */
static void write_strings(const char *text, size_t size, const char *line, ramus_buffer *out)
{
    if (line) ramus_buffer_print(out, "\"\"%s", line);
    ramus_buffer_text(out, "\"");
    size_t at = 0;
    for (size_t i = 0; line && i + 2 < size; i++) {
        if (text[i] != '\\') continue;
        if (text[++i] != 'n') continue;
        ramus_buffer_add(out, text + at, i + 1 - at);
        ramus_buffer_print(out, "\"%s\"", line);
        at = i + 1;
    }
    ramus_buffer_add(out, text + at, size - at);
    ramus_buffer_text(out, "\"");
}

/* The first letter or digit of an escaped text, or its end. */
static size_t find_letter(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && !is_alnum(text[i]))
        i += text[i] == '\\' && i + 1 < size ? 2 : 1;
    return i;
}

static void write_message(const ramus_document *d, const ramus_block *block,
                          const ramus_marked *translation, ramus_buffer *out)
{
    strings id = {.empty = true};
    ramus_buffer source = {0}, text = {0}, all = {0};
    (void)read_strings(d, block->from - (size_t)block->form, &id);
    decode(d->data, id.from, id.to, &source);
    for (ramus_breaks b = {.marked = translation, .inside = true}; ramus_breaks_next(&b);) {
        escape(&text, b.text, b.size); // gettext wants line feeds at the ends as the msgid has them
        if (b.mark && b.mark->raw_size)
            ramus_buffer_add(&text, translation->raws + b.mark->raw, b.mark->raw_size);
    }
    if (source.size && text.size) {
        size_t from = 0, to = source.size, start = 0, end = text.size;
        ramus_trim(source.data, &from, &to);
        ramus_trim(text.data, &start, &end);
        escape(&all, source.data, from);
        const size_t key = from + find_key(source.data + from, to - from);
        const size_t letter = key < to ? find_letter(text.data + start, end - start) : 0;
        ramus_buffer_add(&all, text.data + start, letter);
        if (key < to) ramus_buffer_add(&all, source.data + key, 1);
        ramus_buffer_add(&all, text.data + start + letter, end - start - letter);
        escape(&all, source.data + to, source.size - to);
    }
    const char *feed = memchr(d->data + id.from, '\n', id.to - id.from);
    const char *line = !feed ? NULL : feed[-1] == '\r' ? "\r\n" : "\n";
    write_strings(all.size ? all.data : "", all.size, line, out);
    if (source.failed || text.failed || all.failed) out->failed = true;
    ramus_buffer_free(&source);
    ramus_buffer_free(&text);
    ramus_buffer_free(&all);
}

/* Fails where the header names a charset that is not read. */
static ramus_status check_charset(const char *header, size_t size, ramus_error *err)
{
    static const char key[] = "charset=";
    static const char *const fine[] = {"UTF-8", "UTF8", "ASCII", "US-ASCII", "CHARSET", ""};
    const size_t n = sizeof key - 1;
    size_t at = 0, end = 0;
    while (at + n < size && memcmp(header + at, key, n) != 0)
        at++;
    if (at + n >= size) return RAMUS_OK;
    for (at += n, end = at; end < size && end - at < 40; end++)
        if (!is_alnum(header[end]) && !memchr("-_.:", header[end], 4)) break;
    for (int i = 0; i < RAMUS_COUNT(fine); i++)
        if (strlen(fine[i]) == end - at && strncasecmp(fine[i], header + at, end - at) == 0)
            return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "found messages in %.*s, expected UTF-8: msgconv -t UTF-8 -o NEW.po OLD.po "
                      "converts them",
                      (int)(end - at), header + at);
}

/* Looks at the header: the first entry, if its msgid is empty. */
static ramus_status open_po(ramus_document *d, ramus_error *err)
{
    strings id = {0}, header = {0};
    if (d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) d->at = 3;
    for (size_t at = d->at, after = 0; at < d->size && at < RAMUS_BLOCK_BYTES;) {
        if (has_keyword(d, at, "msgid", &after)) {
            at = read_strings(d, after, &id);
        } else if (has_keyword(d, at, "msgstr", &after)) {
            (void)read_strings(d, after, &header);
            if (id.empty && !header.bad && header.to)
                return check_charset(d->data + header.from, header.to - header.from, err);
            break;
        } else {
            at = line_end(d, at);
        }
    }
    return RAMUS_OK;
}

const ramus_format ramus_format_po = {
    .name = "po",
    .extensions = "po pot",
    .alone = true,
    .state_size = sizeof(po_state),
    .open = open_po,
    .read = read_part,
    .write = write_message,
};
