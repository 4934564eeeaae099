/* buckets.h - scores by the length of the source: how systems fare on short and long sentences.
 *
 * The caller counts the words of each source line (words.h; `none` counts at white space, `zh` each
 * Chinese character) and the lines fall into buckets. */
#ifndef RAMUS_EVAL_BUCKETS_H
#define RAMUS_EVAL_BUCKETS_H

#include "eval/significance.h"

typedef struct ramus_bucket {
    int from, to; // lines with from <= length < to; `to` is INT_MAX in the last bucket
    int n_lines;
    double score;   // 0 where there are no lines
    double p_value; // of these lines' difference to system 0 being chance; NAN where there is none
} ramus_bucket;

/* Usual edges: below 10 words, 10 to 19, ... 60 and more. */
#define RAMUS_BUCKET_EDGES 6
extern const int ramus_bucket_edges[RAMUS_BUCKET_EDGES];

/* Fills out[n_systems, n_edges + 1]. lengths[n_lines], of the lines that all systems have; `edges`
 * rise. `test` without lines of its own. */
RAMUS_CHECKED ramus_status ramus_buckets_score(ramus_bucket *out, const int *edges, int n_edges,
                                               const ramus_stats *const *systems, int n_systems,
                                               const int *lengths, const ramus_bootstrap *test,
                                               ramus_error *err);

#endif
