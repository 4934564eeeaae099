/* What is known not to be a letter is left out by blocks of Unicode: the rest counts as letters. */
#include "text/letters.h"

#include "base/utf8.h"

bool ramus_letter(uint32_t code)
{
    if (code < 0x80) return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA;
    if (code >= 0x2000 && code < 0x2C00) return false; // punctuation, symbols, arrows, boxes
    if (code >= 0x3000 && code < 0x3041) return code == 0x3005 || code == 0x3007;
    if (code >= 0xE000 && code < 0xF900) return false; // private use
    if (code >= 0xFE00 && code < 0xFE70) return false; // variants, vertical forms
    if (code >= 0xFF00 && code < 0xFF21) return false; // full-width signs and digits
    if (code >= 0xFFF0 && code < 0x10000) return false;
    if (code >= 0x1F000 && code < 0x20000) return false; // emoji
    return code != 0xD7 && code != 0xF7 && code < 0xE0000;
}

bool ramus_has_letter(const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + i, size - i);
        if (n && ramus_letter(code)) return true;
        i += n ? (size_t)n : 1;
    }
    return false;
}
