/* model.h - a deployed model: one GGUF file, mapped and used in place (docs/FORMAT.md).
 *
 * Read-only once open; any number of searches and sessions in any threads share it. */
#ifndef RAMUS_RUNTIME_MODEL_H
#define RAMUS_RUNTIME_MODEL_H

#include "format/gguf.h"
#include "graph/weights.h"
#include "model/arch.h"
#include "text/vocab.h"
#include <ramus/ramus.h>

/* Keys of the file. Hyper-parameters follow arch.h: "ramus.width" and so on. */
#define RAMUS_MODEL_ARCHITECTURE "ramus"
#define RAMUS_MODEL_LAYOUT       "tile16x4"
#define RAMUS_MODEL_LAYOUT_I4    "tile16x4,tile16x8" // of a file with matrices in 4 bits
#define RAMUS_MODEL_SCALE        ".scale" // NAME.scale has the scales of the packed tensor NAME

#define RAMUS_MODEL_CHECKSUM  "ramus.checksum"  // of the file
#define RAMUS_MODEL_CHECKSUMS "ramus.checksums" // of each tensor

#define RAMUS_MODEL_INFOS 6

struct ramus_model {
    ramus_gguf *file; // NULL: made from parts
    ramus_arch arch;
    ramus_weights *weights; // as the model is used: shared parts folded
    ramus_vocab *vocabs[2]; // of source and target; the same one twice if they share it; or NULL
    char *info[RAMUS_MODEL_INFOS]; // what ramus_model_info() gives
    ramus_model *next;             // of an ensemble; NULL: the last
};

/* Whether a file may have a parameter in 8 or 4 bits (kernels/i8.h, i4.h): no gate, norm or bias.
 */
bool ramus_model_takes_i8(const ramus_weight *w);

/* Makes a model of weights and vocabularies, which it takes over unless it fails. With one
 * vocabulary for both sides, the second is NULL. Vocabularies are checked as those of a file are.
 */
RAMUS_CHECKED ramus_status ramus_model_from(ramus_model **out, const ramus_arch *a,
                                            ramus_weights *weights, ramus_vocab *const vocabs[2],
                                            ramus_error *err);

/* What ramus_model_info() says of `key` from now on: *text, which the model takes over. */
void ramus_model_tell(ramus_model *model, const char *key, char **text);

/* Makes an ensemble of two or more: sessions ask all of them (search.h). After success `other` is
 * closed with `model`. Models with different vocabularies are an error. */
RAMUS_CHECKED ramus_status ramus_model_join(ramus_model *model, ramus_model *other,
                                            ramus_error *err);

#endif
