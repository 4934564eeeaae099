/* routing.h - how a token chooses among the branches of a sublayer: one mechanism, one row per
 * kind. */
#ifndef RAMUS_MODEL_ROUTING_H
#define RAMUS_MODEL_ROUTING_H

#include "graph/ops.h"
#include "model/builder.h"

extern const char *const ramus_routing_names[]; // ends with NULL

/* Sets what follows from the kind of routing: a dense model has one branch, and so on. */
void ramus_routing_settle(ramus_arch *a);

/* The gate of the sublayer at the builder's site, applied to the rows of x: RAMUS_GATE_X, Q or KV.
 * Emits the kind's auxiliary losses when training. branches 0: the sublayer is not routed. */
ramus_route ramus_gate(ramus_builder *b, ramus_tensor *x, ramus_place applied, bool routed);

/* Lists the gates of a graph as they are applied, in the order of the model: of each the branches
 * that it chose [R, K], with its site. after NULL: the first. NULL: no more. */
ramus_tensor *ramus_gate_next(const ramus_graph *g, const ramus_tensor *after);
/* The probabilities [R, N] that it chose by. */
ramus_tensor *ramus_gate_probs(const ramus_tensor *gate);

typedef struct ramus_map_spec {
    int width;   // outputs
    double gain; // of the Xavier initialisation
    bool relu;
    bool output; // the sublayer's last map
    bool plain;  // without a bias
} ramus_map_spec;

/* A linear map of the sublayer at the builder's site: its weights, one per branch of the route, and
 * their sum with the shared part where the model has one. */
ramus_tensor *ramus_map(ramus_builder *b, ramus_tensor *x, ramus_place map,
                        const ramus_route *route, const ramus_map_spec *spec);

/* The taps [heads * kernel] that a convolution at the site has in place of a map; of each branch.
 */
ramus_tensor *ramus_map_taps(ramus_builder *b, const ramus_route *route, int heads, int kernel);
/* Of one value for each branch, that of each row's branch; without branches, the value itself. */
ramus_tensor *ramus_map_choose(const ramus_builder *b, ramus_tensor *values,
                               const ramus_route *route);

/* x as the runtime's maps read it, where training asks for that; else x. */
ramus_tensor *ramus_rounded_rows(const ramus_builder *b, ramus_tensor *x);

/* Gives every auxiliary loss its weight: they are averaged over the gate applications. */
void ramus_gates_finish(const ramus_builder *b);

#endif
