/* Weights as whole numbers times a scale, against plain loops in double; and the halves that hold
 * scales, against the definition of the nearest one. */
#include "kernels/fit.h"

#include "base/rng.h"
#include "kernels/i4.h"

#include "check.h"

static uint64_t drawn;

static float draw_normal(void)
{
    const ramus_rng rng = {check_seed(), 8, 8, 8};
    return (float)ramus_rng_normal(&rng, drawn++);
}

static uint32_t draw(void)
{
    const ramus_rng rng = {check_seed(), 9, 9, 9};
    return ramus_rng_bits(&rng, drawn++);
}

/* What a half means, by its fields alone. */
static double meaning(unsigned h)
{
    const unsigned exponent = h >> 10 & 31, rest = h & 1023;
    const double size = exponent == 31  ? (double)(rest ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(rest, -24)
                                        : ldexp(1024 + rest, (int)exponent - 25);
    return h & 0x8000 ? -size : size;
}

static void every_half_has_its_value_and_comes_back(void)
{
    for (unsigned h = 0; h < 65536; h++) {
        const double want = meaning(h);
        const float got = ramus_half_float((ramus_half)h);
        if (isnan(want)) {
            EXPECT(isnan(got) && isnan(ramus_half_float(ramus_half_of(got))), "half %#x", h);
            continue;
        }
        EXPECT((double)got == want, "half %#x: got %g, want %g", h, (double)got, want);
        EXPECT_INT(ramus_half_of(got), h, "back");
    }
}

static void a_float_becomes_the_nearest_half(void)
{
    for (unsigned h = 0; h < 0x7c00; h++) { // around the middle between h and the next
        const double next = h == 0x7bff ? 65536 : meaning(h + 1), middle = (meaning(h) + next) / 2;
        const float at = (float)middle; // exact: a half has 11 digits, a float 24
        EXPECT_INT(ramus_half_of(at), h + (h & 1), "middle: to even");
        EXPECT_INT(ramus_half_of(nextafterf(at, 0)), h, "below the middle");
        EXPECT_INT(ramus_half_of(nextafterf(at, INFINITY)), h + 1, "above the middle");
        EXPECT_INT(ramus_half_of(-nextafterf(at, INFINITY)), 0x8000 | (h + 1), "negative");
    }
    EXPECT_INT(ramus_half_of(1e30F), 0x7c00, "too large");
    EXPECT_INT(ramus_half_of(1e-30F), 0, "too small");
}

static double error_of(const float *w, const int8_t *q, double scale, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((double)w[i] - q[i] * scale) * ((double)w[i] - q[i] * scale);
    return sum;
}

static double largest_of(const float *w, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs((double)w[i]));
    return most;
}

/* The error of rounding to multiples of a scale. */
static double plain_error(const float *w, int n, double scale)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double d = (double)w[i] - nearbyint((double)w[i] / scale) * scale;
        sum += d * d;
    }
    return sum;
}

static void a_fit_loses_no_more_than_plain_rounding(void)
{
    double i8 = 0, i4 = 0, plain8 = 0, plain4 = 0;
    for (int round = 0; round < 200; round++) {
        float w[300];
        int8_t q[300];
        const int n = 1 + (int)(draw() % 300), group = n < RAMUS_I4_GROUP ? n : RAMUS_I4_GROUP;
        for (int i = 0; i < n; i++)
            w[i] = draw_normal() * 0.1F;
        const double p8 = plain_error(w, n, largest_of(w, n) / 127);
        const ramus_half h = ramus_half_of((float)largest_of(w, group) * (1 / 7.0F));
        const double p4 = plain_error(w, group, (double)ramus_half_float(h));
        double scale = (double)ramus_fit_i8(q, w, n);
        const double got8 = error_of(w, q, scale, n);
        EXPECT(got8 <= p8 * 1.0001 + 1e-12, "8 bits, %d weights: %g, plain %g", n, got8, p8);
        for (int i = 0; i < n; i++)
            EXPECT(q[i] >= -127, "%d", q[i]);
        scale = (double)ramus_half_float(ramus_fit_i4(q, w, group));
        const double got4 = error_of(w, q, scale, group);
        EXPECT(got4 <= p4 * 1.0001 + 1e-12, "4 bits, %d weights: %g, plain %g", group, got4, p4);
        for (int i = 0; i < group; i++)
            EXPECT(q[i] >= -8 && q[i] <= 7, "%d", q[i]);
        i8 += got8, i4 += got4, plain8 += p8, plain4 += p4;
    }
    printf("squared error against plain rounding: 8 bits %.3f, 4 bits %.3f\n", i8 / plain8,
           i4 / plain4);
    EXPECT(i8 < plain8 && i4 < 0.8 * plain4, "the search gains nothing");
}

static void what_can_be_written_exactly_comes_back(void)
{
    for (int round = 0; round < 100; round++) {
        float w[RAMUS_I4_GROUP];
        int8_t want[RAMUS_I4_GROUP], q[RAMUS_I4_GROUP];
        const float scale = ramus_half_float((ramus_half)(0x2000 + draw() % 0x800));
        for (int i = 0; i < RAMUS_I4_GROUP; i++)
            want[i] = (int8_t)((int)(draw() % 16) - 8);
        want[draw() % RAMUS_I4_GROUP] = -8;
        for (int i = 0; i < RAMUS_I4_GROUP; i++)
            w[i] = want[i] * scale;
        EXPECT(ramus_half_float(ramus_fit_i4(q, w, RAMUS_I4_GROUP)) == scale, "scale");
        EXPECT_BYTES(q, want, sizeof q, "numbers");
    }
}

static void nothing_is_zero(void)
{
    const float none[3] = {0, -0.0F, 0}, little[3] = {1e-20F, 0, -1e-20F};
    int8_t q[3] = {1, 1, 1};
    const int8_t zeros[3] = {0};
    EXPECT(ramus_fit_i8(q, none, 3) == 0 && memcmp(q, zeros, 3) == 0, "8 bits");
    memset(q, 1, sizeof q);
    EXPECT(ramus_fit_i4(q, little, 3) == 0 && memcmp(q, zeros, 3) == 0, "4 bits, below a half");
}

CHECK_MAIN({"every_half_has_its_value_and_comes_back", every_half_has_its_value_and_comes_back},
           {"a_float_becomes_the_nearest_half", a_float_becomes_the_nearest_half},
           {"a_fit_loses_no_more_than_plain_rounding", a_fit_loses_no_more_than_plain_rounding},
           {"what_can_be_written_exactly_comes_back", what_can_be_written_exactly_comes_back},
           {"nothing_is_zero", nothing_is_zero})
