/* comparison.h - several training runs side by side: one HTML page for any browser, and the same as
 * one JSON document.
 *
 * The page needs no network and no scripts. The same logs and scores always give the same bytes. */
#ifndef RAMUS_REPORT_COMPARISON_H
#define RAMUS_REPORT_COMPARISON_H

#include "base/buffer.h"
#include "report/runs.h"
#include "report/scores.h"

/* What is compared, borrowed. */
typedef struct ramus_compared {
    const ramus_runs *runs;
    const ramus_scores *scores; // first those of the validation set, then of other texts
    int n_scores;
} ramus_compared;

RAMUS_CHECKED ramus_status ramus_comparison_page(ramus_buffer *out, const ramus_compared *c,
                                                 ramus_error *err);
RAMUS_CHECKED ramus_status ramus_comparison_json(ramus_buffer *out, const ramus_compared *c,
                                                 ramus_error *err);

#endif
