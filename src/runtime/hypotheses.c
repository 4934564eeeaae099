/* Steps lie in tables by position and row. A hypothesis that ends is copied to a slot of its
 * sentence, which keeps the best few. */
#include "runtime/hypotheses.h"

#include "runtime/loops.h"
#include "runtime/search_rules.h"

#include <string.h>

static size_t steps_bytes(const ramus_search_limits *l, int n_gates)
{
    const size_t ints = 1 + (l->alignment ? 1 : 0) + (size_t)n_gates;
    return (size_t)l->positions * (ints * sizeof(int) + sizeof(ramus_real)) + 4 * RAMUS_ALIGNMENT;
}

size_t ramus_hypotheses_bytes(const ramus_search_limits *l, int n_gates)
{
    const size_t sentences = (size_t)l->sentences, rows = sentences * (size_t)l->beam;
    return 2 * steps_bytes(l, n_gates) + sentences * sizeof(ramus_ended) +
           rows * (sizeof(ramus_hypothesis) + sizeof(int)) + 3 * RAMUS_ALIGNMENT;
}

static ramus_steps steps_create(const ramus_search_limits *l, int n_gates, ramus_arena *arena)
{
    const size_t n = (size_t)l->positions;
    ramus_steps t = {.words = ramus_arena_alloc(arena, n * sizeof *t.words)};
    t.log_probs = ramus_arena_alloc(arena, n * sizeof *t.log_probs);
    if (l->alignment) t.looks = ramus_arena_alloc(arena, n * sizeof *t.looks);
    if (n_gates) t.gates = ramus_arena_alloc(arena, n * (size_t)n_gates * sizeof *t.gates);
    return t;
}

void ramus_hypotheses_init(ramus_hypotheses *h, const ramus_search_limits *l, int n_gates,
                           ramus_arena *arena)
{
    const size_t sentences = (size_t)l->sentences, rows = sentences * (size_t)l->beam;
    h->n_gates = n_gates;
    h->live = steps_create(l, n_gates, arena);
    h->ended = steps_create(l, n_gates, arena);
    h->sentences = ramus_arena_alloc(arena, sentences * sizeof *h->sentences);
    h->best = ramus_arena_alloc(arena, rows * sizeof *h->best);
    h->slots = ramus_arena_alloc(arena, rows * sizeof *h->slots);
}

void ramus_hypotheses_start(ramus_hypotheses *h, const ramus_search_options *o, int n, int span)
{
    h->options = o;
    h->span = span;
    for (int i = 0; i < n; i++)
        h->sentences[i] = (ramus_ended){.first = i * o->beam};
    for (int i = 0; i < n * o->beam; i++)
        h->slots[i] = i;
    memset(h->best, 0, (size_t)(n * o->beam) * sizeof *h->best);
}

void ramus_hypotheses_words(const ramus_hypotheses *h, const int *steps, int n, int *words)
{
    for (int i = 0; i + 1 < n; i++)
        words[i] = h->live.words[steps[i + 1]];
}

/* Copies the steps of a hypothesis to its slot and points to them. */
static void copy_out(const ramus_hypotheses *h, ramus_hypothesis *to, int slot,
                     const ramus_ending *e)
{
    const ramus_steps *live = &h->live, *ended = &h->ended;
    const size_t at = (size_t)slot * (size_t)h->span, n_gates = (size_t)h->n_gates;
    for (int i = 0; i < e->length; i++) {
        const bool last = i + 1 == e->n_steps;
        const int next = e->steps[last ? i : i + 1];
        const size_t j = at + (size_t)i;
        ended->words[j] = last ? e->word : live->words[next];
        ended->log_probs[j] = last ? e->word_log_prob : live->log_probs[next];
        if (live->looks) ended->looks[j] = live->looks[e->steps[i]];
        if (n_gates)
            memcpy(ended->gates + j * n_gates, live->gates + (size_t)e->steps[i] * n_gates,
                   n_gates * sizeof *live->gates);
    }
    to->ids = ended->words + at;
    to->log_probs = h->options->greedy && !h->options->scores ? NULL : ended->log_probs + at;
    to->alignment = live->looks ? ended->looks + at : NULL;
    to->gates = n_gates ? ended->gates + at * n_gates : NULL;
    to->n_gates = h->n_gates;
}

static bool is_better(const ramus_hypothesis *a, const ramus_hypothesis *b,
                      const ramus_search_rule *rule)
{
    return a->finished != b->finished && !rule->by_score ? a->finished : a->score > b->score;
}

void ramus_hypotheses_end(ramus_hypotheses *h, int sentence, const ramus_ending *e)
{
    const ramus_search_options *o = h->options;
    const ramus_search_rule *rule = ramus_search_rule_of(o->rules);
    ramus_ended *t = &h->sentences[sentence];
    ramus_hypothesis *best = h->best + t->first;
    int *slots = h->slots + t->first;
    ramus_hypothesis x = {
        .length = e->length,
        .log_prob = e->log_prob,
        .score = e->log_prob / rule->divisor(e->length, o->length_penalty),
        .finished = e->finished,
        .loops = e->loops,
    };
    if (t->n == o->beam && !is_better(&x, &best[o->beam - 1], rule)) return;
    int at = t->n < o->beam ? t->n++ : o->beam - 1;
    const int slot = slots[at];
    copy_out(h, &x, slot, e);
    if (o->loops != RAMUS_LOOPS_ALLOW && !x.loops)
        x.loops = ramus_loop_found(x.ids, x.length, e->prefix + 1);
    for (; at > 0 && is_better(&x, &best[at - 1], rule); at--) {
        best[at] = best[at - 1];
        slots[at] = slots[at - 1];
    }
    best[at] = x;
    slots[at] = slot;
}
