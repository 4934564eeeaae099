/* Each curve is a path in a picture that the browser stretches; ticks, labels and tooltips are
 * HTML placed by percent. */
#include "report/chart.h"

#include "report/html.h"

#include <math.h>
#include <stdio.h>

#define PLOT_HEIGHT 190 // pixels
#define BANDS       80  // tooltips of a chart, at most
#define MANY_DOTS   100 // more would hide the line

int ramus_chart_x(const ramus_curve *curve, double update)
{
    const double part = (update - curve->begin) / (curve->end - curve->begin);
    return curve->end > curve->begin ? (int)lround(part * RAMUS_CHART_WIDTH) : 0;
}

static int place_y(const ramus_chart_axis *y, double value)
{
    return (int)lround((1 - ramus_chart_axis_place(y, value)) * RAMUS_CHART_HEIGHT);
}

/* The next point in steps of `step` that a line from point i leads to; -1: none. */
static int neighbour(const ramus_curve *curve, int i, int step)
{
    for (i += step; i >= 0 && i < curve->n_points; i += step) {
        if (curve->points[i].n > 0) return i;
        if (curve->points[i].gap) return -1;
    }
    return -1;
}

bool ramus_chart_alone(const ramus_curve *curve, int i)
{
    return neighbour(curve, i, 1) < 0 && neighbour(curve, i, -1) < 0;
}

static void write_dots(ramus_buffer *out, const ramus_curve *curve, const ramus_chart_axis *y,
                       const char *classes, bool all)
{
    bool any = false;
    for (int i = 0; i < curve->n_points; i++) {
        const ramus_curve_point *p = &curve->points[i];
        if (p->n == 0 || !(all || ramus_chart_alone(curve, i))) continue;
        if (!any) ramus_buffer_print(out, "<path class=\"d %s\" d=\"", classes);
        any = true;
        ramus_buffer_print(out, "M%d %dh0", ramus_chart_x(curve, p->update), place_y(y, p->mean));
    }
    if (any) ramus_buffer_text(out, "\"/>\n");
}

void ramus_chart_path(ramus_buffer *out, const ramus_curve *curve, const ramus_chart_axis *y,
                      const char *classes, bool dots)
{
    int n_points = 0, last_x = 0, last_y = 0;
    ramus_buffer_print(out, "<path class=\"l %s\" d=\"", classes);
    for (int i = 0; i < curve->n_points; i++) {
        const ramus_curve_point *p = &curve->points[i];
        if (p->n == 0) continue;
        const int to_x = ramus_chart_x(curve, p->update), to_y = place_y(y, p->mean);
        if (neighbour(curve, i, -1) < 0)
            ramus_buffer_print(out, "M%d %d", to_x, to_y);
        else
            ramus_buffer_print(out, "l%d %d", to_x - last_x, to_y - last_y);
        last_x = to_x;
        last_y = to_y;
        n_points++;
    }
    ramus_buffer_text(out, "\"/>\n");
    write_dots(out, curve, y, classes, dots && n_points <= MANY_DOTS);
}

/* The range from the least to the greatest value of each point, where there are several. */
static void write_range(ramus_buffer *out, const ramus_curve *curve, const ramus_chart_axis *y,
                        const char *classes)
{
    bool several = false;
    for (int i = 0; i < curve->n_points; i++)
        several = several || curve->points[i].n > 1;
    if (!several) return;
    ramus_buffer_print(out, "<path class=\"r %s\" d=\"", classes);
    for (int i = 0; i < curve->n_points; i++) {
        if (curve->points[i].n == 0 || neighbour(curve, i, -1) >= 0) continue;
        int last = i;
        for (int p = i; p >= 0; p = neighbour(curve, p, 1)) { // there above, back below
            const ramus_curve_point *point = &curve->points[p];
            ramus_buffer_print(out, "%c%d %d", p == i ? 'M' : 'L',
                               ramus_chart_x(curve, point->update), place_y(y, point->high));
            last = p;
        }
        for (int p = last; p >= i; p = neighbour(curve, p, -1)) {
            const ramus_curve_point *point = &curve->points[p];
            ramus_buffer_print(out, "L%d %d", ramus_chart_x(curve, point->update),
                               place_y(y, point->low));
        }
        ramus_buffer_text(out, "Z");
    }
    ramus_buffer_text(out, "\"/>\n");
}

static int colour_of(const ramus_chart *c, int line)
{
    return (c->first_colour + line) % RAMUS_CHART_COLOURS;
}

/* Marks and labels; both scales are placed by percent of the plot. */
static void write_axes(ramus_buffer *out, const ramus_chart_axis *x, const ramus_chart_axis *y,
                       const char *over)
{
    for (int i = 0; i < y->n_ticks; i++) {
        const double at = 100 * (1 - ramus_chart_axis_place(y, y->ticks[i]));
        ramus_buffer_print(
            out,
            "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.4g%%\" y2=\"%.4g%%\"/>"
            "<text class=\"y\" x=\"-8\" y=\"%.4g%%\" dy=\".35em\">",
            at, at, at);
        ramus_chart_axis_label(out, y, y->ticks[i]);
        ramus_buffer_text(out, "</text>\n");
    }
    for (int i = 0; i < x->n_ticks; i++) {
        const double at = 100 * ramus_chart_axis_place(x, x->ticks[i]);
        ramus_buffer_print(out, "<text class=\"x\" x=\"%.4g%%\" y=\"100%%\" dy=\"1.6em\">", at);
        ramus_chart_axis_label(out, x, x->ticks[i]);
        ramus_buffer_text(out, "</text>\n");
    }
    ramus_buffer_print(out, "<text class=\"x1\" x=\"100%%\" y=\"100%%\" dy=\"2.9em\">%s</text>\n",
                       over);
}

/* The mean of the curve's values after update `begin`, up to `end`, and of their updates. */
static ramus_curve_point mean_between(const ramus_curve *curve, double begin, double end)
{
    ramus_curve_point sum = {0};
    for (int i = 0; i < curve->n_points; i++) {
        const ramus_curve_point *p = &curve->points[i];
        const bool inside = (p->update > begin || begin == curve->begin) && p->update <= end;
        if (p->n == 0 || !inside) continue;
        sum.n += p->n;
        sum.mean += p->n * (p->mean - sum.mean) / sum.n;
        sum.update += p->n * (p->update - sum.update) / sum.n;
    }
    return sum;
}

static int count_points(const ramus_curve *curve)
{
    int n = 0;
    for (int i = 0; i < curve->n_points; i++)
        n += curve->points[i].n > 0;
    return n;
}

static void write_place(ramus_buffer *out, const char *over, double place)
{
    if (!over) {
        ramus_buffer_text(out, "update ");
        ramus_html_count(out, place);
    } else {
        ramus_html_number(out, place);
        ramus_buffer_print(out, " %s", over);
    }
}

/* Upright bands over the plot that tell the values below them. */
static void write_tooltips(ramus_buffer *out, const ramus_chart *c)
{
    int n_bands = 0;
    for (int i = 0; i < RAMUS_CHART_LINES && c->lines[i].curve; i++) {
        const int n = count_points(c->lines[i].curve);
        n_bands = n > n_bands ? n : n_bands;
    }
    n_bands = n_bands < BANDS ? n_bands : BANDS;
    const double begin = c->lines[0].curve->begin;
    const double width = (c->lines[0].curve->end - begin) / n_bands;
    for (int band = 0; band < n_bands; band++) {
        bool any = false;
        for (int i = 0; i < RAMUS_CHART_LINES && c->lines[i].curve; i++) {
            const ramus_curve_point p = mean_between(c->lines[i].curve, begin + band * width,
                                                     begin + (band + 1 + 1e-9) * width);
            if (p.n == 0) continue;
            if (!any) {
                ramus_buffer_print(out,
                                   "<rect class=\"h\" x=\"%d\" width=\"%d\" height=\"%d\"><title>",
                                   band * RAMUS_CHART_WIDTH / n_bands, RAMUS_CHART_WIDTH / n_bands,
                                   RAMUS_CHART_HEIGHT);
                write_place(out, c->over, p.update);
            }
            any = true;
            ramus_buffer_text(out, "\n");
            ramus_html_text(out, c->lines[i].name);
            ramus_buffer_text(out, " ");
            ramus_html_number(out, p.mean);
        }
        if (any) ramus_buffer_text(out, "</title></rect>\n");
    }
}

/* Beside others, all four digits: 33.80. */
static void write_last(ramus_buffer *out, double value, bool others)
{
    if (others && fabs(value) >= 0.001 && fabs(value) < 999.95)
        ramus_buffer_print(out, "%#.4g", value);
    else
        ramus_html_number(out, value);
}

/* The last value of each line; with a piece of the line where there are several. */
static void write_key(ramus_buffer *out, const ramus_chart *c)
{
    ramus_buffer_text(out, "<span class=\"keys\">");
    for (int i = 0; i < RAMUS_CHART_LINES && c->lines[i].curve; i++) {
        const ramus_chart_line *l = &c->lines[i];
        if (l->curve->n == 0) continue;
        ramus_buffer_print(out, "<span class=\"key c%d\">", colour_of(c, i));
        if (c->lines[1].curve) {
            ramus_buffer_print(out,
                               "<svg width=\"26\" height=\"8\"><path class=\"l%s\" d=\"M0 4h26\"/>",
                               l->dashed ? " dash" : "");
            if (l->dots) ramus_buffer_text(out, "<path class=\"d\" d=\"M13 4h0\"/>");
            ramus_buffer_text(out, "</svg>");
            ramus_html_text(out, l->name);
            ramus_buffer_text(out, " ");
        }
        write_last(out, l->curve->last, c->lines[1].curve != NULL);
        ramus_buffer_text(out, "</span>");
    }
    ramus_buffer_text(out, "</span>");
}

static void write_caption(ramus_buffer *out, const ramus_chart *c, const ramus_chart_axis *y)
{
    const bool power = y && ramus_chart_axis_has_power(y), logarithmic = y && y->logarithmic;
    ramus_buffer_text(out, "<figcaption><b>");
    ramus_html_text(out, c->title);
    ramus_buffer_text(out, "</b><span class=\"unit\">");
    ramus_html_text(out, c->unit);
    if (*c->unit && (power || logarithmic)) ramus_buffer_text(out, ", ");
    if (power) ramus_chart_axis_power(out, y);
    if (logarithmic) ramus_buffer_text(out, "logarithmic");
    ramus_buffer_text(out, "</span>");
    write_key(out, c);
    ramus_buffer_text(out, "</figcaption>\n");
}

void ramus_chart_write(ramus_buffer *out, const ramus_chart *c)
{
    const ramus_curve *first = c->lines[0].curve;
    double low = (double)INFINITY, high = -(double)INFINITY;
    RAMUS_ASSERT(first);
    for (int i = 0; i < RAMUS_CHART_LINES && c->lines[i].curve; i++) {
        low = fmin(low, c->lines[i].curve->low); // fmin() and fmax() pass over NAN
        high = fmax(high, c->lines[i].curve->high);
    }
    ramus_buffer_print(out, "<figure%s>", c->wide ? " class=\"wide\"" : "");
    if (!(low <= high)) {
        write_caption(out, c, NULL);
        ramus_buffer_text(out, "<p class=\"none\">nothing yet</p></figure>\n");
        return;
    }
    ramus_chart_axis x, y;
    ramus_chart_axis_fit(&x, RAMUS_AXIS_EXACT, first->begin,
                         first->end > first->begin ? first->end : first->begin + 1);
    ramus_chart_axis_fit(&y, c->scale, low, high);
    write_caption(out, c, &y);
    ramus_buffer_print(out,
                       "<div class=\"plot\"><svg role=\"img\" aria-label=\"%s\" width=\"100%%\" "
                       "height=\"%d\">\n",
                       c->title, PLOT_HEIGHT);
    write_axes(out, &x, &y, c->over ? c->over : "updates");
    ramus_buffer_print(out, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">\n",
                       RAMUS_CHART_WIDTH, RAMUS_CHART_HEIGHT);
    for (int i = 0; i < RAMUS_CHART_LINES && c->lines[i].curve; i++) {
        const ramus_chart_line *l = &c->lines[i];
        char classes[32];
        (void)snprintf(classes, sizeof classes, "c%d%s", colour_of(c, i), l->dashed ? " dash" : "");
        write_range(out, l->curve, &y, classes);
        ramus_chart_path(out, l->curve, &y, classes, l->dots);
    }
    write_tooltips(out, c);
    ramus_buffer_text(out, "</svg></svg></div></figure>\n");
}
