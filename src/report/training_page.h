/* training_page.h - the page of a training run: its log as one HTML file for any browser.
 *
 * The page needs no network and no scripts. The same log always gives the same bytes. */
#ifndef RAMUS_REPORT_TRAINING_PAGE_H
#define RAMUS_REPORT_TRAINING_PAGE_H

#include "base/status.h"

/* Reads `folder`/log.jsonl (log.h) and replaces `folder`/report.html as a whole. */
RAMUS_CHECKED ramus_status ramus_report_save(const char *folder, ramus_error *err);

#endif
