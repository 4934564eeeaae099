/* checkpoint.h - a model as it is trained, in one safetensors file: hyper-parameters as metadata
 * ("ramus.width"), one tensor per parameter, branches stacked, shared parts beside them, and the
 * vocabularies as the bytes of their files. A training run adds what it needs to resume (state.h).
 */
#ifndef RAMUS_CONVERT_CHECKPOINT_H
#define RAMUS_CONVERT_CHECKPOINT_H

#include "base/buffer.h"
#include "format/safetensors.h"
#include "graph/weights.h"
#include "model/arch.h"
#include "text/vocab.h"

/* What is said about a model for people and programs; it travels from the run to the deployed
 * file. The names are those of ramus_model_info(). */
typedef enum ramus_about {
    RAMUS_ABOUT_SOURCE_LANGUAGE, // codes: "en", "de"
    RAMUS_ABOUT_TARGET_LANGUAGE,
    RAMUS_ABOUT_NAME,
    RAMUS_ABOUT_DESCRIPTION, // where it comes from
    RAMUS_ABOUT_LICENSE,
    RAMUS_ABOUTS
} ramus_about;

extern const char *const ramus_about_names[RAMUS_ABOUTS];

typedef struct ramus_checkpoint {
    ramus_arch arch;
    ramus_weights *weights;    // of a training graph
    ramus_buffer vocabs[2];    // .model files: of both sides, or of source and target; may be empty
    char *about[RAMUS_ABOUTS]; // NULL: nothing is said
} ramus_checkpoint;

void ramus_checkpoint_free(ramus_checkpoint *c); // back to {0}

/* Whether the metadata says that the file is one. */
bool ramus_checkpoint_is(const ramus_safetensors *file);

/* Whether a tensor of that name belongs to the training run, not to the model. */
bool ramus_checkpoint_is_extra(const char *name);

/* Opens the checkpoint that `name` stands for: a file, or the best one of a run's folder. The
 * caller ends *out with ramus_safetensors_close(). */
RAMUS_CHECKED ramus_status ramus_checkpoint_open(ramus_safetensors **out, const char *name,
                                                 ramus_error *err);

/* Replaces what is said about `which` by a copy of `text`; NULL and "" leave it as it is. */
RAMUS_CHECKED ramus_status ramus_checkpoint_tell(ramus_checkpoint *c, ramus_about which,
                                                 const char *text, ramus_error *err);

/* Reads the hyper-parameters of an open file. */
RAMUS_CHECKED ramus_status ramus_checkpoint_arch(ramus_arch *out, const ramus_safetensors *file,
                                                 ramus_error *err);

/* The caller ends *out with ramus_checkpoint_free(). A tensor that is missing, unknown or of
 * another shape is an error. */
RAMUS_CHECKED ramus_status ramus_checkpoint_load(ramus_checkpoint *out, const char *name,
                                                 ramus_error *err);
RAMUS_CHECKED ramus_status ramus_checkpoint_read(ramus_checkpoint *out,
                                                 const ramus_safetensors *file, ramus_error *err);

/* Replaces the file at `path` as a whole. */
RAMUS_CHECKED ramus_status ramus_checkpoint_save(const ramus_checkpoint *c, const char *path,
                                                 ramus_error *err);

/* The vocabulary of a side (0 source, 1 target) that the checkpoint carries. */
RAMUS_CHECKED ramus_status ramus_checkpoint_vocab(ramus_vocab **out, const ramus_checkpoint *c,
                                                  int side, ramus_error *err);

/* For state.h: adds the model to a file being put together; adds or reads one more block of
 * weights whose names start with `prefix`. */
RAMUS_CHECKED ramus_status ramus_checkpoint_add(ramus_safetensors_writer *w,
                                                const ramus_checkpoint *c, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_checkpoint_add_weights(ramus_safetensors_writer *w,
                                                        const char *prefix,
                                                        const ramus_weights *weights,
                                                        ramus_error *err);
RAMUS_CHECKED ramus_status ramus_checkpoint_read_weights(ramus_weights *weights,
                                                         const ramus_safetensors *file,
                                                         const char *prefix, ramus_error *err);

#endif
