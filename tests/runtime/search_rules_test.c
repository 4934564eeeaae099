/* Rules of searches: divisors and ends by hand, and searches whose outcome can be told. That
 * Hugging Face's rules give its results is in laws/opus_mt.c. */
#include "runtime/search_rules.h"

#include "check.h"

static void scores_are_divided_as_the_toolkits_do(void)
{
    const ramus_search_rule *ours = ramus_search_rule_of(RAMUS_SEARCH_OURS);
    EXPECT_NEAR(ours->divisor(7, 1), 2, 1e-12, "(5 + 7) / 6");
    EXPECT_NEAR(ours->divisor(7, 0), 1, 1e-12, "no penalty");
    for (int i = RAMUS_SEARCH_HF; i <= RAMUS_SEARCH_MARIAN; i++) {
        const ramus_search_rule *rule = ramus_search_rule_of((ramus_search_rules)i);
        EXPECT_NEAR(rule->divisor(7, 1), 7, 1e-12, "7");
        EXPECT_NEAR(rule->divisor(9, 0.5), 3, 1e-12, "root of 9");
        EXPECT_NEAR(rule->divisor(7, 0), 1, 1e-12, "no penalty");
        EXPECT(rule->eos_first, "rule %d: EOS may come first", i);
    }
    EXPECT(!ours->eos_first && !ours->forces_eos && !ours->ranked && !ours->shrinks, "ours");
}

/* Two places taken, the worst at -1.5; the best continuation has -5.9, the best live one -6. */
static ramus_search_state at(int length, int limit)
{
    return (ramus_search_state){.places = 2,
                                .finished = 2,
                                .worst = -1.5,
                                .live = -6,
                                .offered = -5.9,
                                .length = length,
                                .limit = limit,
                                .penalty = 1};
}

static bool ends(ramus_search_rules rules, ramus_search_state s)
{
    return ramus_search_rule_of(rules)->is_done(&s);
}

static void a_search_ends_when_its_rule_says_so(void)
{
    EXPECT(ends(RAMUS_SEARCH_OURS, at(4, 20)) == false, "-6 / (25 / 6) is better than -1.5");
    EXPECT(ends(RAMUS_SEARCH_OURS, at(4, 20)) == ends(RAMUS_SEARCH_OURS, at(9, 20)), "the limit");
    EXPECT(ends(RAMUS_SEARCH_OURS, at(4, 10)) == true, "-6 / 2.5 is worse");
    EXPECT(ends(RAMUS_SEARCH_HF, at(3, 18)) == true, "-5.9 / 3 is worse");
    EXPECT(ends(RAMUS_SEARCH_HF, at(4, 18)) == false, "-5.9 / 4 is better");
    EXPECT(ends(RAMUS_SEARCH_HF_NEVER, at(3, 18)) == false, "-5.9 / 18 is better");
    EXPECT(ends(RAMUS_SEARCH_HF_NEVER, at(3, 3)) == true, "-5.9 / 3 is worse");
    ramus_search_state free = at(3, 18);
    free.penalty = 0;
    EXPECT(ends(RAMUS_SEARCH_HF_NEVER, free) == true, "no penalty: -5.9 is worse");
    EXPECT(ends(RAMUS_SEARCH_HF_EARLY, at(9, 18)) && ends(RAMUS_SEARCH_MARIAN, at(9, 18)),
           "places are taken");
    for (int i = 0; i <= RAMUS_SEARCH_MARIAN; i++) {
        ramus_search_state one = at(3, 3);
        one.finished = 1;
        EXPECT(!ends((ramus_search_rules)i, one), "rule %d: a place is free", i);
    }
}

CHECK_MAIN({"scores_are_divided_as_the_toolkits_do", scores_are_divided_as_the_toolkits_do},
           {"a_search_ends_when_its_rule_says_so", a_search_ends_when_its_rule_says_so})
