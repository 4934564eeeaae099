/* What a line of Markdown begins, by the rules of the CommonMark specification, chapter 4 and 5,
 * and of GitHub's tables. Each function looks at one line. */
#include "document/markdown_lines.h"

#include <string.h>
#include <strings.h>

ramus_md_cursor ramus_md_read_line(const char *data, size_t size, size_t at)
{
    const size_t most = size - at >= RAMUS_MD_LINE_BYTES ? RAMUS_MD_LINE_BYTES - 1 : size - at;
    const char *feed = memchr(data + at, '\n', most);
    ramus_md_cursor c = {.data = data, .begin = at, .at = at};
    if (feed) {
        c.end = (size_t)(feed - data);
        c.next = c.end + 1;
        if (c.end > at && data[c.end - 1] == '\r') c.end--;
        return c;
    }
    c.end = c.next = at + most;
    c.partial = c.end < size;
    if (!c.partial) return c;
    size_t cut = c.end; // behind a word, or else a character
    while (cut > at + most / 2 && !ramus_md_is_space(data[cut - 1]))
        cut--;
    if (cut <= at + most / 2)
        for (cut = c.end; cut > c.end - 4 && ((unsigned char)data[cut] & 0xC0) == 0x80;)
            cut--;
    c.end = c.next = cut;
    return c;
}

int ramus_md_indent(const ramus_md_cursor *c)
{
    int column = c->column;
    for (size_t i = c->at; i < c->end; i++) {
        if (c->data[i] == '\t')
            column += 4 - column % 4;
        else if (c->data[i] == ' ')
            column++;
        else
            break;
    }
    return column - c->column;
}

void ramus_md_skip_columns(ramus_md_cursor *c, int n)
{
    while (n > 0 && c->at < c->end) {
        const int width = c->data[c->at] == '\t' ? 4 - c->column % 4 : 1;
        if (width > n) { // a part of a tab
            c->column += n;
            return;
        }
        c->column += width;
        c->at++;
        n -= width;
    }
}

void ramus_md_skip_space(ramus_md_cursor *c)
{
    ramus_md_skip_columns(c, ramus_md_indent(c));
}

static bool is_blank_from(const ramus_md_cursor *c, size_t at)
{
    while (at < c->end && ramus_md_is_space(c->data[at]))
        at++;
    return at == c->end;
}

bool ramus_md_is_blank(const ramus_md_cursor *c)
{
    return !c->partial && is_blank_from(c, c->at);
}

/* How often its first character stands at the beginning of a line. */
static size_t run_at(const ramus_md_cursor *c, size_t at)
{
    size_t i = at;
    while (i < c->end && c->data[i] == c->data[at])
        i++;
    return i - at;
}

static bool space_at(const ramus_md_cursor *c, size_t at)
{
    return at >= c->end || ramus_md_is_space(c->data[at]);
}

static bool is_rule(const ramus_md_cursor *c, size_t at)
{
    size_t n = 0;
    if (!strchr("*-_", c->data[at])) return false;
    for (size_t i = at; i < c->end; i++) {
        if (c->data[i] == c->data[at])
            n++;
        else if (!ramus_md_is_space(c->data[i]))
            return false;
    }
    return n >= 3;
}

static bool is_footnote(const ramus_md_cursor *c, size_t at, size_t *end)
{
    if (at + 1 >= c->end || c->data[at + 1] != '^') return false;
    *end = ramus_md_label_end(c->data, c->end, at);
    return *end > at + 3 && *end < c->end && c->data[*end] == ':';
}

/* The end of the marker of an item at `at`, without the space behind it; 0: none. */
static size_t marker_end(const ramus_md_cursor *c, size_t at, bool in_paragraph)
{
    size_t end = at + 1, note = 0;
    if (c->data[at] == '[') return is_footnote(c, at, &note) ? note + 1 : 0;
    if (c->data[at] == ':') return space_at(c, end) && !is_blank_from(c, end) ? end : 0;
    if (!strchr("-+*", c->data[at])) {
        while (end < c->end && end - at < 9 && ramus_md_is_digit(c->data[end]))
            end++;
        if (!ramus_md_is_digit(c->data[at]) || end >= c->end) return 0;
        if (c->data[end] != '.' && c->data[end] != ')') return 0;
        if (in_paragraph && !(end == at + 1 && c->data[at] == '1')) return 0;
        end++;
    }
    if (!space_at(c, end) || (in_paragraph && is_blank_from(c, end))) return 0;
    return end;
}

static bool is_fence(const ramus_md_cursor *c, size_t at)
{
    const char x = c->data[at];
    if (x != '`' && x != '~') return false;
    const size_t n = run_at(c, at);
    return n >= 3 && (x == '~' || !memchr(c->data + at + n, '`', c->end - at - n));
}

static bool is_copied(const ramus_md_cursor *c, size_t at)
{
    static const char *const words[] = {"[TOC]", "[[TOC]]", "[[_TOC_]]"};
    size_t n = c->end - at;
    while (n && ramus_md_is_space(c->data[at + n - 1]))
        n--;
    if (c->data[at] == ':') return run_at(c, at) >= 3;
    if (n > 3 && memcmp(c->data + at, "[!", 2) == 0) {
        const size_t end = ramus_md_label_end(c->data, c->end, at);
        return end == at + n && !memchr(c->data + at, ' ', n);
    }
    for (int i = 0; i < RAMUS_COUNT(words); i++)
        if (n == strlen(words[i]) && strncasecmp(c->data + at, words[i], n) == 0) return true;
    return false;
}

static int raw_kind(const ramus_md_cursor *c, size_t at)
{
    const char *text = c->data + at;
    const size_t size = c->end - at;
    size_t n = 1;
    if (size < 3 || text[0] != '<') return 0;
    while (n < size && ramus_md_is_letter(text[n]))
        n++;
    if (n > 1 && ramus_md_is_named(ramus_md_raw_elements, text + 1, n - 1) &&
        (n == size || ramus_md_is_space(text[n]) || text[n] == '>'))
        return 1;
    if (size >= 4 && memcmp(text, "<!--", 4) == 0) return 2;
    if (text[1] == '?') return 3;
    if (text[1] == '!' && ramus_md_is_letter(text[2])) return 4;
    return size >= 9 && memcmp(text, "<![CDATA[", 9) == 0 ? 5 : 0;
}

static bool begins_html(const ramus_md_cursor *c, size_t at, bool in_paragraph)
{
    const char *text = c->data + at;
    const size_t size = c->end - at;
    const size_t name = 1 + (size > 1 && text[1] == '/');
    size_t n = name;
    while (n < size && (ramus_md_is_letter(text[n]) || ramus_md_is_digit(text[n])))
        n++;
    if (n > name && ramus_md_is_named(ramus_md_block_elements, text + name, n - name) &&
        (n == size || ramus_md_is_space(text[n]) || text[n] == '>' || text[n] == '/'))
        return true;
    ramus_md_tag tag;
    if (in_paragraph || !ramus_md_read_tag(&tag, c->data, c->end, at)) return false;
    return is_blank_from(c, tag.end);
}

ramus_md_start ramus_md_classify(const ramus_md_cursor *c, bool in_paragraph)
{
    if (ramus_md_is_blank(c)) return RAMUS_MD_BLANK;
    if (ramus_md_indent(c) >= 4) return in_paragraph ? RAMUS_MD_TEXT_LINE : RAMUS_MD_INDENTED;
    ramus_md_cursor line = *c;
    ramus_md_skip_space(&line);
    const size_t at = line.at;
    if (at >= c->end) return RAMUS_MD_TEXT_LINE;
    const char x = c->data[at];
    if (x == '>') return RAMUS_MD_QUOTE;
    if (x == '<' && raw_kind(c, at)) return RAMUS_MD_RAW_LINE;
    if (x == '<' && begins_html(c, at, in_paragraph)) return RAMUS_MD_HTML_LINE;
    if (is_fence(c, at)) return RAMUS_MD_FENCE;
    if (c->partial && x != '-' && x != '*' && x != '+') return RAMUS_MD_TEXT_LINE;
    const size_t n = run_at(c, at);
    if (x == '#' && n <= 6 && space_at(c, at + n)) return RAMUS_MD_HEADING;
    if (in_paragraph && (x == '=' || x == '-') && is_blank_from(c, at + n))
        return RAMUS_MD_UNDERLINE;
    if (is_rule(c, at)) return RAMUS_MD_RULE;
    if (is_copied(c, at)) return RAMUS_MD_COPIED_LINE;
    return marker_end(c, at, in_paragraph) ? RAMUS_MD_ITEM : RAMUS_MD_TEXT_LINE;
}

int ramus_md_skip_marker(ramus_md_cursor *c)
{
    const int column = c->column;
    ramus_md_skip_space(c);
    const bool note = c->data[c->at] == '[';
    const size_t end = marker_end(c, c->at, false);
    ramus_md_skip_columns(c, (int)(end - c->at));
    const int spaces = ramus_md_indent(c), width = c->column - column;
    if (note) {
        ramus_md_skip_space(c);
        return 4;
    }
    const bool blank = is_blank_from(c, c->at);
    const int padding = blank || spaces > 4 ? 1 : spaces;
    ramus_md_skip_columns(c, padding);
    if (c->end - c->at > 3 && c->data[c->at] == '[' && strchr(" xX", c->data[c->at + 1]) &&
        c->data[c->at + 2] == ']' && ramus_md_is_space(c->data[c->at + 3])) {
        c->at += 3;
        c->column += 3;
    }
    return width + padding;
}

ramus_md_fence ramus_md_read_fence(const ramus_md_cursor *c)
{
    ramus_md_cursor line = *c;
    ramus_md_skip_space(&line);
    return (ramus_md_fence){line.data[line.at], run_at(&line, line.at)};
}

bool ramus_md_closes_fence(const ramus_md_cursor *c, const ramus_md_fence *f)
{
    ramus_md_cursor line = *c;
    if (ramus_md_indent(&line) >= 4) return false;
    ramus_md_skip_space(&line);
    if (line.at >= line.end || line.data[line.at] != f->c) return false;
    const size_t n = run_at(&line, line.at);
    return n >= f->length && is_blank_from(&line, line.at + n);
}

int ramus_md_raw_kind(const ramus_md_cursor *c)
{
    ramus_md_cursor line = *c;
    ramus_md_skip_space(&line);
    return raw_kind(c, line.at);
}

static bool has_closing_tag(const char *text, size_t size)
{
    for (size_t i = 0; i + 2 < size; i++) {
        const char *found = memchr(text + i, '<', size - i);
        if (!found) return false;
        i = (size_t)(found - text);
        size_t n = i + 2;
        while (n < size && ramus_md_is_letter(text[n]))
            n++;
        if (n < size && text[i + 1] == '/' && text[n] == '>' && n > i + 2 &&
            ramus_md_is_named(ramus_md_raw_elements, text + i + 2, n - i - 2))
            return true;
    }
    return false;
}

bool ramus_md_ends_raw(const ramus_md_cursor *c, size_t from, int kind)
{
    static const char *const ends[] = {"-->", "?>", ">", "]]>"};
    const char *text = c->data + from;
    const size_t size = from < c->end ? c->end - from : 0;
    if (kind == 1) return has_closing_tag(text, size);
    const char *end = ends[kind - 2];
    const size_t n = strlen(end);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(text + i, end, n) == 0) return true;
    return false;
}

bool ramus_md_is_definition(const ramus_md_cursor *c)
{
    ramus_md_cursor line = *c;
    ramus_md_skip_space(&line);
    if (line.at >= line.end || line.data[line.at] != '[') return false;
    const size_t end = ramus_md_label_end(line.data, line.end, line.at);
    return end > line.at + 2 && end < line.end && line.data[end] == ':';
}

int ramus_md_count_cells(const char *line, size_t size)
{
    size_t i = 0;
    int n = 1;
    while (size && ramus_md_is_space(line[size - 1]))
        size--;
    while (i < size && ramus_md_is_space(line[i]))
        i++;
    if (i < size && line[i] == '|') i++;
    for (; i < size; i++) {
        if (line[i] == '\\')
            i++;
        else if (line[i] == '|' && i + 1 < size)
            n++;
    }
    return n;
}

bool ramus_md_is_delimiter_row(const char *line, size_t size)
{
    bool dash = false, other = false;
    for (size_t i = 0; i < size; i++) {
        const char c = line[i];
        if (!c || !strchr("|-: \t", c)) return false;
        if (c == '-' && i > 1 && dash && ramus_md_is_space(line[i - 1])) {
            size_t k = i; // "- -" is no cell
            while (k > 0 && ramus_md_is_space(line[k - 1]))
                k--;
            if (k > 0 && line[k - 1] != '|') return false;
        }
        dash |= c == '-';
        other |= c == '|' || c == ':';
    }
    return dash && other;
}
