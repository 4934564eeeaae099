/* curve.h - a curve over the updates of a run, in bounded memory for any number of values.
 *
 * The run is cut into equal ranges of updates. Values of one range become one point: their mean,
 * and the least and the greatest of them. */
#ifndef RAMUS_REPORT_CURVE_H
#define RAMUS_REPORT_CURVE_H

#include <stdbool.h>

#define RAMUS_CURVE_POINTS 400
#define RAMUS_CURVE_END    1e12 // the greatest update

typedef struct ramus_curve_point {
    int n;    // values in this range; without any the others mean nothing
    bool gap; // a value was missing here: no line leads over a point with a gap and no value
    double update, mean, low, high;
} ramus_curve_point;

typedef struct ramus_curve {
    int n_points;             // ranges, at most RAMUS_CURVE_POINTS
    int n;                    // values in all
    double begin, end;        // updates: 0 and the last one of the run
    double last, last_update; // the last value that was there; NAN before it
    double low, low_update;   // the least value, the first of equal ones
    double high, high_update; // the greatest
    ramus_curve_point points[RAMUS_CURVE_POINTS];
} ramus_curve;

/* `n_points` ranges over the updates 0 .. end. */
void ramus_curve_init(ramus_curve *c, int n_points, double end);

/* `update` is in 0 .. end. A value that is not finite, or beyond 1e100, is a missing one. */
void ramus_curve_add(ramus_curve *c, double update, double value);

/* The points of `c` from update `begin` on, before the end of `c`, as a curve of its own. */
void ramus_curve_tail(ramus_curve *out, const ramus_curve *c, double begin);

/* The value of a curve that rises from 0 at update 0, on the line between its points; NAN where it
 * has none. */
double ramus_curve_at(const ramus_curve *c, double update);

/* The points of `c` over another quantity, that `x` has over the updates: tokens, seconds. It is
 * counted in `unit`, up to `end`. A NULL `x` is the updates themselves; a NULL `c` has no points.
 */
void ramus_curve_over(ramus_curve *out, const ramus_curve *c, const ramus_curve *x, double unit,
                      double end);

#endif
