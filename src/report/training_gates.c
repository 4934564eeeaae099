/* A picture per gate: areas of shares, one above the other, and a strip of entropy below. */
#include "report/training_gates.h"

#include "report/chart.h"
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STARVING     0.1 // of the fair share 1/N
#define SHARE_HEIGHT 84  // pixels
#define STRIP_TOP    92  // of the entropy, below
#define STRIP_HEIGHT 26
#define LABEL_SHARE  0.15 // smaller areas have no room for their number
#define LONE_WIDTH   160  // of a point without neighbours
#define BANDS        30   // tooltips of a gate, at most

bool ramus_gate_is_starving(const ramus_log_gate *g, int branch)
{
    return g->shares[branch].last < STARVING / g->n_branches;
}

/* The bytes of the name up to its first point: which stack the gate belongs to. */
static size_t stack_size(const char *name)
{
    return strcspn(name, ".");
}

static void write_warnings(ramus_buffer *out, const ramus_log *log)
{
    int n = 0;
    for (int i = 0; i < log->n_gates; i++)
        for (int b = 0; b < log->gates[i].n_branches; b++) {
            const ramus_log_gate *g = &log->gates[i];
            if (!ramus_gate_is_starving(g, b)) continue;
            if (n++ == 0)
                ramus_buffer_text(out, "<div class=\"warnings\"><p>Branches with less than a tenth "
                                       "of their fair share:</p><ul>\n");
            ramus_buffer_text(out, "<li><span class=\"starving\">starving:</span> ");
            ramus_html_gate(out, g->name);
            ramus_buffer_print(out, " branch %d has ", b);
            ramus_html_percent(out, g->shares[b].last);
            ramus_buffer_text(out, " of the tokens</li>\n");
        }
    ramus_buffer_text(out, n ? "</ul></div>\n"
                             : "<p>No branch is starving: each has at least a tenth of its fair "
                               "share of the tokens.</p>\n");
}

/* The share of all branches up to `branch` at a point, in whole units of the picture. */
static int stacked(const ramus_log_gate *g, int branch, int point)
{
    double sum = 0;
    for (int b = 0; b <= branch; b++)
        sum += g->shares[b].points[point].mean;
    return (int)lround(fmax(0, fmin(sum, 1)) * RAMUS_CHART_HEIGHT);
}

/* The area from the floor up to the share of `branch` and all before it; the caller draws the last
 * branch first, so that each covers the lower part of the one before. */
static void write_area(ramus_buffer *out, const ramus_log_gate *g, int branch)
{
    const ramus_curve *c = &g->shares[branch];
    const int floor_y = RAMUS_CHART_HEIGHT;
    bool open = false;
    ramus_buffer_print(out, "<path class=\"b b%d\" d=\"", branch % RAMUS_HTML_COLOURS);
    for (int i = 0; i < c->n_points; i++) {
        const ramus_curve_point *p = &c->points[i];
        if (open && p->n == 0 && p->gap) {
            ramus_buffer_print(out, "V%dZ", floor_y);
            open = false;
        }
        if (p->n == 0) continue;
        const int x = ramus_chart_x(c, p->update), y = floor_y - stacked(g, branch, i);
        if (ramus_chart_alone(c, i)) {
            const int left =
                x + LONE_WIDTH > RAMUS_CHART_WIDTH ? RAMUS_CHART_WIDTH - LONE_WIDTH : x;
            ramus_buffer_print(out, "M%d %dV%dh%dV%dZ", left, floor_y, y, LONE_WIDTH, floor_y);
            continue;
        }
        if (open)
            ramus_buffer_print(out, "L%d %d", x, y);
        else
            ramus_buffer_print(out, "M%d %dV%d", x, floor_y, y);
        open = true;
    }
    if (open) ramus_buffer_print(out, "V%dZ", floor_y);
    ramus_buffer_text(out, "\"/>\n");
}

static void write_tooltips(ramus_buffer *out, const ramus_log_gate *g)
{
    const ramus_curve *first = &g->shares[0];
    int last_x = 0, n = 0, points = 0;
    for (int i = 0; i < first->n_points; i++)
        points += first->points[i].n > 0;
    if (points == 0) return;
    const int stride = (points + BANDS - 1) / BANDS;
    for (int i = 0; i < first->n_points; i++) {
        const ramus_curve_point *p = &first->points[i];
        if (p->n == 0 || (++n % stride != 0 && n != points)) continue;
        const int x = n == points ? RAMUS_CHART_WIDTH : ramus_chart_x(first, p->update);
        ramus_buffer_print(out,
                           "<rect class=\"h\" x=\"%d\" width=\"%d\" height=\"%d\"><title>update ",
                           last_x, x - last_x, RAMUS_CHART_HEIGHT);
        ramus_html_count(out, p->update);
        for (int b = 0; b < g->n_branches; b++) {
            ramus_buffer_print(out, "\n%d: ", b);
            ramus_html_percent(out, g->shares[b].points[i].mean);
        }
        if (g->entropy.points[i].n > 0) {
            ramus_buffer_text(out, "\nentropy ");
            ramus_html_number(out, g->entropy.points[i].mean);
        }
        ramus_buffer_text(out, "</title></rect>\n");
        last_x = x;
    }
}

/* The number of each branch beside its area, where that is high enough. */
static void write_labels(ramus_buffer *out, const ramus_log_gate *g)
{
    double below = 0;
    for (int b = 0; b < g->n_branches; b++) {
        const double share = g->shares[b].last;
        const double at = (1 - below - share / 2) * SHARE_HEIGHT;
        if (share >= LABEL_SHARE)
            ramus_buffer_print(
                out, "<text x=\"100%%\" dx=\"5\" y=\"%.1f\" dy=\".35em\">%d</text>\n", at, b);
        below += share;
    }
}

static void write_picture(ramus_buffer *out, int top, int height)
{
    ramus_buffer_print(out,
                       "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                       "preserveAspectRatio=\"none\">\n",
                       top, height, RAMUS_CHART_WIDTH, RAMUS_CHART_HEIGHT);
}

static void write_plot(ramus_buffer *out, const ramus_log_gate *g)
{
    const int bottom = STRIP_TOP + STRIP_HEIGHT;
    ramus_buffer_print(out, "<div class=\"plot\"><svg width=\"100%%\" height=\"%d\">\n", bottom);
    write_picture(out, 0, SHARE_HEIGHT);
    for (int b = g->n_branches - 1; b >= 0; b--)
        write_area(out, g, b);
    write_tooltips(out, g);
    ramus_buffer_text(out, "</svg>\n");
    write_labels(out, g);

    const double full = log(g->n_branches);
    ramus_buffer_print(out,
                       "<line class=\"grid full\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>"
                       "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n",
                       STRIP_TOP, STRIP_TOP, bottom, bottom);
    write_picture(out, STRIP_TOP, STRIP_HEIGHT);
    const ramus_chart_axis y = {.low = 0, .high = full > 0 ? full : 1};
    ramus_chart_path(out, &g->entropy, &y, "e", false);
    ramus_buffer_text(out, "</svg>\n<text class=\"x0\" x=\"0\" y=\"100%\" dy=\"1.3em\">0</text>"
                           "<text class=\"x1\" x=\"100%\" y=\"100%\" dy=\"1.3em\">");
    ramus_html_count(out, g->entropy.end);
    ramus_buffer_text(out, "</text>\n</svg></div>\n");
}

static void write_gate(ramus_buffer *out, const ramus_log_gate *g)
{
    const size_t stack = stack_size(g->name);
    ramus_buffer_text(out, "<figure><figcaption><b>");
    ramus_html_gate(out, g->name[stack] ? g->name + stack + 1 : g->name);
    ramus_buffer_text(out, "</b></figcaption>\n");
    if (g->shares[0].n > 0)
        write_plot(out, g);
    else
        ramus_buffer_text(out, "<p class=\"none\">nothing yet</p>\n");
    ramus_buffer_text(out, "<p>entropy ");
    if (g->entropy.n > 0)
        ramus_buffer_print(out, "%.2f", g->entropy.last);
    else
        ramus_buffer_text(out, "unknown");
    ramus_buffer_print(out, " of %.2f</p>\n", log(g->n_branches));
    for (int b = 0; b < g->n_branches; b++) {
        if (!ramus_gate_is_starving(g, b)) continue;
        ramus_buffer_print(out, "<p class=\"starving\">starving: branch %d, ", b);
        ramus_html_percent(out, g->shares[b].last);
        ramus_buffer_text(out, "</p>\n");
    }
    ramus_buffer_text(out, "</figure>\n");
}

static void write_key(ramus_buffer *out, const ramus_log *log)
{
    int n = 0;
    for (int i = 0; i < log->n_gates; i++)
        n = log->gates[i].n_branches > n ? log->gates[i].n_branches : n;
    ramus_buffer_text(out,
                      "<p class=\"soft\">Areas: the share of the tokens that each branch got, "
                      "stacked to 100&#160;%, over the updates. Line below: the entropy of the "
                      "gate in nats; dashed is ln N, where all branches are equally likely. "
                      "Layers and branches count from 0.</p>\n<p class=\"keys\">");
    for (int b = 0; b < n && b < RAMUS_HTML_COLOURS; b++)
        ramus_buffer_print(out, "<span class=\"key b%d\"><i></i>branch %d%s</span>", b, b,
                           b + RAMUS_HTML_COLOURS < n ? ", .." : "");
    ramus_buffer_text(out, "</p>\n");
}

void ramus_report_gates(ramus_buffer *out, const ramus_log *log)
{
    if (log->n_gates == 0) return;
    ramus_buffer_text(out, "<h2>Gates</h2>\n");
    write_warnings(out, log);
    write_key(out, log);
    const char *before = NULL;
    for (int i = 0; i < log->n_gates; i++) {
        const char *name = log->gates[i].name;
        const size_t size = stack_size(name);
        if (!before || stack_size(before) != size || memcmp(before, name, size) != 0) {
            ramus_buffer_text(out, before ? "</div>\n<h3>" : "<h3>");
            char stack[64];
            (void)snprintf(stack, sizeof stack, "%.*s", (int)(size < 60 ? size : 60), name);
            ramus_html_text(out, stack);
            ramus_buffer_text(out, "</h3>\n<div class=\"gates\">\n");
        }
        write_gate(out, &log->gates[i]);
        before = name;
    }
    ramus_buffer_text(out, "</div>\n");
}
