/* checkpoint.h - a model as it is trained, in one safetensors file: hyper-parameters as metadata
 * ("ramus.width"), one tensor per parameter, branches stacked, shared parts beside them. */
#ifndef RAMUS_TRAIN_CHECKPOINT_H
#define RAMUS_TRAIN_CHECKPOINT_H

#include "format/safetensors.h"
#include "graph/weights.h"
#include "model/arch.h"

typedef struct ramus_checkpoint {
    ramus_arch arch;
    ramus_weights *weights; // of a training graph
} ramus_checkpoint;

/* Whether the file says that it is one. */
bool ramus_checkpoint_is(const ramus_safetensors *file);

/* Reads the hyper-parameters of an open file. */
RAMUS_CHECKED ramus_status ramus_checkpoint_arch(ramus_arch *out, const ramus_safetensors *file,
                                                 ramus_error *err);

/* The caller ends out->weights. A tensor that is missing, unknown or of another shape is an error.
 */
RAMUS_CHECKED ramus_status ramus_checkpoint_load(ramus_checkpoint *out, const char *path,
                                                 ramus_error *err);

/* Replaces the file at `path` as a whole. */
RAMUS_CHECKED ramus_status ramus_checkpoint_save(const ramus_checkpoint *c, const char *path,
                                                 ramus_error *err);

#endif
