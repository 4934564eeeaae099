/* Reads code point by code point. A run of Latin characters is first looked at as a whole: whether
 * it is an address or a number, whose letters say nothing. The slots of a word are hashes of its
 * substrings of 2 to 4 characters, the spaces around it included, and of the whole word. */
#include "text/language_words.h"

#include "base/utf8.h"
#include "text/case.h"

#include "base/status.h"

#include <string.h>

#define GRAM_LEAST 2 // characters of a substring
#define GRAM_MOST  4
#define DIAERESIS  0x308u // a mark of its own, behind its letter
#define APOSTROPHE 0x2019u

typedef struct script_range {
    uint32_t first, last;
    ramus_script script;
} script_range;

/* Sorted. What lies between is no letter. */
static const script_range ranges[] = {
    {'A', 'Z', RAMUS_SCRIPT_LATIN},
    {'a', 'z', RAMUS_SCRIPT_LATIN},
    {0xC0, 0xD6, RAMUS_SCRIPT_LATIN},
    {0xD8, 0xF6, RAMUS_SCRIPT_LATIN},
    {0xF8, 0x24F, RAMUS_SCRIPT_LATIN},
    {0x300, 0x36F, RAMUS_SCRIPT_LATIN}, // marks: accents behind their letter
    {0x370, 0x3FF, RAMUS_SCRIPT_GREEK},
    {0x400, 0x52F, RAMUS_SCRIPT_OTHER}, // Cyrillic
    {0x531, 0x58A, RAMUS_SCRIPT_ARMENIAN},
    {0x591, 0x5F4, RAMUS_SCRIPT_HEBREW},
    {0x600, 0xDFF, RAMUS_SCRIPT_OTHER}, // Arabic to Sinhala
    {0xE01, 0xE5B, RAMUS_SCRIPT_THAI},
    {0xE80, 0x109F, RAMUS_SCRIPT_OTHER}, // Lao, Tibetan, Burmese
    {0x10A0, 0x10FF, RAMUS_SCRIPT_GEORGIAN},
    {0x1100, 0x11FF, RAMUS_SCRIPT_HANGUL},
    {0x1200, 0x1C8F, RAMUS_SCRIPT_OTHER}, // Ethiopic to Lepcha
    {0x1C90, 0x1CBF, RAMUS_SCRIPT_GEORGIAN},
    {0x1CC0, 0x1CFF, RAMUS_SCRIPT_OTHER},
    {0x1E00, 0x1EFF, RAMUS_SCRIPT_LATIN},
    {0x1F00, 0x1FFF, RAMUS_SCRIPT_GREEK},
    {0x3041, 0x30FA, RAMUS_SCRIPT_KANA},
    {0x30FC, 0x30FF, RAMUS_SCRIPT_KANA},
    {0x3105, 0x312F, RAMUS_SCRIPT_HAN}, // Bopomofo
    {0x3131, 0x318E, RAMUS_SCRIPT_HANGUL},
    {0x31F0, 0x31FF, RAMUS_SCRIPT_KANA},
    {0x3400, 0x4DBF, RAMUS_SCRIPT_HAN},
    {0x4E00, 0x9FFF, RAMUS_SCRIPT_HAN},
    {0xA000, 0xABFF, RAMUS_SCRIPT_OTHER},
    {0xAC00, 0xD7FF, RAMUS_SCRIPT_HANGUL},
    {0xF900, 0xFAFF, RAMUS_SCRIPT_HAN},
    {0xFB00, 0xFB06, RAMUS_SCRIPT_LATIN}, // ligatures
    {0xFB13, 0xFB17, RAMUS_SCRIPT_ARMENIAN},
    {0xFB1D, 0xFB4F, RAMUS_SCRIPT_HEBREW},
    {0xFB50, 0xFDFF, RAMUS_SCRIPT_OTHER}, // Arabic
    {0xFE70, 0xFEFC, RAMUS_SCRIPT_OTHER},
    {0xFF66, 0xFF9D, RAMUS_SCRIPT_KANA},
    {0x10000, 0x16FFF, RAMUS_SCRIPT_OTHER},
    {0x20000, 0x323AF, RAMUS_SCRIPT_HAN},
};

ramus_script ramus_script_of(uint32_t code)
{
    int low = 0, high = RAMUS_COUNT(ranges);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < RAMUS_COUNT(ranges) && code >= ranges[low].first ? ranges[low].script
                                                                  : RAMUS_SCRIPT_NONE;
}

/* The code point at `at`; bytes that are not UTF-8 are one each and no letters. */
static uint32_t code_at(const ramus_language_words *w, size_t at, size_t *next)
{
    uint32_t code = 0;
    const int n = ramus_utf8_decode(&code, w->text + at, w->size - at);
    *next = at + (size_t)(n ? n : 1);
    return code;
}

static bool in_run(uint32_t code)
{
    return (code > ' ' && code < 0x7F) || code == APOSTROPHE ||
           ramus_script_of(code) == RAMUS_SCRIPT_LATIN;
}

/* Sets run_end for the run that starts at `at`, and passes over it when it has no words. */
static void enter_run(ramus_language_words *w)
{
    bool words = true, point = false;
    size_t next = w->at;
    for (w->run_end = w->at; w->run_end < w->size; w->run_end = next) {
        const uint32_t code = code_at(w, w->run_end, &next);
        if (!in_run(code)) break;
        const bool letter = ramus_script_of(code) == RAMUS_SCRIPT_LATIN;
        if ((code < 0x7F && strchr("0123456789@/\\_=", (int)code)) || (point && letter))
            words = false;
        point = code == '.' || code == ':';
    }
    if (!words) w->at = w->run_end;
}

static void add_capital(ramus_language_word *out, uint32_t code)
{
    if (out->n < RAMUS_LANGUAGE_LETTERS) out->latin[++out->n] = code;
}

static void add_letter(ramus_language_word *out, uint32_t code)
{
    uint32_t capitals[RAMUS_CASE_MOST];
    const int n = ramus_case_upper(capitals, code);
    for (int i = 0; i < n; i++) {
        const uint32_t c = capitals[i], last = out->latin[out->n];
        const bool vowel = last == 'A' || last == 'O' || last == 'U';
        if (c == 0xC4 || c == 0xD6 || c == 0xDC) { // Ä Ö Ü
            add_capital(out, c == 0xC4 ? 'A' : c == 0xD6 ? 'O' : 'U');
            add_capital(out, 'E');
        } else if (c < 0x300 || c > 0x36F) {
            add_capital(out, c);
        } else if (c == DIAERESIS && vowel) {
            add_capital(out, 'E');
        }
    }
}

/* Reads the Latin word that starts at `at`. */
static void read_latin(ramus_language_words *w, ramus_language_word *out)
{
    size_t next = 0, after = 0;
    out->latin[0] = ' ';
    for (; w->at < w->run_end; w->at = next) {
        const uint32_t code = code_at(w, w->at, &next);
        const bool apostrophe = code == '\'' || code == APOSTROPHE;
        const uint32_t letter = apostrophe && next < w->run_end ? code_at(w, next, &after) : code;
        if (ramus_script_of(letter) != RAMUS_SCRIPT_LATIN) break;
        add_letter(out, apostrophe ? '\'' : code);
    }
    out->latin[out->n + 1] = ' ';
}

bool ramus_language_next(ramus_language_words *w, ramus_language_word *out)
{
    while (w->at < w->size) {
        size_t next = 0;
        const uint32_t code = code_at(w, w->at, &next);
        if (w->at >= w->run_end && in_run(code)) {
            enter_run(w);
            if (w->at == w->run_end) continue;
        }
        *out = (ramus_language_word){.script = ramus_script_of(code)};
        if (out->script == RAMUS_SCRIPT_LATIN) {
            read_latin(w, out);
            if (out->n) return true;
        } else if (out->script) {
            do {
                w->at = next;
                out->n++;
            } while (w->at < w->size && ramus_script_of(code_at(w, w->at, &next)) == out->script);
            return true;
        } else {
            w->at = next;
        }
    }
    return false;
}

/* A step of FNV-1a, by code point. */
static uint32_t mix(uint32_t hash, uint32_t code)
{
    return (hash ^ code) * 0x01000193u;
}

static uint16_t slot_of(uint32_t hash)
{
    return (uint16_t)((hash ^ hash >> 15) * 0x2C1B3C6Du >> 20);
}
_Static_assert(RAMUS_LANGUAGE_SLOTS == 1 << (32 - 20), "a slot is the upper bits of a hash");

int ramus_language_slots(uint16_t out[RAMUS_LANGUAGE_MOST], const ramus_language_word *word)
{
    const size_t size = word->n + 2;
    uint32_t whole = 1;
    int n = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t hash = 0;
        for (size_t k = 1; k <= GRAM_MOST && i + k <= size; k++) {
            hash = mix(hash, word->latin[i + k - 1]);
            if (k >= GRAM_LEAST) out[n++] = slot_of(hash);
        }
        whole = mix(whole, word->latin[i]);
    }
    if (size > GRAM_MOST) out[n++] = slot_of(whole);
    return n;
}
