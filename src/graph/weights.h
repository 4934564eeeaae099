/* weights.h - the parameters of a graph in one block, in the order in which it names them.
 *
 * Gradients and optimiser moments are blocks of the same kind. Several graphs of one model
 * (training, decoding) bind the same block. The owner ends it with ramus_weights_destroy(). */
#ifndef RAMUS_GRAPH_WEIGHTS_H
#define RAMUS_GRAPH_WEIGHTS_H

#include "graph/graph.h"

#include <stdint.h>

typedef struct ramus_weight {
    const char *name;
    int dims[RAMUS_MAX_DIMS], n_dims;
    size_t count;
    ramus_real *data; // into the block
} ramus_weight;

typedef struct ramus_weights {
    ramus_weight *items;
    int n;
    size_t count;     // all parameters together, without the gaps between them
    ramus_real *data; // the block, with each parameter aligned to 64 bytes
    size_t size;      // numbers in the block
    ramus_arena *arena;
} ramus_weights;

/* A block of zeros for the parameters of `g`. */
RAMUS_CHECKED ramus_status ramus_weights_create(ramus_weights **out, const ramus_graph *g,
                                                ramus_error *err);
/* A block of zeros for the same parameters as those of `w`. */
RAMUS_CHECKED ramus_status ramus_weights_create_like(ramus_weights **out, const ramus_weights *w,
                                                     ramus_error *err);
void ramus_weights_destroy(ramus_weights *w); // NULL is fine

/* Gives each parameter the values it starts with: a function of seed and place in the list. */
void ramus_weights_init(ramus_weights *w, const ramus_graph *g, uint64_t seed);

/* Points the graph's parameters into `w` and, unless NULL, their gradients into `grads`. Both must
 * have been created from a graph with the same parameters. */
void ramus_weights_bind(ramus_graph *g, const ramus_weights *w, const ramus_weights *grads);

/* NULL when there is none of that name. */
const ramus_weight *ramus_weights_find(const ramus_weights *w, const char *name);

#endif
