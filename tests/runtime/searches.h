/* searches.h - small models with a search each, sentences, and mixtures of options. */
#ifndef RAMUS_TESTS_RUNTIME_SEARCHES_H
#define RAMUS_TESTS_RUNTIME_SEARCHES_H

#include "convert/quantize.h"
#include "runtime/search.h"

#include "laws/model.h"

#define BEAM   4
#define LENGTH 40 // tokens of a translation, at most
#define EOS    1

static const char *const kinds[][7] = {
    {"routing", "dense", NULL},
    {"routing", "dmb", NULL},
    {"routing", "moe", "top-k", "2", "norm", "pre", NULL},
    {"routing", "switch", "routed", "ffn", NULL},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

typedef enum { REALS, BYTES, ZEROS } numbers; // zeros: every word is as good as any other
static const char *const numbers_names[] = {"reals", "bytes", "zeros"};

static inline ramus_weights *make_weights(const ramus_arch *a, numbers kind)
{
    ramus_error err = {0};
    ramus_weights *w = random_weights(a, false), *bytes = NULL;
    if (kind == ZEROS) memset(w->data, 0, w->size * sizeof *w->data);
    if (kind != BYTES) return w;
    REQUIRE_OK(ramus_quantize(&bytes, w, (ramus_quantize_spec){RAMUS_I8, RAMUS_I8}, &err), err);
    ramus_weights_destroy(w);
    return bytes;
}

static int source_ids[SENTENCES][12];
static ramus_source sources[SENTENCES];

static inline void make_sources(void)
{
    for (int s = 0; s < SENTENCES; s++) {
        for (int i = 0; i < source_lengths[s]; i++)
            source_ids[s][i] = word_at(s, i, 0);
        sources[s] = (ramus_source){.ids = source_ids[s], .length = source_lengths[s]};
    }
}

static inline ramus_search *make_search(const ramus_arch *a, const ramus_weights *w,
                                        ramus_pool *pool)
{
    const ramus_search_limits limits = {
        .beam = BEAM,
        .sentences = SENTENCES,
        .source_tokens = 18,
        .source_length = 9,
        .target_length = LENGTH,
        .alignment = true,
        .gates = true,
    };
    ramus_error err = {0};
    ramus_search *s = NULL;
    REQUIRE_OK(ramus_search_create(&s, a, w, &limits, pool, &err), err);
    return s;
}

/* Options and beginnings, different for every number. */
static inline ramus_search_options mixture(int i)
{
    static const ramus_search_options all[] = {
        {.beam = 4, .length_penalty = 0.6, .length_ratio = 1, .extra_length = 7},
        {.beam = 1, .greedy = true, .scores = true, .length_ratio = 2.5, .extra_length = 3},
        {.beam = 3, .length_penalty = 1, .length_ratio = 1, .extra_length = 20, .no_repeat = 2},
        {.beam = 1, .greedy = true, .scores = true, .extra_length = 40, .no_repeat = 1},
        {.beam = 2, .extra_length = 30, .loops = RAMUS_LOOPS_END},
        {.beam = 1, .greedy = true, .scores = true, .extra_length = 30, .loops = RAMUS_LOOPS_END},
        {.beam = 4,
         .length_penalty = 0.6,
         .extra_length = 24,
         .no_repeat = 3,
         .loops = RAMUS_LOOPS_FLAG},
        {.beam = 1, .extra_length = 25, .length_penalty = 0.6, .loops = RAMUS_LOOPS_FLAG},
    };
    ramus_search_options o = all[i];
    o.eos = EOS;
    return o;
}
#define MIXTURES 8

static inline void add_prefixes(int words[SENTENCES][3], int eos)
{
    for (int s = 0; s < SENTENCES; s++) {
        for (int i = 0; i < 3; i++)
            words[s][i] = (eos + 1 + word_at(s, i, 7) % (VOCAB - 1)) % VOCAB; // any other word
        sources[s].prefix = words[s];
        sources[s].prefix_length = s; // the first has none
    }
}

#endif
