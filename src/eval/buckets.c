/* For each bucket the numbers of its lines are listed; score and bootstrap then see only these. */
#include "eval/buckets.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

const int ramus_bucket_edges[RAMUS_BUCKET_EDGES] = {10, 20, 30, 40, 50, 60};

ramus_status ramus_buckets_score(ramus_bucket *out, const int *edges, int n_edges,
                                 const ramus_stats *const *systems, int n_systems,
                                 const int *lengths, const ramus_bootstrap *test, ramus_error *err)
{
    const int n_lines = systems[0]->n_lines;
    int *lines = calloc((size_t)n_lines + 1, sizeof *lines);
    ramus_comparison *compared = calloc((size_t)n_systems, sizeof *compared);
    ramus_status st = RAMUS_OK;
    if (!lines || !compared) {
        st = ramus_fail_memory(err, "lines by length");
        goto done;
    }
    for (int b = 0; b <= n_edges && !st; b++) {
        ramus_bucket bucket = {.from = b ? edges[b - 1] : 0,
                               .to = b < n_edges ? edges[b] : INT_MAX};
        RAMUS_ASSERT(bucket.from < bucket.to);
        for (int i = 0; i < n_lines; i++)
            if (lengths[i] >= bucket.from && lengths[i] < bucket.to) lines[bucket.n_lines++] = i;

        ramus_bootstrap some = *test;
        some.lines = lines;
        some.n_lines = bucket.n_lines;
        const bool comparable = n_systems > 1 && bucket.n_lines > 0;
        if (comparable) st = ramus_bootstrap_compare(compared, systems, n_systems, &some, err);
        for (int s = 0; s < n_systems && !st; s++) {
            bucket.score = ramus_stats_score_lines(systems[s], lines, bucket.n_lines);
            bucket.p_value = comparable ? compared[s].p_value : (double)NAN;
            out[s * (n_edges + 1) + b] = bucket;
        }
    }
done:
    free(lines);
    free(compared);
    return st;
}
