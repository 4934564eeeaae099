/* Signs: emoji as whole as a reader sees them, smileys that stand alone, hashtags and mentions,
 * characters of private use, control characters. */
#include "text/spans_rules.h"

#include <string.h>

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

static bool is_pictogram(uint32_t code)
{
    return code == 0x231A || code == 0x231B || (code >= 0x23E9 && code <= 0x23FA);
}

/* The bytes of one emoji with what is joined to it, or 0. */
static size_t emoji_size(const ramus_span_text *t, size_t at)
{
    const ramus_char_at c = ramus_char_read(t->text, t->size, at);
    size_t end = at + (size_t)c.size;
    const bool varied = c.size && ramus_char_read(t->text, t->size, end).code == 0xFE0F;
    const size_t key = end + (varied ? 3 : 0);
    const bool keycap = c.size && ramus_char_read(t->text, t->size, key).code == 0x20E3;
    const bool sign = c.kind == RAMUS_CHAR_SIGN || c.kind == RAMUS_CHAR_ASK || c.code == 0x3030;
    const bool tone = c.code >= 0x1F3FB && c.code <= 0x1F3FF;

    if (c.kind != RAMUS_CHAR_EMOJI && !tone && !is_pictogram(c.code) && !keycap &&
        !(varied && sign && c.code >= 0x80))
        return 0;
    while (end < t->size && ramus_char_joined(t->text, t->size, at, end))
        end += (size_t)ramus_char_read(t->text, t->size, end).size;
    return end - at;
}

size_t ramus_span_emoji(const ramus_span_text *t, size_t at)
{
    size_t end = at;
    for (size_t n = emoji_size(t, at); n; n = emoji_size(t, end))
        end += n;
    return end - at;
}

size_t ramus_span_smiley(const ramus_span_text *t, size_t at)
{
    static const char *const smileys[] = {
        ":-)", ":)",  ";-)", ";)",   ":-D",  ":D",   ";D",   ":-P", ":P",  ":-p", ":p",
        ";-P", ";P",  ":-(", ":(",   ":'(",  ":'-(", ":'-)", ":')", ":-/", ":/",  ":-\\",
        ":\\", ":-|", ":|",  ":-O",  ":-o",  ":O",   ":o",   ":-*", ":*",  ":3",  "<3",
        "</3", "XD",  "xD",  "^^",   "^_^",  "-_-",  "=)",   "=(",  "=D",  ":]",  ":[",
        ":>",  ":-]", ":))", ":-))", ":)))", ":((",  ";-))", ":-X", ":-x", ">:(", ">:-(",
        ">:)", "B-)", ":-S", ":-$",  "o_O",  "O_o",
    };

    const ramus_char_at before = ramus_char_back(t->text, 0, at);
    if (before.size && !ramus_char_is_space(before.kind) && before.kind != RAMUS_CHAR_QUOTE)
        return 0;
    for (size_t i = 0; i < sizeof smileys / sizeof smileys[0]; i++) {
        if (t->text[at] != smileys[i][0] || !ramus_span_has(t, at, smileys[i])) continue;
        const size_t n = strlen(smileys[i]);
        const ramus_char_at after = ramus_char_read(t->text, t->size, at + n);
        if (after.size == 0 || ramus_char_is_space(after.kind) || after.kind == RAMUS_CHAR_QUOTE ||
            after.code == ',' || ramus_char_is_mark(after.kind))
            return n;
    }
    return 0;
}

size_t ramus_span_handle(const ramus_span_text *t, size_t at)
{
    const bool hash = t->text[at] == '#';
    size_t i = at + 1, letters = 0;

    if (ramus_span_in_word(t, at, true) || (at > 0 && strchr("&@#/.", t->text[at - 1]))) return 0;
    for (;;) {
        const size_t n =
            hash ? ramus_span_word(t, i) : ramus_is_alnum(byte(t, i)) || byte(t, i) == '_';
        if (n == 0) break;
        letters += !ramus_is_digit(t->text[i]);
        i += n;
    }
    if (i - at < 3 || letters == 0) return 0;
    if (!hash && byte(t, i) == '@' && ramus_is_alpha(byte(t, i + 1))) { // @tom@example.org
        const size_t rest = ramus_span_email(t, at + 1);
        if (rest) return rest + 1;
    }
    if (!hash && byte(t, i) == '/' && ramus_is_alpha(byte(t, i + 1))) // @scope/package
        for (i++; ramus_is_alnum(byte(t, i)) ||
                  ((byte(t, i) == '-' || byte(t, i) == '_') && ramus_is_alnum(byte(t, i + 1)));)
            i++;
    return hash || !ramus_span_word(t, i) ? i - at : 0;
}

static bool is_private(uint32_t code)
{
    return (code >= 0xE000 && code <= 0xF8FF) || code >= 0xF0000 || code == 0xFFFC;
}

size_t ramus_span_private(const ramus_span_text *t, size_t at)
{
    size_t end = at;
    for (ramus_char_at c = ramus_char_read(t->text, t->size, at); c.size && is_private(c.code);
         c = ramus_char_read(t->text, t->size, end))
        end += (size_t)c.size;
    return end - at;
}

/* Control characters; the bytes of a terminal's escape sequence belong to it. */
size_t ramus_span_control(const ramus_span_text *t, size_t at)
{
    const ramus_char_at c = ramus_char_read(t->text, t->size, at);
    size_t i = at + 2;

    if (!(c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0)) || ramus_char_is_space(c.kind))
        return 0;
    if (!ramus_span_has(t, at, "\033[")) return (size_t)c.size;
    while (ramus_is_digit(byte(t, i)) || byte(t, i) == ';' || byte(t, i) == '?')
        i++;
    return ramus_is_alpha(byte(t, i)) ? i + 1 - at : 1;
}
