/* Curves: means and ranges by a plain loop over all values. */
#include "report/curve.h"

#include "check.h"

#define END 9999

static double values[END + 1];

static void fill(void)
{
    srand(check_seed());
    for (int i = 0; i <= END; i++)
        values[i] = (double)rand() / RAND_MAX - 0.5;
}

static void points_are_means_of_equal_ranges(void)
{
    static ramus_curve c;
    fill();
    ramus_curve_init(&c, 100, END);
    for (int i = 0; i <= END; i++)
        ramus_curve_add(&c, i, values[i]);
    EXPECT_INT(c.n, END + 1, "values");
    for (int p = 0; p < 100; p++) {
        double sum = 0, low = 1, high = -1;
        for (int i = 100 * p; i < 100 * (p + 1); i++) {
            sum += values[i];
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
        EXPECT_INT(c.points[p].n, 100, "values of a point");
        EXPECT_NEAR(c.points[p].mean, sum / 100, 1e-12, "mean");
        EXPECT_NEAR(c.points[p].update, 100 * p + 49.5, 1e-9, "update");
        EXPECT(c.points[p].low == low && c.points[p].high == high, "range of point %d", p);
    }
    EXPECT(c.last == values[END] && c.last_update == END, "last %g at %g", c.last, c.last_update);
}

static void extremes_are_the_first_of_equal_ones(void)
{
    static ramus_curve c;
    ramus_curve_init(&c, 7, 10);
    EXPECT(isnan(c.last) && isnan(c.low) && isnan(c.high), "nothing yet");
    static const double some[] = {3, 1, 5, (double)INFINITY, 1, 5, (double)NAN};
    for (int i = 0; i < 7; i++)
        ramus_curve_add(&c, i, some[i]);
    EXPECT(c.low == 1 && c.low_update == 1, "low %g at %g", c.low, c.low_update);
    EXPECT(c.high == 5 && c.high_update == 2, "high %g at %g", c.high, c.high_update);
    EXPECT(c.last == 5 && c.last_update == 5, "last %g at %g", c.last, c.last_update);
    EXPECT_INT(c.n, 5, "values that are there");
}

static void missing_values_are_gaps(void)
{
    static ramus_curve c;
    ramus_curve_init(&c, 4, 3);
    ramus_curve_add(&c, 0, 1);
    ramus_curve_add(&c, 1, -1e101);
    ramus_curve_add(&c, 3, 2);
    EXPECT(c.points[1].gap && c.points[1].n == 0, "a gap");
    EXPECT(!c.points[2].gap && c.points[2].n == 0, "only empty");
}

static void tail_begins_at_its_update(void)
{
    static ramus_curve c, tail;
    fill();
    ramus_curve_init(&c, RAMUS_CURVE_POINTS, END);
    for (int i = 0; i <= END; i += 100) // a point has one value
        ramus_curve_add(&c, i, values[i]);
    ramus_curve_tail(&tail, &c, 5000);
    double low = 1, high = -1;
    for (int i = 5000; i <= END; i += 100) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    EXPECT_INT(tail.n, 50, "values");
    EXPECT(tail.low == low && tail.high == high, "%g .. %g", tail.low, tail.high);
    EXPECT(tail.last == c.last && tail.begin == 5000 && tail.end == END, "its ends");
    ramus_curve_tail(&tail, &c, 9950);
    EXPECT(tail.n == 0 && isnan(tail.last), "nothing there");
}

static void curve_is_drawn_over_another_quantity(void)
{
    static ramus_curve c, x, over;
    ramus_curve_init(&c, RAMUS_CURVE_POINTS, 300);
    ramus_curve_init(&x, RAMUS_CURVE_POINTS, 300);
    EXPECT(isnan(ramus_curve_at(&x, 10)), "nothing is known");
    ramus_curve_add(&x, 100, 50);
    ramus_curve_add(&x, 200, 250);
    const double at[][2] = {{0, 0}, {50, 25}, {100, 50}, {150, 150}, {200, 250}, {300, 450}};
    for (int i = 0; i < 6; i++)
        EXPECT_NEAR(ramus_curve_at(&x, at[i][0]), at[i][1], 1e-9, "between points and beyond");
    for (int u = 50; u <= 300; u += 50)
        ramus_curve_add(&c, u, u);
    ramus_curve_over(&over, &c, &x, 10, 60);
    const double want[] = {2.5, 5, 15, 25, 35, 45};
    int n = 0;
    for (int i = 0; i < over.n_points; i++) {
        if (over.points[i].n == 0) continue;
        EXPECT_NEAR(over.points[i].update, want[n], 1e-9, "place of a point");
        EXPECT_NEAR(over.points[i].mean, 50.0 * (n + 1), 1e-9, "its value");
        n++;
    }
    EXPECT_INT(n, 6, "points");
    EXPECT(over.end == 60 && over.begin == 0, "0 .. %g", over.end);
    ramus_curve_over(&over, &c, NULL, 1, 400);
    EXPECT(over.n == c.n && over.end == 400, "updates");
    ramus_curve_over(&over, NULL, &x, 1, 400);
    EXPECT(over.n == 0 && isnan(over.low) && over.end == 400, "no curve");
    ramus_curve_init(&x, RAMUS_CURVE_POINTS, 300);
    ramus_curve_over(&over, &c, &x, 1, 400);
    EXPECT(over.n == 0 && isnan(over.low), "over what is not known");
}

CHECK_MAIN({"points_are_means_of_equal_ranges", points_are_means_of_equal_ranges},
           {"extremes_are_the_first_of_equal_ones", extremes_are_the_first_of_equal_ones},
           {"missing_values_are_gaps", missing_values_are_gaps},
           {"tail_begins_at_its_update", tail_begins_at_its_update},
           {"curve_is_drawn_over_another_quantity", curve_is_drawn_over_another_quantity})
