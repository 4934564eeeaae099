/* bench_train.h - how fast an update of training is, and where its time goes. */
#ifndef RAMUS_CLI_BENCH_TRAIN_H
#define RAMUS_CLI_BENCH_TRAIN_H

#include "cli/command.h"
#include "model/arch.h"

typedef struct ramus_bench_train {
    ramus_arch arch; // as given: not checked yet
    ramus_objective objective;
    int tokens;          // target tokens of an update
    int runs;            // updates of each system; medians count
    bool cpu;            // count CPU time, not elapsed time
    const char *compare; // routing kinds, "dense,dmb"; NULL: the one of `arch`
    double bucket_mb;    // of gradients that ranks sum together
} ramus_bench_train;

/* Times updates of all systems in turn and prints a table, or lines of JSON. Under mpirun all ranks
 * share each update, and rank 0 prints what it measured. Returns the exit code. */
int ramus_bench_train_run(const ramus_options *o, const ramus_bench_train *bench);

#endif
