/* A table says which rules may find a span that begins with a byte; its order is their precedence.
 * The scanner walks over the text, asks the rules where a span can begin, and skips the inside of
 * words and numbers. No rule remembers anything, so the answer depends on the text alone. */
#include "text/marker.h"
#include "text/spans_rules.h"

#include <string.h>

/* Classes of first bytes beside the signs themselves. */
#define LETTER  'a' // ASCII, at the beginning of a word
#define NUMBER  '0' // ASCII, at the beginning of a number
#define OTHER   'x' // not ASCII
#define CONTROL 'c'

static const struct {
    const char *first; // classes or signs
    ramus_span_kind kind;
    ramus_span_rule *find;
} rules[] = {
    {"a", RAMUS_SPAN_URL, ramus_span_url}, // a scheme goes before everything
    {"a0<", RAMUS_SPAN_EMAIL, ramus_span_email},
    {"a_", RAMUS_SPAN_IDENTIFIER, ramus_span_identifier},
    {"a", RAMUS_SPAN_PATH, ramus_span_drive},
    {"a0_", RAMUS_SPAN_PATH, ramus_span_file},
    {"/~.*", RAMUS_SPAN_PATH, ramus_span_root},
    {"\\", RAMUS_SPAN_PATH, ramus_span_drive},
    {"\\", RAMUS_SPAN_IDENTIFIER, ramus_span_escape},
    {"`", RAMUS_SPAN_CODE, ramus_span_code},
    {"-", RAMUS_SPAN_OPTION, ramus_span_option},
    {"<", RAMUS_SPAN_TAG, ramus_span_tag},
    {"&", RAMUS_SPAN_ENTITY, ramus_span_entity},
    {"%", RAMUS_SPAN_PLACEHOLDER, ramus_span_percent},
    {"{", RAMUS_SPAN_PLACEHOLDER, ramus_span_brace},
    {"$@#", RAMUS_SPAN_PLACEHOLDER, ramus_span_sigil},
    {"0#*x", RAMUS_SPAN_EMOJI, ramus_span_emoji},
    {"0", RAMUS_SPAN_TIME, ramus_span_time},
    {"0", RAMUS_SPAN_DATE, ramus_span_date},
    {"a0+-$x", RAMUS_SPAN_MONEY, ramus_span_money},
    {"0+-x", RAMUS_SPAN_PERCENT, ramus_span_share},
    {"0+-x", RAMUS_SPAN_QUANTITY, ramus_span_quantity},
    {"a0+(#:", RAMUS_SPAN_SERIAL, ramus_span_serial},
    {"0", RAMUS_SPAN_URL, ramus_span_url},
    {"#@", RAMUS_SPAN_HANDLE, ramus_span_handle},
    {":;=<>^-a", RAMUS_SPAN_SMILEY, ramus_span_smiley},
    {"x", RAMUS_SPAN_PRIVATE, ramus_span_private},
    {"cx", RAMUS_SPAN_CONTROL, ramus_span_control},
};

static bool is_of_word(ramus_char_at c)
{
    const bool accent = c.kind == RAMUS_CHAR_JOIN && c.code < 0x2000; // not what joins emoji
    const bool letter = ramus_char_is_letter(c.kind) && c.kind != RAMUS_CHAR_WIDE;
    return letter || accent || c.kind == RAMUS_CHAR_DIGIT;
}

size_t ramus_span_word(const ramus_span_text *t, size_t at)
{
    const ramus_char_at c = ramus_char_read(t->text, t->size, at);
    return is_of_word(c) || c.code == '_' ? (size_t)c.size : 0;
}

bool ramus_span_in_word(const ramus_span_text *t, size_t at, bool underscore)
{
    if (at == 0) return false;
    if (ramus_is_alnum(t->text[at - 1])) return true;
    const ramus_char_at c = ramus_char_back(t->text, 0, at);
    return is_of_word(c) || (underscore && c.code == '_');
}

bool ramus_span_set_off(const ramus_span_text *t, size_t at)
{
    const ramus_char_at c = ramus_char_back(t->text, 0, at);

    return c.size == 0 || ramus_char_is_space(c.kind) || c.kind == RAMUS_CHAR_OPEN ||
           c.kind == RAMUS_CHAR_WIDE || (c.kind == RAMUS_CHAR_QUOTE && c.code != '_') ||
           c.kind == RAMUS_CHAR_WEAK || c.code == '=' || c.code == '|' || c.code == '>';
}

bool ramus_span_has(const ramus_span_text *t, size_t at, const char *word)
{
    const size_t n = strlen(word);
    return at < t->size && t->size - at >= n && memcmp(t->text + at, word, n) == 0;
}

size_t ramus_span_digits(const ramus_span_text *t, size_t at, size_t most)
{
    size_t n = 0;
    while (n < most && ramus_is_digit(ramus_span_byte(t, at + n)))
        n++;
    return n;
}

size_t ramus_span_space(const ramus_span_text *t, size_t at)
{
    const ramus_char_at c = ramus_char_read(t->text, t->size, at);
    return c.code == ' ' || c.code == 0xA0 || c.code == 0x2009 || c.code == 0x200A ||
                   c.code == 0x202F
               ? (size_t)c.size
               : 0;
}

bool ramus_span_listed(const char *list, const char *word, size_t size)
{
    for (const char *at = list; size > 0 && *at;) {
        const char *end = strchr(at, ' ');
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n == size && memcmp(at, word, n) == 0) return true;
        at += n + (end != NULL);
    }
    return false;
}

bool ramus_span_is_loose(ramus_span_kind kind)
{
    return kind == RAMUS_SPAN_EMOJI || kind == RAMUS_SPAN_SMILEY || kind == RAMUS_SPAN_CONTROL;
}

const char *ramus_span_name(ramus_span_kind kind)
{
    static const char *const names[RAMUS_SPAN_KINDS] = {
        [RAMUS_SPAN_URL] = "url",
        [RAMUS_SPAN_EMAIL] = "e-mail",
        [RAMUS_SPAN_PATH] = "path",
        [RAMUS_SPAN_CODE] = "code",
        [RAMUS_SPAN_OPTION] = "option",
        [RAMUS_SPAN_IDENTIFIER] = "identifier",
        [RAMUS_SPAN_TAG] = "tag",
        [RAMUS_SPAN_ENTITY] = "entity",
        [RAMUS_SPAN_PLACEHOLDER] = "placeholder",
        [RAMUS_SPAN_TIME] = "time",
        [RAMUS_SPAN_DATE] = "date",
        [RAMUS_SPAN_MONEY] = "money",
        [RAMUS_SPAN_PERCENT] = "percent",
        [RAMUS_SPAN_QUANTITY] = "quantity",
        [RAMUS_SPAN_SERIAL] = "serial",
        [RAMUS_SPAN_EMOJI] = "emoji",
        [RAMUS_SPAN_SMILEY] = "smiley",
        [RAMUS_SPAN_HANDLE] = "handle",
        [RAMUS_SPAN_PRIVATE] = "private",
        [RAMUS_SPAN_CONTROL] = "control",
    };
    return names[kind];
}

/* The class of the byte at `at`, or 0 where no span begins: inside words and numbers. */
static char first_class(const ramus_span_text *t, size_t at)
{
    const char c = t->text[at];

    if (ramus_is_alpha(c)) return ramus_span_in_word(t, at, false) ? '\0' : LETTER;
    if (ramus_is_digit(c)) {
        const bool inside = at > 1 && strchr(".,:'", t->text[at - 1]) && t->text[at - 1] &&
                            ramus_is_digit(t->text[at - 2]);
        return inside || ramus_span_in_word(t, at, false) ? '\0' : NUMBER;
    }
    if ((unsigned char)c >= 0x80)
        return ramus_char_is_letter(ramus_char_read(t->text, t->size, at).kind) ? '\0' : OTHER;
    return (unsigned char)c < ' ' || c == 0x7F ? CONTROL : c;
}

/* The bytes of a word of letters that no rule would take, at the beginning of a word; else 0. */
static size_t plain_word(const ramus_span_text *t, size_t at)
{
    size_t i = at;
    bool lower = false;

    for (size_t n = 1; i < t->size && n > 0; i += n) {
        const char c = t->text[i];
        lower |= ramus_is_lower(c);
        n = ramus_is_alpha(c) ? 1 : (unsigned char)c >= 0x80 ? ramus_span_word(t, i) : 0;
    }
    const bool ends = i == t->size || t->text[i] == ' ' || t->text[i] == ',' || t->text[i] == '\n';
    return lower && ends && i - at > 2 ? i - at : 0;
}

bool ramus_span_next(const char *text, size_t size, size_t from, ramus_span *out)
{
    const ramus_span_text t = {text, size};

    for (size_t at = from; at < size; at++) {
        if (text[at] == ' ') continue;
        const char first = first_class(&t, at);
        if (!first) continue;
        const size_t plain = first == LETTER ? plain_word(&t, at) : 0;
        if (plain) {
            at += plain - 1;
            continue;
        }
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
            if (!strchr(rules[i].first, first)) continue;
            const size_t n = rules[i].find(&t, at);
            if (n == 0) continue;
            *out = (ramus_span){at, n, rules[i].kind};
            return true;
        }
    }
    return false;
}

/* Whether the name of a month follows a number and a point: "3. Mai" is no item. */
static bool is_day(const char *text, size_t size)
{
    static const char months[] =
        "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember";
    size_t n = 0;
    for (size_t c = 1; n < size && (c = (size_t)ramus_char_read(text, size, n).size) > 0; n += c)
        if (!ramus_char_is_letter(ramus_char_read(text, size, n).kind)) break;
    return ramus_span_listed(months, text, n);
}

size_t ramus_span_marker(const char *text, size_t size)
{
    size_t at = 0;

    while (at < size && (text[at] == '>' || (at > 0 && text[at] == ' '))) // quotations
        at++;
    if (at > 0 && text[at - 1] != ' ') at = 0;
    const ramus_marker marker = ramus_marker_read(text, size, at);
    if (marker.kind != RAMUS_MARKER_NONE) {
        const size_t next = ramus_char_skip_space(text, size, at + marker.size);
        if (marker.kind != RAMUS_MARKER_NUMBER || !is_day(text + next, size - next)) at = next;
    }
    const bool box = size - at > 3 && text[at] == '[' && text[at + 2] == ']' &&
                     (text[at + 1] == ' ' || text[at + 1] == 'x' || text[at + 1] == 'X');
    if (box && ramus_char_is_space(ramus_char_read(text, size, at + 3).kind))
        at = ramus_char_skip_space(text, size, at + 3);
    return at < size ? at : 0;
}
