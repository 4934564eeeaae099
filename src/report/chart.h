/* chart.h - charts of curves over updates, or over what follows from them, as HTML with inline SVG.
 *
 * A plot fills the width it gets while its text keeps its size: curves are in a picture that is
 * stretched, labels are placed by percent. Classes are those of the style in html.c. */
#ifndef RAMUS_REPORT_CHART_H
#define RAMUS_REPORT_CHART_H

#include "base/buffer.h"
#include "report/axis.h"
#include "report/curve.h"

#define RAMUS_CHART_WIDTH   4000 // of the stretched picture, whose points have whole coordinates
#define RAMUS_CHART_HEIGHT  1000
#define RAMUS_CHART_LINES   8
#define RAMUS_CHART_COLOURS 4 // classes c0 to c3; then they come again

typedef struct ramus_chart_line {
    const char *name;
    const ramus_curve *curve;
    bool dashed, dots; // dots: at each point, where they are not too many
} ramus_chart_line;

typedef struct ramus_chart {
    const char *title, *unit;
    ramus_chart_axis_kind scale;
    const char *over;                          // what the curves are over; NULL: updates
    bool wide;                                 // twice as wide where there is room
    ramus_chart_line lines[RAMUS_CHART_LINES]; // up to the first without a curve
    int first_colour;
} ramus_chart;

/* A figure with title, key, plot, and values as tooltips; or with "nothing yet". All lines have the
 * begin and the end of the first. */
void ramus_chart_write(ramus_buffer *out, const ramus_chart *c);

/* Adds <svg> elements for use inside a plot: the path of a curve, broken where values are missing,
 * with a dot where a point stands alone. `classes` are those of the path. */
void ramus_chart_path(ramus_buffer *out, const ramus_curve *curve, const ramus_chart_axis *y,
                      const char *classes, bool dots);

/* Whether no line leads to or from point i, which has a value. */
bool ramus_chart_alone(const ramus_curve *curve, int i);

/* Where an update lies, in 0 .. RAMUS_CHART_WIDTH. */
int ramus_chart_x(const ramus_curve *curve, double update);

#endif
