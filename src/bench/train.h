/* train.h - the speed of an update of training, and where its time goes. */
#ifndef RAMUS_BENCH_TRAIN_H
#define RAMUS_BENCH_TRAIN_H

#include "bench/systems.h"
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

/* Refuses options that cannot be timed, with a message. */
RAMUS_CHECKED ramus_status ramus_bench_train_check(const ramus_bench_train *bench,
                                                   ramus_error *err);

/* Times updates of all systems, interleaved, and prints a table, or lines of JSON. Under mpirun all
 * ranks share each update, and rank 0 alone prints. */
RAMUS_CHECKED ramus_status ramus_bench_train_run(ramus_buffer *out, const ramus_bench_train *bench,
                                                 const ramus_bench_how *how, ramus_error *err);

#endif
