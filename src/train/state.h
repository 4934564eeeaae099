/* state.h - a training run between two updates: all it needs to resume as if it had not stopped.
 *
 * Kept in a checkpoint beside the model: the place of the run as metadata ("ramus.train.update"),
 * the optimizer's blocks as tensors ("train.first.NAME"). With a running average the model of the
 * checkpoint is the average, and the weights that are being trained are "train.raw.NAME". */
#ifndef RAMUS_TRAIN_STATE_H
#define RAMUS_TRAIN_STATE_H

#include "base/settings.h"
#include "convert/checkpoint.h"
#include "data/batches.h"
#include "train/optimizer.h"

/* The place of a run. Integers that may pass 2^31 are double, exact to 2^53. */
typedef struct ramus_place {
    int update;                      // done
    int seed;                        // of the run
    double epoch, pool, pool_update; // the cursor of the next update
    int steps;                       // of the optimizer: updates less those skipped
    int skipped, skipped_in_row;
    double seconds;                      // of training, over all resumes
    double source_tokens, target_tokens; // learned from
    double valid_loss, valid_bleu;       // at this update; -1: not validated
    double best;                         // loss or BLEU; -1: none yet
    int best_update, waited;             // validations since then
} ramus_place;

ramus_settings ramus_place_settings(ramus_place *p);
ramus_cursor ramus_place_cursor(const ramus_place *p);

typedef struct ramus_state {
    ramus_place place;
    uint64_t corpus_key;              // identifies the corpora
    ramus_weights *weights;           // that are being trained
    ramus_optimizer_state *optimizer; // its blocks and steps
} ramus_state;

/* Replaces the file at `path` by the model (its weights are not looked at) and the state.
 * `settings` are stored as they are. */
RAMUS_CHECKED ramus_status ramus_state_save(const ramus_state *s, const ramus_checkpoint *model,
                                            const char *settings, const char *path,
                                            ramus_error *err);

/* Reads place and key of an open checkpoint; one without them is an error. */
RAMUS_CHECKED ramus_status ramus_state_read_place(ramus_state *s, const ramus_safetensors *file,
                                                  ramus_error *err);

/* Reads all of it into the blocks of `s`. */
RAMUS_CHECKED ramus_status ramus_state_read(ramus_state *s, const ramus_safetensors *file,
                                            ramus_error *err);

#endif
