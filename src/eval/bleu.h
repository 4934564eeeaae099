/* bleu.h - BLEU (Papineni et al. 2002) with the numbers of SacreBLEU 2.
 *
 *     ramus_bleu *b = NULL;
 *     const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("13a")};
 *     st = ramus_bleu_create(&b, &options, &err);
 *     for each line: st = ramus_bleu_add(b, hypothesis, references, n_references, &err);
 *     ramus_bleu_score score = ramus_bleu_corpus(b);
 *     ramus_bleu_destroy(b);
 *
 * One object scores one system; one thread. Lines come in pairs, so that files of different
 * lengths are for the caller to notice. */
#ifndef RAMUS_EVAL_BLEU_H
#define RAMUS_EVAL_BLEU_H

#include "eval/signature.h"
#include "eval/stats.h"
#include "eval/words.h"

#define RAMUS_BLEU_ORDER 4

/* What stands in for a precision of zero (Chen and Cherry, WMT 2014, methods 3, 1 and 2). */
typedef enum ramus_smoothing {
    RAMUS_SMOOTHING_EXP,   // half of the one before: mteval-v13a, the usual choice
    RAMUS_SMOOTHING_NONE,  // nothing: the score is zero, as in multi-bleu.perl
    RAMUS_SMOOTHING_FLOOR, // `smoothing_value` matches
    RAMUS_SMOOTHING_ADD_K  // `smoothing_value` more matches of 2 words and more in every case
} ramus_smoothing;

/* {0} but for the tokenization is what the papers report. */
typedef struct ramus_bleu_options {
    const ramus_tokenization *tokenization;
    ramus_smoothing smoothing;
    double smoothing_value; // 0: the default of the method, 0.1 for floor and 1 for add-k
    bool lowercase;
    bool effective_order; // leave out the orders that a corpus is too short for
} ramus_bleu_options;

typedef struct ramus_bleu_score {
    double score, bp; // 0 to 100; brevity penalty, 0 to 1
    double precisions[RAMUS_BLEU_ORDER];
    int64_t counts[RAMUS_BLEU_ORDER], totals[RAMUS_BLEU_ORDER]; // matches; n-grams (unsmoothed)
    int64_t sys_len, ref_len;
} ramus_bleu_score;

typedef struct ramus_bleu ramus_bleu;

/* The caller ends *out with ramus_bleu_destroy(). */
RAMUS_CHECKED ramus_status ramus_bleu_create(ramus_bleu **out, const ramus_bleu_options *options,
                                             ramus_error *err);
void ramus_bleu_destroy(ramus_bleu *b); // NULL is fine

/* Adds a line with its references. One whose data is NULL is missing, an empty one is not; at least
 * one must be there. */
RAMUS_CHECKED ramus_status ramus_bleu_add(ramus_bleu *b, ramus_line hypothesis,
                                          const ramus_line *references, int n_references,
                                          ramus_error *err);

/* The score of all lines so far; 0 where there are none. */
ramus_bleu_score ramus_bleu_corpus(const ramus_bleu *b);

/* Sentence BLEU of line `line`, counted from 0: always with the effective order. */
ramus_bleu_score ramus_bleu_sentence(const ramus_bleu *b, int line);

/* The rows of counts, for significance.h and buckets.h; good until the next line is added. */
const ramus_stats *ramus_bleu_stats(const ramus_bleu *b);

/* `test` (may be NULL) is named where the score goes with a resampling. */
void ramus_bleu_signature(char out[RAMUS_SIGNATURE_SIZE], const ramus_bleu *b,
                          const ramus_bootstrap *test);

#endif
