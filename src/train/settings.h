/* settings.h - the settings of a training run, as one table. */
#ifndef RAMUS_TRAIN_SETTINGS_H
#define RAMUS_TRAIN_SETTINGS_H

#include "base/settings.h"
#include "base/status.h"

#include <stdbool.h>

typedef enum ramus_stop_on { RAMUS_STOP_ON_LOSS, RAMUS_STOP_ON_BLEU } ramus_stop_on;

typedef struct ramus_training {
    ramus_texts train;   // files: two per corpus, or one with columns
    ramus_texts weights; // of each corpus
    ramus_texts valid;   // files of one corpus
    ramus_texts vocab;   // one vocabulary, or one for each side
    const char *columns; // "1,2": of files with columns, source and target
    const char *out;     // folder of the run
    const char *cache;   // folder of tokenised corpora
    const char *init;    // checkpoint, or folder of a run, to take the weights from
    int vocab_size;      // pieces of a vocabulary that is made
    const char *source_language, *target_language, *name, *license; // of the model
    bool resume;
    int updates, epochs; // where to end
    int batch_tokens, micro_tokens, pool_pairs, max_length;
    double max_ratio;
    double upper_noise, title_noise, typo_noise, source_sampling, target_sampling;
    int valid_every, save_every, log_every; // updates
    int valid_beam;
    int valid_tokenize; // row of the table of tokenizations
    bool valid_lowercase;
    int stop_on, patience;
    int keep_last, keep_best;
    int max_skipped;  // updates in a row that may be skipped
    double bucket_mb; // of gradients that ranks sum together
} ramus_training;

ramus_settings ramus_training_settings(ramus_training *t);

/* One corpus of the list of files. */
typedef struct ramus_corpus_files {
    const char *source, *target; // target NULL: a file with columns
    int source_column, target_column;
    double weight;
} ramus_corpus_files;

/* Sorts a list of files into corpora (`out` has room for files->n) and sets *n. A file with columns
 * is a corpus, others go in pairs. `weights` may be empty: all 1. */
RAMUS_CHECKED ramus_status ramus_corpus_files_read(ramus_corpus_files *out, int *n,
                                                   const ramus_texts *files,
                                                   const ramus_texts *weights, const char *columns,
                                                   ramus_error *err);

/* Refuses settings that contradict each other, with a message. */
RAMUS_CHECKED ramus_status ramus_training_check(const ramus_training *t, ramus_error *err);

#endif
