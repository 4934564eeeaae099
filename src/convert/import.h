/* import.h - other models as checkpoints of ours: those with the tensor names of the paper's
 * authors (THUMT with DMB layers), in safetensors, and exported ones.
 *
 * Nearly all hyper-parameters of an authors' model show in names and shapes; where the file also
 * states them as metadata, the two must agree. */
#ifndef RAMUS_CONVERT_IMPORT_H
#define RAMUS_CONVERT_IMPORT_H

#include "convert/checkpoint.h"
#include "format/safetensors.h"

/* What shapes do not show. 0: from the metadata, else 8 heads and top 2. */
typedef struct ramus_import_hints {
    int heads, top_k;
} ramus_import_hints;

/* Reads the model. Tensors may be named with a prefix "param." (then others are ignored) or without
 * (then all must be known). The caller ends out->weights. */
RAMUS_CHECKED ramus_status ramus_import_model(ramus_checkpoint *out, const ramus_safetensors *file,
                                              const ramus_import_hints *hints, ramus_error *err);

/* Fills weights (of a training graph of `a`) from tensors named prefix + the authors' name; every
 * tensor with that prefix must be taken. */
RAMUS_CHECKED ramus_status ramus_import_weights(ramus_weights *weights, const ramus_arch *a,
                                                const ramus_safetensors *file, const char *prefix,
                                                ramus_error *err);

/* Reads a deployed file: the reverse of ramus_export(), except for the rounding. */
RAMUS_CHECKED ramus_status ramus_import_deployed(ramus_checkpoint *out, const char *path,
                                                 ramus_error *err);

#endif
