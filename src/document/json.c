/* Values of JSON that are strings. The reader of base/json.h walks over the document; what it is
 * inside of stands on a stack of bits, one a level. Opening walks over all of it, so that what is
 * not JSON is refused before anything is translated. */
#include "document/breaks.h"
#include "document/formats.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 4096 // levels; a bit each

typedef struct json_state {
    ramus_json json;
    int depth;
    unsigned char is_object[MAX_DEPTH / 8];
    size_t string_end; // > 0: d->at is inside of a string whose closing quote stands here
} json_state;

/* Passes the comma, key or bracket that comes before the next value. *value: there is one. */
static ramus_status step_in(json_state *s, bool *value, ramus_error *err)
{
    const int top = s->depth - 1;
    *value = true;
    if (s->depth == 0) return RAMUS_OK;
    const ramus_status st = s->is_object[top / 8] >> top % 8 & 1
                                ? ramus_json_member(&s->json, value, NULL, err)
                                : ramus_json_element(&s->json, value, err);
    if (!st && !*value) s->depth--;
    return st;
}

/* Takes a step: over a value that has no parts, or into or out of an object or array. The text
 * of a string begins at *from, behind its quote; *from is 0 where it was something else. */
static ramus_status step(json_state *s, size_t *from, ramus_error *err)
{
    bool value = false;
    ramus_status st = step_in(s, &value, err);
    *from = 0;
    if (st || !value) return st;
    const ramus_json_type type = ramus_json_peek(&s->json);
    if (type == RAMUS_JSON_STRING) {
        *from = s->json.at + 1;
        return ramus_json_string(&s->json, NULL, err);
    }
    if (type != RAMUS_JSON_OBJECT && type != RAMUS_JSON_ARRAY)
        return s->depth == 0 && s->json.at == s->json.end ? RAMUS_OK
                                                          : ramus_json_skip(&s->json, err);
    if (s->depth == MAX_DEPTH)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: more than %d levels deep", s->json.at,
                          MAX_DEPTH);
    const unsigned bit = 1U << s->depth % 8;
    unsigned char *bits = &s->is_object[s->depth++ / 8];
    *bits = (unsigned char)(type == RAMUS_JSON_OBJECT ? *bits | bit : *bits & ~bit);
    return ramus_json_enter(&s->json, type, err);
}

/* Puts the line and column of the reader before an error. */
static ramus_status fail_at(const json_state *s, ramus_status st, ramus_error *err)
{
    char place[80];
    size_t lines = 1, start = 0;
    for (size_t i = 0; i < s->json.at; i++)
        if (s->json.text[i] == '\n') {
            lines++;
            start = i + 1;
        }
    (void)snprintf(place, sizeof place, "not JSON in line %zu, column %zu", lines,
                   s->json.at - start + 1);
    return ramus_fail_in(err, st, place);
}

static ramus_status open_json(ramus_document *d, ramus_error *err)
{
    json_state *s = d->state;
    if (d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) d->at = 3;
    ramus_json_init(&s->json, d->data, d->at, d->size);
    size_t string = 0;
    ramus_status st = RAMUS_OK;
    while (!st && (s->json.at < s->json.end || s->depth > 0))
        st = step(s, &string, err);
    if (st) return fail_at(s, st, err);
    ramus_json_init(&s->json, d->data, d->at, d->size);
    return RAMUS_OK;
}

static void escape(ramus_buffer *out, const char *text, size_t size)
{
    static const char letters[] = "bfnrt\"\\", meanings[] = "\b\f\n\r\t\"\\";
    size_t at = 0;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i], *known = c ? strchr(meanings, c) : NULL;
        if (!known && (unsigned char)c >= ' ') continue;
        ramus_buffer_add(out, text + at, i - at);
        at = i + 1;
        if (known)
            ramus_buffer_print(out, "\\%c", letters[known - meanings]);
        else
            ramus_buffer_print(out, "\\u%04x", (unsigned)(unsigned char)c);
    }
    ramus_buffer_add(out, text + at, size - at);
}

/* How many bytes of a string the character at text[0] takes: an escape, two of them that are one
 * character, or a byte. */
static size_t unit(const char *text, size_t size)
{
    if (text[0] != '\\') return 1;
    if (text[1] != 'u') return 2;
    const bool half = (text[2] | 0x20) == 'd' && strchr("89abAB", text[3]);
    return half && size >= 12 ? 12 : 6;
}

/* Whether a character of a string, maybe an escape, is white space. */
static bool is_white(const char *text)
{
    if (text[0] != '\\') return ramus_is_space(text[0]);
    if (text[1] != 'u') return strchr("nrtf", text[1]);
    if (memcmp(text + 2, "0020", 4) == 0) return true;
    return memcmp(text + 2, "000", 3) == 0 && strchr("9abcdABCD", text[5]);
}

/* The end of the first part of text[0 .. size): all of it, or at most 64 KB, behind white space
 * where some stands in their second half. *from and *to are it without white space at its ends. */
static size_t first_part(const char *text, size_t size, size_t *from, size_t *to)
{
    size_t at = 0, first = 0, end = 0, space = 0;
    while (at < size && (at < RAMUS_BLOCK_BYTES - 12 || (text[at] & 0xC0) == 0x80)) {
        const size_t n = unit(text + at, size - at);
        const bool white = is_white(text + at);
        at += n;
        if (white && end == 0) first = at;
        if (!white) end = at;
        *from = first;
        if (!white || at <= RAMUS_BLOCK_BYTES / 2) continue;
        space = at;
        *to = end;
    }
    if (at < size && space > 0) return space;
    *to = end;
    return at;
}

/* Adds the block of data[from .. to), a part of a string. */
static void add_block(const ramus_document *d, size_t from, size_t to, ramus_blocks *out)
{
    ramus_buffer string = {0}, text = {0};
    ramus_json json;
    ramus_buffer_text(&string, "\"");
    ramus_buffer_add(&string, d->data + from, to - from);
    ramus_buffer_text(&string, "\"");
    if (string.failed) {
        out->failed = true;
        return;
    }
    ramus_json_init(&json, string.data, 0, string.size);
    const ramus_status st = ramus_json_string(&json, &text, NULL);
    if (st == RAMUS_NO_MEMORY) out->failed = true;
    if (!st && !memchr(text.data, 0, text.size)) {
        ramus_blocks_begin(out, from);
        ramus_breaks_add(out, text.data, text.size, escape);
        (void)ramus_blocks_end(out, to, 0);
    }
    ramus_buffer_free(&string);
    ramus_buffer_free(&text);
}

static ramus_status read_step(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    json_state *s = d->state;
    if (s->string_end == 0) {
        size_t string = 0;
        const ramus_status st = step(s, &string, err);
        if (st) return st;
        d->at = s->json.at;
        if (string == 0) return RAMUS_OK;
        d->at = string;
        s->string_end = s->json.at - 1;
    }
    size_t from = 0, to = 0;
    const size_t size = first_part(d->data + d->at, s->string_end - d->at, &from, &to);
    if (to > from) add_block(d, d->at + from, d->at + to, out);
    d->at += size;
    if (d->at < s->string_end) return RAMUS_OK;
    d->at = s->json.at;
    s->string_end = 0;
    return RAMUS_OK;
}

static void write_string(const ramus_document *d, const ramus_block *block,
                         const ramus_marked *translation, ramus_buffer *out)
{
    (void)d;
    (void)block;
    ramus_breaks_write(translation, escape, out);
}

const ramus_format ramus_format_json = {
    .name = "json",
    .extensions = "json jsonl ndjson",
    .state_size = sizeof(json_state),
    .open = open_json,
    .read = read_step,
    .write = write_string,
};
