/* axis.h - the scale of a chart: its range, round values to mark, and how to write them. */
#ifndef RAMUS_REPORT_AXIS_H
#define RAMUS_REPORT_AXIS_H

#include "base/buffer.h"

#include <stdbool.h>

#define RAMUS_AXIS_TICKS 12

typedef enum ramus_chart_axis_kind {
    RAMUS_AXIS_EXACT,     // linear, from the least to the greatest value
    RAMUS_AXIS_ROUND,     // linear, both ends at round values
    RAMUS_AXIS_FROM_ZERO, // like ROUND with zero in it
    RAMUS_AXIS_WIDE       // like ROUND; logarithmic when values differ by orders of magnitude
} ramus_chart_axis_kind;

typedef struct ramus_chart_axis {
    double low, high; // low < high
    bool logarithmic;
    int n_ticks;
    double ticks[RAMUS_AXIS_TICKS];
    double unit; // labels are divided by it: 1; 1e3 ("k"), 1e6 ("M"); a power told beside
    int digits;  // behind the point
} ramus_chart_axis;

/* A scale for values in low .. high, both finite. */
void ramus_chart_axis_fit(ramus_chart_axis *s, ramus_chart_axis_kind kind, double low, double high);

/* Where `value` lies: 0 at s->low, 1 at s->high, beyond them at the nearer one. */
double ramus_chart_axis_place(const ramus_chart_axis *s, double value);

void ramus_chart_axis_label(ramus_buffer *out, const ramus_chart_axis *s, double tick);

/* Whether the labels are to be multiplied by a power of ten; adds that: "x 10^-4". */
bool ramus_chart_axis_has_power(const ramus_chart_axis *s);
void ramus_chart_axis_power(ramus_buffer *out, const ramus_chart_axis *s);

#endif
