/* progress.h - a line on standard error about long work: done, rate, time left.
 *
 * On a terminal it is rewritten in place, a few times a second; elsewhere a plain line comes now
 * and then. */
#ifndef RAMUS_CLI_PROGRESS_H
#define RAMUS_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct ramus_progress {
    const char *what, *unit; // "bootstrap", "resamples"
    double total;            // 0: not known
    double before;           // done by earlier runs: no part of the rate
    bool quiet;

    double start, shown; // its own: times of the start and of the last line
    bool terminal, open;
} ramus_progress;

void ramus_progress_start(ramus_progress *p);
void ramus_progress_update(ramus_progress *p, double done);
void ramus_progress_end(ramus_progress *p, double done); // the last word

#endif
