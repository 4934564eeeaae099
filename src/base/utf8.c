/* A first byte gives the length and the least code point of that length; what decodes to less is
 * an overlong form. */
#include "base/utf8.h"

#include <string.h>

int ramus_utf8_decode(uint32_t *code, const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t value = s[0], least = 0;
    int length = 0;

    if (value < 0x80) {
        *code = value;
        return 1;
    }
    if ((value & 0xE0) == 0xC0) {
        length = 2, least = 0x80, value &= 0x1F;
    } else if ((value & 0xF0) == 0xE0) {
        length = 3, least = 0x800, value &= 0x0F;
    } else if ((value & 0xF8) == 0xF0) {
        length = 4, least = 0x10000, value &= 0x07;
    }
    *code = RAMUS_UTF8_REPLACEMENT;
    if (length == 0 || (size_t)length > size) return 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (s[i] & 0x3F);
    }
    if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    *code = value;
    return length;
}

int ramus_utf8_encode(char out[4], uint32_t code)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = RAMUS_UTF8_REPLACEMENT;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)((0xF00 >> length & 0xFF) | code);
    return length;
}

size_t ramus_utf8_check(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        if (n == 0) return at;
        at += (size_t)n;
    }
    return size;
}

void ramus_utf8_clean(char *message)
{
    for (size_t at = 0, size = strlen(message); at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, message + at, size - at);
        if (n == 0 || code < ' ' || code == 0x7F) message[at] = '?';
        at += n ? (size_t)n : 1;
    }
}
