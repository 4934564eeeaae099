/* hypotheses.h - the hypotheses of a search: the steps of the live ones, and the best of each
 * sentence that have ended.
 *
 * Steps lie as in the model's caches (ramus_axis: position p of row r at p * stride + r) and never
 * move. A hypothesis is the list of its steps. Only ended hypotheses are copied out. All tables
 * have one entry per position of the budget and are laid out anew for each run. They belong to one
 * search. */
#ifndef RAMUS_RUNTIME_HYPOTHESES_H
#define RAMUS_RUNTIME_HYPOTHESES_H

#include "runtime/search.h"

typedef struct ramus_steps {
    int *words;            // live: the token before the step; ended: the token it made
    ramus_real *log_probs; // of that token
    int *looks;            // where the step looked; NULL: not asked for
    int *gates;            // [.., n_gates] which branches it took; NULL: not asked for
} ramus_steps;

/* The best hypotheses of a sentence, finished ones first, best first. */
typedef struct ramus_ended {
    int n;
    int first; // in `best` and `slots`
} ramus_ended;

typedef struct ramus_hypotheses {
    int n_gates;
    const ramus_search_options *options;
    int span; // tokens of the longest translation of this run
    ramus_steps live, ended;
    ramus_ended *sentences;
    ramus_hypothesis *best;
    int *slots; // where the tokens of `best` are in `ended`: from slot * span on
} ramus_hypotheses;

size_t ramus_hypotheses_bytes(const ramus_search_limits *l, int n_gates);
void ramus_hypotheses_init(ramus_hypotheses *h, const ramus_search_limits *l, int n_gates,
                           ramus_arena *arena);

/* Empties all tables; n sentences with translations of at most `span` tokens. */
void ramus_hypotheses_start(ramus_hypotheses *h, const ramus_search_options *o, int n, int span);

/* words[i] = token i of a live hypothesis with these steps; there are n - 1 */
void ramus_hypotheses_words(const ramus_hypotheses *h, const int *steps, int n, int *words);

/* A live hypothesis and its last token, which make no further step. */
typedef struct ramus_ending {
    const int *steps;
    int n_steps; // tokens with the last one
    int word;    // the last
    ramus_real word_log_prob;
    int length;      // tokens that stay
    double log_prob; // of these
    bool finished, loops;
    int prefix; // tokens of the prefix
} ramus_ending;

/* Lets it compete for the places of its sentence. */
void ramus_hypotheses_end(ramus_hypotheses *h, int sentence, const ramus_ending *e);

#endif
