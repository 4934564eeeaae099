/* select.h - which functions this machine uses: the reference row, overlaid by faster ones. */
#ifndef RAMUS_KERNELS_SELECT_H
#define RAMUS_KERNELS_SELECT_H

#include "base/status.h"
#include "kernels/kernels.h"

/* All rows, slowest first. A row is usable where ramus_cpu_has(row->needs). */
int ramus_kernels_count(void);
const ramus_kernels *ramus_kernels_at(int i);

/* Fills *out with the fastest usable functions up to `isa` ("ref", "avx2", "neon" ..; NULL: no
 * cap). False when there is no such isa. */
bool ramus_kernels_select(ramus_kernels *out, const char *isa);

/* The isa that the environment variable RAMUS_ISA names; NULL: it is not set, or empty. One that
 * does not exist or that this CPU lacks is an error. */
RAMUS_CHECKED ramus_status ramus_kernels_cap(const char **isa, ramus_error *err);

/* ramus_kernels_select() with that cap. */
RAMUS_CHECKED ramus_status ramus_kernels_choose(ramus_kernels *out, ramus_error *err);

#endif
