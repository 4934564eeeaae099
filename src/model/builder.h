/* builder.h - a model while it is being built: what every block reads and adds to. */
#ifndef RAMUS_MODEL_BUILDER_H
#define RAMUS_MODEL_BUILDER_H

#include "graph/graph.h"
#include "model/arch.h"
#include "model/param.h"

typedef struct ramus_builder {
    ramus_graph *graph;
    const ramus_arch *arch;
    const ramus_objective *objective; // all zero where the graph is not for training
    ramus_site site;                  // what is being built
    int gates;                        // gate applications so far
    bool keep_gates;                  // what gates decide is kept under names
    bool alignment;                   // one layer tells where it looks
    ramus_tensor *look;               // there
} ramus_builder;

/* The parameter of that role at the builder's site. Asking twice gives the same tensor. */
ramus_tensor *ramus_builder_param(const ramus_builder *b, ramus_role role, int n_dims,
                                  const int *dims);

#endif
