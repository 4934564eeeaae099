/* A page names its encoding in a <meta> or, as XML, in its first instruction. That is looked for at
 * the beginning only, as browsers do it; tags are counted, not bytes, as texts change. */
#include "document/charset.h"

#include "base/utf8.h"
#include "document/html_tree.h"

#include <string.h>

#define TAGS 200 // that are looked at

static bool is_one_of(const char *name, size_t size, const char *const *words)
{
    for (; *words; words++)
        if (ramus_markup_is(name, size, *words)) return true;
    return false;
}

/* Whether it looks like a name of an encoding; browsers pass over all else. */
static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!(text[i] >= '0' && text[i] <= '9') &&
            !((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') && text[i] != '-' &&
            text[i] != '_')
            return false;
    return size > 0 && size <= 40;
}

/* Whether an encoding has the bytes of ASCII for its characters, and others for all else. */
static bool extends_ascii(const char *name, size_t size)
{
    static const char *const beginnings[] = {"iso-8859-", "iso8859-", "latin", "windows-125",
                                             "cp125"};
    for (int i = 0; i < RAMUS_COUNT(beginnings); i++) {
        const size_t n = strlen(beginnings[i]);
        if (size > n && ramus_markup_is(name, n, beginnings[i])) return true;
    }
    return false;
}

static bool is_ascii(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)data[i] >= 0x80) return false;
    return true;
}

/* Cuts "text/html; charset=utf-8" down to "utf-8"; size 0: there is none. */
static void find_in_type(const char *data, ramus_attribute *a)
{
    static const char word[] = "charset=";
    const size_t n = sizeof word - 1, end = a->value + a->value_size;
    a->value_size = 0;
    for (size_t at = a->value; at + n <= end; at++) {
        if (!ramus_markup_is(data + at, n, word)) continue;
        a->value = at + n;
        for (at = a->value; at < end && !ramus_markup_is_space(data[at]) && data[at] != ';'; at++)
            a->value_size++;
        return;
    }
}

/* Finds the name of the encoding that a tag gives. */
static bool find_name(ramus_attribute *a, const char *data, ramus_markup_token *t)
{
    if (t->kind == RAMUS_MARKUP_OTHER && t->to - t->from > 5 &&
        memcmp(data + t->from, "<?xml", 5) == 0) {
        t->name = t->from + 2;
        t->name_size = 3;
        return ramus_markup_find(a, data, t, "encoding");
    }
    if (!ramus_markup_is(data + t->name, t->name_size, "meta")) return false;
    if (ramus_markup_find(a, data, t, "charset")) return true;
    if (!ramus_markup_find(a, data, t, "http-equiv") ||
        !ramus_markup_is(data + a->value, a->value_size, "content-type") ||
        !ramus_markup_find(a, data, t, "content"))
        return false;
    find_in_type(data, a);
    return a->value_size > 0;
}

ramus_status ramus_charset_read(bool *ascii, const char *data, size_t size, size_t *at,
                                ramus_markup markup, ramus_error *err)
{
    static const char *const utf8[] = {"utf-8", "utf8", NULL};
    static const char *const plain[] = {"ascii", "us-ascii", NULL};
    *ascii = false;
    if (size - *at >= 3 && memcmp(data + *at, "\xEF\xBB\xBF", 3) == 0) {
        *at += 3;
        return RAMUS_OK;
    }
    size_t next = *at;
    for (int tags = 0; tags < (markup == RAMUS_XML ? 1 : TAGS);) {
        ramus_markup_token t = ramus_markup_next(data, size, next, markup);
        ramus_attribute a;
        if (t.kind == RAMUS_MARKUP_END) break;
        next = t.to;
        if (t.kind == RAMUS_MARKUP_TEXT) continue;
        tags++;
        const int kind = ramus_html_element_find(data + t.name, t.name_size)->kind;
        if (t.kind == RAMUS_MARKUP_OPEN && (kind == RAMUS_HTML_RAW || kind == RAMUS_HTML_TITLE))
            next = ramus_html_content_end(data, size, &t);
        if (!find_name(&a, data, &t)) continue;
        const char *name = data + a.value;
        if (!is_name(name, a.value_size)) continue;
        const bool says_ascii = is_one_of(name, a.value_size, plain);
        *ascii = (says_ascii || extends_ascii(name, a.value_size)) && is_ascii(data, size);
        if (*ascii || says_ascii || is_one_of(name, a.value_size, utf8)) return RAMUS_OK;
        const int n = (int)a.value_size;
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the document says that its encoding is \"%.*s\", but only UTF-8 is "
                          "read: convert it with \"iconv -f %.*s -t UTF-8\" and let it say "
                          "\"utf-8\"",
                          n, name, n, name);
    }
    return RAMUS_OK;
}

void ramus_charset_make_ascii(ramus_buffer *out, size_t from, ramus_buffer *scratch)
{
    if (out->failed) return;
    ramus_buffer_clear(scratch);
    ramus_buffer_add(scratch, out->data + from, out->size - from);
    out->size = from;
    for (size_t at = 0; at < scratch->size;) {
        uint32_t code = 0;
        const int decoded = ramus_utf8_decode(&code, scratch->data + at, scratch->size - at);
        const size_t n = decoded ? (size_t)decoded : 1;
        if (code >= 0xA0 && decoded) // below, numbers are those of Windows-1252
            ramus_buffer_print(out, "&#%u;", (unsigned)code);
        else
            ramus_buffer_add(out, scratch->data + at, n);
        at += n;
    }
    if (scratch->failed) out->failed = true;
}
