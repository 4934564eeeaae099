/* Numbers with what they count, where that is a symbol: money, shares, units. A number is digits,
 * groups of three behind a separator, and a decimal part; two may form a range or a product. */
#include "text/spans_rules.h"

#include <string.h>

#define MAX_DIGITS 20 // of one group
#define MAX_GROUPS 8  // of three digits

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

/* The bytes of what may stand between groups of three digits. */
static size_t separator(const ramus_span_text *t, size_t at)
{
    const char c = byte(t, at);
    if (c == '.' || c == ',' || c == '\'') return 1;
    return ramus_span_has(t, at, "\u2019") ? 3 : ramus_span_space(t, at);
}

/* Behind the number at `at`, or `at`. */
static size_t number_end(const ramus_span_text *t, size_t at)
{
    size_t n = ramus_span_digits(t, at, MAX_DIGITS);
    size_t end = at + n;

    if (n == 0) return at;
    for (int i = 0; i < MAX_GROUPS && n <= 3; i++) {
        const size_t gap = separator(t, end);
        if (gap == 0 || ramus_span_digits(t, end + gap, 4) != 3) break;
        end += gap + 3;
    }
    if (byte(t, end) == '.' || byte(t, end) == ',') {
        n = ramus_span_digits(t, end + 1, MAX_DIGITS);
        if (n) end += 1 + n;
    }
    return end;
}

static size_t dash(const ramus_span_text *t, size_t at)
{
    if (byte(t, at) == '-') return 1;
    return ramus_span_has(t, at, "\u2013") || ramus_span_has(t, at, "\u2212") ? 3 : 0;
}

/* Behind "5", "5-10", "2 x 5", "1/2"; `at` if there is no number. */
static size_t numbers_end(const ramus_span_text *t, size_t at)
{
    size_t end = number_end(t, at);

    for (int i = 0; i < 2 && end > at; i++) {
        size_t gap = dash(t, end);
        if (byte(t, end) == '/') gap = 1;
        const size_t space = ramus_span_space(t, end), by = end + space;
        if (!gap && (byte(t, by) == 'x' || ramus_span_has(t, by, "\u00D7"))) {
            gap = space + (byte(t, by) == 'x' ? 1 : 2);
            gap += ramus_span_space(t, end + gap);
        } else if (!gap && space && dash(t, by) && ramus_span_space(t, by + dash(t, by))) {
            gap = space + dash(t, by);
            gap += ramus_span_space(t, end + gap);
        }
        const size_t next = gap ? number_end(t, end + gap) : end;
        if (gap == 0 || next == end + gap) break;
        end = next;
    }
    return end;
}

/* The bytes of a sign before a number. */
static size_t sign(const ramus_span_text *t, size_t at)
{
    if (byte(t, at) == '+') return 1;
    return ramus_span_has(t, at, "\u00B1") ? 2 : dash(t, at);
}

/* Behind the numbers at `at` with their sign, or `at`. The sign is set off from the text before. */
static size_t signed_end(const ramus_span_text *t, size_t at)
{
    const size_t n = sign(t, at);
    if (n && (!ramus_span_set_off(t, at) || !ramus_is_digit(byte(t, at + n)))) return at;
    return numbers_end(t, at + n);
}

/* The number that ends at `end` is whole: no digit, letter or fraction follows. */
static bool ends_number(const ramus_span_text *t, size_t end)
{
    const char c = byte(t, end);
    return !ramus_span_word(t, end) &&
           !((c == '.' || c == ',') && ramus_is_digit(byte(t, end + 1)));
}

// ---- money ----

/* The bytes of a sign or a code of a currency at `at`. */
static size_t currency(const ramus_span_text *t, size_t at)
{
    static const char *const signs[] = {"$",      "\u20AC", "\u00A3", "\u00A5", "\u20B9", "\u20BD",
                                        "\u20A9", "\u20BA", "\u20BF", "\u20AA", "US$",    "A$",
                                        "C$",     "HK$",    "NZ$",    "AU$",    "CA$",    "R$"};
    static const char codes[] = "EUR USD GBP CHF JPY CNY AUD CAD NZD SEK NOK DKK PLN CZK HUF RUB "
                                "INR TRY BRL MXN KRW ZAR SGD HKD DEM";

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (ramus_span_has(t, at, signs[i])) return strlen(signs[i]);
    const bool code = at + 3 <= t->size && ramus_span_listed(codes, t->text + at, 3) &&
                      !ramus_span_word(t, at + 3);
    return code ? 3 : 0;
}

/* Whether a word such as "million" follows: the translation may put it between number and sign. */
static bool magnitude_follows(const ramus_span_text *t, size_t at)
{
    static const char *const words[] = {
        "million", "billion", "trillion", "thousand", "hundred", "Million", "Milliard", "Billion",
        "Mio",     "Mrd",     "Tsd",      "Tausend",  "tausend", "bn",      "mn",       "k "};
    at += ramus_span_space(t, at);
    if (byte(t, at) == '-') at++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ramus_span_has(t, at, words[i])) return true;
    return false;
}

size_t ramus_span_money(const ramus_span_text *t, size_t at)
{
    const size_t minus = sign(t, at);
    const size_t before = currency(t, at + minus);
    size_t end = at;

    if (minus && !ramus_span_set_off(t, at)) return 0;
    if (before) {
        const size_t number = at + minus + before + ramus_span_space(t, at + minus + before);
        if (ramus_span_in_word(t, at, true)) return 0;
        end = numbers_end(t, number);
        return end > number && ends_number(t, end) && !magnitude_follows(t, end) ? end - at : 0;
    }
    end = signed_end(t, at);
    if (end == at) return 0;
    const size_t space = ramus_span_space(t, end), after = currency(t, end + space);
    end += space + after;
    if (after == 0 || ramus_span_word(t, end)) return 0;
    return space && ramus_span_digits(t, end, 1) ? 0 : end - at; // "in 2010 $5"
}

// ---- shares and units ----

size_t ramus_span_share(const ramus_span_text *t, size_t at)
{
    size_t end = signed_end(t, at);

    if (end == at) return 0;
    end += ramus_span_space(t, end);
    if (ramus_span_has(t, end, "%%")) end++;
    const size_t n = byte(t, end) == '%' ? 1 : ramus_span_has(t, end, "\u2030") ? 3 : 0;
    return n && !ramus_span_word(t, end + n) ? end + n - at : 0;
}

/* Symbols of units; those of one letter only where they cannot be a word or a name. */
static const char units[] =
    "nm \u00B5m \u03BCm mm cm dm km ha ml mL dl cl \u00B5l mg kg \u00B5g ng ms \u00B5s ns min Hz "
    "kHz MHz GHz THz kJ MJ "
    "GJ Wh kWh MWh GWh TWh kW MW GW TW mW eV keV MeV GeV kcal kV mV mA Ah mAh \u03A9 k\u03A9 "
    "M\u03A9 \u2126 nF pF \u00B5F kN "
    "Nm Pa kPa hPa MPa GPa bar mbar psi kB KB MB GB TB PB KiB MiB GiB TiB kbit Kbit Mbit Gbit kbps "
    "Kbps Mbps Gbps bps dB dBm px em rem dpi ppi fps mph mol mmol lm lx Sv mSv Gy ppm ppb "
    "\u00B0 \u00B0C \u00B0F \u2103 \u2109 hl kt cm\u00B3 Mpx MP vol";
static const char apart[] = "m g l h s t V W K N J"; // "5 m"; "5m" is also five million
static const char joined[] = "g l h V W";            // "5g"

/* Behind the letters of a unit, and an exponent. */
static size_t unit_end(const ramus_span_text *t, size_t at)
{
    for (;;) {
        const ramus_char_at c = ramus_char_read(t->text, t->size, at);
        if (!ramus_is_alpha(byte(t, at)) && c.code != 0xB5 && c.code != 0x3BC && c.code != 0x3A9 &&
            c.code != 0x2126 && c.code != 0xB0 && c.code != 0x2103 && c.code != 0x2109)
            return at;
        at += (size_t)c.size;
    }
}

static size_t exponent(const ramus_span_text *t, size_t at)
{
    if (ramus_span_has(t, at, "\u00B2") || ramus_span_has(t, at, "\u00B3")) return 2;
    if (byte(t, at) == '^' && (byte(t, at + 1) == '2' || byte(t, at + 1) == '3')) return 2;
    return byte(t, at) == '2' || byte(t, at) == '3';
}

/* Behind "/h", "/m²"; `at` if that does not follow. */
static size_t per_end(const ramus_span_text *t, size_t at)
{
    if (byte(t, at) != '/') return at;
    size_t start = at + 1 + ramus_span_digits(t, at + 1, 4);
    if (start > at + 1) start += ramus_span_space(t, start); // l/100 km
    size_t end = unit_end(t, start);
    if (!ramus_span_listed(units, t->text + start, end - start) &&
        !ramus_span_listed(apart, t->text + start, end - start))
        return at;
    end += exponent(t, end);
    return ramus_span_word(t, end) ? at : end;
}

size_t ramus_span_quantity(const ramus_span_text *t, size_t at)
{
    const size_t number = signed_end(t, at);
    const size_t space = ramus_span_space(t, number), unit = number + space;
    size_t end = number > at && unit < t->size ? unit_end(t, unit) : unit;

    if (end == unit) return 0;
    const bool one = ramus_span_listed(space ? apart : joined, t->text + unit, end - unit);
    const bool dotted = one && byte(t, end) == '.' && ramus_is_alpha(byte(t, end + 1)); // "5 m.p.h"
    const size_t power = exponent(t, end);
    const bool metres = power && byte(t, unit) == 'm' && end - unit == 1;
    const size_t per = per_end(t, end + power);
    const bool bits = per > end && end - unit == 3 && ramus_span_has(t, unit, "bit");
    if (dotted ||
        !(one || metres || bits || ramus_span_listed(units, t->text + unit, end - unit) ||
          (per > end + power && end - unit == 1 && ramus_span_listed(apart, t->text + unit, 1))))
        return 0;
    end = per;
    if (space == 0 && ramus_span_has(t, end, "\u00B0")) return 0;
    return ramus_span_word(t, end) ? 0 : end - at;
}
