/* scorer.h - the log-probabilities that a model gives to the tokens of given translations.
 *
 * The result does not depend on batches or threads. One thread calls, the pool's threads help. */
#ifndef RAMUS_RUNTIME_SCORER_H
#define RAMUS_RUNTIME_SCORER_H

#include "base/pool.h"
#include "graph/weights.h"
#include "model/arch.h"
#include "model/batch.h"

typedef struct ramus_scorer_spec {
    const ramus_arch *arch;
    const ramus_weights *weights; // of a graph that is not for training
    int max_length;               // tokens of either side of a pair, EOS included
    ramus_pool *pool;
} ramus_scorer_spec;

typedef struct ramus_scorer ramus_scorer;

/* Borrows arch, weights and pool. The caller ends *out with ramus_scorer_destroy(). */
RAMUS_CHECKED ramus_status ramus_scorer_create(ramus_scorer **out, const ramus_scorer_spec *spec,
                                               ramus_error *err);
void ramus_scorer_destroy(ramus_scorer *s); // NULL is fine

/* Scores n pairs of at most max_length tokens, each side with its EOS. log_probs has one value for
 * each target token: those of pair 0, then those of pair 1, .. */
RAMUS_CHECKED ramus_status ramus_scorer_run(ramus_scorer *s, const ramus_pair *pairs, int n,
                                            ramus_real *log_probs, ramus_error *err);

#endif
