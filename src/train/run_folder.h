/* run_folder.h - the folder of a training run: its checkpoints, its settings, its log.
 *
 *     checkpoint-00001000.safetensors   after update 1000
 *     best.safetensors                  the best of them, under a second name
 *     settings.conf                     the settings of the run, for --config
 *     log.jsonl                         one JSON object per line
 *     report.html                       the log as pictures
 *     best.txt, reference.txt           translations of the validation set by the best checkpoint
 */
#ifndef RAMUS_TRAIN_RUN_FOLDER_H
#define RAMUS_TRAIN_RUN_FOLDER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

#define RAMUS_RUN_TRIAL "trial.safetensors" // a checkpoint that is saved to see whether it can be

typedef struct ramus_keep_rule {
    int last, best;
    bool by_bleu; // the best by BLEU, else by loss
    int update;   // that is kept in any case
} ramus_keep_rule;

/* Removes the checkpoints that the rule does not keep. One that cannot be read stays. */
RAMUS_CHECKED ramus_status ramus_run_folder_prune(const char *folder, const ramus_keep_rule *rule,
                                                  ramus_error *err);

/* Gives the checkpoint of `update` the name best.safetensors as well, if it is better than the one
 * that has the name, or if neither was validated. */
RAMUS_CHECKED ramus_status ramus_run_folder_best(const char *folder, int update, bool by_bleu,
                                                 ramus_error *err);

/* Replaces a small file as a whole. */
RAMUS_CHECKED ramus_status ramus_run_folder_save(const char *folder, const char *name,
                                                 const char *text, ramus_error *err);

/* Makes this process the only one that trains in the folder until it closes *fd. */
RAMUS_CHECKED ramus_status ramus_run_folder_lock(int *fd, const char *folder, ramus_error *err);

/* Removes the unfinished files that a killed run left. Only for the process that holds the lock. */
void ramus_run_folder_clean(const char *folder);

/* Opens log.jsonl for appending; the beginning of a line that a killed run left is removed. */
RAMUS_CHECKED ramus_status ramus_run_folder_log(FILE **out, const char *folder, ramus_error *err);

#endif
