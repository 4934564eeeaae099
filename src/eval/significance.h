/* significance.h - is one system better than another, or is it the choice of sentences?
 *
 * Paired bootstrap resampling (Koehn 2004) as SacreBLEU does it: the test set is drawn anew many
 * times, lines with replacement, the same lines for every system. The rows of counts are computed
 * once; a resample only adds them up. As in SacreBLEU, a zero difference is never put down to
 * chance: two identical outputs get the smallest p, 1 / (n_resamples + 1). */
#ifndef RAMUS_EVAL_SIGNIFICANCE_H
#define RAMUS_EVAL_SIGNIFICANCE_H

#include "base/pool.h"
#include "eval/stats.h"

#define RAMUS_BOOTSTRAP_RESAMPLES 1000
#define RAMUS_BOOTSTRAP_SEED      12345

typedef struct ramus_bootstrap {
    int n_resamples;
    uint64_t seed;    // the same seed gives the same result, whatever the number of threads
    ramus_pool *pool; // NULL: the caller's thread alone
    void (*progress)(void *arg, int done, int n_resamples); // NULL: none; on the caller's thread
    void *arg;
    const int *lines; // the numbers of those that count, and how many these are; NULL: all
    int n_lines;
} ramus_bootstrap;

typedef struct ramus_comparison {
    double score;   // of all lines that count
    double mean;    // of the resamples
    double ci;      // half the width of the interval that holds 95 % of the resamples
    double p_value; // of the difference to system 0 being chance; NAN for system 0
} ramus_comparison;

/* Compares systems 1 and up with system 0, the baseline; out[n_systems]. All must be scored by the
 * same metric on the same lines: another number of lines, or none, is RAMUS_BAD_ARGUMENT. */
RAMUS_CHECKED ramus_status ramus_bootstrap_compare(ramus_comparison *out,
                                                   const ramus_stats *const *systems, int n_systems,
                                                   const ramus_bootstrap *options,
                                                   ramus_error *err);

#endif
