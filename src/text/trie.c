/* Built state by state: a state with n steps gets a base under which n units of one block are
 * free. Blocks of 256 units keep bit sets of what is free; only the newest few are searched. */
#include "text/trie.h"

#include "base/list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_LABEL   0x100u
#define BLOCK      256       // units: all steps of a state end in one block
#define WINDOW     16        // newest blocks in which free units are looked for
#define MAX_BLOCKS (1 << 15) // 23 bits of base: 64 MB, some millions of bytes of pieces

/* What is free in a block: a bit per unit, and a bit per base (two states never share a base, so
 * that a label alone proves the step). */
typedef struct block {
    uint64_t unit_free[4], base_free[4];
} block;

typedef struct task {
    uint32_t state;
    int first, last; // entries [first, last) begin with the bytes of `state`
    int depth;
} task;

typedef struct builder {
    ramus_trie_unit *units;
    block *blocks;
    int n_blocks;
    task *tasks;
    int n_tasks;
    size_t unit_room, block_room, task_room;
} builder;

static bool bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static void clear_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(1ull << i % 64);
}

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

static bool add_block(builder *b)
{
    const size_t n = (size_t)b->n_blocks + 1;
    if (RAMUS_LIST_RESERVE(b->units, b->unit_room, n * BLOCK, "a trie", NULL) ||
        RAMUS_LIST_RESERVE(b->blocks, b->block_room, n, "a trie", NULL))
        return false;
    memset(&b->blocks[b->n_blocks], 0xFF, sizeof(block));
    ramus_trie_unit *units = b->units + (size_t)b->n_blocks * BLOCK;
    for (int i = 0; i < BLOCK; i++)
        units[i] = (ramus_trie_unit){NO_LABEL, -1};
    b->n_blocks++;
    return true;
}

/* A base in block `k` under which all labels fall on free units, or -1. */
static int base_in_block(const block *k, const unsigned char *labels, int n)
{
    for (int word = 0; word < 4; word++) {
        for (uint64_t left = k->unit_free[word]; left; left &= left - 1) {
            const uint32_t base = ((uint32_t)word * 64 + lowest_bit(left)) ^ labels[0];
            if (!bit(k->base_free, base)) continue;
            int i = 1;
            while (i < n && bit(k->unit_free, base ^ labels[i]))
                i++;
            if (i == n) return (int)base;
        }
    }
    return -1;
}

/* Finds a base for these labels, opening a block when none fits; -1 when memory or bits run out. A
 * block that refuses n labels holds at least 256 / n units, so the waste stays within a constant.
 */
static int64_t find_base(builder *b, const unsigned char *labels, int n)
{
    int first = b->n_blocks - WINDOW;
    for (int k = first > 0 ? first : 0; k < b->n_blocks; k++) {
        const int base = base_in_block(&b->blocks[k], labels, n);
        if (base >= 0) return (int64_t)k * BLOCK + base;
    }
    if (b->n_blocks == MAX_BLOCKS || !add_block(b)) return -1;
    const int base = base_in_block(&b->blocks[b->n_blocks - 1], labels, n);
    return (int64_t)(b->n_blocks - 1) * BLOCK + base;
}

static bool push_task(builder *b, task t)
{
    if (RAMUS_LIST_RESERVE(b->tasks, b->task_room, (size_t)b->n_tasks + 1, "a trie", NULL))
        return false;
    b->tasks[b->n_tasks++] = t;
    return true;
}

/* Gives `t.state` its value and its steps; the states after them become tasks. */
static bool expand(builder *b, const ramus_trie_entry *entries, task t)
{
    unsigned char labels[256];
    int starts[257], n = 0;
    int at = t.first;
    if (entries[at].size == t.depth) b->units[t.state].value = entries[at++].value;
    for (; at < t.last; at++) {
        const unsigned char byte = (unsigned char)entries[at].text[t.depth];
        if (n > 0 && labels[n - 1] == byte) continue;
        starts[n] = at;
        labels[n++] = byte;
    }
    starts[n] = t.last;
    if (n == 0) return true; // base 0 is nobody's, so that no step leads on from here

    const int64_t base = find_base(b, labels, n);
    if (base < 0) return false;
    block *k = &b->blocks[base / BLOCK];
    clear_bit(k->base_free, (uint32_t)(base % BLOCK));
    b->units[t.state].link = (uint32_t)base << 9 | (b->units[t.state].link & 0x1FF);
    for (int i = n - 1; i >= 0; i--) { // the smallest label is expanded next
        const uint32_t unit = (uint32_t)base ^ labels[i];
        clear_bit(k->unit_free, unit % BLOCK);
        b->units[unit].link = labels[i];
        if (!push_task(b, (task){unit, starts[i], starts[i + 1], t.depth + 1})) return false;
    }
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const ramus_trie_entry *x = a, *y = b;
    const int order = memcmp(x->text, y->text, (size_t)(x->size < y->size ? x->size : y->size));
    if (order) return order;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static bool equal_texts(const ramus_trie_entry *x, const ramus_trie_entry *y)
{
    return x->size == y->size && memcmp(x->text, y->text, (size_t)x->size) == 0;
}

ramus_status ramus_trie_build(ramus_trie *out, ramus_trie_entry *entries, int n, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    builder b = {0};

    if (n > 0) qsort(entries, (size_t)n, sizeof *entries, compare_entries);
    for (int i = 1; i < n; i++) {
        if (equal_texts(&entries[i - 1], &entries[i]))
            return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d has the text of piece %d",
                              (int)entries[i].value, (int)entries[i - 1].value);
    }

    bool fits = add_block(&b);
    if (fits) {
        clear_bit(b.blocks[0].unit_free, RAMUS_TRIE_ROOT);
        clear_bit(b.blocks[0].base_free, 0);
    }
    if (fits && n > 0) fits = push_task(&b, (task){RAMUS_TRIE_ROOT, 0, n, 0});
    while (fits && b.n_tasks > 0)
        fits = expand(&b, entries, b.tasks[--b.n_tasks]);
    if (!fits && b.n_blocks == MAX_BLOCKS) {
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "the %d pieces need more than %d states", n,
                        MAX_BLOCKS * BLOCK);
        goto done;
    }
    if (!fits) {
        st = ramus_fail_memory(err, "the index of pieces");
        goto done;
    }
    *out = (ramus_trie){b.units, b.n_blocks * BLOCK};
    b.units = NULL;
done:
    free(b.tasks);
    free(b.blocks);
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
