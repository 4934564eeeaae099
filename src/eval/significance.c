/* Resamples are independent, so threads share them: each draws its lines from a key of its own,
 * adds the rows of every system and keeps the scores. Means, intervals and p follow from these. */
#include "eval/significance.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN 256 // line numbers drawn at once
#define BLOCK 20  // resamples between two reports of progress

typedef struct {
    const ramus_stats *const *systems;
    int n_systems, n_lines, first;
    const ramus_bootstrap *options;
    double *scores; // [n_systems, n_resamples]
    int64_t *sums;  // [threads, n_systems, RAMUS_STATS_MAX]
} resampling;

/* Draws resample `index` and scores every system on it. A line is chosen by 32 random bits times
 * the number of lines: its chance is off by less than n_lines / 2^32. */
static void resample(void *arg, int index, int thread)
{
    const resampling *r = arg;
    const int number = r->first + index;
    const ramus_rng rng = {.seed = r->options->seed, .update = (uint32_t)number};
    const size_t size = (size_t)r->n_systems * RAMUS_STATS_MAX;
    int64_t *sums = r->sums + (size_t)thread * size;
    uint32_t drawn[DRAWN];

    memset(sums, 0, size * sizeof *sums);
    for (int done = 0; done < r->n_lines; done += DRAWN) {
        const int n = r->n_lines - done < DRAWN ? r->n_lines - done : DRAWN;
        ramus_rng_fill(&rng, drawn, (uint64_t)done, n);
        for (int i = 0; i < n; i++)
            drawn[i] = (uint32_t)((uint64_t)drawn[i] * (uint32_t)r->n_lines >> 32);
        for (int i = 0; i < n && r->options->lines; i++)
            drawn[i] = (uint32_t)r->options->lines[drawn[i]];
        for (int s = 0; s < r->n_systems; s++)
            for (int i = 0; i < n; i++)
                ramus_stats_add(r->systems[s], (int)drawn[i], sums + s * RAMUS_STATS_MAX);
    }
    for (int s = 0; s < r->n_systems; s++) {
        const ramus_stats *stats = r->systems[s];
        r->scores[(size_t)s * (size_t)r->options->n_resamples + (size_t)number] =
            stats->score(stats->metric, sums + s * RAMUS_STATS_MAX);
    }
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* The share of resamples whose difference is further from the mean difference than the real one is
 * from zero; one is added to both counts. `other` is overwritten. */
static double p_value(const double *baseline, double *other, int n, double difference)
{
    int beyond = 0;
    for (int i = 0; i < n; i++)
        other[i] = fabs(other[i] - baseline[i]);
    const double mean = mean_of(other, n);
    for (int i = 0; i < n; i++)
        beyond += other[i] - mean > fabs(difference);
    return (beyond + 1.0) / (n + 1.0);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half the distance between the ends of the middle 95 %. `sorted` is room for n. */
static double half_width(const double *scores, double *sorted, int n)
{
    memcpy(sorted, scores, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return 0.5 * (sorted[n - n / 40 - 1] - sorted[n / 40]);
}

static ramus_status check_systems(const ramus_stats *const *systems, int n_systems,
                                  const ramus_bootstrap *options, ramus_error *err)
{
    RAMUS_ASSERT(n_systems > 0);
    if (options->n_resamples < 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d resamples, at least 1 is needed",
                          options->n_resamples);
    if ((options->lines ? options->n_lines : systems[0]->n_lines) < 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "no lines to resample");
    for (int s = 1; s < n_systems; s++) {
        RAMUS_ASSERT(systems[s]->width == systems[0]->width);
        if (systems[s]->n_lines != systems[0]->n_lines)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "system %d has %d lines, the baseline has %d", s + 1,
                              systems[s]->n_lines, systems[0]->n_lines);
    }
    return RAMUS_OK;
}

ramus_status ramus_bootstrap_compare(ramus_comparison *out, const ramus_stats *const *systems,
                                     int n_systems, const ramus_bootstrap *options,
                                     ramus_error *err)
{
    const ramus_status st = check_systems(systems, n_systems, options, err);
    if (st) return st;
    const int n = options->n_resamples;
    const int n_lines = options->lines ? options->n_lines : systems[0]->n_lines;
    const size_t n_sums =
        (size_t)ramus_pool_threads(options->pool) * (size_t)n_systems * RAMUS_STATS_MAX;
    double *scores = calloc((size_t)(n_systems + 1) * (size_t)n, sizeof *scores);
    int64_t *sums = calloc(n_sums, sizeof *sums);
    if (!scores || !sums) {
        free(scores);
        free(sums);
        return ramus_fail_memory(err, "resampling");
    }

    resampling r = {systems, n_systems, n_lines, 0, options, scores, sums};
    while (r.first < n) {
        const int block = n - r.first < BLOCK ? n - r.first : BLOCK;
        ramus_pool_for(options->pool, block, resample, &r);
        r.first += block;
        if (options->progress) options->progress(options->arg, r.first, n);
    }
    for (int s = 0; s < n_systems; s++) {
        double *of_system = scores + (size_t)s * (size_t)n;
        out[s].score = options->lines ? ramus_stats_score_lines(systems[s], options->lines, n_lines)
                                      : ramus_stats_score(systems[s]);
        out[s].mean = mean_of(of_system, n);
        out[s].ci = half_width(of_system, scores + (size_t)n_systems * (size_t)n, n);
        out[s].p_value =
            s ? p_value(scores, of_system, n, out[s].score - out[0].score) : (double)NAN;
    }
    free(scores);
    free(sums);
    return RAMUS_OK;
}
