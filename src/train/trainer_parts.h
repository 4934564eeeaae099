/* trainer_parts.h - a training run with all its parts open. Only trainer.c and trainer_open.c need
 * it.
 */
#ifndef RAMUS_TRAIN_TRAINER_PARTS_H
#define RAMUS_TRAIN_TRAINER_PARTS_H

#include "train/dataset.h"
#include "train/exchange.h"
#include "train/state.h"
#include "train/trainer.h"
#include "train/validation.h"

#include <stdio.h>

typedef struct ramus_trainer {
    ramus_train_spec own;         // with nothing that is auto, once the corpora are open
    const ramus_train_spec *spec; // this one
    const ramus_training *t;
    bool first; // rank 0, which alone writes and reports
    ramus_dataset data;
    ramus_checkpoint model; // each checkpoint but for its weights
    ramus_batches *batches;
    ramus_learner *learner;
    ramus_exchange *exchange;
    ramus_optimizer *optimizer;
    ramus_validation *validation; // NULL: no files to validate on
    ramus_corpus_files valid_files;
    ramus_state state;
    ramus_buffer settings, chosen; // chosen: what was auto
    ramus_buffer vocab_paths[2];   // of a vocabulary of its own
    double updates_per_epoch;      // by the tokens of the corpora
    int lock;
    FILE *log;

    double start, past_seconds;           // of this session; of the ones before
    int first_update;                     // of this session
    double window_seconds, window_tokens; // since the last line of the log
    double norm, rate, bleu;              // the latest ones
    double reported;                      // when the report was written
    int saved;                            // update of the newest checkpoint; -1: none
} ramus_trainer;

/* Opens and creates everything, and finds where training begins: anew, from other weights, or where
 * it stopped. Rank 0's own steps come first; all ranks learn their result before they continue. */
RAMUS_CHECKED ramus_status ramus_trainer_open(ramus_trainer *tr, ramus_error *err);
void ramus_trainer_close(ramus_trainer *tr);

/* A note for the user and the log; if the log cannot be written, for the user only. */
void ramus_trainer_note(ramus_trainer *tr, const char *format, ...) RAMUS_PRINTF(2, 3);

/* A note about a failure that does not end training. */
void ramus_trainer_bear(ramus_trainer *tr, ramus_status st, const ramus_error *err);

/* Notes at the start: what the run has and where it writes; after its first updates, how long it
 * takes; at the end, where the best model is and what comes next. */
void ramus_trainer_tell_start(ramus_trainer *tr);
void ramus_trainer_tell_time(ramus_trainer *tr, double seconds_left);
void ramus_trainer_tell_end(ramus_trainer *tr, const char *why);

/* Fails unless all ranks have the same weights, bit by bit: all take the same steps. */
RAMUS_CHECKED ramus_status ramus_trainer_same_weights(const ramus_trainer *tr, ramus_error *err);

#endif
