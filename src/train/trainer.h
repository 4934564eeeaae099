/* trainer.h - a training run: from text files to checkpoints in a folder.
 *
 * The weights are a function of settings, seed and data. Threads, resumes and kills change no bit
 * of them; the number of ranks changes only the rounding of sums. Rank 0 alone writes. Nothing is
 * printed: hooks inform the caller. */
#ifndef RAMUS_TRAIN_TRAINER_H
#define RAMUS_TRAIN_TRAINER_H

#include "base/pool.h"
#include "model/arch.h"
#include "ranks/comm.h"
#include "train/optimizer.h"
#include "train/settings.h"

typedef struct ramus_train_progress {
    int update, updates;
    double epoch, loss, rate;
    double tokens_per_second; // of the target side
    double seconds_left;
    double bleu; // of the last validation; -1: none yet
} ramus_train_progress;

/* Called on rank 0 alone, except `stop`. */
typedef struct ramus_train_hooks {
    void (*reading)(void *arg, const char *file, double lines); // a corpus is being tokenised
    void (*progress)(void *arg, const ramus_train_progress *p); // after each update
    void (*note)(void *arg, const char *text);
    int (*stop)(void *arg); // not 0: finish the update, save, and end; on any rank
    void *arg;
} ramus_train_hooks;

typedef struct ramus_train_spec {
    ramus_arch arch; // vocabulary sizes 0: those of the files
    ramus_objective objective;
    ramus_optimizer_options optimizer;
    ramus_training training;
    int seed;
    ramus_pool *pool;
    ramus_comm *comm; // NULL: alone
    ramus_train_hooks hooks;
} ramus_train_spec;

typedef struct ramus_train_result {
    int update; // done
    int best_update;
    double best;  // loss or BLEU; -1: none
    bool stopped; // by the stop hook
} ramus_train_result;

/* Trains until one of the ends that the settings name. Fails when files are wrong, a checkpoint
 * does not belong to the settings, too many updates in a row had to be skipped, or the last
 * checkpoint could not be written. Saved checkpoints stay. */
RAMUS_CHECKED ramus_status ramus_train(const ramus_train_spec *spec, ramus_train_result *out,
                                       ramus_error *err);

#endif
