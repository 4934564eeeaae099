/* quantize.h - weights as they are deployed: matrices as 8-bit numbers with one scale per output,
 * or as 4-bit numbers with one per output and group of inputs, each the scale that loses least
 * (kernels/fit.h); the rest (gates, norms, biases) as it is. */
#ifndef RAMUS_CONVERT_QUANTIZE_H
#define RAMUS_CONVERT_QUANTIZE_H

#include "graph/weights.h"

/* RAMUS_REAL, RAMUS_I8 or RAMUS_I4. */
typedef struct ramus_quantize_spec {
    ramus_dtype layers; // the matrices of encoder and decoder: of all branches
    ramus_dtype words;  // embeddings, and the matrix of the softmax
} ramus_quantize_spec;

/* *out owns its numbers; the caller ends it with ramus_weights_destroy(). Weights that no scale of
 * 4 bits can hold are RAMUS_BAD_ARGUMENT. */
RAMUS_CHECKED ramus_status ramus_quantize(ramus_weights **out, const ramus_weights *w,
                                          ramus_quantize_spec how, ramus_error *err);

/* Bytes of a parameter, which needs no numbers, when it is stored so. */
size_t ramus_quantize_bytes(const ramus_weight *w, ramus_quantize_spec how);

/* to->data = the numbers that stand for the weights of `from`, which has any type. */
void ramus_dequantize(const ramus_weight *to, const ramus_weight *from);

/* What is lost of w, in squares: those of the differences, those of the weights. */
typedef struct ramus_quantize_error {
    double lost, all;
} ramus_quantize_error;

ramus_quantize_error ramus_quantize_compare(const ramus_weight *quantized, const ramus_weight *w);

#endif
