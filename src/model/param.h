/* param.h - what a parameter of a model is: its role, and the site where it stands.
 *
 * Both are given where the parameter is declared. What is quantised, decays, is shared or belongs
 * to a gate, and how it starts, follows from the role. The name follows from both, here alone; no
 * name is taken apart. Graphs and weights carry role and site along (graph/graph.h). */
#ifndef RAMUS_MODEL_PARAM_H
#define RAMUS_MODEL_PARAM_H

#include "graph/weights.h"

typedef enum ramus_role {
    RAMUS_ROLE_NONE,      // of a graph that is no model
    RAMUS_ROLE_EMBEDDING, // words of both sides and the softmax, when all are tied
    RAMUS_ROLE_SOURCE,    // words of one side
    RAMUS_ROLE_TARGET,    // and the softmax, when these two are tied
    RAMUS_ROLE_SOFTMAX,
    RAMUS_ROLE_SOURCE_BIAS,
    RAMUS_ROLE_OUTPUT_BIAS,
    RAMUS_ROLE_WEIGHT, // of a map: one matrix, or one per branch
    RAMUS_ROLE_BIAS,
    RAMUS_ROLE_SHARED_WEIGHT, // what the branches share while training
    RAMUS_ROLE_SHARED_BIAS,
    RAMUS_ROLE_TAPS, // of a convolution, before their softmax; of all rows or of each branch
    RAMUS_ROLE_SHARED_TAPS,
    RAMUS_ROLE_INPUT_RANGE, // learned clipping ranges, one per branch
    RAMUS_ROLE_WEIGHT_RANGE,
    RAMUS_ROLE_GATE_WEIGHT,
    RAMUS_ROLE_GATE_BIAS,
    RAMUS_ROLE_GATE_NOISE,
    RAMUS_ROLE_NORM_GAIN,
    RAMUS_ROLE_NORM_BIAS,
    RAMUS_ROLES
} ramus_role;

/* The fields of a ramus_site. Zero is none; a layer counts where there is a sublayer. */
typedef enum ramus_stack { RAMUS_STACK_ENCODER = 1, RAMUS_STACK_DECODER } ramus_stack;
typedef enum ramus_sublayer {
    RAMUS_SUBLAYER_ATTENTION = 1,
    RAMUS_SUBLAYER_CROSS, // encoder-decoder attention
    RAMUS_SUBLAYER_FFN
} ramus_sublayer;
typedef enum ramus_place {
    RAMUS_MAP_Q = 1,
    RAMUS_MAP_K,
    RAMUS_MAP_V,
    RAMUS_MAP_O,
    RAMUS_MAP_IN,
    RAMUS_MAP_OUT,
    RAMUS_MAP_TAPS,      // from a row to its taps of a convolution
    RAMUS_GATE_X,        // the gate as it is applied to: the rows of a sublayer
    RAMUS_GATE_Q,        // those that look
    RAMUS_GATE_KV,       // those that are looked at
    RAMUS_NORM_EMBEDDING // the norm of a stack that is for its embeddings
} ramus_place;

/* A matrix by which rows are multiplied, or that gives word vectors: it may be quantised, and it
 * decays. Gates, norms, biases and ranges are none. */
bool ramus_role_is_matrix(int role);

/* The role of what the branches of a parameter share, and the reverse; RAMUS_ROLE_NONE: nothing. */
ramus_role ramus_role_shared(int role);
ramus_role ramus_role_unshared(int role);

/* How a parameter starts in a model of that width (docs/MODEL.md). The weights of a map set their
 * own scale. */
ramus_init ramus_role_init(int role, int width, double *scale);

/* "encoder.3.attention.q.weight" */
void ramus_param_name(char out[RAMUS_MAX_NAME], int role, const ramus_site *site);
/* "encoder.3.attention.gate.x": a gate as it is applied. */
void ramus_gate_name(char out[RAMUS_MAX_NAME], const ramus_site *site);
/* "encoder.3.attention.q", with what of it there is. */
void ramus_site_name(char out[RAMUS_MAX_NAME], const ramus_site *site);

bool ramus_site_equal(const ramus_site *a, const ramus_site *b);

/* The parameter of that role at that site, or NULL. */
const ramus_weight *ramus_weights_at(const ramus_weights *w, int role, const ramus_site *site);

#endif
