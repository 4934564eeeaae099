/* Lines by length: each line is in one bucket, and the score of a bucket is that of a test set of
 * its lines alone. */
#include "eval/bleu.h"
#include "eval/buckets.h"
#include "eval/chrf.h"

#include "check.h"

#include <limits.h>
#include <math.h>

#define N_LINES 400
#define BUCKETS (RAMUS_BUCKET_EDGES + 1)

static const ramus_bootstrap test = {.n_resamples = 200, .seed = 7};

typedef struct {
    ramus_bleu *bleu;
    ramus_chrf *chrf;
} scores;

/* Line i has 5 to 24 words. System 0 has every seventh word of it wrong, system 1 the first word of
 * every third line, too, where the line has fewer than 20. */
static int add_line(scores *s, int system, int i)
{
    ramus_error err = {0};
    char hyp[400] = "", ref[400] = "";
    const int n = 5 + i % 20;
    for (int k = 0; k < n; k++) {
        const bool wrong = k % 7 == 6 || (system == 1 && k == 0 && i % 3 == 0 && n < 20);
        (void)snprintf(ref + strlen(ref), sizeof ref - strlen(ref), "w%d ", k);
        (void)snprintf(hyp + strlen(hyp), sizeof hyp - strlen(hyp), "%c%d ", wrong ? 'x' : 'w', k);
    }
    const ramus_line reference = ramus_line_of(ref);
    REQUIRE_OK(ramus_bleu_add(s->bleu, ramus_line_of(hyp), &reference, 1, &err), err);
    REQUIRE_OK(ramus_chrf_add(s->chrf, ramus_line_of(hyp), &reference, 1, &err), err);
    return n;
}

/* A system's lines of from <= length < to; notes the lengths of all that it adds. */
static scores score_lines(int system, int from, int to, int *lengths)
{
    ramus_error err = {0};
    scores s = {0};
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("none")};
    REQUIRE_OK(ramus_bleu_create(&s.bleu, &options, &err), err);
    REQUIRE_OK(ramus_chrf_create(&s.chrf, &(ramus_chrf_options){0}, &err), err);
    for (int i = 0, n = 0; i < N_LINES; i++)
        if (5 + i % 20 >= from && 5 + i % 20 < to) lengths[n++] = add_line(&s, system, i);
    return s;
}

static const ramus_stats *stats_of(const scores *s, int metric)
{
    return metric == 0 ? ramus_bleu_stats(s->bleu) : ramus_chrf_stats(s->chrf);
}

static void destroy(scores *s)
{
    ramus_bleu_destroy(s->bleu);
    ramus_chrf_destroy(s->chrf);
}

static void buckets_hold_every_line_once(void)
{
    ramus_error err = {0};
    int lengths[N_LINES];
    scores s = score_lines(0, 0, INT_MAX, lengths);
    for (int m = 0; m < 2; m++) {
        ramus_bucket buckets[BUCKETS], all;
        const ramus_stats *stats = stats_of(&s, m);
        REQUIRE_OK(ramus_buckets_score(buckets, ramus_bucket_edges, RAMUS_BUCKET_EDGES, &stats, 1,
                                       lengths, &test, &err),
                   err);
        static const int want[] = {100, 200, 100, 0, 0, 0, 0}; // 5-9, 10-19, 20-24 words
        for (int i = 0; i < BUCKETS; i++) {
            EXPECT_INT(buckets[i].n_lines, want[i], "lines");
            EXPECT(isnan(buckets[i].p_value), "p %g of one system", buckets[i].p_value);
        }
        EXPECT(buckets[1].from == 10 && buckets[1].to == 20, "%d to %d", buckets[1].from,
               buckets[1].to);
        EXPECT_INT(buckets[RAMUS_BUCKET_EDGES].to, INT_MAX, "end of the last bucket");
        EXPECT(buckets[0].score > buckets[1].score, "short lines %g, longer ones %g",
               buckets[0].score, buckets[1].score);
        EXPECT_NEAR(buckets[3].score, 0, 0, "no lines");
        REQUIRE_OK(ramus_buckets_score(&all, NULL, 0, &stats, 1, lengths, &test, &err), err);
        EXPECT_NEAR(all.score, ramus_stats_score(stats), 0, "one bucket is the corpus");
    }
    destroy(&s);
}

/* What a bucket says is what a comparison of its lines alone says. */
static void a_bucket_is_a_test_set(void)
{
    ramus_error err = {0};
    int lengths[N_LINES], some[N_LINES];
    scores both[2] = {score_lines(0, 0, INT_MAX, lengths), score_lines(1, 0, INT_MAX, lengths)};
    for (int m = 0; m < 2; m++) {
        const ramus_stats *const systems[] = {stats_of(&both[0], m), stats_of(&both[1], m)};
        ramus_bucket buckets[2][BUCKETS];
        REQUIRE_OK(ramus_buckets_score(buckets[0], ramus_bucket_edges, RAMUS_BUCKET_EDGES, systems,
                                       2, lengths, &test, &err),
                   err);
        for (int b = 0; b < BUCKETS; b++) {
            const ramus_bucket *first = &buckets[0][b], *second = &buckets[1][b];
            EXPECT(isnan(first->p_value), "p %g of the baseline", first->p_value);
            if (second->n_lines == 0) {
                EXPECT(isnan(second->p_value), "p %g of no lines", second->p_value);
                continue;
            }
            scores alone[2] = {score_lines(0, first->from, first->to, some),
                               score_lines(1, first->from, first->to, some)};
            const ramus_stats *const cut[] = {stats_of(&alone[0], m), stats_of(&alone[1], m)};
            ramus_comparison want[2];
            REQUIRE_OK(ramus_bootstrap_compare(want, cut, 2, &test, &err), err);
            EXPECT_NEAR(first->score, want[0].score, 0, "the baseline");
            EXPECT_NEAR(second->score, want[1].score, 0, "the other system");
            EXPECT_NEAR(second->p_value, want[1].p_value, 0, "p");
            destroy(&alone[0]);
            destroy(&alone[1]);
        }
        EXPECT(buckets[0][1].score > buckets[1][1].score, "%g is not above %g", buckets[0][1].score,
               buckets[1][1].score);
        EXPECT_NEAR(buckets[0][2].score, buckets[1][2].score, 0, "20 words and more");
    }
    destroy(&both[0]);
    destroy(&both[1]);
}

CHECK_MAIN({"buckets_hold_every_line_once", buckets_hold_every_line_once},
           {"a_bucket_is_a_test_set", a_bucket_is_a_test_set})
