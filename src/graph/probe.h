/* probe.h - what a benchmark wants to be told while a graph runs. */
#ifndef RAMUS_GRAPH_PROBE_H
#define RAMUS_GRAPH_PROBE_H

#include "graph/graph.h"
#include "kernels/kernels.h"

typedef struct ramus_probe {
    /* Called before each matrix product, one of the two, by a single thread; or NULL. */
    void (*product)(void *arg, const ramus_node *n, const ramus_linear_job *f32,
                    const ramus_linear_i8_job *packed);
    void *arg;
    double *seconds; // [nodes][2] the time of each is added, forward and backward; or NULL
} ramus_probe;

#endif
