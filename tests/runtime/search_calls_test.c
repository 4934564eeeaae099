/* What a search refuses, and what it never does. */
#include "runtime/searches.h"

#include "allocations.h"

static void search_refuses_what_does_not_fit(void)
{
    const ramus_arch a = make_arch(kinds[0]);
    ramus_weights *w = random_weights(&a, false);
    ramus_error err = {0};
    ramus_search *search = NULL, *none = NULL;
    ramus_search_limits limits = {
        .beam = 2, .sentences = 2, .source_tokens = 10, .source_length = 6, .target_length = 12};
    ramus_search_options o = {.beam = 2, .extra_length = 3, .eos = EOS};
    REQUIRE_OK(ramus_search_create(&search, &a, w, &limits, NULL, &err), err);
    const int ids[] = {2, 3, 4, 5, 6, 7, 8, 9, 10}, unknown[] = {3, 37};
    ramus_source x[3] = {{.ids = ids, .length = 8}, {.ids = ids, .length = 6}};
    ramus_hypothesis best[6];
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err,
                 "sentence 1 has 8 tokens, the search has room for 6");
    x[0].length = 6;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 2, best, &err), err,
                 "sentence 2 has 6 tokens, the search has room for 4");
    x[0].length = x[1].length = 1;
    x[2] = x[1];
    EXPECT_FAILS(ramus_search_run(search, &o, x, 3, best, &err), err, "3 sentences");
    EXPECT_FAILS(ramus_search_run(search, &o, x, 0, best, &err), err, "0 sentences");
    x[0] = (ramus_source){.ids = unknown, .length = 2};
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "the word 37");
    x[0] = (ramus_source){.ids = ids, .length = 2, .prefix = unknown, .prefix_length = 2};
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "the word 37");
    x[0].prefix_length = 4;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err,
                 "begins with 4 given words, its translation has at most 3");
    x[0].prefix = (const int[]){5, EOS};
    x[0].prefix_length = 2;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "EOS in it");
    x[0].prefix = NULL; // then its length does not count
    REQUIRE_OK(ramus_search_run(search, &o, x, 1, best, &err), err);
    o.greedy = true;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "greedy with beam 2");
    o.greedy = false;
    o.eos = 37;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "EOS is the word 37");
    o.eos = EOS;
    o.no_repeat = -1;
    EXPECT_FAILS(ramus_search_run(search, &o, x, 1, best, &err), err, "sequences of -1 words");
    ramus_search_destroy(search);
    limits.sentences = 0;
    EXPECT_FAILS(ramus_search_create(&none, &a, w, &limits, NULL, &err), err, "is 0");
    limits.sentences = limits.target_length = 1 << 20;
    EXPECT_FAILS(ramus_search_create(&none, &a, w, &limits, NULL, &err), err, "positions");
    EXPECT(!none, "nothing was made");
    ramus_weights_destroy(w);
}

static void nothing_is_allocated_while_translating(void)
{
    ramus_error err = {0};
    int words[SENTENCES][3];
    for (int k = 0; k < KINDS * 2; k++) {
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, (numbers)(k / KINDS));
        ramus_pool *pool = NULL;
        REQUIRE_OK(ramus_pool_create(&pool, 2, &err), err);
        const long before_create = allocations;
        ramus_search *search = make_search(&a, w, pool);
        EXPECT(allocations > before_create, "the test counts allocations");
        const long before = allocations;
        for (int m = 0; m < MIXTURES; m++) {
            const ramus_search_options o = mixture(m);
            ramus_hypothesis got[SENTENCES * BEAM];
            make_sources();
            if (m % 2) add_prefixes(words, o.eos);
            REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
        }
        EXPECT_INT(allocations, before, "allocations");
        ramus_search_destroy(search);
        ramus_pool_destroy(pool);
        ramus_weights_destroy(w);
    }
}

static bool stop_after(void *left)
{
    return --*(int *)left < 0;
}

static void a_run_stops_when_asked(void)
{
    const ramus_arch a = make_arch(kinds[1]);
    ramus_weights *w = make_weights(&a, ZEROS);
    ramus_search *search = make_search(&a, w, NULL);
    ramus_error err = {0};
    int left = 0;
    const ramus_search_options o = {.beam = 1,
                                    .greedy = true,
                                    .extra_length = 10,
                                    .eos = EOS,
                                    .stop = stop_after,
                                    .stop_arg = &left}; // word 0 ten times
    ramus_hypothesis got[SENTENCES] = {{0}};
    make_sources();
    for (int steps = 0; steps <= 10; steps++) {
        left = steps;
        const ramus_status st = ramus_search_run(search, &o, sources, SENTENCES, got, &err);
        EXPECT(st == (steps < 10 ? RAMUS_STOPPED : RAMUS_OK), "%d steps: status %d", steps, st);
        EXPECT(!got[0].ids == (steps < 10), "results are set only on success");
    }
    EXPECT_INT(got[0].length, 10, "a stopped run leaves nothing behind");
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
}

CHECK_MAIN({"search_refuses_what_does_not_fit", search_refuses_what_does_not_fit},
           {"nothing_is_allocated_while_translating", nothing_is_allocated_while_translating},
           {"a_run_stops_when_asked", a_run_stops_when_asked})
