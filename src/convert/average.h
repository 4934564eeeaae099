/* average.h - the mean of the weights of several checkpoints, often better than each of them. */
#ifndef RAMUS_CONVERT_AVERAGE_H
#define RAMUS_CONVERT_AVERAGE_H

#include "base/status.h"

/* Writes to `out` the mean of checkpoints, which must have one shape and one vocabulary. A folder
 * stands for its checkpoints: the newest `last`, or all if 0. *n is their number. */
RAMUS_CHECKED ramus_status ramus_average(const char *const *paths, int n_paths, int last,
                                         const char *out, int *n, ramus_error *err);

#endif
