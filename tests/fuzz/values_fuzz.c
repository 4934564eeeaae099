/* Fuzz target (libFuzzer) for the reader of JSON (base/json.h): the input is a document. What is
 * accepted is passed over in one step, too, and its strings are UTF-8 that can be written again. */
#include "base/json.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* Written and read, a string stays the same. */
static void check_string(const ramus_buffer *s)
{
    ramus_buffer written = {0}, back = {0};
    ramus_json j;
    require(s->data && ramus_utf8_check(s->data, s->size) == s->size);
    ramus_buffer_json(&written, s->data, s->size);
    ramus_json_init(&j, written.data, 0, written.size);
    require(!ramus_json_string(&j, &back, NULL) && !ramus_json_end(&j, NULL));
    require(back.size == s->size && memcmp(back.data, s->data, s->size) == 0);
    ramus_buffer_free(&written);
    ramus_buffer_free(&back);
}

static ramus_status read_value(ramus_json *j, int depth, ramus_error *err);

static ramus_status read_members(ramus_json *j, bool object, int depth, ramus_error *err)
{
    ramus_buffer key = {0};
    ramus_status st = ramus_json_enter(j, object ? RAMUS_JSON_OBJECT : RAMUS_JSON_ARRAY, err);
    for (bool more = true; !st && more;) {
        st = object ? ramus_json_member(j, &more, &key, err) : ramus_json_element(j, &more, err);
        if (!st && more && object) check_string(&key);
        if (!st && more) st = read_value(j, depth + 1, err);
    }
    ramus_buffer_free(&key);
    return st;
}

static ramus_status read_value(ramus_json *j, int depth, ramus_error *err)
{
    ramus_buffer text = {0};
    bool flag = false;
    ramus_status st = RAMUS_OK;
    const ramus_json_type type = ramus_json_peek(j);
    const bool object = type == RAMUS_JSON_OBJECT;
    if ((object || type == RAMUS_JSON_ARRAY) && depth == DEPTH)
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "too deep, as for ramus_json_skip()");
    else if (object || type == RAMUS_JSON_ARRAY)
        st = read_members(j, object, depth, err);
    else if (type == RAMUS_JSON_STRING)
        st = ramus_json_string(j, &text, err);
    else if (type == RAMUS_JSON_NUMBER)
        st = ramus_json_number(j, &text, err);
    else if (type == RAMUS_JSON_BOOL)
        st = ramus_json_bool(j, &flag, err);
    else
        st = ramus_json_skip(j, err);
    if (!st && type == RAMUS_JSON_STRING) check_string(&text);
    ramus_buffer_free(&text);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_json whole, skipped;
    char *copy = malloc(size ? size : 1); // asan knows its end
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    ramus_json_init(&whole, copy, 0, size);
    ramus_json_init(&skipped, copy, 0, size);
    ramus_status st = read_value(&whole, 0, &err);
    if (!st) st = ramus_json_end(&whole, &err);
    require(!st || err.message[0]);
    ramus_status other = ramus_json_skip(&skipped, NULL);
    if (!other) other = ramus_json_end(&skipped, NULL);
    require(!st == !other);
    free(copy);
    return 0;
}
