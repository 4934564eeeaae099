/* lsra.h - long-short range attention (Wu et al. 2020): some channels of a row go through
 * multi-head attention, the others through a depth-wise convolution over positions. */
#ifndef RAMUS_MODEL_LSRA_H
#define RAMUS_MODEL_LSRA_H

#include "graph/ops.h"
#include "model/builder.h"

extern const char *const ramus_convolution_names[];         // ends with NULL
extern const char *const ramus_encoder_convolution_names[]; // without "as-encoder"

/* The row of attention.c: what it builds, the channels of attention, and shapes that cannot be. */
ramus_tensor *ramus_lsra(ramus_builder *b, ramus_tensor *x, const ramus_route *route, bool causal);
int ramus_lsra_far(const ramus_arch *a, int stack);
RAMUS_CHECKED ramus_status ramus_lsra_check(const ramus_arch *a, const ramus_site *site,
                                            ramus_error *err);

#endif
