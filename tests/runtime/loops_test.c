/* Repetition, found and cut. */
#include "runtime/loops.h"

#include "base/rng.h"

#include "check.h"
#include "runtime/plain_words.h"

/* Random words, few different ones, against the plain meaning. */
static void loops_are_what_they_are_said_to_be(void)
{
    const ramus_rng rng = {check_seed(), 8, 8, 8};
    int loops = 0, repeated = 0;
    for (int trial = 0; trial < 4000; trial++) {
        int words[80];
        const uint32_t bits = ramus_rng_bits(&rng, (uint64_t)trial);
        const int n = (int)(bits % 80), period = 1 + (int)(bits / 128 % 20), start = n / 4;
        for (int i = 0; i < n; i++) {
            words[i] =
                (int)(ramus_rng_bits(&rng, (uint64_t)100000 + (uint64_t)trial * 80 + (uint64_t)i) %
                      3);
            if (i >= start + period && bits % 7 && (bits % 5 || i + 1 < n))
                words[i] = words[i - period];
        }
        EXPECT_INT(ramus_loop_cut(words, n), cut(words, n), "words that stay");
        bool found = false;
        for (int i = 3; i <= n; i++)
            found = found || cut(words, i) < i;
        EXPECT(ramus_loop_found(words, n, 3) == found, "trial %d: found", trial);
        loops += found;
        for (int size = 1; size <= 4 && n > 0; size++) {
            const bool want = repeats(words, n, size);
            EXPECT(ramus_loop_repeats(words, n - 1, words[n - 1], size) == want,
                   "trial %d: %d words occur twice", trial, size);
            repeated += want;
        }
    }
    EXPECT(loops > 400 && loops < 3600 && repeated > 400, "%d loops, %d repeated", loops, repeated);
}

CHECK_MAIN({"loops_are_what_they_are_said_to_be", loops_are_what_they_are_said_to_be})
