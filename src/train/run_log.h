/* run_log.h - what the log of a training run tells: log.jsonl, one JSON object per line.
 *
 * Lines have a "kind" (start, train, valid, save, note, end) and an "update". Fields may be missing
 * and unknown ones are passed over. A run that goes on from an older checkpoint writes a start line
 * with that checkpoint's update: train, valid and save lines beyond it are then forgotten. A broken
 * line is an error, except where a killed process leaves one: at the end, or before a start line.
 */
#ifndef RAMUS_TRAIN_RUN_LOG_H
#define RAMUS_TRAIN_RUN_LOG_H

#include "base/status.h"
#include "train/curve.h"

#define RAMUS_RUN_GATE_POINTS 60 // there may be hundreds of gates
#define RAMUS_RUN_BRANCHES    64 // of a gate, at most; shares of more are missing values
#define RAMUS_RUN_LOSSES      16 // auxiliary losses, at most; others are passed over
#define RAMUS_RUN_GATES       512

/* Numbers of train and valid lines. */
typedef enum ramus_run_value {
    RAMUS_RUN_LOSS,
    RAMUS_RUN_RATE,
    RAMUS_RUN_GRADIENT_NORM,
    RAMUS_RUN_SPEED, // target tokens per second
    RAMUS_RUN_EPOCH, // these four are counted from the start of the run
    RAMUS_RUN_SECONDS,
    RAMUS_RUN_TARGET_TOKENS,
    RAMUS_RUN_SKIPPED,
    RAMUS_RUN_VALID_LOSS,
    RAMUS_RUN_PERPLEXITY,
    RAMUS_RUN_BLEU,
    RAMUS_RUN_VALUES
} ramus_run_value;

/* Numbers of one corpus; pairs of sentences unless the name says otherwise. */
typedef enum ramus_corpus_value {
    RAMUS_CORPUS_READ,
    RAMUS_CORPUS_KEPT,
    RAMUS_CORPUS_EMPTY, // dropped: a side was empty, too long, or much longer than the other
    RAMUS_CORPUS_TOO_LONG,
    RAMUS_CORPUS_RATIO,
    RAMUS_CORPUS_SOURCE_TOKENS,
    RAMUS_CORPUS_TARGET_TOKENS,
    RAMUS_CORPUS_WEIGHT,
    RAMUS_CORPUS_VALUES
} ramus_corpus_value;

typedef struct ramus_run_corpus {
    char *files;                        // NULL when missing, like all texts here
    double values[RAMUS_CORPUS_VALUES]; // NAN when missing, like all numbers here
} ramus_run_corpus;

typedef struct ramus_run_setting {
    char *name, *value;
} ramus_run_setting;

typedef struct ramus_run_loss {
    char *name;
    ramus_curve curve;
} ramus_run_loss;

/* One application of a gate. Shares are of the tokens, in 0 .. 1; entropy is in nats. */
typedef struct ramus_run_gate {
    char *name;
    int n_branches;
    ramus_curve *shares; // [n_branches]
    ramus_curve entropy;
} ramus_run_gate;

typedef struct ramus_run_note {
    double update;
    char *text; // NULL: the run was resumed at this update
} ramus_run_note;

typedef struct ramus_run_log {
    double end;    // the greatest update of all lines that count
    double update; // of the last line that counts, notes aside
    ramus_curve values[RAMUS_RUN_VALUES];

    int n_starts;
    double started; // seconds since 1970
    char *version;  // this and all down to the corpora: of the last start line
    double parameters, threads;
    ramus_run_setting *settings;
    int n_settings;
    ramus_run_corpus *corpora;
    int n_corpora;

    ramus_run_loss *losses;
    int n_losses;
    ramus_run_gate *gates;
    int n_gates;
    ramus_run_note *notes;
    int n_notes;
    double saved; // the update of the last checkpoint
    double best;  // the update of the best checkpoint, as training judges it
    bool ended;
    char *reason;
} ramus_run_log;

/* The caller ends *out with ramus_run_log_destroy(). */
RAMUS_CHECKED ramus_status ramus_run_log_load(ramus_run_log **out, const char *path,
                                              ramus_error *err);
void ramus_run_log_destroy(ramus_run_log *log); // NULL is fine

#endif
