/* One row per choice; ramus_search_choose() hands them to the two structs of the public interface.
 */
#include "runtime/search_choice.h"

#include "runtime/search_rules.h"

#include <stddef.h>

// clang-format off
#define AT(field) offsetof(ramus_search_choice, field)
static const ramus_setting rows[] = {
    {"beam",             RAMUS_SETTING_INT,  AT(beam), "hypotheses of the search; 1: greedy", "4", 1, 64, NULL, NULL},
    {"length-penalty",   RAMUS_SETTING_REAL, AT(length_penalty), "exponent of the length in scores", "0.6", 0, 10, NULL, NULL},
    {"search",           RAMUS_SETTING_CHOICE, AT(rules), "scores and stop rule: ours, or those of Hugging Face transformers (early_stopping false, true, never) or Marian", "ours", 0, 0, ramus_search_rule_names, NULL},
    {"max-length-ratio", RAMUS_SETTING_REAL, AT(max_length_ratio), "a translation has at most this times the source's tokens, and 50 more", "1", 0.01, 100, NULL, NULL},
    {"no-repeat",        RAMUS_SETTING_INT,  AT(no_repeat), "no sequence of that many tokens occurs twice in a translation; 0: any may", "0", 0, 1000, NULL, NULL},
    {"batch",            RAMUS_SETTING_INT,  AT(batch), "sentences that are translated together", "32", 1, 4096, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_search_choice_settings(ramus_search_choice *c)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), c};
}

void ramus_search_choose(const ramus_search_choice *c, ramus_session_options *session,
                         ramus_translate_options *how)
{
    session->beam = how->beam = c->beam;
    session->batch = c->batch;
    how->length_penalty = c->length_penalty;
    how->max_length_ratio = c->max_length_ratio;
    how->no_repeat = c->no_repeat;
    how->search = (ramus_search_rules)c->rules;
}
