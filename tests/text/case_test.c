/* Capital letters: examples of the Unicode standard, and laws over all code points. */
#include "base/utf8.h"
#include "text/case.h"

#include "check.h"

typedef int change(uint32_t out[RAMUS_CASE_MOST], uint32_t code);

/* Every code point of `text` changed. */
static const char *changed(char *out, const char *text, change *to)
{
    size_t used = 0;
    for (size_t at = 0; at < strlen(text);) {
        uint32_t code = 0, codes[RAMUS_CASE_MOST];
        at += (size_t)ramus_utf8_decode(&code, text + at, strlen(text) - at);
        const int n = to(codes, code);
        for (int i = 0; i < n; i++)
            used += (size_t)ramus_utf8_encode(out + used, codes[i]);
    }
    out[used] = '\0';
    return out;
}

static void examples(void)
{
    static const char *const rows[][3] = {
        // text, all upper, each one as a first letter
        {"azAZ09 .-[`{@", "AZAZ09 .-[`{@", "AZAZ09 .-[`{@"},
        {"äöüßÄ", "ÄÖÜSSÄ", "ÄÖÜSsÄ"},
        {"éèçœÿšğı", "ÉÈÇŒŸŠĞI", "ÉÈÇŒŸŠĞI"},
        {"µ¿×÷", "Μ¿×÷", "Μ¿×÷"},
        {"αβγςάώ\u0390", "ΑΒΓΣΆΏ\u0399\u0308\u0301", "ΑΒΓΣΆΏ\u0399\u0308\u0301"},
        {"абвгяёђћ", "АБВГЯЁЂЋ", "АБВГЯЁЂЋ"},
        {"աֆև", "ԱՖԵՒ", "ԱՖԵւ"},
        {"აჰ", "ᲐᲰ", "აჰ"},
        {"ǆ ﬁ ﬃ", "Ǆ FI FFI", "ǅ Fi Ffi"},
        {"ẞ 你好 ひらがな عربي", "ẞ 你好 ひらがな عربي", "ẞ 你好 ひらがな عربي"},
        {"𐐨ａ", "𐐀Ａ", "𐐀Ａ"},
    };
    char out[200];
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        EXPECT_TEXT(changed(out, rows[i][0], ramus_case_upper), rows[i][1]);
        EXPECT_TEXT(changed(out, rows[i][0], ramus_case_title), rows[i][2]);
    }
}

/* What is upper case stays as it is. */
static void upper_case_is_its_own(void)
{
    int n_changed = 0, n_long = 0;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint32_t once[RAMUS_CASE_MOST], twice[RAMUS_CASE_MOST];
        const int n = ramus_case_upper(once, code);
        EXPECT(n >= 1 && n <= RAMUS_CASE_MOST, "U+%04X becomes %d", (unsigned)code, n);
        for (int i = 0; i < n; i++)
            EXPECT(ramus_case_upper(twice, once[i]) == 1 && twice[0] == once[i],
                   "U+%04X becomes U+%04X, which is not upper case", (unsigned)code,
                   (unsigned)once[i]);
        n_changed += n > 1 || once[0] != code;
        n_long += n > 1;
    }
    // python3.11: sum(chr(c).upper() != chr(c) for c in range(0x110000)), and with len(..) > 1
    EXPECT_INT(n_changed, 1525, "code points with another upper case");
    EXPECT_INT(n_long, 102, "code points that become several");
}

CHECK_MAIN({"examples", examples}, {"upper_case_is_its_own", upper_case_is_its_own})
