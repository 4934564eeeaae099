/* session.h - a model ready to decode: a step graph with its memory, sized once.
 *
 * One session belongs to one thread; any number of sessions share one block of weights. Nothing is
 * allocated after creation. */
#ifndef RAMUS_RUNTIME_SESSION_H
#define RAMUS_RUNTIME_SESSION_H

#include "graph/run.h"
#include "model/transformer.h"

typedef struct ramus_session_limits {
    int sentences;     // decoded together
    int source_tokens; // of all of them
    int source_length; // of one, EOS included
    int target_length; // of one, EOS included
    int beam;
} ramus_session_limits;

/* One translation; ids belong to the session and are valid until its next search. */
typedef struct ramus_hypothesis {
    const int *ids; // EOS included unless the length limit came first
    int length;
    double score; // log-probability / ((5 + length) / 6)^penalty
} ramus_hypothesis;

typedef struct ramus_session ramus_session;

/* `weights` are those of a graph that is not for training, and stay the caller's. */
RAMUS_CHECKED ramus_status ramus_session_create(ramus_session **out, const ramus_arch *a,
                                                const ramus_weights *weights,
                                                const ramus_session_limits *limits,
                                                ramus_pool *pool, ramus_error *err);
void ramus_session_destroy(ramus_session *s); // NULL is fine

typedef struct ramus_search_options {
    int beam;    // hypotheses per sentence, at most the session's
    bool greedy; // arg-max, ends at the first EOS; beam must be 1
    double length_penalty;
    int extra_length; // a translation has at most the source's tokens plus these
    int eos;
} ramus_search_options;

/* Translates n sentences of ids, each with its EOS. results[i * beam + j] is hypothesis j of
 * sentence i, finished ones first, best first. Sentences that do not fit the session or ids that
 * the model does not have are an error. */
RAMUS_CHECKED ramus_status ramus_session_search(ramus_session *s,
                                                const ramus_search_options *options,
                                                const int *const *sources, const int *lengths,
                                                int n, ramus_hypothesis *results, ramus_error *err);

#endif
