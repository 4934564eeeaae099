/* log.h - the log of a training run, log.jsonl, read: one JSON object per line.
 *
 * Lines have a "kind" (start, train, valid, save, note, end) and an "update". Fields may be missing
 * and unknown ones are passed over. A run that resumes from an older checkpoint writes a start line
 * with that checkpoint's update: train, valid and save lines beyond it then do not count. A broken
 * line is an error, except where a killed process leaves one: at the end, or before a start line.
 */
#ifndef RAMUS_REPORT_LOG_H
#define RAMUS_REPORT_LOG_H

#include "base/status.h"
#include "report/curve.h"

#define RAMUS_LOG_GATE_POINTS 60 // there may be hundreds of gates
#define RAMUS_LOG_BRANCHES    64 // of a gate, at most; shares of more are missing values
#define RAMUS_LOG_LOSSES      16 // auxiliary losses, at most; others are passed over
#define RAMUS_LOG_GATES       512
#define RAMUS_LOG_SAMPLES     20

/* Numbers of train and valid lines. */
typedef enum ramus_log_value {
    RAMUS_LOG_LOSS, // the objective
    RAMUS_LOG_NLL,  // cross-entropy per target token without smoothing
    RAMUS_LOG_RATE,
    RAMUS_LOG_GRADIENT_NORM,
    RAMUS_LOG_SPEED, // target tokens per second
    RAMUS_LOG_EPOCH, // these four are counted from the start of the run
    RAMUS_LOG_SECONDS,
    RAMUS_LOG_TARGET_TOKENS,
    RAMUS_LOG_SKIPPED,
    RAMUS_LOG_VALID_NLL,
    RAMUS_LOG_PERPLEXITY,
    RAMUS_LOG_BLEU,
    RAMUS_LOG_VALUES
} ramus_log_value;

/* Numbers of one corpus; pairs of sentences unless the name says otherwise. */
typedef enum ramus_corpus_value {
    RAMUS_CORPUS_READ,
    RAMUS_CORPUS_KEPT,
    RAMUS_CORPUS_EMPTY, // dropped: a side was empty, too long, or much longer than the other
    RAMUS_CORPUS_TOO_LONG,
    RAMUS_CORPUS_RATIO,
    RAMUS_CORPUS_NOT_UTF8, // read with wrong bytes as U+FFFD
    RAMUS_CORPUS_SOURCE_TOKENS,
    RAMUS_CORPUS_TARGET_TOKENS,
    RAMUS_CORPUS_WEIGHT,
    RAMUS_CORPUS_VALUES
} ramus_corpus_value;

typedef struct ramus_log_corpus {
    char *files;                        // NULL when missing, like all texts here
    double values[RAMUS_CORPUS_VALUES]; // NAN when missing, like all numbers here
} ramus_log_corpus;

typedef struct ramus_log_setting {
    char *name, *value;
} ramus_log_setting;

typedef struct ramus_log_loss {
    char *name;
    ramus_curve curve;
} ramus_log_loss;

/* One application of a gate. Shares are of the tokens, in 0 .. 1; entropy is in nats. */
typedef struct ramus_log_gate {
    char *name;
    int n_branches;
    ramus_curve *shares; // [n_branches]
    ramus_curve entropy;
} ramus_log_gate;

/* A sentence of the validation set and its translations so far. */
typedef struct ramus_log_translation {
    double update;
    char *text;
} ramus_log_translation;

typedef struct ramus_log_sample {
    char *source, *reference;
    ramus_log_translation *translations;
    int n;
} ramus_log_sample;

typedef struct ramus_log_note {
    double update;
    char *text; // NULL: the run was resumed at this update
} ramus_log_note;

typedef struct ramus_log {
    double end;    // the greatest update of all lines that count
    double update; // of the last line that counts, notes aside
    ramus_curve values[RAMUS_LOG_VALUES];

    int n_starts;
    double started; // seconds since 1970
    char *version;  // this and all down to the corpora: of the last start line
    double parameters, threads, updates_per_epoch;
    ramus_log_setting *settings;
    int n_settings;
    ramus_log_corpus *corpora;
    int n_corpora;

    ramus_log_loss *losses;
    int n_losses;
    ramus_log_gate *gates;
    int n_gates;
    ramus_log_sample *samples;
    int n_samples;
    ramus_log_note *notes;
    int n_notes;
    bool ended;
    double saved;         // the update of the last checkpoint
    double best;          // the update of the best checkpoint, as training judges it
    char *reason, *model; // model: the name of the best one
} ramus_log;

/* The caller ends *out with ramus_log_destroy(). */
RAMUS_CHECKED ramus_status ramus_log_load(ramus_log **out, const char *path, ramus_error *err);
void ramus_log_destroy(ramus_log *log); // NULL is fine

#endif
