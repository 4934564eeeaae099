/* Front matter: lines of YAML between two lines "---" at the beginning of a document, or of TOML
 * between "+++". Of these the titles and descriptions of YAML are blocks, where they are strings on
 * one line without backslashes. The writer keeps the quotes, and adds some to a plain string that
 * would be no string. */
#include "document/markdown.h"

#include <string.h>

static bool is_fence(const char *line, size_t size, char c)
{
    while (size && ramus_md_is_space(line[size - 1]))
        size--;
    return size == 3 && line[0] == c && line[1] == c && line[2] == c;
}

size_t ramus_md_front_end(const char *data, size_t size)
{
    size_t at = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char c = at < size ? data[at] : '\0';
    if (c != '-' && c != '+') return 0;
    for (bool first = true; at < size; first = false) {
        const char *line = data + at, *feed = memchr(line, '\n', size - at);
        const size_t n = feed ? (size_t)(feed - line) : size - at;
        const bool fence = is_fence(line, n, c);
        if (first && !fence) return 0;
        at += n + (feed != NULL);
        if (!first && (fence || (c == '-' && is_fence(line, n, '.')))) return at;
    }
    return 0;
}

/* The value of a line "title: value" that has one; `size` else. */
static size_t value_of(const char *line, size_t size)
{
    static const char *const keys[] = {"title:", "description:", "subtitle:", "summary:"};
    for (int i = 0; i < RAMUS_COUNT(keys); i++) {
        size_t at = strlen(keys[i]);
        if (size <= at + 1 || memcmp(line, keys[i], at) != 0 || line[at] != ' ') continue;
        while (at < size && line[at] == ' ')
            at++;
        return at;
    }
    return size;
}

/* Whether YAML reads this as a string without quotes. */
static bool is_plain(const char *text, size_t size)
{
    if (!size || memchr("-?:,[]{}#&*!|>'\"%@`", text[0], 19)) return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ':' && (i + 1 == size || text[i + 1] == ' ')) return false;
        if (text[i] == '#' && text[i - 1] == ' ') return false;
        if ((unsigned char)text[i] < ' ') return false;
    }
    return true;
}

void ramus_md_front_line(const ramus_document *d, size_t from, size_t to, ramus_blocks *out)
{
    const char *line = d->data + from;
    size_t n = to - from, at = value_of(line, n);
    while (n > at && ramus_md_is_space(line[n - 1]))
        n--;
    if (at >= n || n - at >= RAMUS_BLOCK_BYTES) return;
    int form = RAMUS_MD_PLAIN;
    if (line[at] == '"' || line[at] == '\'') {
        form = line[at] == '"' ? RAMUS_MD_DOUBLE : RAMUS_MD_SINGLE;
        if (n - at < 3 || line[n - 1] != line[at]) return;
        at++;
        n--;
        if (memchr(line + at, '\\', n - at) || memchr(line + at, line[at - 1], n - at)) return;
    } else if (!is_plain(line + at, n - at)) {
        return;
    }
    ramus_blocks_begin(out, from + at);
    ramus_blocks_text(out, line + at, n - at);
    (void)ramus_blocks_end(out, from + n, form);
}

static void escape_double(ramus_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') ramus_buffer_text(out, "\\");
        ramus_buffer_add(out, text + i, 1);
    }
}

static void escape_single(ramus_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'') ramus_buffer_text(out, "'");
        ramus_buffer_add(out, text + i, 1);
    }
}

void ramus_md_front_write(const ramus_block *block, const ramus_marked *translation,
                          ramus_buffer *out)
{
    if (block->form & RAMUS_MD_SINGLE) {
        ramus_marked_write(translation, escape_single, out);
    } else if (block->form & RAMUS_MD_DOUBLE) {
        ramus_marked_write(translation, escape_double, out);
    } else if (is_plain(translation->text, translation->size)) {
        ramus_marked_write(translation, NULL, out);
    } else {
        ramus_buffer_text(out, "\"");
        ramus_marked_write(translation, escape_double, out);
        ramus_buffer_text(out, "\"");
    }
}
