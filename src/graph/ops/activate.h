/* activate.h - a smooth activation; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_ACTIVATE_H
#define RAMUS_GRAPH_OPS_ACTIVATE_H

#include "graph/ops.h"

/* in: x   out: y */
typedef struct ramus_activate_attr {
    ramus_smooth kind;
} ramus_activate_attr;

#endif
