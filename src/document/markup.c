/* Tags are read as the tokenizer of HTML does it: '>' ends one unless it stands between quotes.
 * What does not end reaches to the end of the document, so that no byte is looked at again and
 * again. Text is the rest; a long one is cut where neither a word, a reference nor a letter is
 * divided. */
#include "document/markup.h"

#include <string.h>
#include <strings.h>

bool ramus_markup_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

bool ramus_markup_is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

static bool begins_name(char c, ramus_markup markup)
{
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') return true;
    return markup == RAMUS_XML && (c == '_' || c == ':' || (unsigned char)c >= 0x80);
}

/* Whether the '<' at data[at] begins a tag, a comment or the like. */
static bool begins_markup(const char *data, size_t size, size_t at, ramus_markup markup)
{
    if (at + 1 == size) return false;
    const char c = data[at + 1];
    if (c == '/') return at + 2 < size;
    return c == '!' || c == '?' || begins_name(c, markup);
}

/* The byte after the first `end` in data[at .. size), or `size`. */
static size_t after(const char *data, size_t size, size_t at, const char *end)
{
    const size_t n = strlen(end);
    while (at + n <= size) {
        const char *found = memchr(data + at, end[0], size - at - n + 1);
        if (!found) return size;
        at = (size_t)(found - data);
        if (memcmp(found, end, n) == 0) return at + n;
        at++;
    }
    return size;
}

static bool starts_with(const char *data, size_t size, size_t at, const char *word)
{
    return size - at >= strlen(word) && memcmp(data + at, word, strlen(word)) == 0;
}

/* The end of the document type at data[at], whose declarations stand in brackets in XML. */
static size_t after_type(const char *data, size_t size, size_t at, ramus_markup markup)
{
    const size_t end = after(data, size, at, ">");
    if (markup == RAMUS_HTML || !memchr(data + at, '[', end - at)) return end;
    for (size_t i = after(data, size, at, "]"); i < size; i = after(data, size, i, "]")) {
        while (i < size && ramus_markup_is_space(data[i]))
            i++;
        if (i < size && data[i] == '>') return i + 1;
    }
    return size;
}

/* Moves *a over what stands between attributes, then over the next one; false: the tag ends at
 * a->to. */
static bool scan_attribute(ramus_attribute *a, const char *data, size_t size)
{
    size_t at = a->to;
    while (at < size && (ramus_markup_is_space(data[at]) || data[at] == '/'))
        at++;
    *a = (ramus_attribute){.name = at, .value = at, .to = at};
    if (at == size || data[at] == '>') return false;
    do
        at++; // the first one even if it is '='
    while (at < size && !ramus_markup_is_space(data[at]) && data[at] != '/' && data[at] != '>' &&
           data[at] != '=');
    a->name_size = at - a->name;
    a->value = a->to = at;
    while (at < size && ramus_markup_is_space(data[at]))
        at++;
    if (at == size || data[at] != '=') return true;
    at++;
    while (at < size && ramus_markup_is_space(data[at]))
        at++;
    a->value = a->to = at;
    if (at == size || data[at] == '>') return true;
    if (data[at] == '"' || data[at] == '\'') {
        a->quote = data[at];
        a->value = at + 1;
        const char *end = memchr(data + at + 1, a->quote, size - at - 1);
        a->value_size = (end ? (size_t)(end - data) : size) - a->value;
        a->to = a->value + a->value_size + (end != NULL);
        return true;
    }
    a->quote = ' ';
    while (at < size && !ramus_markup_is_space(data[at]) && data[at] != '>')
        at++;
    a->value_size = at - a->value;
    a->to = at;
    return true;
}

/* The tag whose name begins at byte `name`. */
static ramus_markup_token read_tag(const char *data, size_t size, size_t from, size_t name)
{
    ramus_markup_token t = {.kind = RAMUS_MARKUP_OTHER, .from = from, .to = size, .name = name};
    size_t at = name;
    while (at < size && !ramus_markup_is_space(data[at]) && data[at] != '/' && data[at] != '>')
        at++;
    t.name_size = at - name;
    ramus_attribute a = {.to = at};
    size_t before = at; // of the end of the tag
    while (scan_attribute(&a, data, size))
        before = a.to;
    if (a.to == size) return t;
    t.to = a.to + 1;
    if (data[name - 1] == '/')
        t.kind = RAMUS_MARKUP_CLOSE;
    else
        t.kind = a.to > before && data[a.to - 1] == '/' ? RAMUS_MARKUP_EMPTY : RAMUS_MARKUP_OPEN;
    return t;
}

/* Where a text data[from .. to) that goes on had better be cut. */
static size_t cut_text(const char *data, size_t from, size_t to)
{
    size_t cut = to;
    while (cut > from + 1 && !ramus_markup_is_space(data[cut - 1]))
        cut--;
    if (cut > from + 1) return cut;
    for (cut = to; cut > to - 4 && ((unsigned char)data[cut] & 0xC0) == 0x80;)
        cut--;
    for (size_t i = cut; i > cut - 40 && data[i] != ';'; i--)
        if (data[i] == '&') return i;
    return cut;
}

static ramus_markup_token read_text(const char *data, size_t size, size_t at, ramus_markup markup)
{
    const size_t end = size - at > RAMUS_MARKUP_BYTES ? at + RAMUS_MARKUP_BYTES : size;
    ramus_markup_token t = {.kind = RAMUS_MARKUP_TEXT, .from = at, .to = end};
    for (size_t i = at + 1; i < end; i++) {
        const char *open = memchr(data + i, '<', end - i);
        if (!open) break;
        i = (size_t)(open - data);
        if (!begins_markup(data, size, i, markup)) continue;
        t.to = i;
        return t;
    }
    if (end < size) t.to = cut_text(data, at, end);
    return t;
}

ramus_markup_token ramus_markup_next(const char *data, size_t size, size_t at, ramus_markup markup)
{
    ramus_markup_token t = {.kind = RAMUS_MARKUP_OTHER, .from = at, .to = at};
    if (at >= size) {
        t.kind = RAMUS_MARKUP_END;
    } else if (data[at] != '<' || !begins_markup(data, size, at, markup)) {
        t = read_text(data, size, at, markup);
    } else if (data[at + 1] == '/' && begins_name(data[at + 2], markup)) {
        t = read_tag(data, size, at, at + 2);
    } else if (begins_name(data[at + 1], markup)) {
        t = read_tag(data, size, at, at + 1);
    } else if (starts_with(data, size, at, "<!-->") || starts_with(data, size, at, "<!--->")) {
        t.to = after(data, size, at, ">");
    } else if (starts_with(data, size, at, "<!--")) {
        t.to = after(data, size, at + 4, "-->");
    } else if (markup == RAMUS_XML && starts_with(data, size, at, "<![CDATA[")) {
        t.kind = RAMUS_MARKUP_CDATA;
        t.to = after(data, size, at + 9, "]]>");
    } else if (markup == RAMUS_XML && data[at + 1] == '?') {
        t.to = after(data, size, at + 2, "?>");
    } else {
        t.to = after_type(data, size, at, markup);
    }
    return t;
}

bool ramus_markup_attribute(ramus_attribute *a, const char *data, const ramus_markup_token *tag)
{
    if (!a->to) a->to = tag->name + tag->name_size;
    return scan_attribute(a, data, tag->to);
}

bool ramus_markup_find(ramus_attribute *a, const char *data, const ramus_markup_token *tag,
                       const char *name)
{
    for (*a = (ramus_attribute){0}; ramus_markup_attribute(a, data, tag);)
        if (ramus_markup_is(data + a->name, a->name_size, name)) return true;
    return false;
}
