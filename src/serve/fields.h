/* fields.h - what a request says: names with values, from JSON, a form, or the address.
 *
 * All ways of writing give the same list, so that a dialect reads fields and not formats. Values
 * are borrowed from the list. One list has one thread. */
#ifndef RAMUS_SERVE_FIELDS_H
#define RAMUS_SERVE_FIELDS_H

#include "base/buffer.h"

typedef enum ramus_field_type {
    RAMUS_FIELD_TEXT, // a string, or a value of a form
    RAMUS_FIELD_NUMBER,
    RAMUS_FIELD_SWITCH, // true or false
    RAMUS_FIELD_NULL,
    RAMUS_FIELD_FILE,  // of a form
    RAMUS_FIELD_LIST,  // its elements follow it
    RAMUS_FIELD_OBJECT // its members are not kept
} ramus_field_type;

typedef struct ramus_field {
    ramus_field_type type;
    bool listed;       // it is an element of the list before it
    bool typed;        // it is from JSON: "5" is no number
    ramus_range name;  // places in `bytes`
    ramus_range value; // as text; of a number as it was written
    ramus_range file;  // its name, where a form gave one
} ramus_field;

/* Starts as {0}. */
typedef struct ramus_fields {
    ramus_field *items;
    int n;
    size_t room;
    ramus_buffer bytes;
} ramus_fields;

void ramus_fields_free(ramus_fields *f); // back to {0}

/* Each adds what `text` has. The members of a JSON object; a form as addresses have it
 * (application/x-www-form-urlencoded); one with files (multipart/form-data), whose Content-Type
 * names the border between its parts. */
RAMUS_CHECKED ramus_status ramus_fields_json(ramus_fields *f, const char *text, size_t size,
                                             ramus_error *err);
RAMUS_CHECKED ramus_status ramus_fields_form(ramus_fields *f, const char *text, size_t size,
                                             ramus_error *err);
RAMUS_CHECKED ramus_status ramus_fields_multipart(ramus_fields *f, const char *type,
                                                  const char *text, size_t size, ramus_error *err);

/* Adds one field of type TEXT. */
RAMUS_CHECKED ramus_status ramus_fields_add(ramus_fields *f, const char *name, const char *value,
                                            size_t size, ramus_error *err);

/* The first field of that name, NULL for none; and the next one of its name behind `last`. */
const ramus_field *ramus_fields_find(const ramus_fields *f, const char *name);
const ramus_field *ramus_fields_next(const ramus_fields *f, const ramus_field *last);

/* The value, with a zero behind it that `size` does not count. */
ramus_text ramus_field_text(const ramus_fields *f, const ramus_field *field);

/* The value of the first field of that name as a C string; NULL where there is none, or it is no
 * text, or it has a zero byte. */
const char *ramus_fields_string(const ramus_fields *f, const char *name);

/* Whether a switch is on: true, 1 or on. `otherwise` where there is none. */
bool ramus_fields_switch(const ramus_fields *f, const char *name, bool otherwise);

/* A whole number, from JSON or digits of a form, of at most 9 digits. RAMUS_NOT_FOUND (without a
 * message) where there is none; an error where it is something else. */
ramus_status ramus_fields_whole(const ramus_fields *f, const char *name, int *out,
                                ramus_error *err);

#endif
