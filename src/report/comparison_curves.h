/* comparison_curves.h - the charts of a comparison: over updates, tokens or hours. */
#ifndef RAMUS_REPORT_COMPARISON_CURVES_H
#define RAMUS_REPORT_COMPARISON_CURVES_H

#include "base/buffer.h"
#include "report/runs.h"

/* What a page with these charts adds to its style. */
extern const char ramus_comparison_curves_style[];

/* Adds a switch and, for each of its positions, the charts. The reader's browser needs no script.
 */
RAMUS_CHECKED ramus_status ramus_comparison_curves(ramus_buffer *out, const ramus_runs *runs,
                                                   ramus_error *err);

#endif
