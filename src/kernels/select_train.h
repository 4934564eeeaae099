/* select_train.h - the same as select.h for the kernels of training. */
#ifndef RAMUS_KERNELS_SELECT_TRAIN_H
#define RAMUS_KERNELS_SELECT_TRAIN_H

#include "base/status.h"
#include "kernels/train.h"

int ramus_train_kernels_count(void);
const ramus_train_kernels *ramus_train_kernels_at(int i);

/* `isa` is one of select.h. If training has no row of that name, the fastest below it counts. */
bool ramus_train_kernels_select(ramus_train_kernels *out, const char *isa);
RAMUS_CHECKED ramus_status ramus_train_kernels_choose(ramus_train_kernels *out, ramus_error *err);

#endif
