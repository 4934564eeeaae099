/* plain_search.h - the search as one would write it down: no caches, every word of the vocabulary
 * sorted, whole hypotheses copied. */
#ifndef RAMUS_TESTS_RUNTIME_PLAIN_SEARCH_H
#define RAMUS_TESTS_RUNTIME_PLAIN_SEARCH_H

#include "runtime/plain_words.h"
#include "runtime/searches.h"

/* A model that gives the logits behind some words, everything from the start each time. */
static inline bench full_model(const ramus_arch *a, const ramus_weights *w)
{
    const ramus_build build = {.head = RAMUS_HEAD_LOGITS,
                               .source = {18, 1, 12},
                               .target = {LENGTH, 1, LENGTH},
                               .gates = true,
                               .alignment = true};
    return bench_create(a, w, NULL, &build, NULL);
}

static inline const float *run_full(const bench *full, const ramus_source *source, const int *words,
                                    int n)
{
    int *previous = ramus_graph_find(full->graph, "previous_ids")->data;
    ramus_axis_set(&full->graph->source, &source->length, 1);
    ramus_axis_set(&full->graph->target, (int[]){n + 1}, 1);
    memcpy(ramus_graph_find(full->graph, "source_ids")->data, source->ids,
           (size_t)source->length * sizeof(int));
    previous[0] = 0;
    for (int i = 0; i < n; i++)
        previous[i + 1] = words[i];
    ramus_run_forward(full->run, RAMUS_WEIGHTS, RAMUS_TARGET);
    return (const float *)ramus_graph_find(full->graph, "logits")->data + (size_t)n * VOCAB;
}

/* One hypothesis of the plain search, or a continuation. */
typedef struct {
    int words[LENGTH];
    float log_probs[LENGTH];
    int length;
    double log_prob, score;
    bool finished, loops;
} plain;

typedef struct {
    const bench *full;
    const bench *others; // [n_others] of an ensemble
    int n_others;
    const ramus_source *source;
    const ramus_search_options *o;
    int limit, prefix;
    plain live[BEAM], next[BEAM * VOCAB], ended[BEAM + 1];
    int n_live, n_next, n_ended;
    int steps; // that it took
} plain_search;

static inline plain behind(const plain *h, int word, float log_prob, int eos)
{
    plain x = *h;
    x.words[x.length] = word;
    x.log_probs[x.length++] = log_prob;
    x.log_prob += (double)log_prob;
    x.finished = word == eos;
    return x;
}

/* The logits behind a hypothesis; of an ensemble, their mean. */
static inline void plain_logits(const plain_search *s, const plain *h, float *logits)
{
    memcpy(logits, run_full(s->full, s->source, h->words, h->length), VOCAB * sizeof *logits);
    for (int i = 0; i < s->n_others; i++) {
        const float *more = run_full(&s->others[i], s->source, h->words, h->length);
        for (int v = 0; v < VOCAB; v++)
            logits[v] += more[v];
    }
    for (int v = 0; v < VOCAB; v++)
        logits[v] *= 1.0F / (float)(s->n_others + 1);
}

/* Continuations of one hypothesis, best words first. */
static inline void plain_continue(plain_search *s, const plain *h)
{
    float logits[VOCAB];
    plain_logits(s, h, logits);
    const ramus_search_options *o = s->o;
    int order[VOCAB] = {0}, left = 0, most = 2 * o->beam + 1 + (o->no_repeat ? 8 : 0);
    for (int v = 0; v < VOCAB; v++) {
        int at = v;
        for (; at > 0 && logits[v] > logits[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = v;
    }
    const float lse = ramus_kernels_ref.log_sum_exp(logits, VOCAB, logits[order[0]]);
    if (h->length < s->prefix) {
        const int word = s->source->prefix[h->length];
        s->next[s->n_next++] = behind(h, word, logits[word] - lse, o->eos);
        return;
    }
    for (int i = 0; i < most && i < VOCAB; i++) {
        const plain x = behind(h, order[i], logits[order[i]] - lse, o->eos);
        if (x.finished ? x.length == 1 : o->no_repeat && repeats(x.words, x.length, o->no_repeat))
            continue;
        s->next[s->n_next++] = x;
        left++;
    }
    if (!left) s->next[s->n_next++] = behind(h, o->eos, logits[o->eos] - lse, o->eos);
}

static inline bool comes_first(const plain *a, const plain *b)
{
    return a->finished != b->finished ? a->finished : a->score > b->score;
}

static inline void plain_end(plain_search *s, plain x, int kept)
{
    x.loops = kept < x.length;
    for (int n = s->prefix + 1; n <= x.length && s->o->loops == RAMUS_LOOPS_FLAG; n++)
        x.loops = x.loops || cut(x.words, n) < n;
    x.length = kept;
    x.log_prob = 0;
    for (int i = 0; i < kept; i++)
        x.log_prob += (double)x.log_probs[i];
    x.score = x.log_prob / pow((5.0 + x.length) / 6.0, s->o->length_penalty);
    int at = s->n_ended;
    for (; at > 0 && comes_first(&x, &s->ended[at - 1]); at--)
        s->ended[at] = s->ended[at - 1];
    s->ended[at] = x;
    if (s->n_ended < s->o->beam) s->n_ended++;
}

static inline int by_log_prob(const void *a, const void *b)
{
    const plain *x = *(const plain *const *)a, *y = *(const plain *const *)b;
    if (x->log_prob != y->log_prob) return x->log_prob > y->log_prob ? -1 : 1;
    return x < y ? -1 : 1; // the earlier row, the better word
}

static inline void plain_step(plain_search *s, int length)
{
    const ramus_search_options *o = s->o;
    const int most = o->greedy ? 1 : 2 * o->beam;
    static const plain *sorted[BEAM * VOCAB];
    s->n_next = 0;
    for (int r = 0; r < s->n_live; r++)
        plain_continue(s, &s->live[r]);
    for (int i = 0; i < s->n_next; i++)
        sorted[i] = &s->next[i];
    qsort(sorted, (size_t)s->n_next, sizeof *sorted, by_log_prob);
    s->n_live = 0;
    for (int i = 0, open = o->beam; i < s->n_next && i < most; i++) {
        int kept = length;
        if (o->loops == RAMUS_LOOPS_END && length > s->prefix) kept = cut(sorted[i]->words, length);
        if (kept < s->prefix) kept = s->prefix;
        if (sorted[i]->finished || kept < length) {
            plain_end(s, *sorted[i], kept);
        } else if (open > 0) {
            open--;
            if (length == s->limit)
                plain_end(s, *sorted[i], length);
            else
                s->live[s->n_live++] = *sorted[i];
        }
    }
}

static inline void search_plainly(plain_search *s)
{
    const int limit = (int)(s->source->length * s->o->length_ratio) + s->o->extra_length;
    s->limit = limit < LENGTH ? limit : LENGTH;
    s->prefix = s->source->prefix ? s->source->prefix_length : 0;
    s->live[0] = (plain){.length = 0};
    s->n_live = 1;
    s->n_ended = 0;
    for (s->steps = 0; s->n_live > 0;) {
        plain_step(s, ++s->steps);
        const plain *last = &s->ended[s->o->beam - 1];
        if (s->n_live && s->n_ended == s->o->beam && last->finished &&
            last->score > s->live[0].log_prob / pow((5.0 + s->limit) / 6.0, s->o->length_penalty))
            break;
    }
}

#endif
