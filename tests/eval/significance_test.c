/* The bootstrap: the same seed gives the same p; systems that differ by chance or by much are told
 * apart; what cannot be compared is refused. */
#include "base/rng.h"
#include "eval/bleu.h"
#include "eval/significance.h"

#include "check.h"

#define N_LINES 400

/* A system that gets `bad` words of a hundred wrong; `draw` says which. */
static ramus_bleu *create_system(uint32_t bad, int n_lines, uint32_t draw)
{
    ramus_error err = {0};
    ramus_bleu *b = NULL;
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("none")};
    REQUIRE_OK(ramus_bleu_create(&b, &options, &err), err);
    for (int i = 0; i < n_lines; i++) {
        const ramus_rng rng = {check_seed(), (uint32_t)i, draw, 0};
        char hyp[400] = "", ref[400] = "";
        const int n = 5 + i % 20;
        for (int k = 0; k < n; k++) {
            const bool wrong = ramus_rng_bits(&rng, (uint64_t)k) % 100 < bad;
            (void)snprintf(ref + strlen(ref), sizeof ref - strlen(ref), "w%d ", k);
            (void)snprintf(hyp + strlen(hyp), sizeof hyp - strlen(hyp), wrong ? "x%d " : "w%d ", k);
        }
        const ramus_line reference = ramus_line_of(ref);
        REQUIRE_OK(ramus_bleu_add(b, ramus_line_of(hyp), &reference, 1, &err), err);
    }
    return b;
}

/* A system that gets the first word wrong in every line whose number has this parity. */
static ramus_bleu *create_half_wrong(int parity)
{
    ramus_error err = {0};
    ramus_bleu *b = NULL;
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("none")};
    REQUIRE_OK(ramus_bleu_create(&b, &options, &err), err);
    for (int i = 0; i < N_LINES; i++) {
        const ramus_line reference = ramus_line_of("a b c d e f");
        const char *hyp = i % 2 == parity ? "x b c d e f" : "a b c d e f";
        REQUIRE_OK(ramus_bleu_add(b, ramus_line_of(hyp), &reference, 1, &err), err);
    }
    return b;
}

typedef struct {
    int calls, last, total;
} progress;

static void note_progress(void *arg, int done, int n_resamples)
{
    progress *p = arg;
    p->calls++;
    EXPECT(done > p->last, "progress goes from %d to %d", p->last, done);
    p->last = done;
    p->total = n_resamples;
}

static void resampling_is_a_function_of_the_seed_alone(void)
{
    ramus_error err = {0};
    ramus_bleu *a = create_system(10, N_LINES, 1), *b = create_system(11, N_LINES, 2);
    const ramus_stats *stats[] = {ramus_bleu_stats(a), ramus_bleu_stats(b)};
    ramus_comparison first[2], other[2];
    progress p = {0};
    ramus_bootstrap test = {.n_resamples = 333, .seed = 1, .progress = note_progress, .arg = &p};
    REQUIRE_OK(ramus_bootstrap_compare(first, stats, 2, &test, &err), err);
    EXPECT(p.calls > 10 && p.last == 333 && p.total == 333, "%d calls, last %d", p.calls, p.last);
    test.progress = NULL;
    for (int threads = 2; threads <= 3; threads++) {
        REQUIRE_OK(ramus_pool_create(&test.pool, threads, &err), err);
        REQUIRE_OK(ramus_bootstrap_compare(other, stats, 2, &test, &err), err);
        EXPECT(other[1].mean == first[1].mean && other[1].ci == first[1].ci &&
                   other[1].p_value == first[1].p_value && other[0].mean == first[0].mean,
               "%d threads: mean %.17g, was %.17g", threads, other[1].mean, first[1].mean);
        ramus_pool_destroy(test.pool);
    }
    test.pool = NULL;
    test.seed = 2;
    REQUIRE_OK(ramus_bootstrap_compare(other, stats, 2, &test, &err), err);
    EXPECT(other[1].mean != first[1].mean, "another seed, another mean");
    EXPECT_NEAR(other[1].score, first[1].score, 0, "the score needs no seed");
    ramus_bleu_destroy(a);
    ramus_bleu_destroy(b);
}

/* A clear difference has the smallest p there is. Two systems with the same score that are each
 * better on half of the lines differ in a resample by a normal deviate z around 0, so p is the
 * chance of |z| > E|z| = 0.798, which is 0.425; its deviation over 1,000 resamples is 0.016. */
static void p_tells_a_difference_from_chance(void)
{
    ramus_error err = {0};
    ramus_bleu *systems[] = {create_system(20, N_LINES, 0), create_system(30, N_LINES, 0),
                             create_half_wrong(0), create_half_wrong(1)};
    const ramus_stats *clear[] = {ramus_bleu_stats(systems[0]), ramus_bleu_stats(systems[1]),
                                  ramus_bleu_stats(systems[0])};
    const ramus_stats *equal[] = {ramus_bleu_stats(systems[2]), ramus_bleu_stats(systems[3])};
    const ramus_bootstrap test = {.n_resamples = 1000, .seed = check_seed()};
    ramus_comparison c[3];
    REQUIRE_OK(ramus_bootstrap_compare(c, clear, 3, &test, &err), err);
    EXPECT(isnan(c[0].p_value), "the baseline has no p");
    EXPECT_NEAR(c[1].p_value, 1. / 1001, 1e-12, "ten of a hundred words more wrong");
    EXPECT_NEAR(c[2].p_value, 1. / 1001, 1e-12, "a system against itself, as in SacreBLEU");
    EXPECT_NEAR(c[1].mean, c[1].score, c[1].ci, "mean of the resamples");
    EXPECT(c[1].ci > 0.5 && c[1].ci < 5, "half-width %g", c[1].ci);
    REQUIRE_OK(ramus_bootstrap_compare(c, equal, 2, &test, &err), err);
    EXPECT_NEAR(c[1].score, c[0].score, 0, "equal scores");
    EXPECT_NEAR(c[1].p_value, 0.425, 0.08, "p of equal systems");
    for (int i = 0; i < 4; i++)
        ramus_bleu_destroy(systems[i]);
}

/* The same lines n times over: every resample of one line has its score. */
static void one_line_has_no_spread(void)
{
    ramus_error err = {0};
    ramus_bleu *a = create_system(10, 1, 7);
    const ramus_stats *stats[] = {ramus_bleu_stats(a)};
    ramus_comparison c;
    REQUIRE_OK(ramus_bootstrap_compare(&c, stats, 1, &(ramus_bootstrap){.n_resamples = 50}, &err),
               err);
    EXPECT_NEAR(c.mean, c.score, 1e-9, "mean");
    EXPECT_NEAR(c.ci, 0, 0, "half-width");
    ramus_bleu_destroy(a);
}

static void unequal_files_are_refused(void)
{
    ramus_error err = {0};
    ramus_bleu *a = create_system(10, 12, 8), *b = create_system(10, 11, 9),
               *none = create_system(0, 0, 10);
    const ramus_stats *stats[] = {ramus_bleu_stats(a), ramus_bleu_stats(b)};
    const ramus_stats *empty[] = {ramus_bleu_stats(none)};
    const ramus_bootstrap test = {.n_resamples = 10};
    ramus_comparison c[2];
    EXPECT_FAILS(ramus_bootstrap_compare(c, stats, 2, &test, &err), err,
                 "system 2 has 11 lines, the baseline has 12");
    EXPECT_FAILS(ramus_bootstrap_compare(c, empty, 1, &test, &err), err, "no lines");
    EXPECT_FAILS(ramus_bootstrap_compare(c, stats, 1, &(ramus_bootstrap){0}, &err), err,
                 "0 resamples");
    ramus_bleu_destroy(a);
    ramus_bleu_destroy(b);
    ramus_bleu_destroy(none);
}

CHECK_MAIN({"resampling_is_a_function_of_the_seed_alone",
            resampling_is_a_function_of_the_seed_alone},
           {"p_tells_a_difference_from_chance", p_tells_a_difference_from_chance},
           {"one_line_has_no_spread", one_line_has_no_spread},
           {"unequal_files_are_refused", unequal_files_are_refused})
