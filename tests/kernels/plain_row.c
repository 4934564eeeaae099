/* The kernels of lanes/ on plain lanes: what is portable in them must not depend on a CPU. */
#include "kernels/plain_row.h"

#include "kernels/lanes/plain_sums.h"

#include "kernels/lanes/exact.inc"

#include "kernels/lanes/i8.inc"

#include "kernels/lanes/i4.inc"

const ramus_kernels plain_row = {
    .isa = "plain", EXACT_KERNELS, .linear_i8 = linear_i8, .linear_i4 = linear_i4};
