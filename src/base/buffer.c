/* The array doubles when it is full, and always keeps a zero behind its bytes. JSON strings are
 * written with the escapes that have a letter of their own, and \u00XX for the other control
 * characters. */
#include "base/buffer.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and a zero; false when memory is out. */
static bool reserve(ramus_buffer *b, size_t more)
{
    if (b->failed) return false;
    if (more < b->capacity - b->size) return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity - b->size <= more) {
        if (capacity > (size_t)-1 / 2) {
            b->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void ramus_buffer_free(ramus_buffer *b)
{
    free(b->data);
    *b = (ramus_buffer){0};
}

void ramus_buffer_clear(ramus_buffer *b)
{
    b->size = 0;
    b->failed = false;
    if (b->data) b->data[0] = '\0';
}

void ramus_buffer_add(ramus_buffer *b, const void *data, size_t size)
{
    if (!reserve(b, size)) return;
    if (size > 0) memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = '\0';
}

void ramus_buffer_text(ramus_buffer *b, const char *text)
{
    ramus_buffer_add(b, text, strlen(text));
}

void ramus_buffer_print(ramus_buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size >= 0 && reserve(b, (size_t)size)) {
        (void)vsnprintf(b->data + b->size, (size_t)size + 1, format, again);
        b->size += (size_t)size;
    }
    va_end(again);
}

static void add_escaped(ramus_buffer *b, uint32_t code, const char *text, int length)
{
    static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt"; // pairs: code point, its letter
    for (const char *s = shorts; *s; s += 2)
        if (code == (unsigned char)*s) {
            ramus_buffer_print(b, "\\%c", s[1]);
            return;
        }
    if (code < 0x20 || code == 0x7F)
        ramus_buffer_print(b, "\\u%04x", (unsigned)code);
    else
        ramus_buffer_add(b, text, (size_t)length);
}

void ramus_buffer_json(ramus_buffer *b, const char *text, size_t size)
{
    ramus_buffer_text(b, "\"");
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        if (n == 0)
            ramus_buffer_text(b, "\xEF\xBF\xBD");
        else
            add_escaped(b, code, text + at, n);
        at += n ? (size_t)n : 1;
    }
    ramus_buffer_text(b, "\"");
}

ramus_status ramus_buffer_check(const ramus_buffer *b, ramus_error *err)
{
    return b->failed ? ramus_fail_memory(err, "output text") : RAMUS_OK;
}
