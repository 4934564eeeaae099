/* Placeholders that programs fill in: the printf family, braces of many templates, variables of
 * shells. A sign of percent behind a number is none. Braces hold a name, or are told by their first
 * signs; their end is looked for within a bound. */
#include "text/spans_rules.h"

#include <string.h>

#define MAX_NAME  64   // bytes of a name in braces
#define MAX_BRACE 1000 // bytes of a template in braces

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

/* Whether a number stands before the sign of percent at `at`. */
static bool behind_number(const ramus_span_text *t, size_t at)
{
    if (at > 0 && ramus_is_digit(t->text[at - 1])) return true;
    const ramus_char_at c = ramus_char_back(t->text, 0, at);
    const size_t before = at - (size_t)c.size;
    return c.kind == RAMUS_CHAR_SPACE && before > 0 && ramus_is_digit(t->text[before - 1]);
}

/* Behind the bracket that closes the one at `at`, within `most` bytes; else 0. */
static size_t balanced(const ramus_span_text *t, size_t at, char open, char close, size_t most)
{
    int depth = 0;
    for (size_t i = at; i < t->size && i - at < most; i++) {
        if (t->text[i] == open) depth++;
        if (t->text[i] == close && --depth == 0) return i + 1;
    }
    return 0;
}

/* Behind a name in brackets at `at`: no white space, no second bracket; else 0. */
static size_t named(const ramus_span_text *t, size_t at, char close)
{
    size_t i = at + 1;
    while (i < t->size && i - at < MAX_NAME &&
           (ramus_is_alnum(t->text[i]) || (t->text[i] && strchr("_.$:!-[]#@/+*,'", t->text[i]))))
        i++;
    return byte(t, i) == close ? i + 1 : 0;
}

/* %NAME% at `at`, as in Windows; 0 if it is not one. */
static size_t between_signs(const ramus_span_text *t, size_t at)
{
    size_t i = at + 1;
    while (ramus_is_alpha(byte(t, i)) || byte(t, i) == '_')
        i++;
    const bool ends = i - at >= 4 && byte(t, i) == '%' && !ramus_is_alnum(byte(t, i + 1));
    return ends ? i + 1 - at : 0;
}

size_t ramus_span_percent(const ramus_span_text *t, size_t at)
{
    size_t i = at + 1;

    if (behind_number(t, at)) return 0;
    if (between_signs(t, at)) return between_signs(t, at);
    if (byte(t, i) == '%') return 2;
    if (byte(t, i) == '{' || byte(t, i) == '<') {
        const size_t end = named(t, i, t->text[i] == '{' ? '}' : '>');
        return end ? end + (t->text[i] == '<' && ramus_is_alpha(byte(t, end))) - at : 0;
    }
    if (byte(t, i) == '(') {
        i = named(t, i, ')');
        if (i == 0) return 0;
    } else if (ramus_is_digit(byte(t, i))) { // %1 of Qt, %1$s
        const size_t n = ramus_span_digits(t, i, 3);
        if (byte(t, i + n) == '$')
            i += n + 1;
        else if (n <= 2 && byte(t, i) != '0' && !ramus_span_word(t, i + n) && byte(t, i + n) != '.')
            return 1 + n;
    }
    const size_t flags = i;
    while (byte(t, i) && strchr("-+#0'", byte(t, i)))
        i++;
    const size_t width = i;
    i += byte(t, i) == '*' ? 1 : ramus_span_digits(t, i, 4);
    if (byte(t, i) == '.') i += 1 + (byte(t, i + 1) == '*' ? 1 : ramus_span_digits(t, i + 1, 4));
    const bool sized = i > width;
    if (width > flags && !sized && byte(t, flags) == '-') return 0; // %-Satz
    for (int k = 0; k < 2 && byte(t, i) && strchr("hlLqjzt", byte(t, i)); k++)
        if (ramus_is_alpha(byte(t, i + 1))) i++;
    const char conversion = byte(t, i), next = byte(t, i + 1);
    if (!ramus_is_alpha(conversion) && conversion != '@') return 0;
    if (!ramus_span_word(t, i + 1) || next == '_') return i + 1 - at;
    return strchr("sduixXcfg@", conversion) ? i + 1 - at : 0;
}

/* "{count, plural, ...}" of ICU. */
static bool is_message(const ramus_span_text *t, size_t at)
{
    static const char kinds[] =
        "plural select selectordinal number date time duration spellout ordinal choice";
    size_t i = at + 1;
    while (i - at < MAX_NAME &&
           (ramus_is_alnum(byte(t, i)) || byte(t, i) == '_' || byte(t, i) == '$'))
        i++;
    if (i == at + 1 || byte(t, i) != ',') return false;
    i += 1 + (byte(t, i + 1) == ' ');
    size_t n = 0;
    while (n < MAX_NAME && ramus_is_lower(byte(t, i + n)))
        n++;
    return i + n < t->size && ramus_span_listed(kinds, t->text + i, n);
}

size_t ramus_span_brace(const ramus_span_text *t, size_t at)
{
    const char next = byte(t, at + 1);
    size_t end = 0;

    if (next == '{' || next == '%' || next == '#' || is_message(t, at)) {
        end = balanced(t, at, '{', '}', MAX_BRACE);
        return end > at + 4 ? end - at : 0;
    }
    if (next == '}') return 2;
    if (next == ' ') { // { name }
        size_t i = at + 2;
        while (i - at < MAX_NAME &&
               (ramus_is_alnum(byte(t, i)) || byte(t, i) == '_' || byte(t, i) == '.'))
            i++;
        return i > at + 2 && ramus_span_has(t, i, " }") ? i + 2 - at : 0;
    }
    end = named(t, at, '}');
    return end ? end - at : 0;
}

size_t ramus_span_sigil(const ramus_span_text *t, size_t at)
{
    const char sign = t->text[at], next = byte(t, at + 1);
    size_t end = 0;

    if (next == '{')
        end = sign == '$' ? balanced(t, at + 1, '{', '}', MAX_NAME * 2) : named(t, at + 1, '}');
    if (sign == '$' && next == '(') end = balanced(t, at + 1, '(', ')', MAX_NAME * 2);
    if (sign != '#' && (ramus_is_upper(next) || next == '_')) { // $HOME, @VERSION@
        size_t i = at + 1;
        while (ramus_is_upper(byte(t, i)) || ramus_is_digit(byte(t, i)) || byte(t, i) == '_')
            i++;
        if (sign == '$' && i - at >= 3 && !ramus_span_word(t, i)) end = i;
        if (sign == '@' && i - at >= 4 && byte(t, i) == '@') end = i + 1;
    }
    return end > at + 3 || (end && sign == '$') ? end - at : 0;
}
