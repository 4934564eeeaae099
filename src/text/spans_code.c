/* What is written for machines: code between backticks, options of commands, names that no language
 * has, tags and entities of HTML. A word in angle brackets is a tag if its name is a known one, it
 * has attributes, or its end follows. */
#include "text/spans_rules.h"

#include <string.h>

#define MAX_PAGE 64  // bytes of the name of a page of the manual
#define MAX_CODE 200 // bytes between backticks
#define MAX_TAG  400 // bytes of a tag, and bytes behind it in which its end is looked for

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

/* The offset of `word` at `at` or up to `most` bytes behind, or 0. */
static size_t find(const ramus_span_text *t, size_t at, size_t most, const char *word)
{
    for (size_t i = at; i < t->size && i - at <= most; i++)
        if (t->text[i] == word[0] && ramus_span_has(t, i, word)) return i;
    return 0;
}

size_t ramus_span_code(const ramus_span_text *t, size_t at)
{
    const char *fence = ramus_span_has(t, at, "``") ? "``" : "`";
    const size_t n = strlen(fence), start = at + n;
    const size_t end = find(t, start + 1, MAX_CODE, fence);

    if (end == 0 || ramus_span_in_word(t, at, true) || byte(t, at - (at > 0)) == '\\') return 0;
    if (at > 0 && t->text[at - 1] == '`') return 0;
    const char before = t->text[end - 1];
    if (n == 1 && (byte(t, start) == ' ' || before == ' ' || before == '(')) return 0;
    for (size_t i = start; i < end; i++) // `quoted' and ``quoted'' are quotations
        if (t->text[i] == '\n' || (t->text[i] == '\'' && i + 1 < end &&
                                   (t->text[i + 1] == ' ' || t->text[i + 1] == '\'')))
            return 0;
    if (byte(t, end + n) == '`' || ramus_span_word(t, end + n)) return 0;
    return end + n - at;
}

size_t ramus_span_option(const ramus_span_text *t, size_t at)
{
    size_t i = at + 2;

    if (!ramus_span_set_off(t, at)) return 0;
    if (ramus_is_alpha(byte(t, at + 1))) { // -o
        const char next = byte(t, i), before = at > 0 ? t->text[at - 1] : ' ';
        const bool ends = i >= t->size || (next && strchr(" \t\n,;.)]|'\"`/", next));
        return ends && strchr(" \t\n([|'\"`,", before) ? 2 : 0;
    }
    if (byte(t, at + 1) != '-' || !ramus_is_lower(byte(t, i))) return 0;
    while (ramus_is_alnum(byte(t, i)) ||
           ((byte(t, i) == '-' || byte(t, i) == '_') && ramus_is_alnum(byte(t, i + 1)) &&
            !ramus_is_upper(byte(t, i + 1)))) // --verbose-Option
        i++;
    if (i - at < 4 || ramus_span_word(t, i)) return 0;
    if (byte(t, i) == '=' && !ramus_is_upper(byte(t, i + 1))) { // FILE is language
        size_t end = ++i;
        while (ramus_is_alnum(byte(t, end)) || (byte(t, end) && strchr("-_./:,@%", byte(t, end)))) {
            end++;
            if (!strchr(".,:", t->text[end - 1])) i = end;
        }
    }
    return i - at;
}

/* Behind the letters, digits and underscores at `at`. */
static size_t part_end(const ramus_span_text *t, size_t at, bool *underscore)
{
    const size_t start = at;
    while (ramus_is_alnum(byte(t, at)) || byte(t, at) == '_') {
        const bool edge = at == start || !ramus_is_alnum(byte(t, at + 1));
        *underscore |= t->text[at] == '_' && (!edge || byte(t, at + 1) == '_');
        at++;
    }
    return at;
}

/* "dpkg-reconfigure(8)": a page of the manual. */
static size_t manual_size(const ramus_span_text *t, size_t at)
{
    size_t i = at;
    while (i - at < MAX_PAGE &&
           (ramus_is_alnum(byte(t, i)) || (byte(t, i) && strchr("_-.:", byte(t, i)))))
        i++;
    if (i == at || byte(t, i) != '(' || byte(t, i + 1) < '1' || byte(t, i + 1) > '9') return 0;
    const size_t close = i + 2 + ramus_is_lower(byte(t, i + 2));
    return byte(t, close) == ')' && !ramus_span_word(t, close + 1) ? close + 1 - at : 0;
}

size_t ramus_span_identifier(const ramus_span_text *t, size_t at)
{
    bool underscore = false, joined = false;

    if (ramus_span_in_word(t, at, true)) return 0;
    if (manual_size(t, at)) return manual_size(t, at);
    size_t i = part_end(t, at, &underscore);
    if (ramus_span_word(t, i)) return 0;
    for (;;) { // a::b, a->b, and a.b if one of them is a name in any case
        const bool point = byte(t, i) == '.';
        const size_t next = i + (point ? 1 : 2);
        bool of_part = false;
        if (!point && !ramus_span_has(t, i, "::") && !ramus_span_has(t, i, "->")) break;
        if (!ramus_is_alpha(byte(t, next)) && byte(t, next) != '_') break;
        const size_t end = part_end(t, next, &of_part);
        if (ramus_span_word(t, end)) break;
        if (point && !underscore && !of_part && byte(t, end) != '(') break;
        joined |= !point;
        underscore |= of_part;
        i = end;
    }
    const size_t name = i - at;
    if (ramus_span_has(t, i, "()")) return name + 2;
    return (underscore || joined) && name > 2 ? name : 0;
}

static bool is_hex(char c)
{
    return ramus_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

#define MAX_ESCAPE 20 // bytes of the name of a command

/* A letter behind \n, \t or \r may begin a word: "\nNext". In a word there is no other name. */
size_t ramus_span_escape(const ramus_span_text *t, size_t at)
{
    const char name = byte(t, at + 1), next = byte(t, at + 2);
    size_t i = at + 1;

    if (at > 0 && t->text[at - 1] == '\\') return 0;
    if (name == 'u' || name == 'x')
        while (i - at < 6 && is_hex(byte(t, i + 1)))
            i++;
    if (i - at >= 3) return i + 1 - at;
    if (name && strchr("ntr", name) && (!ramus_is_lower(next) || ramus_span_in_word(t, at, true)))
        return 2;
    if (!ramus_span_set_off(t, at)) return 0;
    for (i = at + 1; i - at <= MAX_ESCAPE && ramus_is_alnum(byte(t, i)); i++)
        ;
    return ramus_is_alpha(name) && i - at <= MAX_ESCAPE && !ramus_span_word(t, i) ? i - at : 0;
}

/* Without those that people write as words: <address>, <option>. These are tags if they end. */
static const char tags[] =
    "a abbr b bdi bdo blockquote body br code col colgroup dd del dfn div dl dt em fieldset "
    "figcaption font h1 h2 h3 h4 h5 h6 head hr html i iframe img ins kbd li nav noscript ol "
    "optgroup p para pre q rp rt ruby s samp small span strike strong sub sup svg tbody td "
    "textarea tfoot th thead tr tt u ul wbr";

/* <name@x.org>, <https://x.org> */
static size_t linked(const ramus_span_text *t, size_t at)
{
    size_t n = ramus_is_alpha(byte(t, at + 1)) ? ramus_span_url(t, at + 1) : 0;
    if (n == 0 && ramus_is_alnum(byte(t, at + 1))) n = ramus_span_email(t, at + 1);
    return n > 0 && byte(t, at + 1 + n) == '>' ? n + 2 : 0;
}

/* From the sign at `at` to `close`, inclusive. */
static size_t enclosed(const ramus_span_text *t, size_t at, const char *close)
{
    const size_t end = find(t, at + 2, MAX_TAG, close);
    return end ? end + strlen(close) - at : 0;
}

size_t ramus_span_tag(const ramus_span_text *t, size_t at)
{
    const char c = byte(t, at + 1);
    const bool closes = c == '/';
    const size_t name = at + 1 + closes;
    size_t i = name;
    char quote = '\0';
    bool attribute = false;

    if (ramus_span_has(t, at, "<!--")) return enclosed(t, at, "-->");
    if (c == '%') return enclosed(t, at, "%>");
    if (c == '?' && ramus_is_alpha(byte(t, at + 2))) return enclosed(t, at, "?>");
    if (c == '!' && ramus_is_upper(byte(t, at + 2))) return enclosed(t, at, ">");
    if (!ramus_is_alnum(byte(t, name))) return 0;
    if (!closes && linked(t, at)) return linked(t, at);
    while (ramus_is_alnum(byte(t, i)) || (byte(t, i) && strchr("-_:.", byte(t, i))))
        i++;
    const size_t n = i - name;
    for (; i < t->size && i - at < MAX_TAG && (quote || t->text[i] != '>'); i++) {
        if (t->text[i] == '<') return 0;
        if (quote ? t->text[i] == quote : t->text[i] == '"' || t->text[i] == '\'')
            quote = quote ? '\0' : t->text[i];
        attribute |= t->text[i] == '=';
    }
    if (byte(t, i) != '>') return 0;
    if (attribute || closes || t->text[i - 1] == '/') return i + 1 - at;
    if (name + n != i) return 0;
    char lower[16], end[24] = "</";
    if (n >= sizeof lower) return 0;
    for (size_t k = 0; k < n; k++)
        lower[k] =
            (char)(ramus_is_upper(t->text[name + k]) ? t->text[name + k] + 32 : t->text[name + k]);
    memcpy(end + 2, t->text + name, n);
    memcpy(end + 2 + n, ">", 2);
    return ramus_span_listed(tags, lower, n) || find(t, i, MAX_TAG, end) ? i + 1 - at : 0;
}

/* Whether the entity stands for a letter: those inside words are no span of their own. */
static bool names_letter(const char *name, size_t n)
{
    static const char *const ends[] = {"uml",   "acute", "grave", "circ", "tilde",
                                       "cedil", "slash", "ring",  "lig",  "caron"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t size = strlen(ends[i]);
        if (n > size && memcmp(name + n - size, ends[i], size) == 0) return true;
    }
    return false;
}

size_t ramus_span_entity(const ramus_span_text *t, size_t at)
{
    size_t i = at + 1;

    if (byte(t, i) == '#') {
        i += 1 + (byte(t, i + 1) == 'x');
        while (ramus_is_alnum(byte(t, i)) && i - at < 10)
            i++;
        return i - at > 3 && byte(t, i) == ';' ? i + 1 - at : 0;
    }
    while (i - at < 32 && (ramus_is_alnum(byte(t, i)) || (byte(t, i) == '-' && i - at > 1)))
        i++;
    if (i - at < 3 || byte(t, i) != ';' || !ramus_is_alpha(byte(t, at + 1))) return 0;
    return names_letter(t->text + at + 1, i - at - 1) ? 0 : i + 1 - at;
}
