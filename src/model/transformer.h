/* transformer.h - the model, written once: an encoder-decoder Transformer whose sublayers may be
 * routed.
 *
 * The same functions give the training graph, the scoring graph and the decoding graph. In a graph
 * that is not for training the shared parts are folded into the branches: see ramus_weights_fold().
 */
#ifndef RAMUS_MODEL_TRANSFORMER_H
#define RAMUS_MODEL_TRANSFORMER_H

#include "graph/ops.h"
#include "graph/weights.h"
#include "model/arch.h"

/* What is done with the decoder's output. */
typedef enum ramus_head {
    RAMUS_HEAD_LOGITS, // kept as "logits" [R, V]
    RAMUS_HEAD_LOSS,   // a loss, against the input "labels"
    RAMUS_HEAD_SEARCH  // the best words and their log-probabilities, "best.ids" and "best.scores",
                       // and that of the input "asked_ids", "best.asked"
} ramus_head;

typedef struct ramus_build {
    ramus_graph_kind kind;
    ramus_head head;
    const ramus_objective *objective; // NULL: not for training
    ramus_limits source, target;
    int best;                   // words per row of RAMUS_HEAD_SEARCH
    const ramus_wanted *wanted; // of RAMUS_HEAD_SEARCH: see ramus_project_search(); or NULL
    int positions;  // of RAMUS_STEP: rows of the history; 0: target.rows * target.length
    bool gates;     // keep what each gate decides: "probs", "index" and "order" of its application
    bool alignment; // keep "look" [R]: the source position that each target row looks at
} ramus_build;

/* The graph of a checked arch. Inputs: "source_ids"; "previous_ids", the word before each target
 * row (any id at position 0); "labels" for a loss. Kept: "encoder.output". The caller ends it with
 * ramus_graph_destroy(). */
RAMUS_CHECKED ramus_status ramus_transformer_create(ramus_graph **out, const ramus_arch *a,
                                                    const ramus_build *build, ramus_error *err);

/* A block of zeros for the parameters of the model as it is trained, or as it is used. */
RAMUS_CHECKED ramus_status ramus_transformer_weights(ramus_weights **out, const ramus_arch *a,
                                                     bool training, ramus_error *err);

/* The same of the model as it is trained for this objective, which may bring learned ranges. */
RAMUS_CHECKED ramus_status ramus_transformer_trained(ramus_weights **out, const ramus_arch *a,
                                                     const ramus_objective *objective,
                                                     ramus_error *err);

#endif
