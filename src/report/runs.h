/* runs.h - training runs that are compared: their logs, their settings, where they differ. */
#ifndef RAMUS_REPORT_RUNS_H
#define RAMUS_REPORT_RUNS_H

#include "report/log.h"

#define RAMUS_RUNS_MAX 8 // lines of a chart that can be told apart

typedef struct ramus_report_run {
    const char *folder; // borrowed
    char name[256];     // the last part of the folder; all of it where runs share that part
    ramus_log *log;
} ramus_report_run;

/* Ends with ramus_runs_free(). */
typedef struct ramus_runs {
    ramus_report_run items[RAMUS_RUNS_MAX];
    int n;
} ramus_runs;

/* Reads FOLDER/log.jsonl of each. A log that says nothing of training is an error. */
RAMUS_CHECKED ramus_status ramus_runs_load(ramus_runs *out, const char *const *folders, int n,
                                           ramus_error *err);
void ramus_runs_free(ramus_runs *runs);

/* The last part of a folder's path. Returns `out`. */
const char *ramus_run_name(char *out, size_t room, const char *folder);

/* What the run was told, or NULL. */
const char *ramus_run_setting(const ramus_report_run *run, const char *name);

/* A setting of at least one run. Those that say where files go are left out. */
typedef struct ramus_runs_setting {
    const char *name;
    const char *values[RAMUS_RUNS_MAX]; // NULL: the run does not have it
    bool differs;
} ramus_runs_setting;

/* Lists them as the runs do; the caller frees *out. */
RAMUS_CHECKED ramus_status ramus_runs_settings(ramus_runs_setting **out, int *n,
                                               const ramus_runs *runs, ramus_error *err);

/* The names of the gates of all runs, as the runs list them; they belong to the runs. */
RAMUS_CHECKED ramus_status ramus_runs_gates(const char ***out, int *n, const ramus_runs *runs,
                                            ramus_error *err);

/* NULL: the run has none of that name. */
const ramus_log_gate *ramus_run_gate(const ramus_report_run *run, const char *name);

/* The curves of all gates as one, over the updates: the mean entropy, in parts of ln N, and the
 * mean share of the smallest branch, in parts of the fair one. */
void ramus_run_gate_entropy(ramus_curve *out, const ramus_report_run *run);
void ramus_run_gate_least(ramus_curve *out, const ramus_report_run *run);

#endif
