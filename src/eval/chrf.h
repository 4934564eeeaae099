/* chrf.h - chrF2 and chrF2++ (Popovic 2015, 2017) with the numbers of SacreBLEU 2.
 *
 * F-score of character n-grams up to 6, white space left out; chrF++ adds words and pairs of words.
 * Recall counts twice as much as precision. Used as bleu.h is: create, add lines, ask. */
#ifndef RAMUS_EVAL_CHRF_H
#define RAMUS_EVAL_CHRF_H

#include "eval/line.h"
#include "eval/signature.h"
#include "eval/stats.h"

/* {0} is chrF2. */
typedef struct ramus_chrf_options {
    int word_order; // 0: chrF2; 2: chrF2++
    bool lowercase;
    bool whitespace; // let white space count as characters
} ramus_chrf_options;

typedef struct ramus_chrf ramus_chrf;

/* The caller ends *out with ramus_chrf_destroy(). */
RAMUS_CHECKED ramus_status ramus_chrf_create(ramus_chrf **out, const ramus_chrf_options *options,
                                             ramus_error *err);
void ramus_chrf_destroy(ramus_chrf *c); // NULL is fine

/* Adds a line; it counts against the reference that gives it the best score. One whose data is NULL
 * is missing, an empty one is not; at least one must be there. */
RAMUS_CHECKED ramus_status ramus_chrf_add(ramus_chrf *c, ramus_line hypothesis,
                                          const ramus_line *references, int n_references,
                                          ramus_error *err);

/* 0 to 100; 0 where there are no lines. */
double ramus_chrf_corpus(const ramus_chrf *c);
double ramus_chrf_sentence(const ramus_chrf *c, int line); // lines are counted from 0

/* The rows of counts, for significance.h and buckets.h; good until the next line is added. */
const ramus_stats *ramus_chrf_stats(const ramus_chrf *c);

/* `test` (may be NULL) is named where the score goes with a resampling. */
void ramus_chrf_signature(char out[RAMUS_SIGNATURE_SIZE], const ramus_chrf *c,
                          const ramus_bootstrap *test);

#endif
