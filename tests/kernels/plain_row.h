/* plain_row.h - rows that the tests alone have: the source of lanes/ on plain lanes. */
#ifndef RAMUS_TESTS_KERNELS_PLAIN_ROW_H
#define RAMUS_TESTS_KERNELS_PLAIN_ROW_H

#include "kernels/train.h"

extern const ramus_kernels plain_row;
extern const ramus_train_kernels plain_train_row;

#endif
