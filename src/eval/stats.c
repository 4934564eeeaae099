/* Rows of counts in one array that doubles; sums over all lines, or over those that are named. */
#include "eval/stats.h"

#include "base/list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void ramus_stats_free(ramus_stats *s)
{
    free(s->rows);
    s->rows = NULL;
    s->n_lines = 0;
    s->room = 0;
}

ramus_status ramus_stats_append(ramus_stats *s, int32_t **row, ramus_error *err)
{
    const size_t size = (size_t)s->width * sizeof *s->rows;
    const ramus_status st = ramus_list_reserve(&s->rows, &s->room, (size_t)s->n_lines + 1, size,
                                               "the counts of all lines", err);
    if (st) return st;
    *row = s->rows + (size_t)s->n_lines++ * (size_t)s->width;
    memset(*row, 0, size);
    return RAMUS_OK;
}

void ramus_stats_add(const ramus_stats *s, int line, int64_t *sums)
{
    const int32_t *row = s->rows + (size_t)line * (size_t)s->width;
    for (int j = 0; j < s->width; j++)
        sums[j] += row[j];
}

void ramus_stats_sum(const ramus_stats *s, int64_t sums[RAMUS_STATS_MAX])
{
    memset(sums, 0, RAMUS_STATS_MAX * sizeof *sums);
    for (int i = 0; i < s->n_lines; i++)
        ramus_stats_add(s, i, sums);
}

double ramus_stats_score(const ramus_stats *s)
{
    int64_t sums[RAMUS_STATS_MAX];
    ramus_stats_sum(s, sums);
    return s->score(s->metric, sums);
}

double ramus_stats_score_lines(const ramus_stats *s, const int *lines, int n_lines)
{
    int64_t sums[RAMUS_STATS_MAX] = {0};
    for (int i = 0; i < n_lines; i++)
        ramus_stats_add(s, lines[i], sums);
    return s->score(s->metric, sums);
}
