/* A shuffle puts every number at one place, and all orders are alike. */
#include "data/shuffle.h"

#include "check.h"

static void every_number_has_one_place(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1000, 70000};
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++)
        for (uint32_t key = 0; key < 3; key++) {
            const int64_t n = sizes[i];
            const ramus_rng rng = {check_seed(), key, 0, 0};
            ramus_shuffle s;
            ramus_shuffle_init(&s, n, &rng);
            char *seen = calloc((size_t)n, 1);
            if (!seen) exit(1);
            int64_t fixed = 0;
            for (int64_t at = 0; at < n; at++) {
                const int64_t to = ramus_shuffle_at(&s, at);
                EXPECT(to >= 0 && to < n && !seen[to], "%lld of %lld", (long long)to, (long long)n);
                if (to >= 0 && to < n) seen[to] = 1;
                fixed += to == at;
            }
            EXPECT(n < 1000 || fixed < 10, "%lld of %lld stay", (long long)fixed, (long long)n);
            free(seen);
        }
}

/* Of a size that no test can go through: places far apart go to different numbers in range. */
static void large_sizes_work(void)
{
    const int64_t n = (INT64_C(1) << 60) - 12345;
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    ramus_shuffle s;
    int64_t got[1000], upper_half = 0;
    ramus_shuffle_init(&s, n, &rng);
    for (int i = 0; i < 1000; i++) {
        got[i] = ramus_shuffle_at(&s, n - 1 - i);
        EXPECT(got[i] >= 0 && got[i] < n, "%lld", (long long)got[i]);
        upper_half += got[i] >= n / 2;
        for (int j = 0; j < i; j++)
            EXPECT(got[i] != got[j], "places %d and %d", i, j);
    }
    EXPECT_NEAR(upper_half, 500, 100, "numbers in the upper half"); // deviation 16
}

/* Every number comes to every place equally often: chi-squared over many keys. */
static void places_are_drawn_evenly(void)
{
    static const int sizes[] = {2, 3, 6, 20};
    for (int i = 0; i < 4; i++) {
        enum { KEYS = 20000 };
        const int n = sizes[i];
        int counts[20][20] = {{0}};
        double chi2 = 0;
        for (uint32_t key = 0; key < KEYS; key++) {
            const ramus_rng rng = {check_seed(), key, 1, 0};
            ramus_shuffle s;
            ramus_shuffle_init(&s, n, &rng);
            for (int at = 0; at < n; at++)
                counts[at][ramus_shuffle_at(&s, at)]++;
        }
        const double want = (double)KEYS / n;
        for (int at = 0; at < n; at++)
            for (int to = 0; to < n; to++)
                chi2 += (counts[at][to] - want) * (counts[at][to] - want) / want;
        const double freedom = (n - 1.0) * (n - 1.0); // times n / (n - 1): sums of rows are fixed
        const double bound = (freedom + 5 * sqrt(2 * freedom) + 10) * n / (n - 1.0);
        EXPECT(chi2 < bound, "n = %d: chi-squared %g, bound %g", n, chi2, bound);
    }
}

CHECK_MAIN({"every_number_has_one_place", every_number_has_one_place},
           {"large_sizes_work", large_sizes_work},
           {"places_are_drawn_evenly", places_are_drawn_evenly})
