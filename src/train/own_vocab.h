/* own_vocab.h - the vocabulary that a run makes where none is named. */
#ifndef RAMUS_TRAIN_OWN_VOCAB_H
#define RAMUS_TRAIN_OWN_VOCAB_H

#include "base/buffer.h"
#include "train/settings.h"

/* Makes one of the texts to train on, in the run's folder: vocab.model for both sides, or
 * source.model and target.model where they have different scripts. With t->vocab_size pieces at
 * most; one thread, so that a run is the same everywhere. */
RAMUS_CHECKED ramus_status ramus_own_vocab_make(const ramus_training *t, double pairs,
                                                ramus_error *err);

/* Sets t->vocab to the files in the folder that are there: one, or one for each side; `paths` has
 * their names and is freed by the caller. */
RAMUS_CHECKED ramus_status ramus_own_vocab_find(ramus_training *t, ramus_buffer paths[2],
                                                ramus_error *err);

#endif
