/* A value goes to the range of its update, which keeps count, mean, least and greatest. */
#include "report/curve.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e100 // differences and ratios of values stay finite

void ramus_curve_init(ramus_curve *c, int n_points, double end)
{
    RAMUS_ASSERT(n_points > 0 && n_points <= RAMUS_CURVE_POINTS);
    RAMUS_ASSERT(end >= 0 && end <= RAMUS_CURVE_END);
    memset(c, 0, sizeof *c);
    c->n_points = n_points;
    c->end = end;
    c->last = c->last_update = c->low = c->high = c->low_update = c->high_update = (double)NAN;
}

/* Makes low and high those of the value at `update`, if it is beyond them. */
static void widen(ramus_curve *c, double update, double value)
{
    if (!(value >= c->low)) {
        c->low = value;
        c->low_update = update;
    }
    if (!(value <= c->high)) {
        c->high = value;
        c->high_update = update;
    }
}

void ramus_curve_add(ramus_curve *c, double update, double value)
{
    RAMUS_ASSERT(update >= 0 && update <= c->end);
    ramus_curve_point *p = &c->points[(int)(update * c->n_points / (c->end + 1))];
    if (!(fabs(value) <= LARGEST)) {
        p->gap = true;
        return;
    }
    if (fabs(value) < 1 / LARGEST) value = 0;
    widen(c, update, value);
    c->n++;
    c->last = value;
    c->last_update = update;
    p->low = p->n == 0 || value < p->low ? value : p->low;
    p->high = p->n == 0 || value > p->high ? value : p->high;
    p->n++;
    p->update += (update - p->update) / p->n;
    p->mean += (value - p->mean) / p->n;
}

void ramus_curve_tail(ramus_curve *out, const ramus_curve *c, double begin)
{
    RAMUS_ASSERT(begin >= c->begin && begin < c->end);
    ramus_curve_init(out, c->n_points, c->end);
    out->begin = begin;
    for (int i = 0; i < c->n_points; i++) {
        const ramus_curve_point *p = &c->points[i];
        if (p->n > 0 && p->update < begin) continue;
        out->points[i] = *p;
        if (p->n == 0) continue;
        out->n += p->n;
        out->last = c->last;
        out->last_update = c->last_update;
        widen(out, p->update, p->low);
        widen(out, p->update, p->high);
    }
}

double ramus_curve_at(const ramus_curve *c, double update)
{
    ramus_curve_point before = {0}, after = {0}; // the update 0 has the value 0
    if (c->n == 0) return (double)NAN;
    for (int i = 0; i < c->n_points && after.update < update; i++) {
        if (c->points[i].n == 0) continue;
        before = after;
        after = c->points[i];
    }
    const double steps = after.update - before.update;
    if (steps <= 0) return after.mean;
    return before.mean + (after.mean - before.mean) * (update - before.update) / steps;
}

void ramus_curve_over(ramus_curve *out, const ramus_curve *c, const ramus_curve *x, double unit,
                      double end)
{
    ramus_curve_init(out, RAMUS_CURVE_POINTS, 0);
    if (c && (!x || x->n > 0)) *out = *c;
    out->end = end;
    for (int i = 0; x && i < out->n_points; i++)
        if (out->points[i].n > 0)
            out->points[i].update = ramus_curve_at(x, out->points[i].update) / unit;
}
