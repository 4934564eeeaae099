/* Digits that count nothing: times, dates, versions, addresses of networks, telephone numbers, long
 * numbers, hexadecimal ones. A rule reads digits and what stands between them, and says which
 * shapes it takes. "1.234.567" is a number for the model. */
#include "text/spans_rules.h"

#include <string.h>

#define MAX_GROUP  20  // digits
#define MAX_PARTS  12  // of a version, behind its points
#define MAX_PHONE  32  // bytes
#define MAX_DIGEST 140 // bytes

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

/* Reads 1 to `most` digits at *at and moves behind them; -1 if there are none or more. */
static int read_number(const ramus_span_text *t, size_t *at, size_t most)
{
    const size_t n = ramus_span_digits(t, *at, most + 1);
    int value = 0;

    if (n == 0 || n > most) return -1;
    for (size_t i = 0; i < n; i++)
        value = value * 10 + (t->text[*at + i] - '0');
    *at += n;
    return value;
}

/* No digit, letter, or sign with a digit behind it follows. */
static bool ends(const ramus_span_text *t, size_t at, const char *signs)
{
    const char c = byte(t, at);
    return !ramus_span_word(t, at) && !(c && strchr(signs, c) && ramus_is_digit(byte(t, at + 1)));
}

// ---- times and dates ----

/* Behind "3:30", "12:34:56", "00:01:02,500"; `at` if that is not there. */
static size_t time_end(const ramus_span_text *t, size_t at)
{
    size_t i = at;
    const int hour = read_number(t, &i, 2);

    if (hour < 0 || byte(t, i) != ':') return at;
    size_t start = ++i;
    int minute = read_number(t, &i, 2);
    if (minute < 0 || minute > 59 || i - start != 2) return at;
    const bool seconds = byte(t, i) == ':' && ramus_span_digits(t, i + 1, 3) == 2;
    if (seconds) i += 3;
    const char point = byte(t, i);
    const bool thousandths = (point == '.' || point == ',') && ramus_span_digits(t, i + 1, 4) == 3;
    if (thousandths) return i + 4;
    return seconds || hour <= 24 ? i : at;
}

/* Whether "a.m." or "p.m." follows: the other language counts the hours in another way. */
static bool is_half_day(const ramus_span_text *t, size_t at)
{
    at += ramus_span_space(t, at);
    const char half = byte(t, at) | 0x20;
    at += 1 + (byte(t, at + 1) == '.');
    return (half == 'a' || half == 'p') && (byte(t, at) | 0x20) == 'm' &&
           !ramus_span_word(t, at + 1);
}

size_t ramus_span_time(const ramus_span_text *t, size_t at)
{
    size_t end = time_end(t, at);

    if (end == at || !ends(t, end, ":.") || is_half_day(t, end)) return 0;
    if (ramus_span_has(t, end, " --> ")) {
        const size_t second = time_end(t, end + 5);
        if (second > end + 5 && ends(t, second, ":.")) end = second;
    }
    return end - at;
}

static bool is_month(int n)
{
    return n >= 1 && n <= 12;
}

static bool is_day(int n)
{
    return n >= 1 && n <= 31;
}

size_t ramus_span_date(const ramus_span_text *t, size_t at)
{
    size_t i = at;
    const int first = read_number(t, &i, 4);
    const size_t n = i - at;
    const char sign = byte(t, i);

    if (first < 0 || !sign || !strchr("-./", sign)) return 0;
    i++;
    const int second = read_number(t, &i, 2);
    if (second < 0 || byte(t, i) != sign) return 0;
    const size_t start = ++i;
    const int third = read_number(t, &i, 4);
    const size_t last = i - start;
    bool date = false;
    if (n == 4) {
        date = first >= 1000 && is_month(second) && is_day(third) && last <= 2;
        size_t time = i + 1;
        if (date && (byte(t, i) == 'T' || byte(t, i) == 't')) time = time_end(t, i + 1);
        if (time > i + 1) i = time + (byte(t, time) == 'Z');
    } else if (n <= 2 && ((last == 4 && third >= 1000) || (last == 2 && sign == '/') ||
                          (last == 2 && sign == '.' && n == 2 && start - at == 6))) {
        date = is_day(first) && is_day(second) && (is_month(first) || is_month(second));
    }
    return date && ends(t, i, "-./") ? i - at : 0;
}

// ---- dotted numbers ----

/* "192.168.0.1", also with a port or a mask. */
static size_t ip_end(const ramus_span_text *t, size_t at)
{
    size_t i = at;
    for (int k = 0; k < 4; k++) {
        const size_t start = i;
        const int n = read_number(t, &i, 3);
        if (n < 0 || n > 255 || (t->text[start] == '0' && i - start > 1)) return at;
        if (k < 3 && byte(t, i++) != '.') return at;
    }
    if ((byte(t, i) == ':' || byte(t, i) == '/') && ramus_is_digit(byte(t, i + 1)))
        i += 1 + ramus_span_digits(t, i + 1, 5);
    return ends(t, i, ".-+~") ? i : at;
}

/* Behind "-rc1", "b2", ".dfsg-1": parts with a digit, and words before such a part. */
static size_t suffix_end(const ramus_span_text *t, size_t at)
{
    for (size_t i = at, parts = 0, words = 0; parts < MAX_PARTS && words < 2; parts++) {
        bool digit = false;
        if (byte(t, i) && strchr("-+~.", byte(t, i))) i++;
        for (const size_t start = i; ramus_is_alnum(byte(t, i)) && i - start < MAX_GROUP; i++)
            digit |= ramus_is_digit(t->text[i]);
        words = digit ? 0 : words + 1;
        if (digit) at = i;
    }
    return at;
}

/* "1.2.3", "v2", "v2.0-rc1"; not "1.234.567". */
static size_t version_end(const ramus_span_text *t, size_t at)
{
    const bool named = byte(t, at) == 'v' || byte(t, at) == 'V';
    size_t i = at + named, points = 0;
    bool thousands = true;

    if (ramus_span_digits(t, i, MAX_GROUP) == 0) return at;
    i += ramus_span_digits(t, i, MAX_GROUP);
    while (byte(t, i) == '.' && ramus_is_digit(byte(t, i + 1))) {
        const size_t n = ramus_span_digits(t, i + 1, MAX_GROUP);
        thousands &= n == 3;
        points++;
        i += 1 + n;
    }
    if (!named && (points < 2 || thousands)) return at;
    if (named && points == 0 && t->text[at] == 'V') return at;
    if (byte(t, i) == ',' && ramus_is_digit(byte(t, i + 1))) return at; // 1.234.567,89
    i = suffix_end(t, i);
    return ends(t, i, "") ? i : at;
}

// ---- digits with other signs ----

/* Whether the byte at `at` may stand between the digits of a telephone number. A bracket does so
 * around digits: behind a plus sign, or around the first ones. */
static bool divides(const ramus_span_text *t, size_t at, size_t start)
{
    const char first = t->text[start], c = byte(t, at), next = byte(t, at + 1);
    const bool plus = first == '+', digits = ramus_is_digit(next);

    if (c == ')' && first == '(')
        return at > start && at - start - 1 == ramus_span_digits(t, start + 1, MAX_GROUP);
    if (c == '(' || c == ')') return plus && (digits || ramus_is_digit(t->text[at - 1]));
    if (c == ' ')
        return (plus || first == '0' || first == '(') && (digits || (plus && next == '('));
    return (c == '-' || c == '/' || (c == '.' && plus)) && digits;
}

/* "+49 30 123456", "030/123456", "(030) 123456", "978-3-16-148410-0": digits in groups. */
static size_t phone_end(const ramus_span_text *t, size_t at)
{
    const char first = t->text[at];
    const bool plus = first == '+', bracket = first == '(';
    const bool zero = byte(t, at + bracket) == '0';
    size_t i = at + (plus || bracket), end = at, digits = 0, groups = 0, hyphens = 0;

    if (!ramus_is_digit(byte(t, i)) || (bracket && !zero)) return at;
    if (plus && !ramus_span_set_off(t, at)) return at;
    for (; i - at < MAX_PHONE; i++) {
        const bool digit = ramus_is_digit(byte(t, i));
        if (!digit && !divides(t, i, at)) break;
        digits += digit;
        groups += digit && !ramus_is_digit(byte(t, i + 1));
        hyphens += byte(t, i) == '-';
        if (digit) end = i + 1;
    }
    const bool isbn = hyphens >= 2 && hyphens + 1 == groups;
    if (isbn && byte(t, end) == '-' && byte(t, end + 1) == 'X') end += 2;
    if (bracket && digits == ramus_span_digits(t, at + 1, MAX_GROUP)) return at; // never closed
    if (digits < 7 || digits > (isbn ? 20u : 15u) || groups < 2) return at;
    return (plus || zero || isbn) && ends(t, end, "") ? end : at;
}

static bool is_hex(char c)
{
    return ramus_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t hex_digits(const ramus_span_text *t, size_t at, size_t most)
{
    size_t n = 0;
    while (n < most && is_hex(byte(t, at + n)))
        n++;
    return n;
}

/* "0x1F", "#ff00aa", "U+1F600", "#123". */
static size_t hex_end(const ramus_span_text *t, size_t at)
{
    const bool hash = byte(t, at) == '#';
    const bool zero = ramus_span_has(t, at, "0x"), code = ramus_span_has(t, at, "U+");
    const size_t start = at + (hash ? 1 : 2), n = hex_digits(t, start, 70);

    if (!(hash || zero || code) || ramus_span_word(t, start + n)) return at;
    const bool number = hash && n >= 2 && n == ramus_span_digits(t, start, 12);
    const bool colour = hash && (n == 3 || n == 6 || n == 8);
    return number || colour || (zero && n) || (code && n >= 4 && n <= 6) ? start + n : at;
}

/* Digests and the like: seven or more hexadecimal digits, letters among them, also in groups of
 * four or more with hyphens; addresses with colons of networks. */
static size_t digest_end(const ramus_span_text *t, size_t at)
{
    size_t i = at, group = at, digits = 0, letters = 0, colons = 0;
    bool upper = false, lower = false, gap = false;

    for (; i - at < MAX_DIGEST; i++) {
        const char c = byte(t, i), next = byte(t, i + 1);
        if (c == ':' && i - group <= 4 && (is_hex(next) || next == ':')) {
            gap |= next == ':';
            colons++;
            group = i + 1;
        } else if (c == '-' && i - group >= 4 && hex_digits(t, i + 1, 4) == 4) {
            group = i + 1;
        } else if (!is_hex(c)) {
            break;
        }
        digits += ramus_is_digit(c);
        letters += ramus_is_alpha(c);
        upper |= ramus_is_upper(c);
        lower |= ramus_is_lower(c);
    }
    if (ramus_span_word(t, i) || (upper && lower) || digits == 0) return at;
    if (colons) return colons >= 5 || (gap && i - at >= 3) ? i : at;
    return i - at >= 7 && letters > 0 && digits > 1 ? i : at;
}

/* "CVE-2024-1234", "DE89370400440532013000": capitals, then five digits or more. */
static size_t number_of_register(const ramus_span_text *t, size_t at)
{
    size_t i = at, digits = 0, hyphens = 0;

    while (ramus_is_upper(byte(t, i)) && i - at < 6)
        i++;
    if (i == at) return at;
    while (i - at < 40 &&
           (ramus_is_digit(byte(t, i)) || (byte(t, i) == '-' && ramus_is_digit(byte(t, i + 1))))) {
        digits += t->text[i] != '-';
        hyphens += t->text[i] == '-';
        i++;
    }
    return digits >= 5 && hyphens <= 2 && ends(t, i, "") ? i : at;
}

size_t ramus_span_serial(const ramus_span_text *t, size_t at)
{
    static size_t (*const ends_of[])(const ramus_span_text *, size_t) = {
        ip_end, version_end, phone_end, hex_end, digest_end, number_of_register};

    if (at > 0 && t->text[at - 1] == '_') return 0;
    for (size_t k = 0; k < sizeof ends_of / sizeof ends_of[0]; k++) {
        const size_t end = ends_of[k](t, at);
        if (end > at) return end - at;
    }
    const size_t n = ramus_span_digits(t, at, t->size);
    return n >= 5 && ends(t, at + n, ".,") ? n : 0;
}
