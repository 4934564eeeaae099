/* convolution.h - which rows the taps of a row meet; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_CONVOLUTION_H
#define RAMUS_GRAPH_OPS_CONVOLUTION_H

#include "graph/ops.h"

/* in: v, taps   attr: ramus_convolution_spec */

/* Taps `tap` .. `tap` + n - 1 meet the positions from `first` on. */
typedef struct ramus_window {
    int first, tap, n;
} ramus_window;

/* The window at a position of a sentence of that length, inside of it. */
ramus_window ramus_convolution_window(const ramus_convolution_spec *spec, int position, int length);

#endif
