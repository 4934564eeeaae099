/* quantize.h - weights as they are deployed: matrices as 8-bit integers with one scale per output,
 * or as 4-bit integers with one per output and group of inputs. Each scale is the one that loses
 * least (kernels/fit.h). The rest (gates, norms, biases) stays float. */
#ifndef RAMUS_CONVERT_QUANTIZE_H
#define RAMUS_CONVERT_QUANTIZE_H

#include "graph/weights.h"

/* RAMUS_REAL, RAMUS_I8 or RAMUS_I4. */
typedef struct ramus_quantize_spec {
    ramus_dtype layers; // the matrices of encoder and decoder: of all branches
    ramus_dtype words;  // embeddings, and the matrix of the softmax
} ramus_quantize_spec;

/* *out owns its values; the caller ends it with ramus_weights_destroy(). Weights that no scale of
 * 4 bits can hold are RAMUS_BAD_ARGUMENT. */
RAMUS_CHECKED ramus_status ramus_quantize(ramus_weights **out, const ramus_weights *w,
                                          ramus_quantize_spec how, ramus_error *err);

/* Bytes of a parameter, which needs no values, in that type. */
size_t ramus_quantize_bytes(const ramus_weight *w, ramus_quantize_spec how);

/* to->data = the weights of `from`, which has any type, as floats. */
void ramus_dequantize(const ramus_weight *to, const ramus_weight *from);

/* The loss of w: sums of squared differences and of squared weights. */
typedef struct ramus_quantize_error {
    double lost, all;
} ramus_quantize_error;

ramus_quantize_error ramus_quantize_compare(const ramus_weight *quantized, const ramus_weight *w);

#endif
