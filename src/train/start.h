/* start.h - beginning with the weights of a checkpoint: of the same model, or of a dense one that
 * grows branches. */
#ifndef RAMUS_TRAIN_START_H
#define RAMUS_TRAIN_START_H

#include "convert/checkpoint.h"

/* Whether a checkpoint's model is `ours`, vocabulary included; weights are not compared. `grow`: a
 * dense model of the same shape also matches a routed one. */
RAMUS_CHECKED ramus_status ramus_start_match(const ramus_checkpoint *ours,
                                             const ramus_checkpoint *theirs, bool grow,
                                             ramus_error *err);

/* Copies the weights of a model that matches. Of a dense one every branch becomes a copy: in the
 * shared part where there is one. Parameters that it does not have, the gates, keep their values.
 */
void ramus_start_copy(ramus_weights *to, const ramus_weights *from);

#endif
