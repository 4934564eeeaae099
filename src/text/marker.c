/* Signs are looked up, numbers are read: one to three digits or ideographs, or a letter, with a
 * point or a bracket behind them. */
#include "text/marker.h"

#include "text/sentences_chars.h"

static bool is_bullet(uint32_t code)
{
    return code == '*' || code == 0x2022 || code == 0x2023 || code == 0x25E6 || code == 0x2043 ||
           (code >= 0x25A0 && code <= 0x25FF) || code == 0xB7 || code == 0x30FB ||
           (code >= 0x2713 && code <= 0x2717) || (code >= 0x27A4 && code <= 0x27BE);
}

static bool is_ideographic_number(uint32_t code)
{
    static const uint32_t numbers[] = {0x4E00, 0x4E8C, 0x4E09, 0x56DB, 0x4E94,
                                       0x516D, 0x4E03, 0x516B, 0x4E5D, 0x5341};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (code == numbers[i]) return true;
    return false;
}

static bool space_at(const char *text, size_t size, size_t at)
{
    const ramus_char kind = ramus_char_read(text, size, at).kind;
    return ramus_char_is_space(kind) || kind == RAMUS_CHAR_END;
}

/* "12." "12)" "(12)" "b)" and, with full-width signs, the same without a space after it. */
static ramus_marker read_number(const char *text, size_t size, size_t start)
{
    size_t at = start;
    ramus_char_at c = ramus_char_read(text, size, at);
    const bool bracket = c.code == '(' || c.code == 0xFF08;
    int digits = 0, letters = 0, ideographs = 0, value = 0;

    if (bracket) at += (size_t)c.size;
    for (;; at += (size_t)c.size) {
        c = ramus_char_read(text, size, at);
        if (c.code >= '0' && c.code <= '9' && digits < 3)
            digits++, value = value * 10 + (int)(c.code - '0');
        else if (is_ideographic_number(c.code) && ideographs < 3)
            ideographs++;
        else if (c.code - 'a' < 26 && letters == 0)
            letters++;
        else
            break;
    }
    const size_t end = at + (size_t)c.size;
    ramus_marker m = {RAMUS_MARKER_NONE, digits ? value : -1, end - start};
    if ((digits > 0) + (letters > 0) + (ideographs > 0) != 1) return (ramus_marker){.number = -1};
    const bool space = space_at(text, size, end);
    if (c.code == 0xFF09 || (c.code == 0x3001 && !letters) ||
        (c.code == ')' && (space || ideographs)))
        m.kind = RAMUS_MARKER_SURE;
    else if (c.code == '.' && digits && !bracket && space)
        m.kind = RAMUS_MARKER_NUMBER;
    else
        m = (ramus_marker){.number = -1};
    return m;
}

ramus_marker ramus_marker_read(const char *text, size_t size, size_t at)
{
    const ramus_char_at c = ramus_char_read(text, size, at);
    ramus_marker sign = {RAMUS_MARKER_NONE, -1, (size_t)c.size};
    size_t hashes = 0;

    while (hashes < 7 && at + hashes < size && text[at + hashes] == '#')
        hashes++;
    if (hashes > 0 && hashes < 7 && space_at(text, size, at + hashes))
        return (ramus_marker){RAMUS_MARKER_HEADING, -1, hashes};
    if (c.kind == RAMUS_CHAR_END) return sign;
    const bool space = space_at(text, size, at + (size_t)c.size);
    if ((c.code >= 0x2460 && c.code <= 0x2473) ||
        (space && is_bullet(c.code))) // number in a circle
        sign.kind = RAMUS_MARKER_SURE;
    else if (space && (c.kind == RAMUS_CHAR_DASH || c.code == '+'))
        sign.kind = RAMUS_MARKER_DASH;
    return sign.kind ? sign : read_number(text, size, at);
}
