/* systems.h - what benchmarks of models share: the systems that are compared, medians. */
#ifndef RAMUS_BENCH_SYSTEMS_H
#define RAMUS_BENCH_SYSTEMS_H

#include "base/status.h"
#include "model/arch.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

#define RAMUS_BENCH_SYSTEMS 32 // that are compared, at most

typedef double ramus_bench_clock(void); // ramus_clock_now() or ramus_clock_cpu()

/* Options of every benchmark. threads 0: all cores; comm NULL: alone. */
typedef struct ramus_bench_how {
    int threads;
    uint64_t seed;
    bool json;
    ramus_comm *comm;
} ramus_bench_how;

typedef struct ramus_bench_system {
    char name[64];
    ramus_arch arch;
} ramus_bench_system;

/* The routing kinds that `compare` names ("dense,dmb"), each with the shape `given`, checked; NULL:
 * the one that `given` has. */
RAMUS_CHECKED ramus_status ramus_bench_systems(ramus_bench_system *out, int *n,
                                               const ramus_arch *given, const char *compare,
                                               ramus_error *err);

double ramus_bench_median(double *values, int n); // sorts them

#endif
