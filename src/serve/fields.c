/* The list, JSON and urlencoded forms. Names and values lie in one buffer, a zero behind each.
 * Forms with files are in fields_multipart.c. */
#include "serve/fields.h"

#include "base/json.h"
#include "base/list.h"
#include "serve/fields_add.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS  20000 // more is an attack: 1 MB of "&&&&" is a million of them
#define MOST_MEMBERS 100   // of an object: each is compared with all before it
#define MOST_DIGITS  9

void ramus_fields_free(ramus_fields *f)
{
    free(f->items);
    ramus_buffer_free(&f->bytes);
    *f = (ramus_fields){0};
}

ramus_range ramus_fields_put(ramus_fields *f, const char *text, size_t size)
{
    const ramus_range place = {f->bytes.size, size};
    ramus_buffer_add(&f->bytes, text, size);
    ramus_buffer_add(&f->bytes, "", 1);
    return place;
}

ramus_status ramus_fields_push(ramus_fields *f, const ramus_field *field, ramus_error *err)
{
    if (f->n == MOST_FIELDS)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "more than %d fields", MOST_FIELDS);
    ramus_status st = ramus_buffer_check(&f->bytes, err);
    if (!st) st = RAMUS_LIST_RESERVE(f->items, f->room, (size_t)f->n + 1, "the request", err);
    if (!st) f->items[f->n++] = *field;
    return st;
}

ramus_status ramus_fields_add(ramus_fields *f, const char *name, const char *value, size_t size,
                              ramus_error *err)
{
    ramus_field field = {.type = RAMUS_FIELD_TEXT};
    field.name = ramus_fields_put(f, name, strlen(name));
    field.value = ramus_fields_put(f, value, size);
    return ramus_fields_push(f, &field, err);
}

/* Reads a value that is no list; `text` is room. */
static ramus_status read_scalar(ramus_json *j, ramus_field *field, ramus_buffer *text,
                                ramus_error *err)
{
    bool on = false;
    ramus_status st = RAMUS_OK;
    ramus_buffer_clear(text);
    switch (ramus_json_peek(j)) {
    case RAMUS_JSON_STRING:
        field->type = RAMUS_FIELD_TEXT;
        return ramus_json_string(j, text, err);
    case RAMUS_JSON_NUMBER:
        field->type = RAMUS_FIELD_NUMBER;
        return ramus_json_number(j, text, err);
    case RAMUS_JSON_BOOL:
        field->type = RAMUS_FIELD_SWITCH;
        st = ramus_json_bool(j, &on, err);
        ramus_buffer_text(text, on ? "true" : "false");
        return st;
    case RAMUS_JSON_NULL:
        field->type = RAMUS_FIELD_NULL;
        return ramus_json_skip(j, err);
    default:
        field->type = RAMUS_FIELD_OBJECT;
        return ramus_json_skip(j, err);
    }
}

static ramus_status read_value(ramus_fields *f, ramus_json *j, ramus_field field,
                               ramus_buffer *text, ramus_error *err)
{
    bool more = false;
    if (ramus_json_peek(j) != RAMUS_JSON_ARRAY) {
        ramus_status st = read_scalar(j, &field, text, err);
        if (st) return st;
        field.value = ramus_fields_put(f, text->data ? text->data : "", text->size);
        return ramus_fields_push(f, &field, err);
    }
    field.type = RAMUS_FIELD_LIST;
    ramus_status st = ramus_fields_push(f, &field, err);
    if (!st) st = ramus_json_enter(j, RAMUS_JSON_ARRAY, err);
    while (!st) {
        st = ramus_json_element(j, &more, err);
        if (st || !more) break;
        field.listed = true;
        st = read_scalar(j, &field, text, err);
        if (st) break;
        field.value = ramus_fields_put(f, text->data ? text->data : "", text->size);
        st = ramus_fields_push(f, &field, err);
    }
    return st;
}

/* Whether a member of that name was read before; the address may have it, too. */
static bool is_there(const ramus_fields *f, const ramus_buffer *key)
{
    for (int i = 0; i < f->n; i++) {
        const ramus_field *x = &f->items[i];
        if (x->typed && x->name.size == key->size &&
            memcmp(f->bytes.data + x->name.start, key->data, key->size) == 0)
            return true;
    }
    return false;
}

ramus_status ramus_fields_json(ramus_fields *f, const char *text, size_t size, ramus_error *err)
{
    ramus_json j;
    ramus_buffer key = {0}, value = {0};
    bool more = false;
    int n = 0;
    ramus_json_init(&j, text, 0, size);
    ramus_status st = ramus_json_enter(&j, RAMUS_JSON_OBJECT, err);
    while (!st) {
        st = ramus_json_member(&j, &more, &key, err);
        if (st || !more) break;
        if (++n > MOST_MEMBERS)
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "more than %d members", MOST_MEMBERS);
        else if (is_there(f, &key))
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "the field %.40s is there twice", key.data);
        if (st) break;
        const ramus_field field = {.typed = true, .name = ramus_fields_put(f, key.data, key.size)};
        st = read_value(f, &j, field, &value, err);
    }
    if (!st) st = ramus_json_end(&j, err);
    ramus_buffer_free(&key);
    ramus_buffer_free(&value);
    return st;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Adds text[0 .. size) with its %XX and + resolved; what is no escape stays. */
static ramus_range put_decoded(ramus_fields *f, const char *text, size_t size)
{
    const size_t start = f->bytes.size;
    for (size_t i = 0; i < size; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%' && i + 2 < size && hex_value(text[i + 1]) >= 0 &&
            hex_value(text[i + 2]) >= 0) {
            c = (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        }
        ramus_buffer_add(&f->bytes, &c, 1);
    }
    const ramus_range place = {start, f->bytes.size - start};
    ramus_buffer_add(&f->bytes, "", 1);
    return place;
}

ramus_status ramus_fields_form(ramus_fields *f, const char *text, size_t size, ramus_error *err)
{
    for (size_t at = 0; at < size;) {
        const char *field_end = memchr(text + at, '&', size - at);
        const size_t length = field_end ? (size_t)(field_end - text) - at : size - at;
        const char *equals = length ? memchr(text + at, '=', length) : NULL;
        const size_t name = equals ? (size_t)(equals - text) - at : length;
        if (length > 0) {
            ramus_field field = {.type = RAMUS_FIELD_TEXT};
            field.name = put_decoded(f, text + at, name);
            const size_t skipped = equals ? name + 1 : name;
            field.value = put_decoded(f, text + at + skipped, length - skipped);
            const ramus_status st = ramus_fields_push(f, &field, err);
            if (st) return st;
        }
        at += length + 1;
    }
    return RAMUS_OK;
}

static bool is_called(const ramus_fields *f, const ramus_field *field, const char *name,
                      size_t size)
{
    return field->name.size == size && memcmp(f->bytes.data + field->name.start, name, size) == 0;
}

const ramus_field *ramus_fields_find(const ramus_fields *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (is_called(f, &f->items[i], name, strlen(name))) return &f->items[i];
    return NULL;
}

const ramus_field *ramus_fields_next(const ramus_fields *f, const ramus_field *last)
{
    for (const ramus_field *x = last + 1; x < f->items + f->n; x++)
        if (is_called(f, x, f->bytes.data + last->name.start, last->name.size)) return x;
    return NULL;
}

ramus_text ramus_field_text(const ramus_fields *f, const ramus_field *field)
{
    if (field->value.size == 0) return (ramus_text){"", 0};
    return (ramus_text){f->bytes.data + field->value.start, field->value.size};
}

const char *ramus_fields_string(const ramus_fields *f, const char *name)
{
    const ramus_field *field = ramus_fields_find(f, name);
    if (!field || (field->type != RAMUS_FIELD_TEXT && field->type != RAMUS_FIELD_FILE)) return NULL;
    const ramus_text text = ramus_field_text(f, field);
    return strlen(text.data) == text.size ? text.data : NULL;
}

bool ramus_fields_switch(const ramus_fields *f, const char *name, bool otherwise)
{
    const ramus_field *field = ramus_fields_find(f, name);
    if (!field || field->type == RAMUS_FIELD_NULL) return otherwise;
    const char *value = ramus_field_text(f, field).data;
    return strcmp(value, "true") == 0 || strcmp(value, "1") == 0 || strcmp(value, "on") == 0;
}

ramus_status ramus_fields_whole(const ramus_fields *f, const char *name, int *out, ramus_error *err)
{
    const ramus_field *field = ramus_fields_find(f, name);
    if (!field || field->type == RAMUS_FIELD_NULL) return RAMUS_NOT_FOUND;
    const ramus_text text = ramus_field_text(f, field);
    bool whole = text.size > 0 && text.size <= MOST_DIGITS &&
                 field->type == (field->typed ? RAMUS_FIELD_NUMBER : RAMUS_FIELD_TEXT);
    int value = 0;
    for (size_t i = 0; i < text.size && whole; i++) {
        whole = text.data[i] >= '0' && text.data[i] <= '9';
        value = value * 10 + (text.data[i] - '0');
    }
    if (!whole)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is '%.20s', expected a whole number", name,
                          text.data);
    *out = value;
    return RAMUS_OK;
}
