/* The text goes through in prefixes: a kept string, the longest rule, or one character. Plain
 * ASCII, which no rule touches, takes a shortcut. White space is collapsed on the way. */
#include "text/normalise.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RULE 1024 // bytes a rule may match; ends the walk through a trie with a cycle

/* How long text may grow. Of the rules that Unicode has, U+FDFA grows most: 3 bytes to 39. */
#define MAX_REPLACEMENT 1024
#define MAX_GROWTH      16
#define FREE_GROWTH     4096 // bytes

/* A unit of the double array, as Darts-clone defines it. */
static uint32_t unit_label(uint32_t unit)
{
    return unit & (1u << 31 | 0xFF); // a unit that holds a value has bit 31: no byte equals it
}

static uint32_t unit_offset(uint32_t unit)
{
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}

static bool unit_has_value(uint32_t unit)
{
    return unit >> 8 & 1;
}

static uint32_t read_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Where a text of more than `most` bytes begins in text[0 .. size), in which a zero ends each;
 * `size` where none does. From window to window, for nearly all texts are short. */
static size_t find_longer(const char *text, size_t size, size_t most)
{
    size_t at = 0;
    while (size - at > most) {
        size_t zero = at + most;
        while (zero > at && text[zero] != '\0')
            zero--;
        if (text[zero] != '\0') return at;
        at = zero + 1;
    }
    return size;
}

ramus_status ramus_normaliser_set_rules(ramus_normaliser *n, const unsigned char *charsmap,
                                        size_t size, ramus_error *err)
{
    const size_t trie_size = size >= 4 ? read_u32(charsmap) : 0;
    if (trie_size < 4 || trie_size % 4 != 0 || trie_size > size - 4)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "normalisation rules of %zu bytes with an index of %zu bytes", size,
                          trie_size);
    const size_t rest = size - 4 - trie_size;
    const char *texts = (const char *)charsmap + 4 + trie_size;
    const size_t longer = find_longer(texts, rest, MAX_REPLACEMENT);
    if (longer < rest)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "a normalisation rule puts %zu bytes, expected at most %d",
                          strnlen(texts + longer, rest - longer), MAX_REPLACEMENT);
    uint32_t *units = malloc(trie_size);
    char *replacements = malloc(rest + 1);
    if (!units || !replacements) {
        free(units);
        free(replacements);
        return ramus_fail_memory(err, "normalisation rules");
    }
    for (size_t i = 0; i < trie_size / 4; i++)
        units[i] = read_u32(charsmap + 4 + 4 * i);
    memcpy(replacements, texts, rest);
    replacements[rest] = '\0';

    ramus_normaliser_free(n);
    n->units = units;
    n->n_units = trie_size / 4;
    n->replacements = replacements;
    n->replacements_size = rest;
    return RAMUS_OK;
}

void ramus_normaliser_free(ramus_normaliser *n)
{
    free(n->units);
    free(n->replacements);
    n->units = NULL;
    n->replacements = NULL;
    n->n_units = n->replacements_size = 0;
}

/* The length of the longest rule at the start of `text`, 0 without one, and its replacement. */
static size_t find_rule(const ramus_normaliser *n, const char *text, size_t size, const char **out)
{
    if (!n->units) return 0;
    size_t longest = 0;
    uint32_t at = unit_offset(n->units[0]);
    for (size_t i = 0; i < size && i < MAX_RULE; i++) {
        const unsigned char byte = (unsigned char)text[i];
        at ^= byte;
        if (at >= n->n_units || unit_label(n->units[at]) != byte) break;
        const uint32_t unit = n->units[at];
        at ^= unit_offset(unit);
        if (!unit_has_value(unit)) continue;
        if (at >= n->n_units) break;
        const uint32_t value = n->units[at] & ~(1u << 31);
        if (value > n->replacements_size) break;
        longest = i + 1;
        *out = n->replacements + value;
    }
    return longest;
}

/* Whether `c` stays itself, whatever ASCII character or end follows it. */
static bool is_plain(const ramus_normaliser *n, char c)
{
    if (n->kept && ramus_trie_walk(n->kept, RAMUS_TRIE_ROOT, &c, 1) != RAMUS_TRIE_NONE)
        return false;
    if (!n->units) return true;
    const uint32_t at = unit_offset(n->units[0]) ^ (unsigned char)c;
    if (at >= n->n_units || unit_label(n->units[at]) != (unsigned char)c) return true;
    if (unit_has_value(n->units[at])) return false;
    for (uint32_t next = 0; next < 128; next++) {
        const uint32_t after = at ^ unit_offset(n->units[at]) ^ next;
        if (after < n->n_units && unit_label(n->units[after]) == next) return false;
    }
    return true;
}

void ramus_normaliser_prepare(ramus_normaliser *n)
{
    for (int c = 0; c < 128; c++)
        n->plain[c] = is_plain(n, (char)c);
}

/* What `taken` bytes of the input become. */
typedef struct prefix {
    const char *text;
    size_t size, taken;
} prefix;

static prefix next_prefix(const ramus_normaliser *n, const char *text, size_t size)
{
    const size_t kept = n->kept ? ramus_trie_longest(n->kept, text, size) : 0;
    if (kept > 0) return (prefix){text, kept, kept};

    const char *replacement = NULL;
    const size_t rule = find_rule(n, text, size, &replacement);
    if (rule > 0) return (prefix){replacement, strlen(replacement), rule};

    uint32_t code = 0;
    const size_t length = (size_t)ramus_utf8_decode(&code, text, size);
    if (length == 0) return (prefix){"\xEF\xBF\xBD", 3, 1};
    return (prefix){text, length, length};
}

size_t ramus_normaliser_step(const ramus_normaliser *n, const char *text, size_t size,
                             const char **out, size_t *out_size)
{
    const prefix p = next_prefix(n, text, size);
    *out = p.text;
    *out_size = p.size;
    return p.taken;
}

/* Makes room for `more` bytes behind `used`, and some to spare. */
static ramus_status make_room(ramus_buffer *out, size_t used, size_t more, ramus_error *err)
{
    if (out->data && out->capacity - used >= more) return RAMUS_OK;
    if (more > RAMUS_TEXT_MAX * (size_t)4 || used + more > RAMUS_TEXT_MAX * (size_t)4)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "normalised text of more than %d bytes",
                          RAMUS_TEXT_MAX);
    const size_t capacity = used + more + used / 2;
    char *data = realloc(out->data, capacity);
    if (!data) return ramus_fail_memory(err, "normalised text");
    out->data = data;
    out->capacity = capacity;
    return RAMUS_OK;
}

static char *add_space(const ramus_normaliser *n, char *to)
{
    if (!n->escape_spaces) {
        *to = ' ';
        return to + 1;
    }
    static const char symbol[RAMUS_SPACE_SIZE] = RAMUS_SPACE_SYMBOL;
    memcpy(to, symbol, sizeof symbol);
    return to + RAMUS_SPACE_SIZE;
}

/* Writes one prefix, which needs 3 bytes of room per byte, and tells whether it ends in a space. */
static char *add_prefix(const ramus_normaliser *n, char *to, prefix p, bool *after_space)
{
    while (*after_space && p.size > 0 && *p.text == ' ') {
        p.text++;
        p.size--;
    }
    if (p.size == 0) return to;
    for (size_t i = 0; i < p.size; i++) {
        if (p.text[i] == ' ')
            to = add_space(n, to);
        else
            *to++ = p.text[i];
    }
    *after_space = p.text[p.size - 1] == ' ';
    return to;
}

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* Notes that the bytes from the last noted one up to `written` were made of the text at `from`. */
static ramus_status add_origins(ramus_ids *origins, size_t written, size_t from, ramus_error *err)
{
    const size_t more = written - (size_t)origins->n;
    const ramus_status st = ramus_ids_reserve(origins, more, err);
    for (size_t i = 0; i < more && !st; i++)
        origins->data[origins->n++] = (int)from;
    return st;
}

/* Whether the character at `at` is one that stays itself. */
static bool is_plain_at(const ramus_normaliser *n, const char *text, size_t size, size_t at)
{
    const char c = text[at];
    return is_ascii(c) && n->plain[(int)c] && (at + 1 == size || is_ascii(text[at + 1]));
}

/* Appends all of `text` from `at` on to *out, whose capacity covers 3 bytes for each input byte.
 * Inlined twice, so that the work without origins does not pay for them. */
static inline __attribute__((always_inline)) ramus_status
add_text(const ramus_normaliser *n, const char *text, size_t size, size_t at, ramus_buffer *out,
         ramus_ids *origins, ramus_error *err)
{
    RAMUS_ASSERT(out->data);
    bool after_space = n->remove_extra_spaces;
    char *to = out->data + out->size;
    while (at < size) {
        if (!origins)
            for (; at < size && is_plain_at(n, text, size, at); at++) {
                if (text[at] != ' ') {
                    *to++ = text[at];
                    after_space = false;
                } else if (!after_space) {
                    to = add_space(n, to);
                    after_space = n->remove_extra_spaces;
                }
            }
        if (at == size) break;
        const prefix p = next_prefix(n, text + at, size - at);
        const size_t start = at;
        at += p.taken;
        if (p.size > p.taken) {
            const size_t used = (size_t)(to - out->data);
            if (used + p.size > MAX_GROWTH * at + FREE_GROWTH)
                return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                                  "normalisation makes a text more than %d times as long",
                                  MAX_GROWTH);
            const ramus_status st = make_room(out, used, 3 * (p.size + size - at) + 8, err);
            if (st) return st;
            to = out->data + used;
        }
        to = add_prefix(n, to, p, &after_space);
        if (!n->remove_extra_spaces) after_space = false;
        if (origins) {
            const ramus_status st = add_origins(origins, (size_t)(to - out->data), start, err);
            if (st) return st;
        }
    }
    out->size = (size_t)(to - out->data);
    return RAMUS_OK;
}

static void remove_last_spaces(const ramus_normaliser *n, ramus_buffer *out)
{
    const char *space = n->escape_spaces ? RAMUS_SPACE_SYMBOL : " ";
    const size_t length = strlen(space);
    while (out->size >= length && memcmp(out->data + out->size - length, space, length) == 0)
        out->size -= length;
}

ramus_status ramus_normaliser_run(const ramus_normaliser *n, const char *text, size_t size,
                                  ramus_buffer *out, ramus_ids *origins, ramus_error *err)
{
    size_t at = 0;

    ramus_buffer_clear(out);
    if (origins) origins->n = 0;
    if (size > RAMUS_TEXT_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a text of %zu bytes, at most %d are possible",
                          size, RAMUS_TEXT_MAX);
    while (n->remove_extra_spaces && at < size) {
        const prefix p = next_prefix(n, text + at, size - at);
        if (p.size != 1 || *p.text != ' ') break;
        at += p.taken;
    }
    ramus_status st = make_room(out, 0, 3 * (size - at) + 8, err);
    if (st) return st;
    size_t end = size; // in `text`, of what is not dropped
    if (at < size) {   // else nothing but spaces: no dummy either
        char *to = out->data;
        if (n->dummy_prefix && !n->space_as_suffix) to = add_space(n, to);
        out->size = (size_t)(to - out->data);
        if (origins) st = add_origins(origins, out->size, at, err);
        if (!st)
            st = origins ? add_text(n, text, size, at, out, origins, err)
                         : add_text(n, text, size, at, out, NULL, err);
        if (st) return st;
        const size_t whole = out->size;
        if (n->remove_extra_spaces) remove_last_spaces(n, out);
        if (origins && out->size < whole) {
            end = (size_t)origins->data[out->size];
            origins->n = (int)out->size;
        }
        if (n->dummy_prefix && n->space_as_suffix)
            out->size = (size_t)(add_space(n, out->data + out->size) - out->data);
    }
    if (out->size > RAMUS_TEXT_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a text that normalises to %zu bytes, not %d",
                          out->size, RAMUS_TEXT_MAX);
    out->data[out->size] = '\0';
    return origins ? add_origins(origins, out->size + 1, end, err) : RAMUS_OK;
}
