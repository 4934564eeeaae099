/* An n-gram is its prefix's number and one more symbol, so an order builds on the one before. A
 * table of the hypothesis' n-grams is looked up for each reference; places that no longer match
 * drop out. */
#include "eval/ngrams.h"

#include "base/list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 5 // of the smallest table

/* An n-gram of the hypothesis: how often it is there, and at most in one reference. */
struct ramus_ngram {
    int32_t in_hypothesis, in_reference;
    int32_t seen;                         // in the reference at hand
    uint32_t at_hypothesis, at_reference; // where it was last seen
};

typedef struct ramus_ngram_slot {
    uint64_t key;
    uint32_t stamp, number; // the slot is in use where its stamp is the current one
} slot;

/* Where an n-gram begins that the other side has too, and its number. */
typedef struct ramus_ngram_place {
    uint32_t at, number;
} place;

typedef struct ramus_ngram_reference {
    size_t start, n; // its part of `symbols`
    size_t n_places; // how many of its n-grams are still in the hypothesis
} reference;

void ramus_ngrams_free(ramus_ngrams *g)
{
    free(g->symbols);
    free(g->references);
    free(g->places);
    free(g->entries);
    free(g->slots);
    *g = (ramus_ngrams){0};
}

void ramus_ngrams_clear(ramus_ngrams *g)
{
    g->n_symbols = 0;
    g->n_references = 0;
}

ramus_status ramus_ngrams_add(ramus_ngrams *g, const uint32_t *symbols, int n, ramus_error *err)
{
    const size_t start = g->n_symbols, end = start + (size_t)n;
    static const char what[] = "the references of a line";
    ramus_status st = RAMUS_LIST_RESERVE(g->symbols, g->symbol_room, end + 1, what, err);
    if (!st)
        st = RAMUS_LIST_RESERVE(g->references, g->reference_room, g->n_references + 1, what, err);
    if (st) return st;
    if (n > 0) memcpy(g->symbols + start, symbols, (size_t)n * sizeof *symbols);
    g->n_symbols = end;
    g->references[g->n_references++] = (reference){.start = start, .n = (size_t)n};
    return RAMUS_OK;
}

static int bits_for(size_t n_entries)
{
    int bits = FIRST_BITS;
    while ((size_t)1 << bits < 4 * n_entries) // three quarters empty: collisions are branch misses
        bits++;
    return bits;
}

/* All that a hypothesis of `n` symbols can take. */
static ramus_status reserve(ramus_ngrams *g, size_t n, ramus_error *err)
{
    static const char what[] = "the n-grams of a line";
    ramus_status st = RAMUS_LIST_RESERVE(g->places, g->place_room, n + g->n_symbols + 1, what, err);
    if (!st) st = RAMUS_LIST_RESERVE(g->entries, g->entry_room, n + 2, what, err);
    if (st) return st;

    const size_t n_slots = (size_t)1 << bits_for(n);
    if (n_slots <= g->slot_capacity) return RAMUS_OK;
    slot *slots = calloc(n_slots, sizeof *slots);
    if (!slots) return ramus_fail_memory(err, what);
    free(g->slots);
    g->slots = slots;
    g->slot_capacity = n_slots;
    return RAMUS_OK;
}

/* An empty table for `n` n-grams. Its stamps age, so that no line pays for an earlier, longer one.
 */
static void renew_table(ramus_ngrams *g, size_t n)
{
    g->n_entries = 0;
    g->bits = bits_for(n);
    if (++g->stamp != 0) return;
    memset(g->slots, 0, g->slot_capacity * sizeof *g->slots);
    g->stamp = 1;
}

/* The table as the inner loops see it: in registers. */
typedef struct {
    slot *slots;
    size_t mask;
    int shift;
    uint32_t stamp;
} table;

static table table_of(const ramus_ngrams *g)
{
    return (table){g->slots, ((size_t)1 << g->bits) - 1, 64 - g->bits, g->stamp};
}

/* The slot that holds `key`, or the free one where it belongs. */
static inline slot *look_up(table t, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> t.shift); // golden ratio
    while (t.slots[at].stamp == t.stamp && t.slots[at].key != key)
        at = (at + 1) & t.mask;
    return t.slots + at;
}

static inline uint64_t key_of(uint32_t prefix, uint32_t symbol)
{
    return (uint64_t)prefix << 32 | symbol;
}

/* Lengthens the n-grams at `places` by the symbol k places on, numbers and counts them. Returns how
 * many there are; those that the sequence is too short for drop out. Whether an n-gram is new is a
 * coin toss for the branch predictor, so both cases run the same instructions. */
static size_t count_hypothesis(ramus_ngrams *g, const uint32_t *symbols, size_t n, place *places,
                               size_t n_places, size_t k)
{
    const table t = table_of(g);
    struct ramus_ngram *entries = g->entries;
    size_t kept = 0, n_entries = 0;
    for (size_t j = 0; j < n_places; j++) {
        const place p = places[j];
        if (p.at + k >= n) continue;
        const uint64_t key = key_of(p.number, symbols[p.at + k]);
        slot *s = look_up(t, key);
        const bool fresh = s->stamp != t.stamp;
        const uint32_t number = fresh ? (uint32_t)n_entries : s->number;
        *s = (slot){key, t.stamp, number};
        entries[n_entries] = (struct ramus_ngram){0};
        n_entries += fresh;
        entries[number].in_hypothesis++;
        entries[number].at_hypothesis = p.at;
        places[kept++] = (place){p.at, number};
    }
    entries[n_entries] = (struct ramus_ngram){0}; // for what only the reference has
    g->n_entries = n_entries;
    return kept;
}

/* The same for a reference, except that n-grams which the hypothesis has not drop out as well: they
 * are counted in the entry behind the last one. */
static size_t count_reference(ramus_ngrams *g, const uint32_t *symbols, size_t n, place *places,
                              size_t n_places, size_t k)
{
    const table t = table_of(g);
    struct ramus_ngram *entries = g->entries;
    const uint32_t missing = (uint32_t)g->n_entries;
    size_t kept = 0;
    for (size_t j = 0; j < n_places; j++) {
        const place p = places[j];
        if (p.at + k >= n) continue;
        const slot *s = look_up(t, key_of(p.number, symbols[p.at + k]));
        const bool found = s->stamp == t.stamp;
        const uint32_t number = found ? s->number : missing;
        struct ramus_ngram *e = &entries[number];
        e->seen++;
        e->in_reference = e->seen > e->in_reference ? e->seen : e->in_reference;
        e->at_reference = p.at;
        places[kept] = (place){p.at, number};
        kept += found;
    }
    return kept;
}

static int32_t sum_matches(const ramus_ngrams *g)
{
    int32_t sum = 0;
    for (size_t i = 0; i < g->n_entries; i++) {
        const struct ramus_ngram *e = &g->entries[i];
        sum += e->in_hypothesis < e->in_reference ? e->in_hypothesis : e->in_reference;
    }
    return sum;
}

/* What occurs once on either side can be longer at that one place only: compares the symbols behind
 * it, counts the longer n-grams from length `k` + 2 on and is done with it. This is most of the
 * work, and it needs no table. */
static void finish_unique(ramus_ngrams *g, const uint32_t *hypothesis, size_t n, size_t k,
                          size_t order, int32_t *matches)
{
    const reference *ref = &g->references[0];
    const uint32_t *symbols = g->symbols + ref->start;
    for (size_t i = 0; i < g->n_entries; i++) {
        struct ramus_ngram *e = &g->entries[i];
        if (e->in_hypothesis != 1 || e->in_reference != 1) continue;
        e->in_reference = 0;
        for (size_t m = k + 1; m < order; m++) {
            const size_t x = e->at_hypothesis + m, y = e->at_reference + m;
            if (x >= n || y >= ref->n || hypothesis[x] != symbols[y]) break;
            matches[m]++;
        }
    }
}

static size_t drop_unmatched(const ramus_ngrams *g, place *places, size_t n_places)
{
    size_t kept = 0;
    for (size_t j = 0; j < n_places; j++) {
        const place p = places[j];
        places[kept] = p;
        kept += g->entries[p.number].in_reference > 0;
    }
    return kept;
}

static void start_places(place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        places[i] = (place){(uint32_t)i, 0};
}

/* The n-grams of `k` + 1 symbols. Returns how many places of the hypothesis are left. */
static size_t match_order(ramus_ngrams *g, const uint32_t *hypothesis, size_t n, size_t n_places,
                          size_t k)
{
    renew_table(g, n_places);
    n_places = count_hypothesis(g, hypothesis, n, g->places, n_places, k);
    for (size_t r = 0; r < g->n_references; r++) {
        reference *ref = &g->references[r];
        for (size_t i = 0; r > 0 && i < g->n_entries; i++)
            g->entries[i].seen = 0;
        ref->n_places = count_reference(g, g->symbols + ref->start, ref->n,
                                        g->places + n + ref->start, ref->n_places, k);
    }
    return n_places;
}

ramus_status ramus_ngrams_match(ramus_ngrams *g, const uint32_t *hypothesis, int n, int order,
                                int32_t *matches, ramus_error *err)
{
    const ramus_status st = reserve(g, (size_t)n, err);
    if (st) return st;
    size_t n_places = (size_t)n;
    start_places(g->places, n_places);
    for (size_t r = 0; r < g->n_references; r++) {
        reference *ref = &g->references[r];
        ref->n_places = ref->n;
        start_places(g->places + n + ref->start, ref->n);
    }
    memset(matches, 0, (size_t)order * sizeof *matches);
    for (int k = 0; k < order && n_places > 0; k++) {
        n_places = match_order(g, hypothesis, (size_t)n, n_places, (size_t)k);
        matches[k] += sum_matches(g);
        if (g->n_references == 1) {
            reference *ref = &g->references[0];
            finish_unique(g, hypothesis, (size_t)n, (size_t)k, (size_t)order, matches);
            ref->n_places = drop_unmatched(g, g->places + n, ref->n_places);
        }
        n_places = drop_unmatched(g, g->places, n_places);
    }
    return RAMUS_OK;
}
