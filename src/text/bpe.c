/* Byte pair encoding: from single characters, the pair of neighbours whose joined piece has the
 * best score is merged, the leftmost first among equals, until none is left (Sennrich et al. 2016).
 * At random: BPE-dropout (Provilkov et al. 2020). */
#include "text/segment.h"

#include <string.h>

/* A run of text that is one piece so far. Merging gives the left one the text of the right one. */
typedef struct symbol {
    int32_t previous, next; // -1 at the ends
    int32_t start, size;    // size 0: merged away
    uint32_t state;         // after its bytes in the trie; NONE: begins no piece
    bool fixed;             // a user-defined piece, never merged
} symbol;

/* A pair that may be merged, unless one of the two has changed since. The key orders by score, then
 * from left to right; the right one is the left one's neighbour. */
typedef struct pair {
    uint64_t key;
    int32_t size; // of both together when it was seen
    uint32_t state;
} pair;

typedef struct merger {
    ramus_tokenizer *t;
    symbol *symbols;
    pair *heap;
    int n_heap;
    int32_t *splits;           // piece -> bytes of its left part; NULL without unused pieces
    const ramus_sampling *how; // NULL: every merge is made
    uint64_t n_drawn;
} merger;

/* Bits that order as the scores do, in the upper half, and the place, smaller first. */
static uint64_t order_key(float score, int left)
{
    uint32_t bits = 0;
    score += 0.0f; // -0 equals 0
    memcpy(&bits, &score, sizeof bits);
    bits ^= bits >> 31 ? 0xFFFFFFFFu : 0x80000000u;
    return (uint64_t)bits << 32 | (0xFFFFFFFFu - (uint32_t)left);
}

static int key_left(uint64_t key)
{
    return (int)(0xFFFFFFFFu - (uint32_t)key);
}

static void push_pair(merger *m, pair p)
{
    int i = m->n_heap++;
    while (i > 0 && m->heap[(i - 1) / 2].key < p.key) {
        m->heap[i] = m->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    m->heap[i] = p;
}

static pair pop_pair(merger *m)
{
    const pair top = m->heap[0], last = m->heap[--m->n_heap];
    int i = 0;
    for (int child = 1; child < m->n_heap; child = 2 * i + 1) {
        if (child + 1 < m->n_heap && m->heap[child + 1].key > m->heap[child].key) child++;
        if (m->heap[child].key <= last.key) break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    return top;
}

/* Remembers the pair (left, right) if the two together are a piece. */
static void try_pair(merger *m, int left, int right)
{
    if (left < 0 || right < 0) return;
    const ramus_vocab *v = m->t->vocab;
    const symbol *a = &m->symbols[left], *b = &m->symbols[right];
    if (a->fixed || b->fixed || a->state == RAMUS_TRIE_NONE) return;
    const uint32_t state =
        ramus_trie_walk(&v->normal, a->state, m->t->text.data + b->start, (size_t)b->size);
    if (state == RAMUS_TRIE_NONE) return;
    const int id = v->normal.units[state].value;
    if (id < 0) return;
    if (m->splits && v->pieces[id].kind == RAMUS_PIECE_UNUSED) m->splits[id] = a->size;
    push_pair(m, (pair){order_key(v->pieces[id].score, left), a->size + b->size, state});
}

/* Makes the symbols of text[start .. end): characters and user-defined pieces. Returns how many. */
static int split_text(merger *m, int start, int end)
{
    const ramus_vocab *v = m->t->vocab;
    const char *text = m->t->text.data;
    int n = 0;
    for (int at = start; at < end; n++) {
        bool user = false;
        const int size = ramus_vocab_symbol_size(v, text + at, end - at, &user);
        const uint32_t state =
            user ? RAMUS_TRIE_NONE
                 : ramus_trie_walk(&v->normal, RAMUS_TRIE_ROOT, text + at, (size_t)size);
        m->symbols[n] = (symbol){n - 1, n + 1, at, size, state, user};
        at += size;
    }
    m->symbols[n - 1].next = -1;
    return n;
}

static bool drops_out(merger *m)
{
    return m->how && ramus_rng_uniform(&m->how->rng, m->n_drawn++) < m->how->alpha;
}

static void merge_pairs(merger *m, int n_symbols)
{
    for (int i = 1; i < n_symbols; i++)
        try_pair(m, i - 1, i);
    while (m->n_heap > 0) {
        const pair top = pop_pair(m);
        const int left = key_left(top.key);
        symbol *a = &m->symbols[left];
        if (a->size == 0 || a->next < 0 || a->size + m->symbols[a->next].size != top.size) continue;
        if (drops_out(m)) continue;
        symbol *b = &m->symbols[a->next];
        a->size = top.size;
        a->state = top.state;
        a->next = b->next;
        b->size = 0;
        if (a->next >= 0) m->symbols[a->next].previous = left;
        try_pair(m, a->previous, left);
        try_pair(m, left, a->next);
    }
}

/* The id of a symbol's text. Special pieces hide normal ones of the same text. */
static int symbol_id(const ramus_vocab *v, const char *text, const symbol *s)
{
    const int id = s->state == RAMUS_TRIE_NONE ? -1 : v->normal.units[s->state].value;
    if (id >= 0 && v->pieces[id].text_kind == v->pieces[id].kind) return id;
    return ramus_vocab_lookup(v, text + s->start, (size_t)s->size);
}

static void add_segment(ramus_tokenizer *t, int id, int end)
{
    if (t->vocab->pieces[id].kind == RAMUS_PIECE_CONTROL) id = t->vocab->unk; // never from text
    t->segments[t->n_segments++] = (ramus_segment){id, end};
}

/* Adds text[start .. start + size), cutting unused pieces again where they were joined. The part to
 * the right waits in place of symbols that are done with. */
static void add_resegmented(merger *m, int start, int size, symbol *waiting)
{
    const ramus_vocab *v = m->t->vocab;
    int n_waiting = 0;
    for (;;) {
        const int id = ramus_vocab_lookup(v, m->t->text.data + start, (size_t)size);
        const int left = v->pieces[id].kind == RAMUS_PIECE_UNUSED ? m->splits[id] : 0;
        if (left > 0) {
            waiting[n_waiting++] = (symbol){.start = start + left, .size = size - left};
            size = left;
            continue;
        }
        add_segment(m->t, id, start + size);
        if (n_waiting == 0) return;
        start = waiting[--n_waiting].start;
        size = waiting[n_waiting].size;
    }
}

static void encode_range(merger *m, int start, int end)
{
    const ramus_vocab *v = m->t->vocab;
    const int n = split_text(m, start, end);
    merge_pairs(m, n);
    for (int i = 0; i >= 0; i = m->symbols[i].next) {
        const symbol *s = &m->symbols[i];
        if (m->splits)
            add_resegmented(m, s->start, s->size, m->symbols + n);
        else
            add_segment(m->t, symbol_id(v, m->t->text.data, s), s->start + s->size);
    }
}

/* Where the word at `start` ends: a space symbol begins the next one or, as a suffix, ends this. */
static int word_end(const ramus_tokenizer *t, int start)
{
    const bool suffix = t->vocab->normaliser.space_as_suffix;
    const char *text = t->text.data;
    int at = suffix ? start : start + 1;
    for (; at + RAMUS_SPACE_SIZE <= t->text_size; at++)
        if (memcmp(text + at, RAMUS_SPACE_SYMBOL, RAMUS_SPACE_SIZE) == 0)
            return suffix ? at + RAMUS_SPACE_SIZE : at;
    return t->text_size;
}

static ramus_status encode(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err)
{
    const ramus_vocab *v = t->vocab;
    const size_t size = (size_t)t->text_size;
    merger m = {.t = t, .how = how};
    /* Twice the symbols: the second half is what waits. A merge takes one pair and finds two. */
    m.symbols = ramus_scratch_reserve(&t->symbols, 2 * size, sizeof *m.symbols);
    m.heap = ramus_scratch_reserve(&t->heap, 3 * size, sizeof *m.heap);
    t->segments = ramus_scratch_reserve(&t->segment_memory, size, sizeof *t->segments);
    t->n_segments = 0;
    if (!m.symbols || !m.heap || !t->segments) return ramus_fail_memory(err, "a segmentation");
    if (v->has_unused) {
        m.splits = ramus_scratch_reserve(&t->splits, (size_t)v->n_pieces, sizeof *m.splits);
        if (!m.splits) return ramus_fail_memory(err, "a segmentation");
        memset(m.splits, 0, (size_t)v->n_pieces * sizeof *m.splits);
    }

    /* Words do not influence each other, and short heaps are quick. Where unused pieces are cut
     * again depends on what was last seen anywhere in the text. */
    const bool by_words = v->words_separate && !v->has_unused;
    for (int start = 0; start < t->text_size;) {
        const int end = by_words ? word_end(t, start) : t->text_size;
        encode_range(&m, start, end);
        start = end;
    }
    return RAMUS_OK;
}

ramus_status ramus_bpe_segment(ramus_tokenizer *t, ramus_error *err)
{
    return encode(t, NULL, err);
}

ramus_status ramus_bpe_sample(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err)
{
    return encode(t, how, err);
}
