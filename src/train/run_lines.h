/* run_lines.h - the kinds of lines of a run's log, each read in its way. Only run_log.c needs it.
 */
#ifndef RAMUS_TRAIN_RUN_LINES_H
#define RAMUS_TRAIN_RUN_LINES_H

#include "train/run_reader.h"

typedef struct ramus_run_kind {
    const char *name;
    bool undone; // by a later start line with an earlier update
    ramus_status (*begin)(ramus_run_reader *r);
    ramus_run_member_fn *member;
    ramus_status (*finish)(ramus_run_reader *r);
} ramus_run_kind;

/* NULL for a kind that is not known. */
const ramus_run_kind *ramus_run_kind_find(const char *name);

/* Reads the line at r->json, which holds an object. */
RAMUS_CHECKED ramus_status ramus_run_line_read(ramus_run_reader *r, const ramus_run_kind *kind);

#endif
