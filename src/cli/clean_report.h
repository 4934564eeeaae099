/* clean_report.h - what `ramus clean` dropped: counts, examples and scores, as text or JSON. */
#ifndef RAMUS_CLI_CLEAN_REPORT_H
#define RAMUS_CLI_CLEAN_REPORT_H

#include "base/buffer.h"
#include "base/rng.h"
#include "data/clean.h"

#define RAMUS_CLEAN_SCORES 2001 // hundredths of log-probability, -20 to 0

typedef struct ramus_clean_examples {
    char **items; // [n], "source\ttarget"
    int n;
} ramus_clean_examples;

/* Starts as {0} but for most_examples and rng. */
typedef struct ramus_clean_report {
    int most_examples; // of a rule
    ramus_rng rng;     // which of them
    double expected_ratio;
    int64_t read, kept, dropped[RAMUS_CLEAN_RULES];
    int64_t n_scores, scores[RAMUS_CLEAN_SCORES];
    ramus_clean_examples examples[RAMUS_CLEAN_RULES];
} ramus_clean_report;

/* Counts a pair; examples are drawn among all that a rule drops. */
RAMUS_CHECKED ramus_status ramus_clean_report_add(ramus_clean_report *r, ramus_clean_rule rule,
                                                  const ramus_pair_text *pair, ramus_error *err);
void ramus_clean_report_score(ramus_clean_report *r, double score);
void ramus_clean_report_free(ramus_clean_report *r);

void ramus_clean_report_print(const ramus_clean_report *r, bool json, ramus_buffer *out);

#endif
