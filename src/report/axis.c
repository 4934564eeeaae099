/* The step between ticks is the smallest round value that leaves few enough of them; a
 * logarithmic axis counts 1, 2, 5, 10 and so on. */
#include "report/axis.h"

#include "report/html.h"

#include <math.h>

#define WIDE_RATIO 30 // from here on the small values of a linear scale cannot be told apart

/* The smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least x. */
static double round_up(double x)
{
    static const double steps[] = {1, 2, 2.5, 5};
    const double power = pow(10, floor(log10(x)));
    for (int i = 0; i < RAMUS_COUNT(steps); i++)
        if (x <= steps[i] * power * (1 + 1e-9)) return steps[i] * power;
    return 10 * power;
}

static void choose_unit(ramus_chart_axis *s, double step)
{
    const double size = fmax(fabs(s->low), fabs(s->high));
    s->unit = 1;
    if (size >= 1e9 || size < 0.01)
        s->unit = pow(10, floor(log10(size)));
    else if (size >= 2e6)
        s->unit = 1e6;
    else if (size >= 1e4)
        s->unit = 1e3;
    const double shown = step / s->unit;
    for (s->digits = 0; s->digits < 6; s->digits++) {
        const double scaled = shown * pow(10, s->digits);
        if (fabs(scaled - round(scaled)) < 1e-6) break;
    }
}

static void fit_linear(ramus_chart_axis *s, ramus_chart_axis_kind kind, double low, double high)
{
    if (kind == RAMUS_AXIS_FROM_ZERO) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    if (high - low <= 1e-9 * fmax(fabs(low), fabs(high))) { // one value: in the middle
        const double room = high == 0 ? 1 : 0.1 * fabs(high);
        if (kind != RAMUS_AXIS_FROM_ZERO) low -= room;
        high += room;
    }
    const double step = round_up((high - low) / 5);
    const bool exact = kind == RAMUS_AXIS_EXACT;
    const double first = exact ? ceil(low / step - 1e-9) : floor(low / step + 1e-9);
    const double last = exact ? floor(high / step + 1e-9) : ceil(high / step - 1e-9);
    s->low = exact ? low : first * step;
    s->high = exact ? high : last * step;
    for (s->n_ticks = 0; s->n_ticks < RAMUS_AXIS_TICKS && first + s->n_ticks <= last; s->n_ticks++)
        s->ticks[s->n_ticks] = (first + s->n_ticks) * step;
    choose_unit(s, step);
}

/* The tick number i of a logarithmic scale: 1, 2, 5, 10, 20, .. from i = 0 on. */
static double log_tick(int i)
{
    static const double steps[] = {1, 2, 5};
    const int step = (i % 3 + 3) % 3;
    const int decade = (i - step) / 3;
    return steps[step] * pow(10, decade);
}

static void fit_logarithmic(ramus_chart_axis *s, double low, double high)
{
    int first = 3 * (int)floor(log10(low)), last = 3 * (int)ceil(log10(high));
    while (log_tick(first + 1) <= low)
        first++;
    while (log_tick(last - 1) >= high)
        last--;
    s->logarithmic = true;
    s->low = log_tick(first);
    s->high = log_tick(last);
    int stride = 1; // all of 1, 2, 5; or powers of ten, of 100, ..
    for (int wanted = 3; (last - first) / stride > 7; wanted += 3)
        stride = wanted;
    s->n_ticks = 0;
    for (int i = first; i <= last && s->n_ticks < RAMUS_AXIS_TICKS; i++)
        if (i % stride == 0) s->ticks[s->n_ticks++] = log_tick(i);
    s->unit = 1;
}

void ramus_chart_axis_fit(ramus_chart_axis *s, ramus_chart_axis_kind kind, double low, double high)
{
    RAMUS_ASSERT(isfinite(low) && isfinite(high) && low <= high);
    *s = (ramus_chart_axis){0};
    if (kind == RAMUS_AXIS_WIDE && low > 0 && high > WIDE_RATIO * low)
        fit_logarithmic(s, low, high);
    else
        fit_linear(s, kind, low, high);
}

double ramus_chart_axis_place(const ramus_chart_axis *s, double value)
{
    if (value <= s->low) return 0;
    if (value >= s->high) return 1;
    return s->logarithmic ? log(value / s->low) / log(s->high / s->low)
                          : (value - s->low) / (s->high - s->low);
}

/* 0.5, 100, 20k; beyond that 10^6, 2 * 10^6. */
static void label_logarithmic(ramus_buffer *out, double tick)
{
    if (tick >= 1e-4 && tick < 1e4) {
        ramus_buffer_print(out, "%.4g", tick);
    } else if (tick >= 1e4 && tick < 1e6) {
        ramus_buffer_print(out, "%.4gk", tick / 1e3);
    } else {
        const int exponent = (int)floor(log10(tick) + 1e-9);
        const double times = round(tick / pow(10, exponent));
        if (times > 1) ramus_buffer_print(out, "%.0f&#183;", times);
        ramus_html_power(out, exponent);
    }
}

void ramus_chart_axis_label(ramus_buffer *out, const ramus_chart_axis *s, double tick)
{
    const char *letter = s->unit == 1e3 ? "k" : s->unit == 1e6 ? "M" : "";
    if (s->logarithmic)
        label_logarithmic(out, tick);
    else if (tick == 0 || (s->unit == 1 && s->digits == 0))
        ramus_html_count(out, tick);
    else
        ramus_buffer_print(out, "%.*f%s", s->digits, tick / s->unit, letter);
}

bool ramus_chart_axis_has_power(const ramus_chart_axis *s)
{
    return s->unit != 1 && s->unit != 1e3 && s->unit != 1e6;
}

void ramus_chart_axis_power(ramus_buffer *out, const ramus_chart_axis *s)
{
    ramus_buffer_text(out, "&#215; ");
    ramus_html_power(out, (int)lround(log10(s->unit)));
}
