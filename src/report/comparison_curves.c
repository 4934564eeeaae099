/* Every chart is there once for each position of the switch; radio buttons and the style show those
 * of one position. */
#include "report/comparison_curves.h"

#include "report/chart.h"
#include "report/html.h"
#include "report/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_POINTS 3 // fewer are not worth a closer look

const char ramus_comparison_curves_style[] =
    ".pick{position:absolute;opacity:0;pointer-events:none}\n"
    ".switch{display:inline-flex;flex-wrap:wrap;margin:0 0 14px;border:1px solid var(--line);"
    "border-radius:8px;background:var(--card);overflow:hidden}\n"
    ".switch label{padding:5px 16px;cursor:pointer;color:var(--soft)}\n"
    ".switch label+label{border-left:1px solid var(--line)}\n"
    ".view{display:none}\n"
    "#updates:checked~.over-updates,#tokens:checked~.over-tokens,#hours:checked~.over-hours"
    "{display:grid}\n"
    "#updates:checked~.switch .to-updates,#tokens:checked~.switch .to-tokens,"
    "#hours:checked~.switch .to-hours{background:var(--text);color:var(--page)}\n"
    "#updates:focus-visible~.switch,#tokens:focus-visible~.switch,#hours:focus-visible~.switch"
    "{outline:2px solid var(--c0);outline-offset:2px}\n"
    "@media(max-width:480px){.switch label{padding:5px 11px}}\n"
    ".charts .key{white-space:normal;word-break:break-all}.charts "
    ".keys{flex-basis:100%;margin-left:0}\n"
    ".charts figure{display:flex;flex-direction:column}.charts .plot{flex:1;display:flex}\n"
    ".plot>svg{height:auto;min-height:190px}\n";

/* What the curves are over. */
typedef struct {
    const char *id, *label, *over; // over: NULL for updates
    ramus_log_value by;
    double unit;
} view;

static const view views[] = {
    {"updates", "updates", NULL, 0, 1},
    {"tokens", "tokens", "target tokens", RAMUS_LOG_TARGET_TOKENS, 1},
    {"hours", "hours", "hours", RAMUS_LOG_SECONDS, 3600},
};

/* One value of all runs, over the updates. */
typedef struct {
    const char *title, *unit;
    ramus_chart_axis_kind scale;
    bool dots, halves; // halves: also the second half, where the fall at the start flattens no line
    const ramus_curve *curves[RAMUS_RUNS_MAX]; // NULL: the run has none
} drawing;

typedef struct {
    ramus_buffer *out;
    const ramus_runs *runs;
    const view *view;
    double end;                   // of the view: that of the longest run
    ramus_curve *shown, *late;    // [RAMUS_RUNS_MAX] room for a chart
    ramus_curve *entropy, *least; // [RAMUS_RUNS_MAX] of gates
} charts;

static const ramus_curve *x_of(const charts *c, int run)
{
    return c->view->over ? &c->runs->items[run].log->values[c->view->by] : NULL;
}

static double end_of(const charts *c)
{
    double end = 0;
    for (int r = 0; r < c->runs->n; r++) {
        const double last = c->runs->items[r].log->end;
        const ramus_curve *x = x_of(c, r);
        end = fmax(end, x ? ramus_curve_at(x, last) / c->view->unit : last); // passes over NAN
    }
    return end;
}

static void write_chart(const charts *c, const drawing *d, const char *unit,
                        const ramus_curve *curves, bool wide)
{
    ramus_chart chart = {
        .title = d->title, .unit = unit, .scale = d->scale, .over = c->view->over, .wide = wide};
    for (int r = 0; r < c->runs->n; r++)
        chart.lines[r] = (ramus_chart_line){c->runs->items[r].name, &curves[r],
                                            r >= RAMUS_CHART_COLOURS, d->dots};
    ramus_chart_write(c->out, &chart);
}

static void draw(const charts *c, const drawing *d)
{
    int n = 0, n_late = 0;
    for (int r = 0; r < c->runs->n; r++) {
        ramus_curve_over(&c->shown[r], d->curves[r], x_of(c, r), c->view->unit, c->end);
        n += c->shown[r].n;
        if (!d->halves || !(c->end > 0)) continue;
        ramus_curve_tail(&c->late[r], &c->shown[r], c->end / 2);
        n_late = c->late[r].n > n_late ? c->late[r].n : n_late;
    }
    if (n == 0) return;
    write_chart(c, d, d->unit, c->shown, d->halves);
    if (n_late >= FEW_POINTS) write_chart(c, d, "second half", c->late, false);
}

/* Which of the training losses compares all runs: older logs have the objective alone. */
static ramus_log_value training_loss(const ramus_runs *runs)
{
    for (int r = 0; r < runs->n; r++)
        if (runs->items[r].log->values[RAMUS_LOG_NLL].n == 0 &&
            runs->items[r].log->values[RAMUS_LOG_LOSS].n > 0)
            return RAMUS_LOG_LOSS;
    return RAMUS_LOG_NLL;
}

static void draw_values(const charts *c)
{
    const ramus_log_value loss = training_loss(c->runs);
    for (int i = 0; i < ramus_report_n_values; i++) {
        const ramus_report_value *v = &ramus_report_values[i];
        if (v->value == RAMUS_LOG_PERPLEXITY) continue; // says what the cross-entropy says
        drawing d = {.title = v->title,
                     .unit = v->unit,
                     .scale = v->scale,
                     .dots = v->valid,
                     .halves = v->value == RAMUS_LOG_VALID_NLL || v->value == loss};
        for (int r = 0; r < c->runs->n; r++)
            d.curves[r] = &c->runs->items[r].log->values[v->value];
        draw(c, &d);
    }
}

static const ramus_curve *loss_of(const ramus_log *log, const char *name)
{
    for (int i = 0; i < log->n_losses; i++)
        if (strcmp(log->losses[i].name, name) == 0) return &log->losses[i].curve;
    return NULL;
}

/* A chart for each name of an auxiliary loss, where the first run that has it stands. */
static void draw_losses(const charts *c)
{
    for (int r = 0; r < c->runs->n; r++)
        for (int i = 0; i < c->runs->items[r].log->n_losses; i++) {
            const char *name = c->runs->items[r].log->losses[i].name;
            drawing d = {.title = "Auxiliary loss", .unit = name, .scale = RAMUS_AXIS_FROM_ZERO};
            bool before = false;
            for (int j = 0; j < c->runs->n; j++) {
                d.curves[j] = loss_of(c->runs->items[j].log, name);
                before = before || (j < r && d.curves[j]);
            }
            if (!before) draw(c, &d);
        }
}

static void draw_gates(const charts *c)
{
    drawing entropy = {.title = "Entropy of the gates",
                       .unit = "mean of the sublayers, 1 = all branches equally likely",
                       .scale = RAMUS_AXIS_FROM_ZERO};
    drawing least = {.title = "Smallest branch",
                     .unit = "mean of the sublayers, 1 = its fair share of the tokens",
                     .scale = RAMUS_AXIS_FROM_ZERO};
    for (int r = 0; r < c->runs->n; r++) {
        if (c->runs->items[r].log->n_gates == 0) continue;
        entropy.curves[r] = &c->entropy[r];
        least.curves[r] = &c->least[r];
    }
    draw(c, &entropy);
    draw(c, &least);
}

static void write_switch(ramus_buffer *out)
{
    for (int v = 0; v < RAMUS_COUNT(views); v++)
        ramus_buffer_print(out,
                           "<input class=\"pick\" type=\"radio\" name=\"over\" id=\"%s\"%s/>\n",
                           views[v].id, v ? "" : " checked=\"checked\"");
    ramus_buffer_text(out, "<div class=\"switch\">");
    for (int v = 0; v < RAMUS_COUNT(views); v++)
        ramus_buffer_print(out, "<label class=\"to-%s\" for=\"%s\">over %s</label>", views[v].id,
                           views[v].id, views[v].label);
    ramus_buffer_text(out, "</div>\n");
}

ramus_status ramus_comparison_curves(ramus_buffer *out, const ramus_runs *runs, ramus_error *err)
{
    ramus_curve *room = calloc(4 * RAMUS_RUNS_MAX, sizeof *room);
    if (!room) return ramus_fail_memory(err, "charts");
    charts c = {.out = out,
                .runs = runs,
                .shown = room,
                .late = room + RAMUS_RUNS_MAX,
                .entropy = room + 2 * RAMUS_RUNS_MAX,
                .least = room + 3 * RAMUS_RUNS_MAX};
    for (int r = 0; r < runs->n; r++) {
        ramus_run_gate_entropy(&c.entropy[r], &runs->items[r]);
        ramus_run_gate_least(&c.least[r], &runs->items[r]);
    }
    ramus_buffer_text(out, "<p class=\"soft\">Beside a name: the last value. A line is the mean of "
                           "a range of updates, its pale band what is between the least and the "
                           "greatest value.");
    if (training_loss(runs) == RAMUS_LOG_LOSS)
        ramus_buffer_text(out, " Some runs logged the objective alone; it can be compared where "
                               "label smoothing and dropout are the same.");
    ramus_buffer_text(out, "</p>\n");
    write_switch(out);
    for (int v = 0; v < RAMUS_COUNT(views); v++) {
        c.view = &views[v];
        c.end = end_of(&c);
        ramus_buffer_print(out, "<div class=\"charts view over-%s\">\n", views[v].id);
        draw_values(&c);
        draw_losses(&c);
        draw_gates(&c);
        ramus_buffer_text(out, "</div>\n");
    }
    free(room);
    return RAMUS_OK;
}
