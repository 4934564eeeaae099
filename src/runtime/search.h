/* search.h - a model ready to decode: a step graph with its memory, sized once.
 *
 * One search belongs to one thread; any number of them share one block of weights. Nothing is
 * allocated after creation. */
#ifndef RAMUS_RUNTIME_SEARCH_H
#define RAMUS_RUNTIME_SEARCH_H

#include "graph/run.h"
#include "model/transformer.h"

typedef struct ramus_search_limits {
    int sentences;     // decoded together
    int source_tokens; // of all of them
    int source_length; // of one, EOS included
    int target_length; // of one, EOS included
    int beam;
} ramus_search_limits;

/* One translation; ids belong to the search and are valid until its next run. */
typedef struct ramus_hypothesis {
    const int *ids; // EOS included unless the length limit came first
    int length;
    double score; // log-probability / ((5 + length) / 6)^penalty
} ramus_hypothesis;

typedef struct ramus_search ramus_search;

/* `weights` are those of a graph that is not for training, and stay the caller's. */
RAMUS_CHECKED ramus_status ramus_search_create(ramus_search **out, const ramus_arch *a,
                                               const ramus_weights *weights,
                                               const ramus_search_limits *limits, ramus_pool *pool,
                                               ramus_error *err);
void ramus_search_destroy(ramus_search *s); // NULL is fine

/* What is inside, for benchmarks: its switches, its record, its kernels. */
ramus_run *ramus_search_get_run(ramus_search *s);

typedef struct ramus_search_options {
    int beam;    // hypotheses per sentence, at most that of the limits
    bool greedy; // arg-max, ends at the first EOS; beam must be 1
    double length_penalty;
    int extra_length; // a translation has at most the source's tokens plus these
    int eos;
} ramus_search_options;

/* Translates n sentences of ids, each with its EOS. results[i * beam + j] is hypothesis j of
 * sentence i, finished ones first, best first. Sentences that do not fit the limits or ids that
 * the model does not have are an error. */
RAMUS_CHECKED ramus_status ramus_search_run(ramus_search *s, const ramus_search_options *options,
                                            const int *const *sources, const int *lengths, int n,
                                            ramus_hypothesis *results, ramus_error *err);

#endif
