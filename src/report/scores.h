/* scores.h - translations of one text by several runs: BLEU, and the paired bootstrap of
 * eval/significance.h against the first run that has them. */
#ifndef RAMUS_REPORT_SCORES_H
#define RAMUS_REPORT_SCORES_H

#include "base/pool.h"
#include "eval/signature.h"
#include "report/runs.h"

/* What training keeps in the folder of a run: the translations of the validation set by the best
 * checkpoint, and its reference. */
#define RAMUS_BEST_TRANSLATIONS "best.txt"
#define RAMUS_BEST_REFERENCE    "reference.txt"

typedef enum ramus_score_state {
    RAMUS_SCORE_MISSING,   // the run has no such file
    RAMUS_SCORE_ELSEWHERE, // its reference is another one
    RAMUS_SCORE_THERE
} ramus_score_state;

typedef struct ramus_scores {
    const char *file; // in the folder of each run
    int n, n_lines;   // runs whose scores are there
    int baseline;     // the first of them, if any
    const char *cut;  // how BLEU cuts words
    char signature[RAMUS_SIGNATURE_SIZE];
    ramus_score_state states[RAMUS_RUNS_MAX];
    double bleu[RAMUS_RUNS_MAX], ci[RAMUS_RUNS_MAX]; // ci: half the interval that holds 95 %
    double p_values[RAMUS_RUNS_MAX];                 // NAN for the baseline
} ramus_scores;

/* Scores `file` of each run against `reference`, plain, .gz or .xz; a NULL one is the file
 * RAMUS_BEST_REFERENCE of each run, and runs with another one than the baseline's are left out.
 * BLEU cuts words as the baseline's validation does. */
RAMUS_CHECKED ramus_status ramus_scores_compute(ramus_scores *out, const ramus_runs *runs,
                                                const char *file, const char *reference,
                                                ramus_pool *pool, ramus_error *err);

#endif
