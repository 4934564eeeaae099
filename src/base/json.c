/* A recursive descent over bytes, driven by the caller. The reader keeps a position and one
 * flag: whether a comma must come before the next part. */
#include "base/json.h"

#include "base/utf8.h"

#include <string.h>

#define MAX_DEPTH 64 // of a skipped value: bounds the stack, and no file of ours is that deep

/* The next byte, or -1 at the end. */
static int next(const ramus_json *j)
{
    return j->at < j->end ? (unsigned char)j->text[j->at] : -1;
}

static int next_after_space(ramus_json *j)
{
    while (next(j) == ' ' || next(j) == '\t' || next(j) == '\n' || next(j) == '\r')
        j->at++;
    return next(j);
}

static ramus_status fail_expected(const ramus_json *j, const char *expected, ramus_error *err)
{
    const int c = next(j);
    if (c < 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found the end, expected %s", j->at,
                          expected);
    if (c > ' ' && c < 0x7F)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found '%c', expected %s", j->at, c,
                          expected);
    return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found 0x%02X, expected %s", j->at,
                      (unsigned)c, expected);
}

void ramus_json_init(ramus_json *j, const char *text, size_t begin, size_t end)
{
    RAMUS_ASSERT(begin <= end);
    *j = (ramus_json){text, begin, end, false};
}

ramus_json_type ramus_json_peek(ramus_json *j)
{
    const int c = next_after_space(j);
    switch (c) {
    case '{':
        return RAMUS_JSON_OBJECT;
    case '[':
        return RAMUS_JSON_ARRAY;
    case '"':
        return RAMUS_JSON_STRING;
    case 't':
    case 'f':
        return RAMUS_JSON_BOOL;
    case 'n':
        return RAMUS_JSON_NULL;
    default:
        return c == '-' || (c >= '0' && c <= '9') ? RAMUS_JSON_NUMBER : RAMUS_JSON_NONE;
    }
}

ramus_status ramus_json_enter(ramus_json *j, ramus_json_type type, ramus_error *err)
{
    RAMUS_ASSERT(type == RAMUS_JSON_OBJECT || type == RAMUS_JSON_ARRAY);
    if (ramus_json_peek(j) != type)
        return fail_expected(j, type == RAMUS_JSON_OBJECT ? "'{'" : "'['", err);
    j->at++;
    j->first = true;
    return RAMUS_OK;
}

/* Passes the comma before the next part of an object or array, or its closing bracket. */
static ramus_status pass_comma(ramus_json *j, char close, bool *closed, ramus_error *err)
{
    const int c = next_after_space(j);
    *closed = c == close;
    if (!*closed && !j->first && c != ',')
        return fail_expected(j, close == '}' ? "',' or '}'" : "',' or ']'", err);
    if (*closed || !j->first) j->at++;
    j->first = false; // also after the bracket: an outer object or array has this one as a part
    return RAMUS_OK;
}

ramus_status ramus_json_member(ramus_json *j, bool *more, ramus_buffer *key, ramus_error *err)
{
    bool closed = false;
    ramus_status st = pass_comma(j, '}', &closed, err);
    if (st) return st;
    if (!closed) {
        st = ramus_json_string(j, key, err);
        if (st) return st;
        if (next_after_space(j) != ':') return fail_expected(j, "':'", err);
        j->at++;
    }
    *more = !closed;
    return RAMUS_OK;
}

ramus_status ramus_json_element(ramus_json *j, bool *more, ramus_error *err)
{
    bool closed = false;
    const ramus_status st = pass_comma(j, ']', &closed, err);
    if (st) return st;
    if (!closed && ramus_json_peek(j) == RAMUS_JSON_NONE) return fail_expected(j, "a value", err);
    *more = !closed;
    return RAMUS_OK;
}

static ramus_status read_hex(ramus_json *j, uint32_t *code, ramus_error *err)
{
    *code = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const int c = next(j);
        const char *digit = c > 0 ? strchr(digits, c) : NULL;
        if (!digit) return fail_expected(j, "a hexadecimal digit", err);
        const int value = (int)(digit - digits);
        *code = *code << 4 | (uint32_t)(value < 16 ? value : value - 6);
    }
    return RAMUS_OK;
}

/* What follows "\u": a code point, or the two halves (surrogates) of one above U+FFFF. */
static ramus_status read_unicode(ramus_json *j, uint32_t *code, ramus_error *err)
{
    const size_t start = j->at;
    uint32_t low = 0;
    ramus_status st = read_hex(j, code, err);
    if (st || *code < 0xD800 || *code > 0xDFFF) return st;
    if (*code < 0xDC00 && j->end - j->at >= 2 && memcmp(j->text + j->at, "\\u", 2) == 0) {
        j->at += 2;
        st = read_hex(j, &low, err);
        if (st) return st;
    }
    if (low < 0xDC00 || low > 0xDFFF)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: found half a surrogate pair (U+%04X)",
                          start, (unsigned)*code);
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return RAMUS_OK;
}

static ramus_status read_escape(ramus_json *j, ramus_buffer *out, ramus_error *err)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    j->at++; // the backslash
    const int c = next(j);
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (c != 'u' && !letter) return fail_expected(j, "one of \"\\/bfnrtu", err);
    j->at++;
    if (letter) {
        if (out) ramus_buffer_add(out, &meanings[letter - letters], 1);
        return RAMUS_OK;
    }
    uint32_t code = 0;
    const ramus_status st = read_unicode(j, &code, err);
    if (st) return st;
    char utf8[4];
    const int size = ramus_utf8_encode(utf8, code);
    if (out) ramus_buffer_add(out, utf8, (size_t)size);
    return RAMUS_OK;
}

/* Copies up to the next quote or backslash. */
static ramus_status read_plain(ramus_json *j, ramus_buffer *out, ramus_error *err)
{
    const size_t start = j->at;
    while (next(j) != '"' && next(j) != '\\') {
        uint32_t code = 0;
        if (next(j) < ' ') return fail_expected(j, "the rest of a string", err);
        const int size = ramus_utf8_decode(&code, j->text + j->at, j->end - j->at);
        if (size == 0) return fail_expected(j, "UTF-8", err);
        j->at += (size_t)size;
    }
    if (out) ramus_buffer_add(out, j->text + start, j->at - start);
    return RAMUS_OK;
}

ramus_status ramus_json_string(ramus_json *j, ramus_buffer *out, ramus_error *err)
{
    if (out) ramus_buffer_clear(out);
    if (next_after_space(j) != '"') return fail_expected(j, "'\"'", err);
    j->at++;
    ramus_status st = read_plain(j, out, err);
    while (!st && next(j) != '"') {
        st = read_escape(j, out, err);
        if (!st) st = read_plain(j, out, err);
    }
    if (st) return st;
    j->at++;
    return out ? ramus_buffer_check(out, err) : RAMUS_OK;
}

static ramus_status pass_digits(ramus_json *j, ramus_error *err)
{
    if (next(j) < '0' || next(j) > '9') return fail_expected(j, "a digit", err);
    while (next(j) >= '0' && next(j) <= '9')
        j->at++;
    return RAMUS_OK;
}

/* Passes -? int frac? exp? and tells whether it was the integer part only. */
static ramus_status pass_number(ramus_json *j, bool *whole, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    *whole = true;
    if (ramus_json_peek(j) != RAMUS_JSON_NUMBER) return fail_expected(j, "a number", err);
    if (next(j) == '-') j->at++;
    if (next(j) == '0')
        j->at++; // a digit after it is no number: the next read fails on it
    else
        st = pass_digits(j, err);
    if (!st && next(j) == '.') {
        *whole = false;
        j->at++;
        st = pass_digits(j, err);
    }
    if (!st && (next(j) == 'e' || next(j) == 'E')) {
        *whole = false;
        j->at++;
        if (next(j) == '+' || next(j) == '-') j->at++;
        st = pass_digits(j, err);
    }
    return st;
}

ramus_status ramus_json_number(ramus_json *j, ramus_buffer *out, ramus_error *err)
{
    bool whole = false;
    (void)next_after_space(j);
    const size_t start = j->at;
    const ramus_status st = pass_number(j, &whole, err);
    if (st || !out) return st;
    ramus_buffer_clear(out);
    ramus_buffer_add(out, j->text + start, j->at - start);
    return ramus_buffer_check(out, err);
}

ramus_status ramus_json_whole(ramus_json *j, int64_t *out, ramus_error *err)
{
    bool whole = false;
    (void)next_after_space(j);
    const size_t start = j->at;
    const ramus_status st = pass_number(j, &whole, err);
    if (st) return st;

    const bool negative = j->text[start] == '-';
    int64_t value = 0;
    for (size_t i = start + negative; whole && i < j->at; i++) {
        const int digit = j->text[i] - '0';
        whole = value <= (INT64_MAX - digit) / 10;
        if (whole) value = value * 10 + digit;
    }
    if (!whole)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "byte %zu: found %.*s, expected a whole number below 2^63", start,
                          j->at - start < 40 ? (int)(j->at - start) : 40, j->text + start);
    *out = negative ? -value : value;
    return RAMUS_OK;
}

static ramus_status pass_word(ramus_json *j, const char *word, ramus_error *err)
{
    for (; *word; word++, j->at++)
        if (next(j) != *word) return fail_expected(j, "true, false or null", err);
    return RAMUS_OK;
}

ramus_status ramus_json_bool(ramus_json *j, bool *out, ramus_error *err)
{
    if (ramus_json_peek(j) != RAMUS_JSON_BOOL) return fail_expected(j, "true or false", err);
    const bool value = next(j) == 't';
    const ramus_status st = pass_word(j, value ? "true" : "false", err);
    if (!st) *out = value;
    return st;
}

static ramus_status skip_value(ramus_json *j, int depth, ramus_error *err);

static ramus_status skip_parts(ramus_json *j, ramus_json_type type, int depth, ramus_error *err)
{
    bool more = false;
    if (depth == MAX_DEPTH)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte %zu: more than %d levels deep", j->at,
                          MAX_DEPTH);
    ramus_status st = ramus_json_enter(j, type, err);
    while (!st) {
        st = type == RAMUS_JSON_OBJECT ? ramus_json_member(j, &more, NULL, err)
                                       : ramus_json_element(j, &more, err);
        if (st || !more) break;
        st = skip_value(j, depth + 1, err);
    }
    return st;
}

static ramus_status skip_value(ramus_json *j, int depth, ramus_error *err)
{
    bool ignored = false;
    const ramus_json_type type = ramus_json_peek(j);
    switch (type) {
    case RAMUS_JSON_OBJECT:
    case RAMUS_JSON_ARRAY:
        return skip_parts(j, type, depth, err);
    case RAMUS_JSON_STRING:
        return ramus_json_string(j, NULL, err);
    case RAMUS_JSON_NUMBER:
        return ramus_json_number(j, NULL, err);
    case RAMUS_JSON_BOOL:
        return ramus_json_bool(j, &ignored, err);
    case RAMUS_JSON_NULL:
        return pass_word(j, "null", err);
    case RAMUS_JSON_NONE:
        break;
    }
    return fail_expected(j, "a value", err);
}

ramus_status ramus_json_skip(ramus_json *j, ramus_error *err)
{
    return skip_value(j, 0, err);
}

ramus_status ramus_json_end(ramus_json *j, ramus_error *err)
{
    return next_after_space(j) < 0 ? RAMUS_OK : fail_expected(j, "the end", err);
}
