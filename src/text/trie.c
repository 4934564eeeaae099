/* Built state by state, from the root: the texts of a state are dealt into one list per next byte,
 * and the state gets a base under which as many units of one block are free. A text alone in its
 * list takes any free units. Blocks of 256 units keep bit sets of what is free. */
#include "text/trie.h"

#include "base/list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_STATE UINT32_MAX       // the parent of free units
#define ROOTS    (UINT32_MAX - 1) // the parent of the root
#define BLOCK    256              // units: all steps of a state end in one block
#define WORDS    4                // of a block's bit set
#define WINDOW   4                // newest blocks in which several free units are looked for

/* Entries that begin with the `depth` bytes of a state. */
typedef struct task {
    ramus_trie_entry *list;
    uint32_t state;
    int depth;
} task;

typedef struct builder {
    ramus_trie_entry *lists[256]; // by next byte, while a state is expanded; else NULL
    task *tasks;                  // [entries], for their lists share no entry
    int n_tasks;
    ramus_trie_unit *units;
    uint64_t *free; // [WORDS * blocks] a bit per unit
    int n_blocks;
    int first; // the words of `free` before it have no bit
    size_t unit_room, free_room;
} builder;

static uint32_t lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
#endif
}

static ramus_status add_block(builder *b, ramus_error *err)
{
    static const char what[] = "the index of pieces";
    const size_t n = (size_t)b->n_blocks + 1;
    ramus_status st = RAMUS_LIST_RESERVE(b->units, b->unit_room, n * BLOCK, what, err);
    if (!st) st = RAMUS_LIST_RESERVE(b->free, b->free_room, n * WORDS, what, err);
    if (st) return st;
    memset(b->units + (n - 1) * BLOCK, 0xFF, BLOCK * sizeof *b->units); // parent: NO_STATE
    memset(b->free + (n - 1) * WORDS, 0xFF, WORDS * sizeof *b->free);
    b->n_blocks++;
    return RAMUS_OK;
}

/* Takes the first free unit of all. */
static ramus_status take_first(builder *b, uint32_t *out, ramus_error *err)
{
    while (!b->free[b->first]) {
        if (++b->first < b->n_blocks * WORDS) continue;
        const ramus_status st = add_block(b, err);
        if (st) return st;
    }
    uint64_t *word = &b->free[b->first];
    *out = (uint32_t)b->first * 64 + lowest_bit(*word);
    *word &= *word - 1;
    return RAMUS_OK;
}

/* Takes the units of all labels under one base. A block that refuses n labels holds at least 256 /
 * n units, so the waste stays within a constant. */
static ramus_status take_all(builder *b, uint32_t *out, const unsigned char *labels, int n,
                             ramus_error *err)
{
    const int window = (b->n_blocks - WINDOW) * WORDS;
    for (int word = window > b->first ? window : b->first;; word++) {
        if (word == b->n_blocks * WORDS) {
            const ramus_status st = add_block(b, err);
            if (st) return st;
        }
        for (uint64_t left = b->free[word]; left; left &= left - 1) {
            const uint32_t base = ((uint32_t)word * 64 + lowest_bit(left)) ^ labels[0];
            int i = 1;
            while (i < n && b->units[base ^ labels[i]].parent == NO_STATE)
                i++;
            if (i < n) continue;
            for (i = 0; i < n; i++)
                b->free[(base ^ labels[i]) / 64] &= ~(1ull << (base ^ labels[i]) % 64);
            *out = base;
            return RAMUS_OK;
        }
    }
}

static ramus_status set_value(builder *b, uint32_t state, int32_t value, ramus_error *err)
{
    const int32_t before = b->units[state].value;
    b->units[state].value = value;
    if (before < 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d has the text of piece %d",
                      (int)(before > value ? before : value),
                      (int)(before > value ? value : before));
}

/* The states of all bytes of an entry from `depth` on, which no other entry shares. */
static ramus_status add_rest(builder *b, uint32_t state, const ramus_trie_entry *e, int depth,
                             ramus_error *err)
{
    for (; depth < e->size; depth++) {
        uint32_t unit = 0;
        const ramus_status st = take_first(b, &unit, err);
        if (st) return st;
        b->units[state].base = unit ^ (unsigned char)e->text[depth];
        b->units[unit] = (ramus_trie_unit){0, state, -1};
        state = unit;
    }
    b->units[state].value = e->value;
    return RAMUS_OK;
}

/* Deals the entries of a state into lists by their next byte; `labels` are these bytes. The one
 * that ends here gives the state its value. */
static ramus_status deal(builder *b, task t, unsigned char labels[256], int *n_labels,
                         ramus_error *err)
{
    int n = 0;
    for (ramus_trie_entry *e = t.list, *next; e; e = next) {
        next = e->next;
        if (e->size == t.depth) {
            const ramus_status st = set_value(b, t.state, e->value, err);
            if (st) return st;
            continue;
        }
        const unsigned char byte = (unsigned char)e->text[t.depth];
        if (!b->lists[byte]) labels[n++] = byte;
        e->next = b->lists[byte];
        b->lists[byte] = e;
    }
    *n_labels = n;
    return RAMUS_OK;
}

/* Gives a state its value and its steps; the states after them become tasks. */
static ramus_status expand(builder *b, task t, ramus_error *err)
{
    unsigned char labels[256];
    int n = 0;
    uint32_t base = 0;
    ramus_status st = deal(b, t, labels, &n, err);
    if (st || n == 0) return st; // base 0: no unit there has this parent
    if (n > 1) {
        st = take_all(b, &base, labels, n, err);
    } else {
        st = take_first(b, &base, err);
        base ^= labels[0];
    }
    if (st) return st;

    b->units[t.state].base = base;
    for (int i = 0; i < n && !st; i++) {
        const uint32_t unit = base ^ labels[i];
        ramus_trie_entry *list = b->lists[labels[i]];
        b->lists[labels[i]] = NULL;
        b->units[unit] = (ramus_trie_unit){0, t.state, -1};
        if (list->next)
            b->tasks[b->n_tasks++] = (task){list, unit, t.depth + 1};
        else
            st = add_rest(b, unit, list, t.depth + 1, err);
    }
    return st;
}

/* The root, with all entries in its list. */
static ramus_status begin(builder *b, ramus_trie_entry *entries, int n, ramus_error *err)
{
    b->tasks = malloc(((size_t)n + 1) * sizeof *b->tasks);
    if (!b->tasks) return ramus_fail_memory(err, "the index of pieces");
    const ramus_status st = add_block(b, err);
    if (st) return st;
    uint32_t root = RAMUS_TRIE_ROOT;
    (void)take_first(b, &root, err);
    b->units[root] = (ramus_trie_unit){0, ROOTS, -1};
    for (int i = 0; i < n; i++)
        entries[i].next = i + 1 < n ? &entries[i + 1] : NULL;
    if (n > 0) b->tasks[b->n_tasks++] = (task){entries, root, 0};
    return RAMUS_OK;
}

ramus_status ramus_trie_build(ramus_trie *out, ramus_trie_entry *entries, int n, ramus_error *err)
{
    builder b = {0};
    ramus_status st = begin(&b, entries, n, err);
    while (!st && b.n_tasks > 0)
        st = expand(&b, b.tasks[--b.n_tasks], err);
    if (st) goto done;
    *out = (ramus_trie){b.units, b.n_blocks * BLOCK};
    b.units = NULL;
done:
    free(b.tasks);
    free(b.free);
    free(b.units);
    return st;
}

void ramus_trie_free(ramus_trie *t)
{
    free(t->units);
    *t = (ramus_trie){0};
}

uint32_t ramus_trie_walk(const ramus_trie *t, uint32_t state, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        state = ramus_trie_step(t, state, (unsigned char)text[i]);
        if (state == RAMUS_TRIE_NONE) return RAMUS_TRIE_NONE;
    }
    return state;
}

int32_t ramus_trie_find(const ramus_trie *t, const char *text, size_t size)
{
    const uint32_t state = ramus_trie_walk(t, RAMUS_TRIE_ROOT, text, size);
    return state == RAMUS_TRIE_NONE ? -1 : t->units[state].value;
}

size_t ramus_trie_longest(const ramus_trie *t, const char *text, size_t size)
{
    size_t longest = 0;
    uint32_t state = RAMUS_TRIE_ROOT;
    for (size_t i = 0; i < size; i++) {
        state = ramus_trie_step(t, state, (unsigned char)text[i]);
        if (state == RAMUS_TRIE_NONE) break;
        if (t->units[state].value >= 0) longest = i + 1;
    }
    return longest;
}
