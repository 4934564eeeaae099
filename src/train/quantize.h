/* quantize.h - weights as they are deployed: matrices as 8-bit numbers with one scale per output,
 * the rest (gates, norms, biases) as it is. */
#ifndef RAMUS_TRAIN_QUANTIZE_H
#define RAMUS_TRAIN_QUANTIZE_H

#include "graph/weights.h"

/* *out owns its numbers; the caller ends it with ramus_weights_destroy(). */
RAMUS_CHECKED ramus_status ramus_quantize_i8(ramus_weights **out, const ramus_weights *w,
                                             ramus_error *err);

#endif
