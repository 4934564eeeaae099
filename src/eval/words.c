/* One pass cuts a line by the classes of its characters. Words go into a hash table that gives
 * equal words equal numbers until it is cleared; the table ages by stamps, so clearing costs
 * nothing. */
#include "eval/words.h"

#include "base/list.h"
#include "base/utf8.h"
#include "eval/tokenization.h"

#include <stdlib.h>
#include <string.h>

#define BMP         0x10000
#define FIRST_SLOTS 256 // enough for the words of most pairs of lines

typedef struct {
    uint32_t hash, start, size;
} entry; // a word that differs from all before it

typedef struct {
    uint32_t stamp, number; // the slot is in use where its stamp is the current one
} slot;

struct ramus_words {
    const ramus_tokenization *tokenization;
    bool lowercase;
    char *text; // [text_room] the lines since the last clear
    size_t text_size, text_room;
    uint32_t *numbers; // [room] of each word in turn
    entry *entries;    // [entry_room] by number
    size_t room, entry_room;
    int n, n_entries;
    slot *slots; // [slot_capacity] of which mask + 1 are looked at
    size_t slot_capacity, mask;
    uint32_t stamp;
    uint8_t classes[BMP];
};

ramus_status ramus_words_create(ramus_words **out, const ramus_tokenization *t, bool lowercase,
                                ramus_error *err)
{
    ramus_words *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "the words of a line");
    w->tokenization = t;
    w->lowercase = lowercase;
    for (uint32_t code = 0; code < BMP; code++)
        w->classes[code] = (uint8_t)t->class_of(code);
    ramus_words_clear(w);
    *out = w;
    return RAMUS_OK;
}

void ramus_words_destroy(ramus_words *w)
{
    if (!w) return;
    free(w->text);
    free(w->numbers);
    free(w->entries);
    free(w->slots);
    free(w);
}

/* Empties the table by ageing its stamps, so that no line pays for an earlier, longer one. */
static void renew_slots(ramus_words *w)
{
    if (++w->stamp != 0) return;
    memset(w->slots, 0, w->slot_capacity * sizeof *w->slots);
    w->stamp = 1;
}

void ramus_words_clear(ramus_words *w)
{
    w->text_size = 0;
    w->n = w->n_entries = 0;
    w->mask = FIRST_SLOTS - 1;
    renew_slots(w);
}

/* Room for every byte of a line being a word, so that nothing after this can fail. */
static ramus_status reserve(ramus_words *w, size_t size, ramus_error *err)
{
    const size_t text = w->text_size + RAMUS_LINE_ROOM(size), words = (size_t)w->n + size;
    if (text > UINT32_MAX || words > RAMUS_LINE_LIMIT)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the hypothesis and references of one line exceed %d bytes together",
                          RAMUS_LINE_LIMIT);
    static const char what[] = "the words of a line";
    ramus_status st = RAMUS_LIST_RESERVE(w->text, w->text_room, text + 1, what, err);
    if (!st) st = RAMUS_LIST_RESERVE(w->numbers, w->room, words + 1, what, err);
    if (!st) st = RAMUS_LIST_RESERVE(w->entries, w->entry_room, words + 1, what, err);
    return st;
}

static void place(ramus_words *w, uint32_t number)
{
    size_t at = w->entries[number].hash & w->mask;
    while (w->slots[at].stamp == w->stamp)
        at = (at + 1) & w->mask;
    w->slots[at] = (slot){w->stamp, number};
}

/* Makes the table large enough for `n_words` different words; it stays at most half full. */
static ramus_status reserve_slots(ramus_words *w, size_t n_words, ramus_error *err)
{
    size_t mask = w->mask;
    while (mask / 2 < n_words)
        mask = 2 * mask + 1;
    if (mask == w->mask && mask < w->slot_capacity) return RAMUS_OK;
    if (mask >= w->slot_capacity) {
        slot *slots = calloc(mask + 1, sizeof *slots);
        if (!slots) return ramus_fail_memory(err, "the words of a line");
        free(w->slots);
        w->slots = slots;
        w->slot_capacity = mask + 1;
    }
    w->mask = mask;
    renew_slots(w);
    for (int i = 0; i < w->n_entries; i++)
        place(w, (uint32_t)i);
    return RAMUS_OK;
}

static uint32_t hash_of(const char *text, size_t size)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); // FNV-1a
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    return (uint32_t)(hash >> 32 ^ hash);
}

/* Appends the word text[start, end). */
static void add_word(ramus_words *w, size_t start, size_t end)
{
    const uint32_t size = (uint32_t)(end - start), hash = hash_of(w->text + start, size);
    size_t at = hash & w->mask;
    for (; w->slots[at].stamp == w->stamp; at = (at + 1) & w->mask) {
        const entry *e = &w->entries[w->slots[at].number];
        if (e->hash == hash && e->size == size &&
            memcmp(w->text + e->start, w->text + start, size) == 0) {
            w->numbers[w->n++] = w->slots[at].number;
            return;
        }
    }
    w->slots[at] = (slot){w->stamp, (uint32_t)w->n_entries};
    w->entries[w->n_entries] = (entry){hash, (uint32_t)start, size};
    w->numbers[w->n++] = (uint32_t)w->n_entries++;
}

static bool is_mark(char c)
{
    return c != '\0' && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) != NULL;
}

static int length_at(const char *text)
{
    const unsigned char lead = (unsigned char)text[0];
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Ends the word that began at `start`. */
static void end_word(ramus_words *w, size_t start, size_t end)
{
    if (start == end) return;
    const char *text = w->text;
    size_t cut = end;
    if (w->tokenization->peeled && start + (size_t)length_at(text + start) < end) {
        if (is_mark(text[end - 1]))
            cut = end - 1;
        else if (is_mark(text[start]))
            cut = start + 1;
    }
    add_word(w, start, cut);
    if (cut < end) add_word(w, cut, end);
}

/* The class of the character at text[at], which takes *length bytes. The text is valid UTF-8. */
static inline int class_at(const ramus_words *w, size_t at, size_t end, int *length)
{
    const unsigned char byte = (unsigned char)w->text[at];
    *length = 1;
    if (byte < 0x80) return w->classes[byte];
    uint32_t code = 0;
    *length = ramus_utf8_decode(&code, w->text + at, end - at);
    return code < BMP ? w->classes[code] : w->tokenization->class_of(code);
}

/* Cuts a run of points from *at on and sets *at behind it. "x." is cut where x is no digit, and so
 * is ".x". Matches of a regular expression do not overlap, so the points of a run pair up, with
 * each other or with the character before them; only one that is left over at the end can stay with
 * a digit behind it. The current word began at `open`; returns where it begins afterwards. */
static size_t cut_points(ramus_words *w, size_t open, size_t *at, size_t end, int before)
{
    const size_t start = *at;
    const bool after_digit = before == RAMUS_CHAR_DIGIT || before == RAMUS_CHAR_NONE;
    int length = 0, n = 0, class = RAMUS_CHAR_NONE;

    for (; *at < end; *at += (size_t)length, n++) {
        class = class_at(w, *at, end, &length);
        if (class != RAMUS_CHAR_POINT) break;
    }
    if (*at == end) class = w->tokenization->padded ? RAMUS_CHAR_SPACE : RAMUS_CHAR_NONE;

    const bool left_over = (n % 2 == 1) == after_digit;
    const bool stays = left_over && (class == RAMUS_CHAR_DIGIT || class == RAMUS_CHAR_NONE);
    const int n_cut = n - stays;
    if (n_cut == 0) return open;
    end_word(w, open, start);
    open = start;
    for (int i = 0; i < n_cut; i++) {
        (void)class_at(w, open, end, &length);
        add_word(w, open, open + (size_t)length);
        open += (size_t)length;
    }
    return open;
}

static void cut_line(ramus_words *w, size_t start, size_t end)
{
    int before = w->tokenization->padded ? RAMUS_CHAR_SPACE : RAMUS_CHAR_NONE, length = 0;
    size_t open = start;

    for (size_t at = start; at < end;) {
        const int class = class_at(w, at, end, &length);
        if (class == RAMUS_CHAR_POINT) {
            open = cut_points(w, open, &at, end, before);
            before = class;
            continue;
        }
        const size_t next = at + (size_t)length;
        if (class == RAMUS_CHAR_SPACE) {
            end_word(w, open, at);
            open = next;
        } else if (class == RAMUS_CHAR_SINGLE ||
                   (class == RAMUS_CHAR_DASH && before == RAMUS_CHAR_DIGIT)) {
            end_word(w, open, at);
            add_word(w, at, next);
            open = next;
        }
        before = class;
        at = next;
    }
    end_word(w, open, end);
}

/* text.replace(from, to), in place; `to` is not longer than `from`. Returns the new size. */
static size_t replace(char *text, size_t size, const char *from, const char *to)
{
    const size_t from_size = strlen(from), to_size = strlen(to);
    size_t written = 0;
    for (size_t at = 0; at < size;) {
        if (text[at] == from[0] && size - at >= from_size &&
            memcmp(text + at, from, from_size) == 0) {
            memcpy(text + written, to, to_size);
            written += to_size;
            at += from_size;
        } else {
            text[written++] = text[at++];
        }
    }
    return written;
}

/* One after the other, as mteval does: &amp;lt; becomes <, &amp;quot; becomes &quot;. */
static size_t undo_entities(char *text, size_t size)
{
    static const char *const pairs[][2] = {{"<skipped>", ""}, {"-\n", ""},   {"&quot;", "\""},
                                           {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"}};
    for (int i = 0; i < RAMUS_COUNT(pairs); i++)
        if (size > 0 && memchr(text, pairs[i][0][0], size))
            size = replace(text, size, pairs[i][0], pairs[i][1]);
    return size;
}

/* Where the text ends when spaces at its end are left out. */
static size_t trim_end(const ramus_words *w, size_t start, size_t end)
{
    while (end > start) {
        size_t at = end - 1;
        while (at > start && ((unsigned char)w->text[at] & 0xC0) == 0x80)
            at--;
        int length = 0;
        if (class_at(w, at, end, &length) != RAMUS_CHAR_SPACE) break;
        end = at;
    }
    return end;
}

static size_t trim_start(const ramus_words *w, size_t start, size_t end)
{
    int length = 0;
    while (start < end && class_at(w, start, end, &length) == RAMUS_CHAR_SPACE)
        start += (size_t)length;
    return start;
}

ramus_status ramus_words_add(ramus_words *w, ramus_line line, ramus_error *err)
{
    ramus_status st = ramus_line_check(line, err);
    if (!st) st = reserve(w, line.size, err);
    if (!st) st = reserve_slots(w, (size_t)w->n_entries + line.size, err);
    if (st) return st;

    char *text = w->text + w->text_size;
    const size_t size = w->lowercase ? ramus_line_lower(text, line) : ramus_line_copy(text, line);
    size_t start = w->text_size, end = trim_end(w, start, start + size);
    if (w->tokenization->entities) end = start + undo_entities(text, end - start);
    if (w->tokenization->trimmed) start = trim_start(w, start, end);
    cut_line(w, start, end);
    w->text_size = end;
    return RAMUS_OK;
}

int ramus_words_count(const ramus_words *w)
{
    return w->n;
}

const uint32_t *ramus_words_numbers(const ramus_words *w)
{
    return w->numbers;
}

ramus_line ramus_words_text(const ramus_words *w, uint32_t number)
{
    RAMUS_ASSERT((int)number < w->n_entries);
    return (ramus_line){w->text + w->entries[number].start, w->entries[number].size};
}
