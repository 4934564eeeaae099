/* pair_scorer.h - a model that scores pairs of lines. */
#ifndef RAMUS_CLI_PAIR_SCORER_H
#define RAMUS_CLI_PAIR_SCORER_H

#include "base/pool.h"
#include "runtime/model.h"
#include "runtime/scorer.h"
#include "text/tokenizer.h"

#define RAMUS_PAIR_SCORER_LENGTH 1024 // tokens of a side, EOS included

/* Starts as {0}. */
typedef struct ramus_pair_scorer {
    ramus_model *model;
    ramus_tokenizer *tok[2];
    ramus_scorer *scorer;
    ramus_pool *pool;
    ramus_ids ids; // of the lines added; who is done with them sets ids.n to 0
} ramus_pair_scorer;

/* A pair of lines: places in `ids`, which move while they grow. */
typedef struct ramus_scored_pair {
    int first[2], n[2];
} ramus_scored_pair;

/* `threads`: 0 uses every core. On failure the caller closes it, too. */
RAMUS_CHECKED ramus_status ramus_pair_scorer_open(ramus_pair_scorer *s, const char *model,
                                                  int threads, ramus_error *err);
void ramus_pair_scorer_close(ramus_pair_scorer *s); // {0} is fine

/* Adds the line of a side; pair->n[side] says how many tokens it has, with EOS. */
RAMUS_CHECKED ramus_status ramus_pair_scorer_add(ramus_pair_scorer *s, ramus_scored_pair *pair,
                                                 int side, const char *text, size_t size,
                                                 ramus_error *err);

/* Scores the pairs added, none of them longer than RAMUS_PAIR_SCORER_LENGTH,. *log_probs has
 * one value for each target token, in order; the caller frees it. */
RAMUS_CHECKED ramus_status ramus_pair_scorer_run(ramus_pair_scorer *s,
                                                 const ramus_scored_pair *pairs, int n,
                                                 ramus_real **log_probs, ramus_error *err);

#endif
