/* marian.h - the network of Marian, whatever names its tensors have. */
#ifndef RAMUS_CONVERT_IMPORT_MARIAN_H
#define RAMUS_CONVERT_IMPORT_MARIAN_H

#include "convert/checkpoint.h"
#include "format/tensors.h"

/* Whose names. */
typedef enum ramus_marian_dialect {
    RAMUS_MARIAN_HUGGINGFACE, // matrices [out, in]
    RAMUS_MARIAN_OWN,         // of Marian's .npz files: matrices [in, out]
    RAMUS_MARIAN_DIALECTS
} ramus_marian_dialect;

/* Sets arch->positions from tables of the position signal in the file, if there are any. */
RAMUS_CHECKED ramus_status ramus_marian_positions(ramus_arch *arch, const ramus_tensors *file,
                                                  ramus_error *err);

/* Checks c->arch and fills c->weights. A tensor that is no parameter, copy of one or table of the
 * position signal is an error. */
RAMUS_CHECKED ramus_status ramus_marian_weights(ramus_checkpoint *c, const ramus_tensors *file,
                                                ramus_marian_dialect dialect, ramus_error *err);

#endif
