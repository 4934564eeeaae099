/* Forms with files (RFC 7578). A part is what stands between two lines "--BORDER"; its head is
 * lines, an empty line, then its value. */
#include "serve/fields_add.h"

#include <string.h>
#include <strings.h>

#define LONGEST_BORDER 70 // RFC 2046
#define LONGEST_HEAD   4096

typedef struct {
    const char *at, *end;
} stretch;

/* The first place of `word` in s; NULL: none. */
static const char *find(stretch s, const char *word, size_t size)
{
    while ((size_t)(s.end - s.at) >= size) {
        const char *c = memchr(s.at, word[0], (size_t)(s.end - s.at) - size + 1);
        if (!c) return NULL;
        if (memcmp(c, word, size) == 0) return c;
        s.at = c + 1;
    }
    return NULL;
}

/* The value of a parameter "; name=value" or "; name="value"" of a head's line. */
static bool find_parameter(stretch line, const char *name, stretch *out)
{
    const size_t size = strlen(name);
    bool quoted = false;
    for (const char *c = line.at; c < line.end; c++) {
        if (*c == '"') quoted = !quoted;
        if (quoted || *c != ';') continue;
        const char *start = c + 1;
        while (start < line.end && *start == ' ')
            start++;
        if ((size_t)(line.end - start) <= size || strncasecmp(start, name, size) != 0 ||
            start[size] != '=')
            continue;
        start += size + 1;
        const bool quotes = start < line.end && *start == '"';
        start += quotes;
        const char *end = start;
        while (end < line.end && (quotes ? *end != '"' : *end != ';' && *end != ' '))
            end++;
        *out = (stretch){start, end};
        return true;
    }
    return false;
}

/* Sets border to "\r\n--BORDER". */
static ramus_status read_border(const char *type, char border[LONGEST_BORDER + 8], ramus_error *err)
{
    stretch found = {0};
    const stretch line = {type, type + strlen(type)};
    if (!find_parameter(line, "boundary", &found) || found.end == found.at ||
        found.end - found.at > LONGEST_BORDER)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the Content-Type of the form names no boundary of 1 to %d letters",
                          LONGEST_BORDER);
    memcpy(border, "\r\n--", 4);
    memcpy(border + 4, found.at, (size_t)(found.end - found.at));
    border[4 + (found.end - found.at)] = '\0';
    return RAMUS_OK;
}

/* The line of the head that begins with `name`; {0}: there is none. */
static stretch find_line(stretch head, const char *name)
{
    while (head.at < head.end) {
        const char *end = find(head, "\r\n", 2);
        if (!end) end = head.end;
        if ((size_t)(end - head.at) > strlen(name) && strncasecmp(head.at, name, strlen(name)) == 0)
            return (stretch){head.at, end};
        head.at = end + 2 < head.end ? end + 2 : head.end;
    }
    return (stretch){0};
}

static ramus_status add_part(ramus_fields *f, stretch part, ramus_error *err)
{
    const char *middle = find(part, "\r\n\r\n", 4);
    stretch name = {0}, file = {0};
    if (!middle || middle - part.at > LONGEST_HEAD)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a part of the form has no end of its head");
    const stretch head = {part.at, middle};
    const stretch line = find_line(head, "Content-Disposition:");
    if (!line.at || !find_parameter(line, "name", &name))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a part of the form has no name");
    ramus_field field = {.type = RAMUS_FIELD_TEXT};
    if (find_parameter(line, "filename", &file)) {
        field.type = RAMUS_FIELD_FILE;
        field.file = ramus_fields_put(f, file.at, (size_t)(file.end - file.at));
    }
    field.name = ramus_fields_put(f, name.at, (size_t)(name.end - name.at));
    field.value = ramus_fields_put(f, middle + 4, (size_t)(part.end - middle - 4));
    return ramus_fields_push(f, &field, err);
}

/* A line "--BORDER" from rest.at on: sets *start to its line end before it and *after to what
 * follows it, the line end or the "--" of the last one. */
static bool find_border(stretch rest, const char *border, const char **start, const char **after)
{
    const size_t length = strlen(border);
    while ((*start = find(rest, border, length))) {
        *after = *start + length;
        if (rest.end - *after >= 2 && memcmp(*after, "--", 2) == 0) return true;
        while (*after < rest.end && (**after == ' ' || **after == '\t'))
            (*after)++;
        if (rest.end - *after >= 2 && memcmp(*after, "\r\n", 2) == 0) return true;
        rest.at = *start + 1; // a line that begins so
    }
    return false;
}

ramus_status ramus_fields_multipart(ramus_fields *f, const char *type, const char *text,
                                    size_t size, ramus_error *err)
{
    char border[LONGEST_BORDER + 8];
    ramus_buffer lines = {0}; // the text with a line end before it, which the first border needs
    const char *start = NULL, *after = NULL;
    ramus_status st = read_border(type, border, err);
    if (st) return st;
    ramus_buffer_text(&lines, "\r\n");
    ramus_buffer_add(&lines, text, size);
    st = ramus_buffer_check(&lines, err);
    stretch rest = {lines.data, lines.data + lines.size};
    bool found = !st && find_border(rest, border, &start, &after);
    while (!st && found && *after != '-') {
        const char *head = after + 2;
        rest.at = after; // the line end may be that of the next border, too
        found = find_border(rest, border, &start, &after);
        if (found) st = add_part(f, (stretch){head < start ? head : start, start}, err);
    }
    if (!st && !found) st = ramus_fail(err, RAMUS_BAD_FORMAT, "the form has no end --BOUNDARY--");
    ramus_buffer_free(&lines);
    return st;
}
