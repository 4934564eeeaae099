#include "eval/buckets.h"

#include <limits.h>

const int ramus_bucket_edges[RAMUS_BUCKET_EDGES] = {10, 20, 30, 40, 50, 60};

void ramus_buckets_score(ramus_bucket *out, const int *edges, int n_edges, const ramus_stats *stats,
                         const int *lengths)
{
    for (int b = 0; b <= n_edges; b++) {
        int64_t sums[RAMUS_STATS_MAX] = {0};
        ramus_bucket bucket = {.from = b ? edges[b - 1] : 0,
                               .to = b < n_edges ? edges[b] : INT_MAX};
        RAMUS_ASSERT(bucket.from < bucket.to);
        for (int i = 0; i < stats->n_lines; i++) {
            if (lengths[i] < bucket.from || lengths[i] >= bucket.to) continue;
            ramus_stats_add(stats, i, sums);
            bucket.n_lines++;
        }
        bucket.score = stats->score(stats->metric, sums);
        out[b] = bucket;
    }
}
