/* One sorted table of ranges gives the kind of a code point, by binary search; upper and lower
 * case follow from the blocks of letters. */
#include "text/sentences_chars.h"

#include "base/utf8.h"

#define ZWJ 0x200Du

typedef struct char_range {
    uint32_t first, last;
    ramus_char kind;
} char_range;

// clang-format off
/* Sorted. What is not listed and not a cased letter (is_upper, is_lower) is LETTER. */
static const char_range ranges[] = {
    {0x0000, 0x0008, RAMUS_CHAR_SIGN},  {0x0009, 0x0009, RAMUS_CHAR_SPACE},
    {0x000A, 0x000B, RAMUS_CHAR_LINE},  {0x000C, 0x000C, RAMUS_CHAR_PAGE},
    {0x000D, 0x000D, RAMUS_CHAR_LINE},  {0x000E, 0x001F, RAMUS_CHAR_SIGN},
    {0x0020, 0x0020, RAMUS_CHAR_SPACE}, {0x0021, 0x0021, RAMUS_CHAR_ASK},
    {0x0022, 0x0022, RAMUS_CHAR_QUOTE}, {0x0023, 0x0026, RAMUS_CHAR_SIGN},
    {0x0027, 0x0027, RAMUS_CHAR_QUOTE}, {0x0028, 0x0028, RAMUS_CHAR_OPEN},
    {0x0029, 0x0029, RAMUS_CHAR_CLOSE}, {0x002A, 0x002A, RAMUS_CHAR_QUOTE},
    {0x002B, 0x002B, RAMUS_CHAR_SIGN},  {0x002C, 0x002C, RAMUS_CHAR_WEAK},
    {0x002D, 0x002D, RAMUS_CHAR_DASH},  {0x002E, 0x002E, RAMUS_CHAR_POINT},
    {0x002F, 0x002F, RAMUS_CHAR_SIGN},  {0x0030, 0x0039, RAMUS_CHAR_DIGIT},
    {0x003A, 0x003B, RAMUS_CHAR_WEAK},  {0x003C, 0x003E, RAMUS_CHAR_SIGN},
    {0x003F, 0x003F, RAMUS_CHAR_ASK},   {0x0040, 0x0040, RAMUS_CHAR_SIGN},
    {0x0041, 0x005A, RAMUS_CHAR_UPPER}, {0x005B, 0x005B, RAMUS_CHAR_OPEN},
    {0x005C, 0x005C, RAMUS_CHAR_SIGN},  {0x005D, 0x005D, RAMUS_CHAR_CLOSE},
    {0x005E, 0x005E, RAMUS_CHAR_SIGN},  {0x005F, 0x0060, RAMUS_CHAR_QUOTE},
    {0x0061, 0x007A, RAMUS_CHAR_LOWER}, {0x007B, 0x007B, RAMUS_CHAR_OPEN},
    {0x007C, 0x007C, RAMUS_CHAR_SIGN},  {0x007D, 0x007D, RAMUS_CHAR_CLOSE},
    {0x007E, 0x0084, RAMUS_CHAR_SIGN},  {0x0085, 0x0085, RAMUS_CHAR_LINE},
    {0x0086, 0x009F, RAMUS_CHAR_SIGN},  {0x00A0, 0x00A0, RAMUS_CHAR_SPACE},
    {0x00A1, 0x00A1, RAMUS_CHAR_OPEN},  {0x00A2, 0x00A9, RAMUS_CHAR_SIGN},
    {0x00AB, 0x00AB, RAMUS_CHAR_QUOTE}, {0x00AC, 0x00AC, RAMUS_CHAR_SIGN},
    {0x00AD, 0x00AD, RAMUS_CHAR_JOIN},  {0x00AE, 0x00B4, RAMUS_CHAR_SIGN},
    {0x00B6, 0x00B9, RAMUS_CHAR_SIGN},  {0x00BB, 0x00BB, RAMUS_CHAR_QUOTE},
    {0x00BC, 0x00BE, RAMUS_CHAR_DIGIT}, {0x00BF, 0x00BF, RAMUS_CHAR_OPEN},
    {0x00D7, 0x00D7, RAMUS_CHAR_SIGN},  {0x00F7, 0x00F7, RAMUS_CHAR_SIGN},
    {0x0300, 0x036F, RAMUS_CHAR_JOIN},  {0x037E, 0x037E, RAMUS_CHAR_ASK},   // Greek ?
    {0x0387, 0x0387, RAMUS_CHAR_WEAK},  {0x0483, 0x0489, RAMUS_CHAR_JOIN},
    {0x0589, 0x0589, RAMUS_CHAR_STOP},                                      // Armenian
    {0x0591, 0x05BD, RAMUS_CHAR_JOIN},  {0x05BE, 0x05BE, RAMUS_CHAR_DASH},
    {0x05BF, 0x05C7, RAMUS_CHAR_JOIN},  {0x060C, 0x060C, RAMUS_CHAR_WEAK},
    {0x0610, 0x061A, RAMUS_CHAR_JOIN},  {0x061B, 0x061B, RAMUS_CHAR_WEAK},
    {0x061C, 0x061C, RAMUS_CHAR_JOIN},  {0x061F, 0x061F, RAMUS_CHAR_STOP},  // Arabic ?
    {0x064B, 0x065F, RAMUS_CHAR_JOIN},  {0x0660, 0x0669, RAMUS_CHAR_DIGIT},
    {0x0670, 0x0670, RAMUS_CHAR_JOIN},  {0x06D4, 0x06D4, RAMUS_CHAR_STOP},  // Urdu
    {0x06D6, 0x06ED, RAMUS_CHAR_JOIN},  {0x06F0, 0x06F9, RAMUS_CHAR_DIGIT},
    {0x0900, 0x0903, RAMUS_CHAR_JOIN},  {0x093A, 0x093C, RAMUS_CHAR_JOIN},  // Devanagari
    {0x093E, 0x094F, RAMUS_CHAR_JOIN},  {0x0951, 0x0957, RAMUS_CHAR_JOIN},
    {0x0962, 0x0963, RAMUS_CHAR_JOIN},  {0x0964, 0x0965, RAMUS_CHAR_STOP},  // danda
    {0x0966, 0x096F, RAMUS_CHAR_DIGIT}, {0x0981, 0x0983, RAMUS_CHAR_JOIN},
    {0x09BC, 0x09BC, RAMUS_CHAR_JOIN},  {0x09BE, 0x09CD, RAMUS_CHAR_JOIN},  // Bengali
    {0x0A3C, 0x0A4D, RAMUS_CHAR_JOIN},  {0x0ABC, 0x0ABC, RAMUS_CHAR_JOIN},
    {0x0ABE, 0x0ACD, RAMUS_CHAR_JOIN},  {0x0BBE, 0x0BCD, RAMUS_CHAR_JOIN},  // to Tamil
    {0x0C3E, 0x0C4D, RAMUS_CHAR_JOIN},  {0x0CBC, 0x0CBC, RAMUS_CHAR_JOIN},
    {0x0CBE, 0x0CCD, RAMUS_CHAR_JOIN},  {0x0D3E, 0x0D4D, RAMUS_CHAR_JOIN},  // to Malayalam
    {0x0E31, 0x0E31, RAMUS_CHAR_JOIN},  {0x0E34, 0x0E3A, RAMUS_CHAR_JOIN},  // Thai
    {0x0E47, 0x0E4E, RAMUS_CHAR_JOIN},  {0x104A, 0x104B, RAMUS_CHAR_STOP},  // Burmese
    {0x1160, 0x11FF, RAMUS_CHAR_JOIN},  {0x1362, 0x1362, RAMUS_CHAR_STOP},  // jamo; Ethiopic
    {0x1367, 0x1368, RAMUS_CHAR_STOP},  {0x1680, 0x1680, RAMUS_CHAR_SPACE},
    {0x17D4, 0x17D5, RAMUS_CHAR_STOP},  {0x180E, 0x180E, RAMUS_CHAR_JOIN},  // Khmer
    {0x1AB0, 0x1AFF, RAMUS_CHAR_JOIN},  {0x1DC0, 0x1DFF, RAMUS_CHAR_JOIN},
    {0x2000, 0x200B, RAMUS_CHAR_SPACE}, {0x200C, 0x200F, RAMUS_CHAR_JOIN},
    {0x2010, 0x2015, RAMUS_CHAR_DASH},  {0x2016, 0x2017, RAMUS_CHAR_SIGN},
    {0x2018, 0x2019, RAMUS_CHAR_QUOTE}, {0x201A, 0x201A, RAMUS_CHAR_OPEN},
    {0x201B, 0x201D, RAMUS_CHAR_QUOTE}, {0x201E, 0x201E, RAMUS_CHAR_OPEN},
    {0x201F, 0x201F, RAMUS_CHAR_QUOTE}, {0x2020, 0x2025, RAMUS_CHAR_SIGN},
    {0x2026, 0x2026, RAMUS_CHAR_DOTS},  {0x2027, 0x2027, RAMUS_CHAR_SIGN},
    {0x2028, 0x2028, RAMUS_CHAR_LINE},  {0x2029, 0x2029, RAMUS_CHAR_PAGE},
    {0x202A, 0x202E, RAMUS_CHAR_JOIN},  {0x202F, 0x202F, RAMUS_CHAR_SPACE},
    {0x2030, 0x2038, RAMUS_CHAR_SIGN},  {0x2039, 0x203A, RAMUS_CHAR_QUOTE},
    {0x203B, 0x203B, RAMUS_CHAR_SIGN},  {0x203C, 0x203D, RAMUS_CHAR_ASK},
    {0x203E, 0x2046, RAMUS_CHAR_SIGN},  {0x2047, 0x2049, RAMUS_CHAR_ASK},
    {0x204A, 0x205E, RAMUS_CHAR_SIGN},  {0x205F, 0x205F, RAMUS_CHAR_SPACE},
    {0x2060, 0x206F, RAMUS_CHAR_JOIN},  {0x2070, 0x20CF, RAMUS_CHAR_SIGN},
    {0x20D0, 0x20FF, RAMUS_CHAR_JOIN},  {0x2100, 0x25FF, RAMUS_CHAR_SIGN},
    {0x2600, 0x27BF, RAMUS_CHAR_EMOJI}, {0x27C0, 0x2AFF, RAMUS_CHAR_SIGN},
    {0x2B00, 0x2BFF, RAMUS_CHAR_EMOJI}, {0x3000, 0x3000, RAMUS_CHAR_SPACE},
    {0x3001, 0x3001, RAMUS_CHAR_WEAK},  {0x3002, 0x3002, RAMUS_CHAR_STOP},
    {0x3003, 0x3007, RAMUS_CHAR_WIDE},  {0x3008, 0x3008, RAMUS_CHAR_OPEN},
    {0x3009, 0x3009, RAMUS_CHAR_CLOSE}, {0x300A, 0x300A, RAMUS_CHAR_OPEN},
    {0x300B, 0x300B, RAMUS_CHAR_CLOSE}, {0x300C, 0x300C, RAMUS_CHAR_OPEN},
    {0x300D, 0x300D, RAMUS_CHAR_CLOSE}, {0x300E, 0x300E, RAMUS_CHAR_OPEN},
    {0x300F, 0x300F, RAMUS_CHAR_CLOSE}, {0x3010, 0x3010, RAMUS_CHAR_OPEN},
    {0x3011, 0x3011, RAMUS_CHAR_CLOSE}, {0x3012, 0x3013, RAMUS_CHAR_SIGN},
    {0x3014, 0x3014, RAMUS_CHAR_OPEN},  {0x3015, 0x3015, RAMUS_CHAR_CLOSE},
    {0x3016, 0x3016, RAMUS_CHAR_OPEN},  {0x3017, 0x3017, RAMUS_CHAR_CLOSE},
    {0x301C, 0x301C, RAMUS_CHAR_DASH},  {0x301D, 0x301D, RAMUS_CHAR_OPEN},
    {0x301E, 0x301F, RAMUS_CHAR_CLOSE}, {0x3021, 0x3029, RAMUS_CHAR_WIDE},
    {0x302A, 0x302F, RAMUS_CHAR_JOIN},  {0x3031, 0x3098, RAMUS_CHAR_WIDE},
    {0x3099, 0x309A, RAMUS_CHAR_JOIN},  {0x309B, 0x312F, RAMUS_CHAR_WIDE},
    {0x31F0, 0x31FF, RAMUS_CHAR_WIDE},  {0x3200, 0x33FF, RAMUS_CHAR_SIGN},
    {0x3400, 0x4DBF, RAMUS_CHAR_WIDE},  {0x4E00, 0x9FFF, RAMUS_CHAR_WIDE},
    {0xE000, 0xF8FF, RAMUS_CHAR_SIGN},  {0xF900, 0xFAFF, RAMUS_CHAR_WIDE},
    {0xFE00, 0xFE0F, RAMUS_CHAR_JOIN},  {0xFE10, 0xFE10, RAMUS_CHAR_WEAK},
    {0xFE20, 0xFE2F, RAMUS_CHAR_JOIN},  {0xFE41, 0xFE41, RAMUS_CHAR_OPEN},
    {0xFE42, 0xFE42, RAMUS_CHAR_CLOSE}, {0xFE43, 0xFE43, RAMUS_CHAR_OPEN},
    {0xFE44, 0xFE44, RAMUS_CHAR_CLOSE}, {0xFE52, 0xFE52, RAMUS_CHAR_POINT},
    {0xFEFF, 0xFEFF, RAMUS_CHAR_SPACE}, {0xFF01, 0xFF01, RAMUS_CHAR_STOP},  // full-width !
    {0xFF02, 0xFF02, RAMUS_CHAR_QUOTE}, {0xFF03, 0xFF06, RAMUS_CHAR_SIGN},
    {0xFF07, 0xFF07, RAMUS_CHAR_QUOTE}, {0xFF08, 0xFF08, RAMUS_CHAR_OPEN},
    {0xFF09, 0xFF09, RAMUS_CHAR_CLOSE}, {0xFF0A, 0xFF0B, RAMUS_CHAR_SIGN},
    {0xFF0C, 0xFF0C, RAMUS_CHAR_WEAK},  {0xFF0D, 0xFF0D, RAMUS_CHAR_DASH},
    {0xFF0E, 0xFF0E, RAMUS_CHAR_POINT}, {0xFF0F, 0xFF0F, RAMUS_CHAR_SIGN},
    {0xFF10, 0xFF19, RAMUS_CHAR_DIGIT}, {0xFF1A, 0xFF1B, RAMUS_CHAR_WEAK},
    {0xFF1C, 0xFF1E, RAMUS_CHAR_SIGN},  {0xFF1F, 0xFF1F, RAMUS_CHAR_STOP},  // full-width ?
    {0xFF20, 0xFF20, RAMUS_CHAR_SIGN},  {0xFF3B, 0xFF3B, RAMUS_CHAR_OPEN},
    {0xFF3C, 0xFF3C, RAMUS_CHAR_SIGN},  {0xFF3D, 0xFF3D, RAMUS_CHAR_CLOSE},
    {0xFF3E, 0xFF40, RAMUS_CHAR_SIGN},  {0xFF5B, 0xFF5B, RAMUS_CHAR_OPEN},
    {0xFF5C, 0xFF5C, RAMUS_CHAR_SIGN},  {0xFF5D, 0xFF5D, RAMUS_CHAR_CLOSE},
    {0xFF5E, 0xFF5E, RAMUS_CHAR_DASH},  {0xFF61, 0xFF61, RAMUS_CHAR_STOP},
    {0xFF62, 0xFF62, RAMUS_CHAR_OPEN},  {0xFF63, 0xFF63, RAMUS_CHAR_CLOSE},
    {0xFF64, 0xFF64, RAMUS_CHAR_WEAK},  {0xFF65, 0xFF9F, RAMUS_CHAR_WIDE},
    {0xFFFC, 0xFFFC, RAMUS_CHAR_SIGN},                                      // embedded object
    {0x1F000, 0x1F3FA, RAMUS_CHAR_EMOJI}, {0x1F3FB, 0x1F3FF, RAMUS_CHAR_JOIN}, // skin tones
    {0x1F400, 0x1FAFF, RAMUS_CHAR_EMOJI}, {0x20000, 0x3FFFF, RAMUS_CHAR_WIDE},
    {0xE0001, 0xE007F, RAMUS_CHAR_JOIN},  {0xE0100, 0xE01EF, RAMUS_CHAR_JOIN},
    {0xF0000, 0x10FFFF, RAMUS_CHAR_SIGN}, // private use
};
// clang-format on

/* Letters that come in pairs, upper case first: the first one is even (odd if not listed). */
static bool pairs_start_even(uint32_t c)
{
    return !((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E) ||
             (c >= 0x1CD && c <= 0x1DC) || (c >= 0x4C1 && c <= 0x4CE));
}

static ramus_char letter_kind(uint32_t c)
{
    const bool upper_of_pair = pairs_start_even(c) == (c % 2 == 0);

    if (c >= 0xC0 && c <= 0xDE) return RAMUS_CHAR_UPPER;
    if (c >= 0xDF && c <= 0xFF) return RAMUS_CHAR_LOWER;
    if (c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17F) return RAMUS_CHAR_LOWER;
    if (c == 0x130 || c == 0x178 || c == 0x1E9E) return RAMUS_CHAR_UPPER;
    if ((c >= 0x100 && c <= 0x17E) || (c >= 0x1CD && c <= 0x1EF) || (c >= 0x1F4 && c <= 0x233) ||
        (c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1EFF))
        return upper_of_pair ? RAMUS_CHAR_UPPER : RAMUS_CHAR_LOWER;
    if (c >= 0x180 && c <= 0x24F)
        return RAMUS_CHAR_LOWER; // rare ones: never start a sentence alone
    if (c >= 0x250 && c <= 0x2AF) return RAMUS_CHAR_LOWER;
    if ((c >= 0x386 && c <= 0x38F) || (c >= 0x391 && c <= 0x3AB)) return RAMUS_CHAR_UPPER;
    if (c == 0x390 || (c >= 0x3AC && c <= 0x3CE)) return RAMUS_CHAR_LOWER;
    if (c >= 0x400 && c <= 0x42F) return RAMUS_CHAR_UPPER;
    if (c >= 0x430 && c <= 0x45F) return RAMUS_CHAR_LOWER;
    if (c >= 0x531 && c <= 0x556) return RAMUS_CHAR_UPPER;
    if (c >= 0x561 && c <= 0x587) return RAMUS_CHAR_LOWER;
    if (c >= 0x1F00 && c <= 0x1FFC) return c & 8 ? RAMUS_CHAR_UPPER : RAMUS_CHAR_LOWER;
    if (c >= 0xFF21 && c <= 0xFF3A) return RAMUS_CHAR_UPPER;
    if (c >= 0xFF41 && c <= 0xFF5A) return RAMUS_CHAR_LOWER;
    return RAMUS_CHAR_LETTER;
}

ramus_char ramus_char_kind(uint32_t code)
{
    int low = 0, high = (int)(sizeof ranges / sizeof ranges[0]);

    if (code - 'a' < 26) return RAMUS_CHAR_LOWER; // the most frequent answer
    while (low < high) {
        const int middle = (low + high) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < (int)(sizeof ranges / sizeof ranges[0]) && code >= ranges[low].first)
        return ranges[low].kind;
    return letter_kind(code);
}

ramus_char_at ramus_char_read(const char *text, size_t size, size_t at)
{
    ramus_char_at c = {0, RAMUS_CHAR_END, 0};

    if (at >= size) return c;
    c.size = ramus_utf8_decode(&c.code, text + at, size - at);
    c.kind = c.size ? ramus_char_kind(c.code) : RAMUS_CHAR_LETTER;
    if (c.size == 0) c.size = 1;
    return c;
}

ramus_char_at ramus_char_back(const char *text, size_t least, size_t at)
{
    ramus_char_at c = {0, RAMUS_CHAR_END, 0};

    for (int back = 1; back <= 4 && at >= least + (size_t)back; back++) {
        c.size = ramus_utf8_decode(&c.code, text + at - back, (size_t)back);
        if (c.size == back) {
            c.kind = ramus_char_kind(c.code);
            return c;
        }
    }
    c.size = at > least;
    c.kind = at > least ? RAMUS_CHAR_LETTER : RAMUS_CHAR_END;
    return c;
}

size_t ramus_char_skip_joins(const char *text, size_t size, size_t at)
{
    ramus_char_at c = ramus_char_read(text, size, at);
    while (c.kind == RAMUS_CHAR_JOIN) {
        at += (size_t)c.size;
        c = ramus_char_read(text, size, at);
    }
    return at;
}

size_t ramus_char_skip_space(const char *text, size_t size, size_t at)
{
    ramus_char_at c = ramus_char_read(text, size, at);
    while (ramus_char_is_space(c.kind)) {
        at += (size_t)c.size;
        c = ramus_char_read(text, size, at);
    }
    return at;
}

static bool is_flag_letter(uint32_t code)
{
    return code >= 0x1F1E6 && code <= 0x1F1FF;
}

/* The sign that binds two consonants in the scripts of India. */
static bool is_virama(uint32_t code)
{
    return code >= 0x94D && code <= 0xD4D && (code & 0x7F) == 0x4D;
}

bool ramus_char_joined(const char *text, size_t size, size_t least, size_t at)
{
    const ramus_char_at after = ramus_char_read(text, size, at);
    ramus_char_at before = ramus_char_back(text, least, at);
    int flags = 0;

    if (before.size == 0 || after.size == 0) return false;
    if (after.kind == RAMUS_CHAR_JOIN || before.code == ZWJ || is_virama(before.code)) return true;
    if (before.code == '\r' && after.code == '\n') return true;
    if (!is_flag_letter(after.code)) return false;
    while (is_flag_letter(before.code) && flags < 64) { // a flag is two letters
        at -= (size_t)before.size;
        before = ramus_char_back(text, least, at);
        flags++;
    }
    return flags % 2 == 1;
}
