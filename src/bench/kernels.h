/* kernels.h - the speed of each kernel alone, on each row of kernels that this CPU has. */
#ifndef RAMUS_BENCH_KERNELS_H
#define RAMUS_BENCH_KERNELS_H

#include "base/buffer.h"
#include "base/status.h"

int ramus_bench_kernels_count(void); // parts of the whole, to be printed one by one

/* Times part `part`, `runs` rounds of which the best counts, and prints its lines. */
RAMUS_CHECKED ramus_status ramus_bench_kernels_run(ramus_buffer *out, int part, int runs, bool json,
                                                   ramus_error *err);

#endif
