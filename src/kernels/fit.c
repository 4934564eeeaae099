/* Tries a list of scales, each a fraction of the largest weight, and keeps the one with the
 * least sum of squared errors. The loops are plain, so that the compiler uses vectors and every
 * CPU finds the same scale. */
#include "kernels/fit.h"

#include <stddef.h>

#define LANES 16
#define TINY  ((ramus_real)1e-30)

/* The scales that are tried, as parts of the largest weight; the first does not clip. */
static const ramus_real parts_i8[] = {
    (ramus_real)(1 / 127.0), (ramus_real)(1 / 128.5), (ramus_real)(1 / 130.0),
    (ramus_real)(1 / 132.0), (ramus_real)(1 / 134.5), (ramus_real)(1 / 138.0),
    (ramus_real)(1 / 143.0), (ramus_real)(1 / 150.0),
};
static const ramus_real parts_i4[] = {
    (ramus_real)(1 / 8.0), (ramus_real)(-1 / 8.0), (ramus_real)(1 / 7.0),  (ramus_real)(-1 / 7.0),
    (ramus_real)(1 / 7.5), (ramus_real)(-1 / 7.5), (ramus_real)(1 / 8.6),  (ramus_real)(-1 / 8.6),
    (ramus_real)(1 / 9.4), (ramus_real)(-1 / 9.4), (ramus_real)(1 / 10.5), (ramus_real)(-1 / 10.5),
};

static ramus_real largest(const ramus_real *w, int n)
{
    ramus_real most = 0;
    for (int i = 0; i < n; i++) {
        const ramus_real size = w[i] < 0 ? -w[i] : w[i];
        if (size > most) most = size;
    }
    return most;
}

typedef struct {
    ramus_real low, high; // bounds of the integers
} range;

/* The nearest integer in the range, halves to even: with `magic` added, no digit behind the
 * point is left. */
static inline ramus_real nearest(ramus_real x, range r)
{
    const ramus_real magic = sizeof(ramus_real) == 4 ? (ramus_real)0x1.8p23 : (ramus_real)0x1.8p52;
    x = x < r.low ? r.low : x;
    x = x > r.high ? r.high : x;
    return (x + magic) - magic;
}

static inline ramus_real squared_loss(ramus_real w, ramus_real inverse, ramus_real scale, range r)
{
    const ramus_real loss = w - nearest(w * inverse, r) * scale;
    return loss * loss;
}

static ramus_real squared_error(const ramus_real *w, int n, ramus_real scale, range r)
{
    const ramus_real inverse = 1 / scale;
    ramus_real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += squared_loss(w[i + l], inverse, scale, r);
    for (int l = 0; i + l < n; l++)
        lane[l] += squared_loss(w[i + l], inverse, scale, r);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static void round_all(int8_t *q, const ramus_real *w, int n, ramus_real scale, range r)
{
    const ramus_real inverse = scale == 0 ? 0 : 1 / scale;
    for (int i = 0; i < n; i++)
        q[i] = (int8_t)nearest(w[i] * inverse, r);
}

ramus_real ramus_fit_i8(int8_t *q, const ramus_real *w, int n)
{
    const range r = {-127, 127};
    const ramus_real most = largest(w, n);
    ramus_real best = 0, least = 0;
    for (size_t i = 0; most >= TINY && i < sizeof parts_i8 / sizeof *parts_i8; i++) {
        const ramus_real scale = most * parts_i8[i], error = squared_error(w, n, scale, r);
        if (i > 0 && error >= least) continue;
        best = scale;
        least = error;
    }
    round_all(q, w, n, best, r);
    return best;
}

ramus_half ramus_fit_i4(int8_t *q, const ramus_real *w, int n)
{
    const range r = {-8, 7};
    const ramus_real most = largest(w, n);
    ramus_half best = 0;
    ramus_real least = 0;
    for (size_t i = 0; i < sizeof parts_i4 / sizeof *parts_i4; i++) {
        const ramus_half scale = ramus_half_of((float)(most * parts_i4[i]));
        const ramus_real value = (ramus_real)ramus_half_float(scale);
        if (value == 0) break; // so are all
        const ramus_real error = squared_error(w, n, value, r);
        if (i > 0 && error >= least) continue;
        best = scale;
        least = error;
    }
    round_all(q, w, n, (ramus_real)ramus_half_float(best), r);
    return best;
}
