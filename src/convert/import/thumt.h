/* thumt.h - the dialect of the paper's authors (THUMT with DMB layers): their tensor names, in
 * safetensors.
 *
 * Nearly all hyper-parameters of an authors' model show in names and shapes; where the file also
 * states them as metadata, the two must agree. */
#ifndef RAMUS_CONVERT_IMPORT_THUMT_H
#define RAMUS_CONVERT_IMPORT_THUMT_H

#include "convert/import/import.h"
#include "format/safetensors.h"

/* Reads the model. Tensors may be named with a prefix "param." (then others are ignored) or without
 * (then all must be known). The caller ends out->weights. */
RAMUS_CHECKED ramus_status ramus_import_model(ramus_checkpoint *out, const ramus_safetensors *file,
                                              const ramus_import_hints *hints, ramus_error *err);

/* Fills weights (of a training graph of `a`) from tensors named prefix + the authors' name; every
 * tensor with that prefix must be taken. */
RAMUS_CHECKED ramus_status ramus_import_weights(ramus_weights *weights, const ramus_arch *a,
                                                const ramus_safetensors *file, const char *prefix,
                                                ramus_error *err);

#endif
