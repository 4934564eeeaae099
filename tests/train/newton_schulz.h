/* newton_schulz.h - the iterations of Muon as plain loops in double, for tests. */
#ifndef RAMUS_TESTS_TRAIN_NEWTON_SCHULZ_H
#define RAMUS_TESTS_TRAIN_NEWTON_SCHULZ_H

#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double newton_a = 3.4445, newton_b = -4.7750, newton_c = 2.0315; // Jordan et al. 2024

/* Zeros; the caller frees them. */
static inline double *newton_numbers(size_t n)
{
    double *x = calloc(n, sizeof *x);
    RAMUS_ASSERT(x);
    return x;
}

/* [n, m] = x [n, d] y [d, m] or, with y [m, d], its transpose; the caller frees it. */
static inline double *newton_times(const double *x, const double *y, int n, int d, int m,
                                   bool transposed)
{
    double *to = newton_numbers((size_t)n * (size_t)m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int t = 0; t < d; t++)
                to[i * m + j] += x[i * d + t] * (transposed ? y[j * d + t] : y[t * m + j]);
    return to;
}

/* x [n, k] / its norm, then X <- a X + b X X^T X + c X X^T X X^T X, five times. */
static inline void newton_iterate(double *x, int n, int k)
{
    const size_t count = (size_t)n * (size_t)k;
    double norm = 0;
    for (size_t i = 0; i < count; i++)
        norm += x[i] * x[i];
    for (size_t i = 0; i < count; i++)
        x[i] /= sqrt(norm);
    for (int step = 0; step < 5; step++) {
        double *gram = newton_times(x, x, n, k, n, true);
        double *cube = newton_times(gram, x, n, n, k, false);
        double *fifth = newton_times(gram, cube, n, n, k, false);
        for (size_t i = 0; i < count; i++)
            x[i] = newton_a * x[i] + newton_b * cube[i] + newton_c * fifth[i];
        free(gram);
        free(cube);
        free(fifth);
    }
}

#endif
