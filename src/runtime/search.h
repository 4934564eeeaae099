/* search.h - a model ready to decode: a step graph with its memory, sized once.
 *
 * One search belongs to one thread; any number of them share one block of weights. Nothing is
 * allocated after creation. The result of a sentence does not depend on the others of the run, on
 * the limits, on threads or on the CPU. */
#ifndef RAMUS_RUNTIME_SEARCH_H
#define RAMUS_RUNTIME_SEARCH_H

#include "graph/run.h"
#include "model/transformer.h"

typedef struct ramus_search_limits {
    int beam;          // hypotheses of a sentence, at most
    int sentences;     // decoded together, at most
    int source_tokens; // of all of them
    int source_length; // of one, EOS included
    int target_length; // of one, EOS included
    int positions;     // budget: hypotheses at once times the longest translation;
                       // 0: sentences * beam * target_length
    bool alignment;    // hypotheses have the source position of each token
    bool gates;        // hypotheses have the branches that were taken
} ramus_search_limits;

typedef struct ramus_source { // NOLINT(clang-analyzer-optin.performance.Padding): by meaning
    const int *ids;           // with EOS
    int length;
    const int *prefix; // tokens that every translation begins with; NULL: none
    int prefix_length;
} ramus_source;

typedef struct ramus_search_options {
    int beam;    // at most that of the limits
    bool greedy; // arg-max, ends at the first EOS; beam must be 1
    bool scores; // false: greedy leaves out log-probabilities and scores (they are 0)
    ramus_search_rules rules;
    double length_penalty;
    double length_ratio; // a translation has at most source length * ratio + extra tokens,
    int extra_length;    // but one in any case and no more than the limits allow
    int no_repeat;     // no sequence of that many tokens occurs twice in a translation; 0: any may
    ramus_loops loops; // loops.h; END cuts back to one repetition, which counts as unfinished
    int eos;           // -1: only the limit ends a translation
    int unk;           // for rules that leave the unknown token out; -1: there is none
    bool (*stop)(void *arg); // asked before each step; true: the run ends with RAMUS_STOPPED
    void *stop_arg;
} ramus_search_options;

/* One translation. Arrays belong to the search and are valid until its next run. */
typedef struct ramus_hypothesis {
    const int *ids; // EOS included unless the length limit or a loop came first
    int length;
    double score;                // log_prob / ((5 + length) / 6)^penalty, or by the rules
    double log_prob;             // log_probs added up as double from the first to the last
    const ramus_real *log_probs; // [length] of each token; NULL without scores
    const int *alignment; // [length] the source position of each token; NULL: not in the limits
    const int *gates; // [length, n_gates] the first branch of each decoder gate at the step that
    int n_gates;      // made the word, in graph order; NULL: none, or not in the limits
    bool finished;    // ended by EOS
    bool loops;       // runaway repetition was found; never with RAMUS_LOOPS_ALLOW
} ramus_hypothesis;

typedef struct ramus_search ramus_search;

/* `weights` are those of a graph that is not for training, and stay the caller's. */
RAMUS_CHECKED ramus_status ramus_search_create(ramus_search **out, const ramus_arch *a,
                                               const ramus_weights *weights,
                                               const ramus_search_limits *limits, ramus_pool *pool,
                                               ramus_error *err);
void ramus_search_destroy(ramus_search *s); // NULL is fine

/* Makes it an ensemble (ensemble.h) with another model of the same vocabularies. Alignment and
 * gates of a hypothesis are those of the first model. */
RAMUS_CHECKED ramus_status ramus_search_join(ramus_search *s, const ramus_arch *a,
                                             const ramus_weights *weights, ramus_error *err);

/* Tokens that the translation of a sentence of `length` tokens may have. */
int ramus_search_limit(const ramus_search *s, const ramus_search_options *o, int length);

/* Whether n sentences of these lengths, EOS included, can go in one run. */
bool ramus_search_fits(const ramus_search *s, const ramus_search_options *o, const int *lengths,
                       int n);

/* Translates n sentences. results[i * beam + j] is hypothesis j of sentence i, finished ones first,
 * best first; a sentence has at least one, those that it lacks have length 0. Sentences that do not
 * fit, ids that the model does not have, EOS in a prefix, and a prefix longer than the limit of the
 * translation are errors. */
RAMUS_CHECKED ramus_status ramus_search_run(ramus_search *s, const ramus_search_options *options,
                                            const ramus_source *sources, int n,
                                            ramus_hypothesis *results, ramus_error *err);

/* Branches taken by source tokens in the last run: [source tokens of the run, *n], the first branch
 * of each gate of the encoder and of encoder-decoder keys, in graph order. NULL: none, or not in
 * the limits. */
const int *ramus_search_source_gates(const ramus_search *s, int *n);

int ramus_search_gates(const ramus_search *s); // n_gates of every hypothesis

/* What is inside, for benchmarks: its switches, its record, its kernels. */
ramus_run *ramus_search_get_run(ramus_search *s);

#endif
