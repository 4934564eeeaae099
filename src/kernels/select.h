/* select.h - which functions this machine uses: the reference row, overlaid by faster ones. */
#ifndef RAMUS_KERNELS_SELECT_H
#define RAMUS_KERNELS_SELECT_H

#include "kernels/kernels.h"

/* All rows, slowest first. Several rows may share an isa: exact kernels and those of training are
 * compiled with different flags. */
int ramus_kernels_count(void);
const ramus_kernels *ramus_kernels_at(int i);
bool ramus_kernels_usable(const ramus_kernels *row); // CPU and operating system have what it needs

/* Fills *out with the fastest usable functions up to `isa` ("ref", "avx2", "avx512", "avx512vnni";
 * NULL: no cap). False when there is no such isa. */
bool ramus_kernels_select(ramus_kernels *out, const char *isa);

/* The same with the cap that the environment variable RAMUS_ISA names; an unknown one is ignored.
 */
void ramus_kernels_choose(ramus_kernels *out);

#endif
