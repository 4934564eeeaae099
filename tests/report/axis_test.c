/* Scales: laws that hold for any range, and labels written by hand. */
#include "report/axis.h"

#include "check.h"

static double uniform(void)
{
    return (double)rand() / RAND_MAX;
}

/* Whether x is 1, 2, 2.5 or 5 times a power of ten. */
static int is_round(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.6e", x);
    return strncmp(text, "1.000000", 8) == 0 || strncmp(text, "2.000000", 8) == 0 ||
           strncmp(text, "2.500000", 8) == 0 || strncmp(text, "5.000000", 8) == 0;
}

static void scales_cover_their_values_with_round_ticks(void)
{
    srand(check_seed());
    for (int trial = 0; trial < 20000; trial++) {
        const ramus_chart_axis_kind kind = (ramus_chart_axis_kind)(trial % 4);
        const double size = pow(10, 24 * uniform() - 12);
        const double low = size * (uniform() - (trial % 3 == 0 ? 0.5 : 0));
        const double high = trial % 7 == 0 ? low : low + size * pow(10, 6 * uniform() - 3);
        ramus_chart_axis s;
        ramus_chart_axis_fit(&s, kind, low, high);
        const double room = 1e-6 * (s.high - s.low);
        EXPECT(s.low < s.high && s.low <= low + room && s.high >= high - room,
               "%g .. %g for %.17g .. %.17g", s.low, s.high, low, high);
        EXPECT(s.n_ticks >= 2 && s.n_ticks <= 9, "%d ticks for %g .. %g", s.n_ticks, low, high);
        for (int i = 0; i < s.n_ticks; i++) {
            EXPECT(s.ticks[i] >= s.low - room && s.ticks[i] <= s.high + room, "tick inside");
            if (s.logarithmic)
                EXPECT(is_round(s.ticks[i]), "tick %g", s.ticks[i]);
            else if (i > 0)
                EXPECT(is_round(s.ticks[i] - s.ticks[i - 1]), "step %g for %g .. %g",
                       s.ticks[i] - s.ticks[i - 1], low, high);
        }
        if (kind == RAMUS_AXIS_FROM_ZERO) EXPECT(s.low <= 0 && s.high >= 0, "zero is in it");
        if (kind != RAMUS_AXIS_WIDE) EXPECT(!s.logarithmic, "linear");
    }
}

static void places_go_from_0_to_1(void)
{
    ramus_chart_axis s;
    ramus_chart_axis_fit(&s, RAMUS_AXIS_ROUND, 2, 4);
    EXPECT_NEAR(ramus_chart_axis_place(&s, 2), 0, 0, "low");
    EXPECT_NEAR(ramus_chart_axis_place(&s, 3.5), 0.75, 1e-12, "between");
    EXPECT_NEAR(ramus_chart_axis_place(&s, 9), 1, 0, "above");
    ramus_chart_axis_fit(&s, RAMUS_AXIS_WIDE, 1, 100);
    EXPECT(s.logarithmic, "1 to 100");
    EXPECT_NEAR(ramus_chart_axis_place(&s, 10), 0.5, 1e-12, "between, logarithmic");
    EXPECT_NEAR(ramus_chart_axis_place(&s, -1), 0, 0, "below");
    ramus_chart_axis_fit(&s, RAMUS_AXIS_WIDE, 0, 100);
    EXPECT(!s.logarithmic, "zero has no logarithm");
}

/* The labels of a scale, and its power of ten behind "|". */
static const char *labels(char *out, size_t room, ramus_chart_axis_kind kind, double low,
                          double high)
{
    ramus_buffer b = {0};
    ramus_chart_axis s;
    ramus_chart_axis_fit(&s, kind, low, high);
    for (int i = 0; i < s.n_ticks; i++) {
        ramus_buffer_text(&b, i ? " " : "");
        ramus_chart_axis_label(&b, &s, s.ticks[i]);
    }
    ramus_buffer_text(&b, "|");
    if (ramus_chart_axis_has_power(&s)) ramus_chart_axis_power(&b, &s);
    snprintf(out, room, "%s", b.data);
    ramus_buffer_free(&b);
    return out;
}

static void labels_are_short(void)
{
    char out[200];
    const size_t room = sizeof out;
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_EXACT, 0, 20000), "0 5k 10k 15k 20k|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_EXACT, 0, 9000), "0 2,000 4,000 6,000 8,000|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_EXACT, 0, 12000), "0 2.5k 5.0k 7.5k 10.0k|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_EXACT, 0, 5e6), "0 1M 2M 3M 4M 5M|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_ROUND, 2.01, 3.9), "2.0 2.5 3.0 3.5 4.0|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_FROM_ZERO, 1e-6, 7e-4),
                "0 2 4 6 8|&#215; 10&#8315;&#8308;");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_WIDE, 6, 400), "5 10 20 50 100 200 500|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_WIDE, 0.01, 99000),
                "0.01 0.1 1 10 100 1000 10k 100k|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_WIDE, 3e5, 4e7),
                "200k 500k 10&#8310; 2&#183;10&#8310; 5&#183;10&#8310; 10&#8311; 2&#183;10&#8311; "
                "5&#183;10&#8311;|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_FROM_ZERO, 0, 0), "0 0.2 0.4 0.6 0.8 1.0|");
    EXPECT_TEXT(labels(out, room, RAMUS_AXIS_FROM_ZERO, 0, 4.1e20),
                "0 1 2 3 4 5|&#215; 10&#178;&#8304;");
}

CHECK_MAIN({"scales_cover_their_values_with_round_ticks",
            scales_cover_their_values_with_round_ticks},
           {"places_go_from_0_to_1", places_go_from_0_to_1}, {"labels_are_short", labels_are_short})
