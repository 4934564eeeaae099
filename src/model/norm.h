/* norm.h - what surrounds the work of a sublayer: layer normalisation, dropout and the residual
 * sum.
 */
#ifndef RAMUS_MODEL_NORM_H
#define RAMUS_MODEL_NORM_H

#include "model/builder.h"

extern const char *const ramus_norm_names[]; // ends with NULL

/* What the sublayer at the site reads of its input x. */
ramus_tensor *ramus_sublayer_enter(ramus_builder *b, ramus_tensor *x);
/* What the sublayer gives: its input x and the result y of its work together. */
ramus_tensor *ramus_sublayer_leave(ramus_builder *b, ramus_tensor *x, ramus_tensor *y);
/* What the first layer of the stack at the site reads of embeddings x. */
ramus_tensor *ramus_stack_enter(ramus_builder *b, ramus_tensor *x);
/* What the stack at the site gives, after its last layer. */
ramus_tensor *ramus_stack_leave(ramus_builder *b, ramus_tensor *x);

#endif
