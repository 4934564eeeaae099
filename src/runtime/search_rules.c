/* A row per toolkit. Hugging Face's are those of transformers 4.36 to 4.49 with early_stopping
 * false, true and "never". Marian's is that of its beam_search.cpp and
 * history.h with its defaults: no word penalty, no unknown words. */
#include "runtime/search_rules.h"

#include "base/math.h"

/* Wu et al. 2016, without coverage */
static double google_divisor(int length, double penalty)
{
    return ramus_math_pow((5.0 + length) / 6.0, penalty);
}

static double plain_divisor(int length, double penalty)
{
    return ramus_math_pow(length, penalty);
}

static bool no_live_can_win(const ramus_search_state *s)
{
    return s->finished == s->places && s->worst > s->live / google_divisor(s->limit, s->penalty);
}

static bool none_wins_now(const ramus_search_state *s)
{
    return s->finished == s->places &&
           s->worst >= s->offered / plain_divisor(s->length, s->penalty);
}

static bool all_have_ended(const ramus_search_state *s)
{
    return s->finished == s->places;
}

static bool none_wins_at_the_limit(const ramus_search_state *s)
{
    const int length = s->penalty > 0 ? s->limit : s->length;
    return s->finished == s->places && s->worst >= s->offered / plain_divisor(length, s->penalty);
}

// clang-format off
const char *const ramus_search_rule_names[] = {
    [RAMUS_SEARCH_OURS] = "ours", [RAMUS_SEARCH_HF] = "hf", [RAMUS_SEARCH_HF_EARLY] = "hf-early",
    [RAMUS_SEARCH_HF_NEVER] = "hf-never", [RAMUS_SEARCH_MARIAN] = "marian", NULL};
static const ramus_search_rule rules[] = {
    //                         EOS first  forced  ranked  shrinks  no unknown  by score  score divided by  ends when
    [RAMUS_SEARCH_OURS]     = {false,     false,  false,  false,   false,      false,    google_divisor,   no_live_can_win},
    [RAMUS_SEARCH_HF]       = {true,      true,   true,   false,   false,      false,    plain_divisor,    none_wins_now},
    [RAMUS_SEARCH_HF_EARLY] = {true,      true,   true,   false,   false,      false,    plain_divisor,    all_have_ended},
    [RAMUS_SEARCH_HF_NEVER] = {true,      true,   true,   false,   false,      false,    plain_divisor,    none_wins_at_the_limit},
    [RAMUS_SEARCH_MARIAN]   = {true,      false,  false,  true,    true,       true,     plain_divisor,    all_have_ended},
};
// clang-format on

const ramus_search_rule *ramus_search_rule_of(ramus_search_rules which)
{
    return &rules[which];
}
