/* Newton-Schulz iterations against two truths: plain loops in double, and the singular values of
 * matrices that are built from them. */
#include "train/orthogonal.h"

#include "base/rng.h"
#include "kernels/cpu.h"
#include "kernels/select_train.h"

#include "check.h"
#include "train/newton_schulz.h"

/* A random [rows, columns] of normal numbers. */
static double *draw(int rows, int columns, uint32_t key)
{
    const ramus_rng rng = {check_seed(), 7, key, 0};
    const size_t count = (size_t)rows * (size_t)columns;
    double *x = newton_numbers(count);
    for (size_t i = 0; i < count; i++)
        x[i] = ramus_rng_normal(&rng, i);
    return x;
}

/* What the iterations make of one singular value. */
static double polynomial(double s)
{
    for (int i = 0; i < 5; i++)
        s = newton_a * s + newton_b * pow(s, 3) + newton_c * pow(s, 5);
    return s;
}

/* What the function under test makes of x, with guards behind the scratch memory. */
static ramus_real *orthogonalise(const double *x, int n, int k, const ramus_gemm *gemm)
{
    const size_t count = (size_t)n * (size_t)k, room = ramus_orthogonal_scratch(n, k);
    ramus_real *got = calloc(count, sizeof *got), *scratch = calloc(room + 64, sizeof *scratch);
    RAMUS_ASSERT(got && scratch);
    for (size_t i = 0; i < count; i++)
        got[i] = (ramus_real)x[i];
    for (size_t i = 0; i < room + 64; i++)
        scratch[i] = i < room ? NAN : 42; // what is there before does not count
    ramus_orthogonalise(got, n, k, scratch, gemm);
    for (size_t i = room; i < room + 64; i++)
        EXPECT(scratch[i] == 42, "%d x %d: scratch memory is not overrun", n, k);
    free(scratch);
    return got;
}

static const int shapes[][2] = {{1, 1},   {1, 9},   {9, 1},    {3, 5},    {33, 20},
                                {20, 33}, {96, 97}, {131, 64}, {24, 300}, {270, 260}};

/* The error of all numbers together, as a share of the norm. */
static void expect_near(const double *start, const double *want, int n, int k,
                        const ramus_gemm *gemm, double tolerance, const char *isa)
{
    ramus_real *got = orthogonalise(start, n, k, gemm);
    double error = 0, norm = 0;
    for (int j = 0; j < n * k; j++) {
        error += pow((double)got[j] - want[j], 2);
        norm += want[j] * want[j];
    }
    EXPECT(sqrt(error / norm) <= tolerance, "%s, %d x %d: error %g of the norm", isa, n, k,
           sqrt(error / norm));
    free(got);
}

static void iterations_are_those_of_plain_loops(void)
{
    for (int row = 0; row < ramus_train_kernels_count(); row++) {
        const ramus_train_kernels *kernels = ramus_train_kernels_at(row);
        if (!ramus_cpu_has(kernels->needs)) continue;
        for (int i = 0; i < RAMUS_COUNT(shapes); i++) {
            const int n = shapes[i][0], k = shapes[i][1];
            double *start = draw(n, k, (uint32_t)i), *want = draw(n, k, (uint32_t)i);
            newton_iterate(want, n, k);
            if (kernels->gemm) expect_near(start, want, n, k, kernels->gemm, 1e-5, kernels->isa);
            // factors have 8 binary digits, and the terms a, b, c of the result add up to ten times
            // it
            if (kernels->gemm_bf16)
                expect_near(start, want, n, k, kernels->gemm_bf16, 10.0 / 256, kernels->isa);
            free(start);
            free(want);
        }
    }
}

/* Makes the columns of x [n, m] orthonormal: Gram-Schmidt, twice. */
static void make_orthonormal(double *x, int n, int m)
{
    for (int j = 0; j < 2 * m; j++) {
        const int column = j % m;
        double norm = 0;
        for (int before = 0; before < column; before++) {
            double dot = 0;
            for (int i = 0; i < n; i++)
                dot += x[i * m + before] * x[i * m + column];
            for (int i = 0; i < n; i++)
                x[i * m + column] -= dot * x[i * m + before];
        }
        for (int i = 0; i < n; i++)
            norm += x[i * m + column] * x[i * m + column];
        for (int i = 0; i < n; i++)
            x[i * m + column] /= sqrt(norm);
    }
}

/* U^T O V [m, m] is diagonal where O has the singular vectors U and V. */
static void expect_singular_values(const ramus_real *got, const double *u, const double *v, int n,
                                   int k, const double *s)
{
    const int m = n < k ? n : k;
    double norm = 0;
    for (int i = 0; i < m; i++)
        norm += s[i] * s[i];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double value = 0;
            for (int r = 0; r < n; r++)
                for (int t = 0; t < k; t++)
                    value += u[r * m + i] * (double)got[r * k + t] * v[t * m + j];
            const double want = i == j ? polynomial(s[i] / sqrt(norm)) : 0;
            EXPECT_NEAR(value, want, 1e-4, "U^T O V");
            if (i == j && s[i] / sqrt(norm) >= 0.01)
                EXPECT(value > 0.67 && value < 1.21, "singular value %g of %g", value, s[i]);
        }
}

/* From 1 down to 1/1000: the small ones show that the slope at 0 is a^5. */
static void singular_values_come_near_one_and_vectors_stay(void)
{
    static const int sizes[][2] = {{12, 12}, {40, 17}, {17, 40}};
    ramus_error err = {0};
    ramus_train_kernels kernels;
    REQUIRE_OK(ramus_train_kernels_choose(&kernels, &err), err);
    for (int i = 0; i < RAMUS_COUNT(sizes); i++) {
        const int n = sizes[i][0], k = sizes[i][1], m = n < k ? n : k;
        double s[17], *u = draw(n, m, 100 + (uint32_t)i), *v = draw(k, m, 200 + (uint32_t)i);
        make_orthonormal(u, n, m);
        make_orthonormal(v, k, m);
        double *scaled = newton_numbers((size_t)n * (size_t)m);
        for (int j = 0; j < n * m; j++) {
            s[j % m] = pow(10, -3.0 * (j % m) / (m - 1));
            scaled[j] = u[j] * s[j % m] * 1e-5; // gradients are small
        }
        double *x = newton_times(scaled, v, n, m, k, true);
        ramus_real *got = orthogonalise(x, n, k, kernels.gemm);
        expect_singular_values(got, u, v, n, k, s);
        free(u);
        free(v);
        free(x);
        free(got);
        free(scaled);
    }
}

/* What the header promises, of the polynomial itself. */
static void the_polynomial_stays_in_its_bounds(void)
{
    for (int i = 0; i <= 10000; i++) {
        const double s = i * 1e-4, value = polynomial(s);
        EXPECT(value >= 0 && value < 1.21, "%g becomes %g", s, value);
        if (s >= 0.01) EXPECT(value > 0.67, "%g becomes %g", s, value);
    }
}

static void zeros_stay(void)
{
    const double zeros[12] = {0};
    ramus_real *got = orthogonalise(zeros, 3, 4, ramus_train_kernels_ref.gemm);
    for (int i = 0; i < 12; i++)
        EXPECT(got[i] == 0, "%g", (double)got[i]);
    free(got);
}

CHECK_MAIN({"iterations_are_those_of_plain_loops", iterations_are_those_of_plain_loops},
           {"singular_values_come_near_one_and_vectors_stay",
            singular_values_come_near_one_and_vectors_stay},
           {"the_polynomial_stays_in_its_bounds", the_polynomial_stays_in_its_bounds},
           {"zeros_stay", zeros_stay})
