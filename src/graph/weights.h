/* weights.h - the parameters of a graph, in the order in which it names them: in one block, or in
 * place in a model file.
 *
 * Gradients and optimiser moments are blocks of the same kind. Several graphs of one model
 * (training, decoding) bind the same block. The owner ends it with ramus_weights_destroy(). */
#ifndef RAMUS_GRAPH_WEIGHTS_H
#define RAMUS_GRAPH_WEIGHTS_H

#include "graph/graph.h"

#include <stdint.h>

typedef struct ramus_weight {
    const char *name; // first: format/names.h indexes weights
    int role;         // like `site`, of a parameter of a model: model/param.h
    ramus_site site;
    int dims[RAMUS_MAX_DIMS], n_dims;
    size_t count;
    ramus_dtype dtype;
    ramus_real *data;    // RAMUS_REAL: into the block
    const int8_t *tiles; // RAMUS_I8, RAMUS_I4: the matrix of each branch behind the one before it
    const ramus_real *scale; // RAMUS_I8: of each output, branch after branch
    const ramus_half *half;  // RAMUS_I4: of each output and group, branch after branch
} ramus_weight;

typedef struct ramus_weights {
    ramus_weight *items;
    int n;
    size_t count;     // all parameters together, without the gaps between them
    ramus_real *data; // the block, with each parameter aligned to 64 bytes; NULL: a list alone
    size_t size;      // floats in the block
    ramus_arena *arena;
} ramus_weights;

/* A block of zeros for the parameters of `g`. */
RAMUS_CHECKED ramus_status ramus_weights_create(ramus_weights **out, const ramus_graph *g,
                                                ramus_error *err);
/* A block of zeros for n parameters with the names and shapes of `items`. */
RAMUS_CHECKED ramus_status ramus_weights_create_of(ramus_weights **out, const ramus_weight *items,
                                                   int n, ramus_error *err);
/* A block of zeros for the same parameters as those of `w`. */
RAMUS_CHECKED ramus_status ramus_weights_create_like(ramus_weights **out, const ramus_weights *w,
                                                     ramus_error *err);
/* The parameters of `g` or of `w` without values. The caller points each item to values that
 * outlive the list, or allocates them in the list's arena, which has `room` bytes to spare. */
RAMUS_CHECKED ramus_status ramus_weights_list(ramus_weights **out, const ramus_graph *g,
                                              ramus_error *err);
RAMUS_CHECKED ramus_status ramus_weights_list_like(ramus_weights **out, const ramus_weights *w,
                                                   size_t room, ramus_error *err);
void ramus_weights_destroy(ramus_weights *w); // NULL is fine

/* Gives each parameter the values it starts with: a function of seed and place in the list. */
void ramus_weights_init(ramus_weights *w, const ramus_graph *g, uint64_t seed);

/* Points the graph's parameters into `w` and, unless NULL, their gradients into `grads`. Both must
 * have been created from a graph with the same parameters. */
void ramus_weights_bind(ramus_graph *g, const ramus_weights *w, const ramus_weights *grads);

/* NULL when there is none of that name. */
const ramus_weight *ramus_weights_find(const ramus_weights *w, const char *name);

#endif
