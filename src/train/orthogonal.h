/* orthogonal.h - a matrix made nearly orthogonal: its singular vectors stay, its singular values
 * come near 1. It is the heart of Muon (Jordan et al. 2024).
 *
 * One thread computes one matrix, so that the thread count changes no bit. */
#ifndef RAMUS_TRAIN_ORTHOGONAL_H
#define RAMUS_TRAIN_ORTHOGONAL_H

#include "kernels/train.h"

/* Numbers of scratch memory that a matrix [n, k] needs. */
size_t ramus_orthogonal_scratch(int n, int k);

/* Replaces x [n, k]. Singular values from 1/100 to 1 of the Frobenius norm end between 0.67 and
 * 1.21, smaller ones below that. A matrix of zeros stays one. */
void ramus_orthogonalise(ramus_real *x, int n, int k, ramus_real *scratch, const ramus_gemm *gemm);

#endif
