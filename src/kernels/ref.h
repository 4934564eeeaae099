/* ref.h - what both reference rows take: sums in 16 lanes, the largest of an array. */
#ifndef RAMUS_KERNELS_REF_H
#define RAMUS_KERNELS_REF_H

#include "kernels/exp.h"
#include "kernels/real.h"

#define LANES 16
#define NEVER ((ramus_real)-1e30)

static inline ramus_real add_lanes(ramus_real lane[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

static inline ramus_real dot(const ramus_real *a, const ramus_real *b, int n)
{
    ramus_real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] += a[i + l] * b[i + l];
    return add_lanes(lane);
}

static inline ramus_real sum(const ramus_real *x, int n)
{
    ramus_real lane[LANES] = {0};
    for (int i = 0; i < n; i++)
        lane[i % LANES] += x[i];
    return add_lanes(lane);
}

static inline ramus_real largest(const ramus_real *x, int n)
{
    ramus_real best = NEVER;
    for (int i = 0; i < n; i++)
        if (x[i] > best) best = x[i];
    return best;
}

static inline void axpy(ramus_real *y, ramus_real a, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* The sum of exp(x[i] - top). */
static inline ramus_real sum_exp(const ramus_real *x, ramus_real top, int n)
{
    ramus_real lane[LANES] = {0};
    for (int i = 0; i < n; i++)
        lane[i % LANES] += ramus_exp(x[i] - top);
    return add_lanes(lane);
}

#endif
