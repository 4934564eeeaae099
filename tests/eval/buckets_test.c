#include "eval/bleu.h"
#include "eval/buckets.h"
#include "eval/chrf.h"

#include "check.h"

#include <limits.h>

#define N_LINES 400

/* Lines of 5 to 24 words, every seventh of them wrong, for two metrics. */
static void score_lines(ramus_bleu *b, ramus_chrf *c, int *lengths)
{
    ramus_error err = {0};
    ramus_words *w = NULL;
    REQUIRE_OK(ramus_words_create(&w, ramus_tokenization_find("none"), false, &err), err);
    for (int i = 0; i < N_LINES; i++) {
        char hyp[400] = "", ref[400] = "";
        for (int k = 0; k < 5 + i % 20; k++) {
            (void)snprintf(ref + strlen(ref), sizeof ref - strlen(ref), "w%d ", k);
            (void)snprintf(hyp + strlen(hyp), sizeof hyp - strlen(hyp), "%c%d ",
                           k % 7 == 6 ? 'x' : 'w', k);
        }
        const ramus_line reference = ramus_line_of(ref);
        REQUIRE_OK(ramus_bleu_add(b, ramus_line_of(hyp), &reference, 1, &err), err);
        REQUIRE_OK(ramus_chrf_add(c, ramus_line_of(hyp), &reference, 1, &err), err);
        ramus_words_clear(w);
        REQUIRE_OK(ramus_words_add(w, reference, &err), err);
        lengths[i] = ramus_words_count(w);
    }
    ramus_words_destroy(w);
}

static void buckets_hold_every_line_once(void)
{
    ramus_error err = {0};
    ramus_bleu *b = NULL;
    ramus_chrf *c = NULL;
    int lengths[N_LINES];
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("none")};
    REQUIRE_OK(ramus_bleu_create(&b, &options, &err), err);
    REQUIRE_OK(ramus_chrf_create(&c, &(ramus_chrf_options){0}, &err), err);
    score_lines(b, c, lengths);

    const ramus_stats *const metrics[] = {ramus_bleu_stats(b), ramus_chrf_stats(c)};
    for (int m = 0; m < 2; m++) {
        ramus_bucket buckets[RAMUS_BUCKET_EDGES + 1], all;
        ramus_buckets_score(buckets, ramus_bucket_edges, RAMUS_BUCKET_EDGES, metrics[m], lengths);
        static const int want[] = {100, 200, 100, 0, 0, 0, 0}; // 5-9, 10-19, 20-24 words
        for (int i = 0; i <= RAMUS_BUCKET_EDGES; i++)
            EXPECT_INT(buckets[i].n_lines, want[i], "lines");
        EXPECT(buckets[1].from == 10 && buckets[1].to == 20, "%d to %d", buckets[1].from,
               buckets[1].to);
        EXPECT_INT(buckets[RAMUS_BUCKET_EDGES].to, INT_MAX, "end of the last bucket");
        EXPECT(buckets[0].score > buckets[1].score, "short lines %g, longer ones %g",
               buckets[0].score, buckets[1].score);
        EXPECT_NEAR(buckets[3].score, 0, 0, "no lines");
        ramus_buckets_score(&all, NULL, 0, metrics[m], lengths);
        EXPECT_NEAR(all.score, ramus_stats_score(metrics[m]), 0, "one bucket is the corpus");
    }
    ramus_bleu_destroy(b);
    ramus_chrf_destroy(c);
}

CHECK_MAIN({"buckets_hold_every_line_once", buckets_hold_every_line_once})
