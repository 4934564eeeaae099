/* inputs.h - the files that a run names, before an hour is spent on reading them. */
#ifndef RAMUS_TRAIN_INPUTS_H
#define RAMUS_TRAIN_INPUTS_H

#include "base/buffer.h"
#include "train/settings.h"

/* Opens every file that the settings name and reads its beginning; of what is validated on, all
 * lines. A text that is not there, or is none, fails. */
RAMUS_CHECKED ramus_status ramus_train_inputs_check(const ramus_training *t, ramus_error *err);

/* *pairs: the lines of all texts to train on. */
RAMUS_CHECKED ramus_status ramus_train_inputs_count(double *pairs, const ramus_training *t,
                                                    ramus_error *err);

/* *two: whether the sides are written in different scripts, so that a joint vocabulary would share
 * nothing; by the first lines of the first text. */
RAMUS_CHECKED ramus_status ramus_train_inputs_scripts(bool *two, const ramus_training *t,
                                                      ramus_error *err);

#endif
