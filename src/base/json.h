/* json.h - a strict pull reader of JSON (RFC 8259) over bytes in memory.
 *
 *     ramus_json_init(&json, text, 0, size);
 *     st = ramus_json_enter(&json, RAMUS_JSON_OBJECT, err);
 *     while (!st) {
 *         st = ramus_json_member(&json, &more, &key, err);
 *         if (st || !more) break;
 *         st = ramus_json_string(&json, &value, err);
 *     }
 *
 * The caller asks for what it expects; anything else is an error that names the byte, what was
 * found there and what was expected. Nothing is allocated but the strings asked for. After a
 * failure the reader must not be used further. */
#ifndef RAMUS_BASE_JSON_H
#define RAMUS_BASE_JSON_H

#include "base/buffer.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ramus_json {
    const char *text; // borrowed
    size_t at, end;
    bool first; // nothing was read yet of the object or array that was entered last
} ramus_json;

typedef enum ramus_json_type {
    RAMUS_JSON_NONE, // no value begins here
    RAMUS_JSON_OBJECT,
    RAMUS_JSON_ARRAY,
    RAMUS_JSON_STRING,
    RAMUS_JSON_NUMBER,
    RAMUS_JSON_BOOL,
    RAMUS_JSON_NULL
} ramus_json_type;

/* Reads text[begin .. end); bytes in errors are counted from text[0]. */
void ramus_json_init(ramus_json *j, const char *text, size_t begin, size_t end);

/* The type of the next value by its first letter. */
ramus_json_type ramus_json_peek(ramus_json *j);

/* Enters the next value, an object or an array as `type` says. Every member or element is then
 * asked for until *more is false, which also leaves it. */
RAMUS_CHECKED ramus_status ramus_json_enter(ramus_json *j, ramus_json_type type, ramus_error *err);

/* Reads the key of the next member into `key` (as ramus_json_string() does) and stops before its
 * value. */
RAMUS_CHECKED ramus_status ramus_json_member(ramus_json *j, bool *more, ramus_buffer *key,
                                             ramus_error *err);

/* Stops before the next element. */
RAMUS_CHECKED ramus_status ramus_json_element(ramus_json *j, bool *more, ramus_error *err);

/* Replaces what `out` holds with the string, its escapes resolved, in UTF-8; out->data is then
 * never NULL. "\u0000" gives a zero byte: compare out->size. A NULL `out` only checks. */
RAMUS_CHECKED ramus_status ramus_json_string(ramus_json *j, ramus_buffer *out, ramus_error *err);

/* Replaces what `out` holds with the number as it is written. A NULL `out` only checks. */
RAMUS_CHECKED ramus_status ramus_json_number(ramus_json *j, ramus_buffer *out, ramus_error *err);

/* A number without fraction and exponent, of magnitude below 2^63. */
RAMUS_CHECKED ramus_status ramus_json_whole(ramus_json *j, int64_t *out, ramus_error *err);

RAMUS_CHECKED ramus_status ramus_json_bool(ramus_json *j, bool *out, ramus_error *err);

/* Checks the next value, whatever it is, and passes over it. At most 64 levels deep. */
RAMUS_CHECKED ramus_status ramus_json_skip(ramus_json *j, ramus_error *err);

/* Nothing but white space may remain. */
RAMUS_CHECKED ramus_status ramus_json_end(ramus_json *j, ramus_error *err);

#endif
