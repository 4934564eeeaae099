/* Tables in the form of RFC 4180, and with tabs. A field is a block, or several if it is long. The
 * quotes of a field in quotes stay where they are; a field without them is written anew as a whole,
 * and gets quotes if its translation needs them. */
#include "document/breaks.h"
#include "document/formats.h"

#include <stdlib.h>
#include <string.h>

enum { QUOTED = 1, PLAIN = 2 }; // forms of blocks

typedef struct field {
    size_t from, to; // without quotes
    size_t end;      // behind the separator or line feed that follows it
    bool quoted, last;
} field;

typedef struct csv_state {
    char separator;
    bool *wanted; // which columns are translated; NULL: all
    int n_columns;
    bool header; // this line has names and stays
    int column;
    field field; // that d->at is in, of which a part was read
    bool inside;
} csv_state;

/* The closing quote of the field that opens at `at`; `at` if it is none that RFC 4180 allows. */
static size_t find_close(const ramus_document *d, char separator, size_t at)
{
    for (size_t i = at + 1; i < d->size; i++) {
        const char *quote = memchr(d->data + i, '"', d->size - i);
        if (!quote) return at;
        i = (size_t)(quote - d->data);
        const char next = i + 1 < d->size ? d->data[i + 1] : '\n';
        if (next == '"') {
            i++;
            continue;
        }
        const bool feed = next == '\r' && (i + 2 == d->size || d->data[i + 2] == '\n');
        const bool ends = next == separator || next == '\n' || feed;
        const bool crosses = separator == '\t' && memchr(d->data + at, '\t', i - at);
        return ends && !crosses ? i : at;
    }
    return at;
}

static field find_field(const ramus_document *d, char separator, size_t at)
{
    field f = {.from = at, .to = at};
    if (at < d->size && d->data[at] == '"') f.to = find_close(d, separator, at);
    f.quoted = f.to > at;
    f.from += f.quoted;
    f.end = f.to + f.quoted;
    while (f.end < d->size && d->data[f.end] != separator && d->data[f.end] != '\n')
        f.end++;
    if (!f.quoted) {
        const bool feed = f.end < d->size && d->data[f.end] == '\n';
        f.to = f.end - (feed && f.end > at && d->data[f.end - 1] == '\r');
    }
    f.last = f.end >= d->size || d->data[f.end] == '\n';
    if (f.end < d->size) f.end++;
    return f;
}

/* The text of a field: two quotes are one. */
static void decode(const char *text, size_t size, bool quoted, ramus_buffer *out)
{
    size_t at = 0;
    for (size_t i = 0; quoted && i + 1 < size; i++) {
        if (text[i] != '"') continue;
        i++;
        ramus_buffer_add(out, text + at, i - at);
        at = i + 1;
    }
    ramus_buffer_add(out, text + at, size - at);
}

static void escape_quoted(ramus_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ramus_buffer_add(out, text + i, 1);
        if (text[i] == '"') ramus_buffer_add(out, "\"", 1);
    }
}

static void escape_plain(ramus_buffer *out, const char *text, size_t size)
{
    ramus_buffer_add(out, text, size);
}

/* Where a long text is cut: behind white space in the second half of its first 32 KB, else between
 * characters. In the block, a line break may take two bytes. */
static size_t cut(const char *text, size_t size)
{
    const size_t most = RAMUS_BLOCK_BYTES / 2;
    if (size <= most) return size;
    size_t at = most;
    while (at > most / 2 && !ramus_is_space(text[at - 1]))
        at--;
    if (at > most / 2) return at;
    at = most;
    while (at > most - 4 && (text[at] & 0xC0) == 0x80)
        at--;
    while (at > 0 && text[at - 1] == '"') // two quotes stay together
        at--;
    return at ? at : most;
}

static void add_block(const ramus_document *d, size_t from, size_t to, bool quoted,
                      ramus_blocks *out)
{
    size_t first = from, end = to;
    ramus_buffer text = {0};
    ramus_trim(d->data, &first, &end);
    if (end == first) return;
    decode(d->data + first, end - first, quoted, &text);
    if (text.failed) out->failed = true;
    ramus_blocks_begin(out, quoted ? first : from);
    if (text.size) ramus_breaks_add(out, text.data, text.size, escape_plain);
    (void)ramus_blocks_end(out, quoted ? end : to, quoted ? QUOTED : PLAIN);
    ramus_buffer_free(&text);
}

static bool is_wanted(const csv_state *s)
{
    if (s->header) return false;
    return !s->wanted || (s->column < s->n_columns && s->wanted[s->column]);
}

static ramus_status read_field(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    csv_state *s = d->state;
    field *f = &s->field;
    (void)err;
    if (!s->inside) {
        *f = find_field(d, s->separator, d->at);
        s->inside = f->quoted && is_wanted(s);
        if (s->inside)
            d->at = f->from;
        else if (is_wanted(s) && f->to - f->from <= RAMUS_BLOCK_BYTES)
            add_block(d, f->from, f->to, false, out);
    }
    if (s->inside) {
        const size_t size = cut(d->data + d->at, f->to - d->at);
        add_block(d, d->at, d->at + size, true, out);
        d->at += size;
        if (d->at < f->to) return RAMUS_OK;
    }
    d->at = f->end;
    s->inside = false;
    s->column = f->last ? 0 : s->column + 1;
    s->header = s->header && !f->last;
    return RAMUS_OK;
}

/* Writes a field that had no quotes, with the white space around it. */
static void write_plain(const csv_state *s, const ramus_marked *m, const char *source, size_t size,
                        ramus_buffer *out)
{
    ramus_buffer text = {0};
    size_t from = 0, to = size;
    ramus_trim(source, &from, &to);
    ramus_buffer_add(&text, source, from);
    ramus_breaks_write(m, escape_plain, &text);
    ramus_buffer_add(&text, source + to, size - to);
    bool quotes = false;
    for (size_t i = 0; i < text.size; i++) {
        char *c = &text.data[i];
        if (s->separator == '\t' && (*c == '\t' || *c == '\n' || *c == '\r'))
            *c = ' '; // the form with tabs has no other way
        else if (s->separator != '\t')
            quotes = quotes || *c == s->separator || *c == '"' || *c == '\n' || *c == '\r';
    }
    if (quotes) ramus_buffer_text(out, "\"");
    (quotes ? escape_quoted : escape_plain)(out, text.data ? text.data : "", text.size);
    if (quotes) ramus_buffer_text(out, "\"");
    if (text.failed) out->failed = true;
    ramus_buffer_free(&text);
}

static void write_field(const ramus_document *d, const ramus_block *block,
                        const ramus_marked *translation, ramus_buffer *out)
{
    if (block->form == QUOTED)
        ramus_breaks_write(translation, escape_quoted, out);
    else
        write_plain(d->state, translation, d->data + block->from, block->to - block->from, out);
}

static int count_columns(const ramus_document *d, char separator)
{
    int n = 1;
    for (field f = {.end = d->at}; f = find_field(d, separator, f.end), !f.last;)
        n++;
    return n;
}

/* The number of the column that a user asks for, from 0; -1: there is none. */
static int find_column(const ramus_document *d, const char *name, size_t size, bool *by_name)
{
    const csv_state *s = d->state;
    int number = 0, found = -1;
    size_t digits = 0;
    while (digits < size && digits < 7 && name[digits] >= '0' && name[digits] <= '9')
        number = number * 10 + (name[digits++] - '0');
    if (digits == size) return number <= s->n_columns ? number - 1 : -1;
    *by_name = true;
    field f = {.end = d->at};
    for (int i = 0; i < s->n_columns && found < 0; i++) {
        ramus_buffer text = {0};
        f = find_field(d, s->separator, f.end);
        ramus_trim(d->data, &f.from, &f.to);
        decode(d->data + f.from, f.to - f.from, f.quoted, &text);
        if (text.size == size && memcmp(text.data, name, size) == 0) found = i;
        ramus_buffer_free(&text);
    }
    return found;
}

static ramus_status choose_columns(ramus_document *d, ramus_error *err)
{
    csv_state *s = d->state;
    s->n_columns = count_columns(d, s->separator);
    s->wanted = calloc((size_t)s->n_columns, sizeof *s->wanted);
    if (!s->wanted) return ramus_fail_memory(err, "columns");
    const char *feed = memchr(d->data + d->at, '\n', d->size - d->at);
    const size_t line = feed ? (size_t)(feed - d->data) - d->at : d->size - d->at;
    for (const char *name = d->options->columns; *name;) {
        const size_t size = strcspn(name, ",");
        const int i = find_column(d, name, size, &s->header);
        if (i < 0)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "found no column '%.*s', expected a number from 1 to %d or a name of "
                              "the first line: %.*s",
                              (int)size, name, s->n_columns, line < 120 ? (int)line : 120,
                              d->data + d->at);
        s->wanted[i] = true;
        name += size + (name[size] == ',');
    }
    return RAMUS_OK;
}

/* The one of , ; and tab that stands most often in the first line, outside of quotes. */
static char find_separator(const ramus_document *d)
{
    static const char candidates[] = ",;\t";
    int counts[3] = {0}, best = 0;
    bool quoted = false;
    for (size_t i = d->at; i < d->size && d->data[i] != '\n'; i++) {
        const char *c = d->data[i] ? strchr(candidates, d->data[i]) : NULL;
        if (d->data[i] == '"') quoted = !quoted;
        if (c && !quoted) counts[c - candidates]++;
    }
    for (int i = 1; i < 3; i++)
        if (counts[i] > counts[best]) best = i;
    return candidates[best];
}

static ramus_status open_table(ramus_document *d, char separator, ramus_error *err)
{
    csv_state *s = d->state;
    if (d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) d->at = 3;
    s->separator = separator ? separator : find_separator(d);
    return d->options->columns && d->at < d->size ? choose_columns(d, err) : RAMUS_OK;
}

static ramus_status open_csv(ramus_document *d, ramus_error *err)
{
    return open_table(d, 0, err);
}

static ramus_status open_tsv(ramus_document *d, ramus_error *err)
{
    return open_table(d, '\t', err);
}

static void close_table(ramus_document *d)
{
    csv_state *s = d->state;
    free(s->wanted);
}

const ramus_format ramus_format_csv = {
    .name = "csv",
    .extensions = "csv",
    .state_size = sizeof(csv_state),
    .open = open_csv,
    .read = read_field,
    .write = write_field,
    .close = close_table,
};

const ramus_format ramus_format_tsv = {
    .name = "tsv",
    .extensions = "tsv tab",
    .state_size = sizeof(csv_state),
    .open = open_tsv,
    .read = read_field,
    .write = write_field,
    .close = close_table,
};
