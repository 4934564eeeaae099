/* export.h - a checkpoint as one file to deploy: shared parts folded into their branches, matrices
 * in 8 or 4 bits, vocabularies and origin beside them (docs/FORMAT.md). */
#ifndef RAMUS_CONVERT_EXPORT_H
#define RAMUS_CONVERT_EXPORT_H

#include "convert/checkpoint.h"
#include "convert/quantize.h"

/* How matrices are stored. */
typedef enum ramus_export_type {
    RAMUS_EXPORT_F32,
    RAMUS_EXPORT_I8,
    RAMUS_EXPORT_I4 // embeddings and softmax in 8 bits unless the next says otherwise
} ramus_export_type;

typedef enum ramus_export_words { RAMUS_EXPORT_WORDS_I8, RAMUS_EXPORT_WORDS_I4 } ramus_export_words;

/* The types of parameters that follow. */
ramus_quantize_spec ramus_export_dtypes(ramus_export_type type, ramus_export_words words);

/* Where a text is NULL, the file has what the checkpoint says; description and scores, which are of
 * one file, it has then not. */
typedef struct ramus_export_spec {
    ramus_export_type type;
    ramus_export_words words;                      // unless f32
    const char *source_language, *target_language; // codes: "en", "de"
    const char *name, *description;                // of the model; from what it was made
    const char *license, *scores;                  // of test sets, for people
} ramus_export_spec;

/* Replaces the file at `path` as a whole. */
RAMUS_CHECKED ramus_status ramus_export(const ramus_checkpoint *c, const ramus_export_spec *spec,
                                        const char *path, ramus_error *err);

#endif
