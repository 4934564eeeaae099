/* What counts as a letter with case is told by text/sentences_chars.h, its other form by
 * text/case.h. */
#include "text/capitals.h"

#include "base/utf8.h"
#include "text/case.h"
#include "text/sentences_chars.h"

#include <string.h>

#define LEAST  4     // capitals: shorter ones are mostly abbreviations
#define ESZETT 0xDFu // U+00DF

bool ramus_capitals_only(const char *text, size_t size)
{
    int n = 0;
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        if (c.kind == RAMUS_CHAR_LOWER && c.code != ESZETT) return false;
        n += c.kind == RAMUS_CHAR_UPPER;
        at += (size_t)c.size;
    }
    return n >= LEAST;
}

void ramus_capitals_drop(char *text, size_t size, bool begins)
{
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        char small[4];
        if (c.kind == RAMUS_CHAR_UPPER && !begins &&
            ramus_utf8_encode(small, ramus_case_lower(c.code)) == c.size)
            memcpy(text + at, small, (size_t)c.size);
        if (ramus_char_is_letter(c.kind)) begins = false;
        at += (size_t)c.size;
    }
}

void ramus_capitals_add(ramus_buffer *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code = 0, codes[RAMUS_CASE_MOST];
        const int bytes = ramus_utf8_decode(&code, text + at, size - at);
        const int n = bytes ? ramus_case_upper(codes, code) : 0;
        for (int i = 0; i < n; i++) {
            char one[4];
            ramus_buffer_add(out, one, (size_t)ramus_utf8_encode(one, codes[i]));
        }
        if (n == 0) ramus_buffer_add(out, text + at, 1);
        at += bytes ? (size_t)bytes : 1;
    }
}
