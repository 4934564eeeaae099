/* stats.h - what a score of a corpus is computed from: one row of counts for each line.
 *
 * The counts of a set of lines are the sums of their rows, and a score is a function of those sums.
 * So resampling, lengths and single lines need no second look at the text. */
#ifndef RAMUS_EVAL_STATS_H
#define RAMUS_EVAL_STATS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define RAMUS_STATS_MAX 24 // the widest row: chrF++, three counts for each of eight orders

/* The score, 0 to 100, of the lines whose rows add up to `sums`. */
typedef double ramus_stats_score_fn(const void *metric, const int64_t *sums);

/* Read-only for all but its metric, which owns it. */
typedef struct ramus_stats {
    int32_t *rows; // [n_lines, width]
    int n_lines, width;
    size_t room; // in lines
    ramus_stats_score_fn *score;
    const void *metric; // first argument of `score`
} ramus_stats;

void ramus_stats_free(ramus_stats *s); // {0} is fine

/* A new row of zeros at the end, for the metric to fill. */
RAMUS_CHECKED ramus_status ramus_stats_append(ramus_stats *s, int32_t **row, ramus_error *err);

/* sums[j] += row[j] */
void ramus_stats_add(const ramus_stats *s, int line, int64_t *sums);

/* The sums over all lines, and the score of them. */
void ramus_stats_sum(const ramus_stats *s, int64_t sums[RAMUS_STATS_MAX]);
double ramus_stats_score(const ramus_stats *s);

/* The score of the lines whose numbers are given. */
double ramus_stats_score_lines(const ramus_stats *s, const int *lines, int n_lines);

#endif
