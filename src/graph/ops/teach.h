/* teach.h - what a teach node keeps; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_TEACH_H
#define RAMUS_GRAPH_OPS_TEACH_H

#include "graph/run.h"

/* in: probs, index   out: taken, heard [R, n] the branches, order of the rows by them */
typedef struct ramus_teach_attr {
    int n; // branches that a row hears
} ramus_teach_attr;

#endif
