/* log_lines.h - the kinds of lines of a run's log and how each is read. Only log.c needs it.
 */
#ifndef RAMUS_REPORT_LOG_LINES_H
#define RAMUS_REPORT_LOG_LINES_H

#include "report/log_reader.h"

typedef struct ramus_log_kind {
    const char *name;
    bool undone; // by a later start line with an earlier update
    ramus_status (*begin)(ramus_log_reader *r);
    ramus_log_member_fn *member;
    ramus_status (*finish)(ramus_log_reader *r);
} ramus_log_kind;

/* NULL for a kind that is not known. */
const ramus_log_kind *ramus_log_kind_find(const char *name);

/* Reads the line at r->json, which holds an object. */
RAMUS_CHECKED ramus_status ramus_log_line_read(ramus_log_reader *r, const ramus_log_kind *kind);

#endif
