/* distill.h - a teacher translates a corpus into one for a student to learn from.
 *
 * Lines are taken in chunks; a finished chunk is on the disk (part_file.h) and is not translated
 * again, however often the work is killed. The result of a line depends on the line, the teacher
 * and the settings alone: not on chunks, batches, threads, ranks or kills. Memory does not grow
 * with the corpus. */
#ifndef RAMUS_DISTILL_DISTILL_H
#define RAMUS_DISTILL_DISTILL_H

#include "base/settings.h"
#include "distill/choice.h"
#include "ranks/comm.h"
#include "runtime/search_choice.h"

/* The settings: a table of their own but for those of the search. */
typedef struct ramus_distill {
    ramus_texts teachers;             // models or checkpoints; several: an ensemble
    ramus_texts inputs;               // files of source lines, or with columns
    ramus_texts references;           // a file for each input without columns; or none
    int source_column, target_column; // of files with columns
    const char *output;
    const char *to;             // of a teacher with several target languages: its code of one
    ramus_search_choice search; // a table of its own
    int n_best;
    int closest;  // ramus_closest
    int tokenize; // row of the table of tokenizations
    double max_ratio;
    bool mix; // the original pairs also go into the output
    int chunk;
} ramus_distill;

ramus_settings ramus_distill_settings(ramus_distill *d);

/* What is wrong with the settings, before any file is opened. */
RAMUS_CHECKED ramus_status ramus_distill_check(const ramus_distill *d, ramus_error *err);

typedef struct ramus_distill_counts {
    int64_t lines;                    // of the corpus
    int64_t verdicts[RAMUS_VERDICTS]; // lines by what became of them
    int64_t originals;                // pairs that `mix` added
} ramus_distill_counts;

/* On rank 0 alone. */
typedef struct ramus_distill_hooks {
    /* Called once, when the corpus has been counted: lines that earlier runs have done, and all. */
    void (*started)(void *arg, int64_t done, int64_t all);
    /* Called now and then with the lines done; by any thread, one at a time. */
    void (*progress)(void *arg, double done);
    void *arg;
} ramus_distill_hooks;

/* Does what is left to do; the output takes its name when it is whole. Ranks share the chunks; rank
 * 0 reads the corpus and writes the output, and has the counts. */
RAMUS_CHECKED ramus_status ramus_distill_run(const ramus_distill *d, ramus_comm *comm, int threads,
                                             const ramus_distill_hooks *hooks,
                                             ramus_distill_counts *counts, ramus_error *err);

#endif
