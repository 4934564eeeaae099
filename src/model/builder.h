/* builder.h - a model while it is being built: what every block reads and adds to. */
#ifndef RAMUS_MODEL_BUILDER_H
#define RAMUS_MODEL_BUILDER_H

#include "graph/graph.h"
#include "model/arch.h"

typedef struct ramus_builder {
    ramus_graph *graph;
    const ramus_arch *arch;
    const ramus_objective *objective; // all zero where the graph is not for training
    int gates;                        // gate applications so far
    bool keep_gates;                  // what gates decide is kept under names
    bool alignment;                   // one layer tells where it looks
    ramus_tensor *look;               // there
} ramus_builder;

#endif
