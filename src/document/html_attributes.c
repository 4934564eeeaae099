/* A block's form says that it is an attribute, and whether it needs quotes. That of an attribute
 * inside of another block says how far behind the beginning of that block its value stands. A tag
 * is written by looking its values up among those that were translated. */
#include "document/html_attributes.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

enum { FORM_BARE = ' ', FORM_INSIDE = 256 };

/* A translated value. */
typedef struct ramus_html_value {
    size_t value, value_size; // bytes of the document
    char quote;
    size_t text, size; // bytes of ramus_html_written.texts
} ramus_html_value;

static bool is_one_of(const char *data, size_t at, size_t size, const char *const *words)
{
    for (; *words; words++)
        if (ramus_markup_is(data + at, size, *words)) return true;
    return false;
}

/* Whether the attribute `name` of the tag has one of these values. */
static bool has_value(const char *data, const ramus_markup_token *tag, const char *name,
                      const char *const *values)
{
    ramus_attribute a;
    return ramus_markup_find(&a, data, tag, name) && is_one_of(data, a.value, a.value_size, values);
}

static bool is_text(const char *data, const ramus_markup_token *tag, const ramus_attribute *a)
{
    static const char *const anywhere[] = {"alt", "title", "placeholder", "aria-label", NULL};
    static const char *const labelled[] = {"option", "optgroup", "track", NULL};
    static const char *const buttons[] = {"submit", "button", "reset", NULL};
    static const char *const names[] = {"description", "twitter:title", "twitter:description",
                                        NULL};
    static const char *const properties[] = {"og:title", "og:description", NULL};
    const char *name = data + a->name;
    const size_t size = a->name_size;
    if (is_one_of(data, a->name, size, anywhere)) return true;
    if (ramus_markup_is(name, size, "label"))
        return is_one_of(data, tag->name, tag->name_size, labelled);
    if (ramus_markup_is(name, size, "value"))
        return ramus_markup_is(data + tag->name, tag->name_size, "input") &&
               has_value(data, tag, "type", buttons);
    return ramus_markup_is(name, size, "content") &&
           ramus_markup_is(data + tag->name, tag->name_size, "meta") &&
           (has_value(data, tag, "name", names) || has_value(data, tag, "property", properties));
}

bool ramus_html_attribute_next(ramus_attribute *a, const char *data, const ramus_markup_token *tag)
{
    while (ramus_markup_attribute(a, data, tag))
        if (a->value_size && a->value_size <= RAMUS_BLOCK_BYTES && is_text(data, tag, a))
            return true;
    return false;
}

/* Leaves out the white space at both ends. */
static void trim(const char *data, size_t *from, size_t *to)
{
    while (*from < *to && ramus_markup_is_space(data[*from]))
        ++*from;
    while (*to > *from && ramus_markup_is_space(data[*to - 1]))
        --*to;
}

void ramus_html_attribute_add(ramus_blocks *out, const char *data, const ramus_attribute *a,
                              size_t inside)
{
    size_t from = a->value, to = a->value + a->value_size;
    trim(data, &from, &to);
    ramus_markup_text text = {
        .blocks = out, .markup = RAMUS_HTML, .attribute = true, .collapse = true};
    ramus_blocks_begin(out, inside ? inside - 1 : from);
    ramus_markup_text_add(&text, data + from, to - from);
    if (inside)
        (void)ramus_blocks_end(out, inside - 1, FORM_INSIDE + (int)(a->value - (inside - 1)));
    else
        (void)ramus_blocks_end(out, to, a->quote);
}

void ramus_html_written_free(ramus_html_written *w)
{
    free(w->items);
    ramus_buffer_free(&w->texts);
    *w = (ramus_html_written){0};
}

static void write_value(const ramus_marked *translation, char quote, ramus_buffer *out)
{
    if (quote == FORM_BARE) ramus_buffer_add(out, "\"", 1);
    ramus_markup_write(
        translation, quote == '\'' ? ramus_markup_escape_single : ramus_markup_escape_double, out);
    if (quote == FORM_BARE) ramus_buffer_add(out, "\"", 1);
}

/* The size of the value that begins at data[at]; *quote is its quote. */
static size_t value_size(const ramus_document *d, size_t at, char *quote)
{
    const char before = d->data[at - 1];
    const bool quoted = before == '"' || before == '\'';
    size_t size = 0;
    *quote = quoted ? before : FORM_BARE;
    while (at + size < d->size &&
           (quoted ? d->data[at + size] != before
                   : !ramus_markup_is_space(d->data[at + size]) && d->data[at + size] != '>'))
        size++;
    return size;
}

static void remember(ramus_html_written *w, const ramus_document *d, const ramus_block *block,
                     const ramus_marked *translation)
{
    if (w->place != block->from) {
        w->n = 0;
        w->place = block->from;
        ramus_buffer_clear(&w->texts);
    }
    if (RAMUS_LIST_RESERVE(w->items, w->room, (size_t)w->n + 1, "attributes", NULL)) {
        w->failed = true;
        return;
    }
    ramus_html_value *v = &w->items[w->n++];
    v->value = block->from + (size_t)(block->form - FORM_INSIDE);
    v->value_size = value_size(d, v->value, &v->quote);
    v->text = w->texts.size;
    const size_t end = v->value + v->value_size;
    size_t from = v->value, to = end;
    trim(d->data, &from, &to);
    ramus_buffer_add(&w->texts, d->data + v->value, from - v->value);
    write_value(translation, v->quote, &w->texts);
    ramus_buffer_add(&w->texts, d->data + to, end - to);
    v->size = w->texts.size - v->text;
}

bool ramus_html_attribute_write(ramus_html_written *w, const ramus_document *d,
                                const ramus_block *block, const ramus_marked *translation,
                                ramus_buffer *out)
{
    if (block->form == 0) {
        if (w->place != block->from) w->n = 0; // those of another block
        return false;
    }
    if (block->form >= FORM_INSIDE)
        remember(w, d, block, translation);
    else
        write_value(translation, (char)block->form, out);
    return true;
}

static const ramus_html_value *find_value(const ramus_html_written *w, const ramus_document *d,
                                          const char *tag, const ramus_attribute *a)
{
    for (int i = 0; i < w->n; i++) {
        const ramus_html_value *v = &w->items[i];
        if (v->quote == a->quote && v->value_size == a->value_size &&
            memcmp(d->data + v->value, tag + a->value, a->value_size) == 0)
            return v;
    }
    return NULL;
}

void ramus_html_tag_write(const ramus_html_written *w, const ramus_document *d, const char *tag,
                          size_t size, ramus_buffer *out)
{
    const ramus_markup_token t = ramus_markup_next(tag, size, 0, RAMUS_HTML);
    size_t done = 0;
    ramus_attribute a = {0};
    if (w->failed || w->texts.failed) out->failed = true;
    while (w->n && (t.kind == RAMUS_MARKUP_OPEN || t.kind == RAMUS_MARKUP_EMPTY) &&
           ramus_html_attribute_next(&a, tag, &t)) {
        const ramus_html_value *v = find_value(w, d, tag, &a);
        if (!v) continue;
        ramus_buffer_add(out, tag + done, a.value - done);
        ramus_buffer_add(out, w->texts.data + v->text, v->size);
        done = a.value + a.value_size;
    }
    ramus_buffer_add(out, tag + done, size - done);
}
