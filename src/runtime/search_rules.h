/* search_rules.h - how a search scores and when it stops: one row for each toolkit whose searches
 * are reproduced. The public names are those of ramus_search_rules. */
#ifndef RAMUS_RUNTIME_SEARCH_RULES_H
#define RAMUS_RUNTIME_SEARCH_RULES_H

#include "runtime/search.h"

extern const char *const ramus_search_rule_names[]; // ends with NULL

/* What a sentence has after a step: all that a rule stops by. */
typedef struct ramus_search_state {
    int places;     // for finished hypotheses
    int finished;   // that have one
    double worst;   // score of the worst of them
    double live;    // best log-probability of a hypothesis that goes on
    double offered; // of all continuations of this step, those that ended too
    int length;     // tokens now
    int limit;      // at most
    double penalty;
} ramus_search_state;

typedef struct ramus_search_rule {
    bool eos_first;  // a translation may have EOS alone
    bool forces_eos; // at the limit, at no cost
    bool ranked;     // EOS ends a hypothesis only from the first `beam` continuations
    bool shrinks;    // a place that is taken is one live hypothesis less
    bool no_unknown; // the unknown token is left out
    bool by_score;   // a hypothesis that the limit cut off may come before one that EOS ended
    double (*divisor)(int length, double penalty); // of a score
    bool (*is_done)(const ramus_search_state *s);  // nothing better is to be expected
} ramus_search_rule;

const ramus_search_rule *ramus_search_rule_of(ramus_search_rules rules);

#endif
