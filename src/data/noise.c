/* Capitals come from the tables of text/case. A slip changes the code points of a text in place,
 * at a random letter. */
#include "data/noise.h"

#include "base/utf8.h"
#include "eval/category.h"
#include "text/case.h"

#include <string.h>

#define SLIP_SPACING 20 // characters to a slip, at most

static uint32_t next_code(const char *text, size_t size, size_t *at)
{
    uint32_t code = 0;
    const int n = ramus_utf8_decode(&code, text + *at, size - *at);
    *at += n ? (size_t)n : 1;
    return code;
}

static void add_code(ramus_buffer *out, uint32_t code)
{
    char bytes[4];
    ramus_buffer_add(out, bytes, (size_t)ramus_utf8_encode(bytes, code));
}

void ramus_noise_upper(ramus_buffer *out, const char *text, size_t size)
{
    ramus_buffer_clear(out);
    for (size_t at = 0; at < size;) {
        uint32_t codes[RAMUS_CASE_MOST];
        const int n = ramus_case_upper(codes, next_code(text, size, &at));
        for (int i = 0; i < n; i++)
            add_code(out, codes[i]);
    }
}

static bool is_mark(uint32_t code)
{
    const ramus_category category = ramus_category_of(code);
    return category == RAMUS_CATEGORY_PUNCTUATION || category == RAMUS_CATEGORY_SYMBOL;
}

void ramus_noise_title(ramus_buffer *out, const char *text, size_t size)
{
    bool first = true; // only marks since the last space: (quoted) 3rd
    ramus_buffer_clear(out);
    for (size_t at = 0; at < size;) {
        const uint32_t code = next_code(text, size, &at);
        uint32_t codes[RAMUS_CASE_MOST] = {code};
        const int n = first ? ramus_case_title(codes, code) : 1;
        for (int i = 0; i < n; i++)
            add_code(out, codes[i]);
        first = ramus_category_is_space(code) || (first && is_mark(code));
    }
}

/* Letters of any script, and what is combined with them. */
static bool is_letter(uint32_t code)
{
    if (code < 'A' || (code >= 0x7F && code < 0xA0)) return false; // digits, control characters
    if (code >= 0xE000 && code < 0xF900) return false;             // private use: protected spans
    return !ramus_category_is_space(code) && ramus_category_of(code) == RAMUS_CATEGORY_OTHER;
}

static uint32_t *codes_of(const ramus_buffer *codes)
{
    return (void *)codes->data;
}

static size_t count_of(const ramus_buffer *codes)
{
    return codes->size / sizeof(uint32_t);
}

/* A key beside that of a Latin letter on a keyboard with QWERTY; 0 for others. */
static uint32_t neighbour_key(uint32_t code, double chance)
{
    static const char *const keys[26] = {
        "qwsz",   "vghn",  "xdfv", "serfcx", "wsdr", "drtgvc", "ftyhbv", "gyujnb", "ujko",
        "huiknm", "jiolm", "kop",  "njk",    "bhjm", "iklp",   "ol",     "wa",     "edft",
        "awedxz", "rfgy",  "yhji", "cfgb",   "qase", "zsdc",   "tghu",   "asx"};
    const bool capital = code >= 'A' && code <= 'Z';
    const uint32_t small = capital ? code + ('a' - 'A') : code;
    if (small < 'a' || small > 'z') return 0;
    const char *near = keys[small - 'a'];
    const uint32_t key = (unsigned char)near[(size_t)(chance * (double)strlen(near))];
    return capital ? key - ('a' - 'A') : key;
}

static bool is_letter_at(const ramus_buffer *codes, size_t at)
{
    return at < count_of(codes) && is_letter(codes_of(codes)[at]);
}

static bool swap(ramus_buffer *codes, size_t at)
{
    uint32_t *c = codes_of(codes) + at;
    if (!is_letter_at(codes, at + 1) || c[0] == c[1]) return false;
    const uint32_t first = c[0];
    c[0] = c[1];
    c[1] = first;
    return true;
}

/* A word of one letter keeps it. */
static bool leave_out(ramus_buffer *codes, size_t at)
{
    if (!is_letter_at(codes, at + 1) && (at == 0 || !is_letter_at(codes, at - 1))) return false;
    uint32_t *c = codes_of(codes);
    memmove(c + at, c + at + 1, (count_of(codes) - at - 1) * sizeof *c);
    codes->size -= sizeof *c;
    return true;
}

static bool hit_beside(ramus_buffer *codes, size_t at, double chance)
{
    uint32_t *c = codes_of(codes) + at;
    const uint32_t key = neighbour_key(*c, chance);
    if (key) *c = key;
    return key != 0;
}

static void double_letter(ramus_buffer *codes, size_t at)
{
    const uint32_t letter = codes_of(codes)[at];
    ramus_buffer_add(codes, &letter, sizeof letter);
    if (codes->failed) return;
    uint32_t *c = codes_of(codes);
    memmove(c + at + 1, c + at, (count_of(codes) - at - 1) * sizeof *c);
}

/* One slip, at the letter that stands at or before a random place. */
static void slip(ramus_buffer *codes, const ramus_rng *rng, uint64_t element)
{
    const size_t n = count_of(codes);
    size_t at = (size_t)(ramus_rng_uniform(rng, element) * (double)n), tried = 0;
    for (; tried < n && !is_letter_at(codes, at); tried++)
        at = at ? at - 1 : n - 1;
    if (tried == n) return;
    bool done = false;
    switch (ramus_rng_bits(rng, element + 1) % 4) {
    case 0:
        done = swap(codes, at);
        break;
    case 1:
        done = leave_out(codes, at);
        break;
    case 2:
        done = hit_beside(codes, at, ramus_rng_uniform(rng, element + 2));
        break;
    default:
        break;
    }
    if (!done) double_letter(codes, at);
}

void ramus_noise_typo(ramus_buffer *out, ramus_buffer *codes, const char *text, size_t size,
                      const ramus_rng *rng)
{
    ramus_buffer_clear(codes);
    ramus_buffer_clear(out);
    for (size_t at = 0; at < size;) {
        const uint32_t code = next_code(text, size, &at);
        ramus_buffer_add(codes, &code, sizeof code);
    }
    const double length = (double)count_of(codes);
    const int n = (int)(length * (1 + ramus_rng_uniform(rng, 0)) / SLIP_SPACING);
    for (int i = 0; i < (n ? n : 1) && !codes->failed; i++)
        slip(codes, rng, 1 + 3 * (uint64_t)i);
    for (size_t i = 0; i < count_of(codes); i++)
        add_code(out, codes_of(codes)[i]);
    out->failed = out->failed || codes->failed;
}
