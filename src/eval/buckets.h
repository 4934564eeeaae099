/* buckets.h - scores by the length of the source: how a system fares on short and long sentences.
 *
 * The caller counts the words of each source line (words.h; `none` counts at white space, `zh` each
 * Chinese character) and the lines fall into buckets. */
#ifndef RAMUS_EVAL_BUCKETS_H
#define RAMUS_EVAL_BUCKETS_H

#include "eval/stats.h"

typedef struct ramus_bucket {
    int from, to; // lines with from <= length < to; `to` is INT_MAX in the last bucket
    int n_lines;
    double score; // 0 where there are no lines
} ramus_bucket;

/* Usual edges: below 10 words, 10 to 19, ... 60 and more. */
#define RAMUS_BUCKET_EDGES 6
extern const int ramus_bucket_edges[RAMUS_BUCKET_EDGES];

/* Fills out[n_edges + 1]. lengths[stats->n_lines]; `edges` rise. */
void ramus_buckets_score(ramus_bucket *out, const int *edges, int n_edges, const ramus_stats *stats,
                         const int *lengths);

#endif
