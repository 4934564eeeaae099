/* journal.h - log.jsonl: what happened in a training run, one JSON object per line, and the page
 * that is made from it. docs/guide/training.md lists the fields. */
#ifndef RAMUS_TRAIN_JOURNAL_H
#define RAMUS_TRAIN_JOURNAL_H

#include "train/dataset.h"
#include "train/learner.h"
#include "train/state.h"
#include "train/validation.h"

#include <stdio.h>

/* Each function writes one line and flushes it; a line that cannot be written is an error, and the
 * run may continue without it. */
RAMUS_CHECKED ramus_status ramus_journal_start(FILE *log, const ramus_place *place,
                                               const ramus_dataset *data, const char *settings,
                                               size_t parameters, int threads,
                                               double updates_per_epoch, ramus_error *err);

typedef struct ramus_journal_window { // since the last line
    double rate, gradient_norm, tokens_per_second, epochs;
} ramus_journal_window;

/* The learner's current losses and gates. */
RAMUS_CHECKED ramus_status ramus_journal_train(FILE *log, const ramus_place *place,
                                               const ramus_learner *l,
                                               const ramus_journal_window *window,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_journal_valid(FILE *log, const ramus_place *place,
                                               const ramus_validated *v,
                                               const ramus_validation *validation,
                                               ramus_error *err);
RAMUS_CHECKED ramus_status ramus_journal_text(FILE *log, const char *kind, int update,
                                              const char *name, const char *text, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_journal_end(FILE *log, int update, const char *reason,
                                             const char *model, ramus_error *err);

#endif
