/* import.h - models of others, and exported ones, as checkpoints of ours.
 *
 * A dialect is one row: how its files are known, and how one is read. */
#ifndef RAMUS_CONVERT_IMPORT_IMPORT_H
#define RAMUS_CONVERT_IMPORT_IMPORT_H

#include "convert/checkpoint.h"

/* What shapes do not show. 0: from the metadata, else 8 heads and top 2. */
typedef struct ramus_import_hints {
    int heads, top_k;
} ramus_import_hints;

/* Reads a file with the first dialect that knows it. The caller frees *out with
 * ramus_checkpoint_free(). */
RAMUS_CHECKED ramus_status ramus_import(ramus_checkpoint *out, const char *path,
                                        const ramus_import_hints *hints, ramus_error *err);

typedef struct ramus_import_dialect {
    const char *name;
    ramus_status (*knows)(bool *known, const char *path, ramus_error *err); // NULL: every file
    ramus_status (*read)(ramus_checkpoint *out, const char *path, const ramus_import_hints *hints,
                         ramus_error *err);
} ramus_import_dialect;

/* Notes where a model comes from: its kind, its name as that of its folder, and the licence that
 * README.md names, if there is one. */
RAMUS_CHECKED ramus_status ramus_import_origin(ramus_checkpoint *c, const char *folder,
                                               const char *kind, ramus_error *err);

/* A folder of Hugging Face's Marian models. */
extern const ramus_import_dialect ramus_import_huggingface;

/* A folder with one of Marian's own models: .npz, .yml and vocabularies. */
extern const ramus_import_dialect ramus_import_marian;

/* An exported model: the reverse of ramus_export(), except for the rounding. */
extern const ramus_import_dialect ramus_import_deployed;

/* The tensor names of the paper's authors (convert/import/thumt.h). */
extern const ramus_import_dialect ramus_import_thumt;

#endif
