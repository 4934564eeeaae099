/* 8-bit numbers on every row of this CPU, the reference too, against plain loops in whole numbers
 * and double; and the ends of their range. */
#include "kernels/numbers.h"

#include <float.h>

static void a_matrix_lies_in_tiles(void)
{
    EXPECT_INT(ramus_i8_size(1, 1), 64, "one number");
    EXPECT_INT(ramus_i8_size(17, 5), 4 * 64, "a ragged matrix");
    EXPECT_INT(ramus_i8_size(37056, 128), 37056 * 128, "whole tiles");
    EXPECT_INT(ramus_i8_stride(1), 64, "stride of 1");
    EXPECT_INT(ramus_i8_stride(128), 128, "stride of 128");
    for (int o = 0; o < 40; o++)
        for (int i = 0; i < 9; i++) // [n / 16][k / 4][16][4] of 40 x 9
            EXPECT_INT(ramus_i8_row(9, o) + ramus_i8_offset(i),
                       ((o / 16 * 3 + i / 4) * 16 + o % 16) * 4 + i % 4, "place");
}

/* Each operation on its own, rounded as floats are, and half to even. */
static void check_quantize(const ramus_kernels *k, const float *x, int n)
{
    const size_t stride = (size_t)ramus_i8_stride(n);
    int8_t *q = guarded(stride);
    float scale = -1;
    int32_t sum = -1;
    double max = 0;
    long want_sum = 0;
    for (int i = 0; i < n; i++)
        max = fmax(max, fabs((double)x[i]));
    const float want_scale = (float)(max / 127), factor = (float)(127 / max);
    k->quantize(q, &scale, &sum, x, n);
    EXPECT(scale == want_scale, "%s, %d: scale %.9g, want %.9g", k->isa, n, (double)scale,
           (double)want_scale);
    for (int i = 0; i < (int)stride; i++) {
        const float product = i < n ? (float)((double)x[i] * (double)factor) : 0;
        const double want = fmax(-127, fmin(127, nearbyint((double)product)));
        EXPECT((double)q[i] == want, "%s, %d: number %d is %d, want %g", k->isa, n, i, q[i], want);
        want_sum += (long)want;
    }
    EXPECT_INT(sum, want_sum, "sum");
    free_guarded(q, stride);
}

static void quantize_equals_its_definition(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 200; n++) {
            static const float sizes[] = {1, 1e-29f, 1e-20f, 1e30f, FLT_MAX / 8};
            float *x = floats(n);
            for (int i = 0; i < n; i++)
                x[i] *= sizes[n % 5];
            check_quantize(&k[t], x, n);
            for (int i = 0; i < n; i++) // halves: 127 / max is 1, and ties go to even numbers
                x[i] = i == n / 2 ? -127 : (float)((int)(draw() % 253) - 126) + 0.5f;
            check_quantize(&k[t], x, n);
            free_floats(x, n);
        }
}

static void quantize_defines_what_is_not_finite(void)
{
    static const struct {
        float x[4], scale;
        int q[4];
    } cases[] = {
        {{0, -0.0f, 0, 0}, 0, {0, 0, 0, 0}},
        {{FLT_MIN, -FLT_MIN / 4, 9e-31f, 0}, 0, {0, 0, 0, 0}},
        {{1e-30f, -1e-30f, 1e-40f, 0}, 1e-30f / 127, {127, -127, 0, 0}},
        {{INFINITY, -INFINITY, 1, FLT_MAX}, FLT_MAX / 127, {127, -127, 0, 127}},
        {{NAN, 1, -2, 0}, 2.0f / 127, {127, 64, -127, 0}}, // 63.5 to even
        {{NAN, -NAN, NAN, NAN}, 0, {0, 0, 0, 0}},
        {{NAN, INFINITY, -1, 0}, FLT_MAX / 127, {127, 127, 0, 0}},
    };
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int shift = 0; shift < 40; shift++) { // in every lane, and in a tail
                float x[64] = {0}, scale = -1;
                int8_t q[64];
                int32_t sum = -1, want = 0;
                memcpy(x + shift, cases[c].x, sizeof cases[c].x);
                k[t].quantize(q, &scale, &sum, x, shift + 4);
                EXPECT(scale == cases[c].scale, "%s: case %zu: scale %g", k[t].isa, c,
                       (double)scale);
                for (int i = 0; i < 64; i++) {
                    const int here = i >= shift && i < shift + 4 ? cases[c].q[i - shift] : 0;
                    EXPECT(q[i] == here, "%s: case %zu: %d, want %d", k[t].isa, c, q[i], here);
                    want += here;
                }
                EXPECT_INT(sum, want, "sum");
            }
}

/* A matrix and rows of numbers; bytes where there is padding are random in the matrix. */
typedef struct {
    int n, k, total;
    int8_t *w, *x;
    float *w_scale, *x_scale, *bias, *scale, *y;
    int32_t *x_sum;
} product;

#define Y_STRIDE(p) ((p)->n + 3)

static product make_product(int n, int k, int total, bool extreme)
{
    product p = {.n = n, .k = k, .total = total};
    const size_t w_size = ramus_i8_size(n, k), stride = (size_t)ramus_i8_stride(k);
    p.w = guarded(w_size);
    p.x = guarded((size_t)total * stride);
    p.x_sum = guarded((size_t)total * sizeof *p.x_sum);
    p.w_scale = floats(n), p.bias = floats(n), p.x_scale = floats(total);
    p.scale = floats(3 * total), p.y = floats(total * Y_STRIDE(&p));
    for (size_t i = 0; i < w_size; i++)
        p.w[i] = extreme ? (i / 4 % 2 ? -127 : 127) : draw_byte();
    for (int r = 0; r < total; r++) {
        p.x_sum[r] = 0;
        for (int i = 0; i < (int)stride; i++) {
            int8_t *x = p.x + (size_t)r * stride + i;
            *x = i >= k ? 0 : extreme ? (r % 2 ? -127 : 127) : draw_byte();
            p.x_sum[r] += *x;
        }
    }
    return p;
}

static void free_product(product *p)
{
    free_floats(p->y, p->total * Y_STRIDE(p)), free_floats(p->scale, 3 * p->total);
    free_floats(p->x_scale, p->total), free_floats(p->bias, p->n), free_floats(p->w_scale, p->n);
    free_guarded(p->x_sum, (size_t)p->total * sizeof *p->x_sum);
    free_guarded(p->x, (size_t)p->total * (size_t)ramus_i8_stride(p->k));
    free_guarded(p->w, ramus_i8_size(p->n, p->k));
}

static int64_t sum_of(const product *p, int row, int output)
{
    int64_t sum = 0;
    for (int i = 0; i < p->k; i++)
        sum += (int64_t)p->w[ramus_i8_row(p->k, output) + ramus_i8_offset(i)] *
               p->x[(size_t)row * (size_t)ramus_i8_stride(p->k) + (size_t)i];
    return sum;
}

/* variant, bits: rows are listed, results are added with a factor, relu, no bias */
static void check_linear(const ramus_kernels *k, product *p, int variant)
{
    const bool listed = variant & 1, added = variant & 2, relu = variant & 4, bias = !(variant & 8);
    int rows[64], n_rows = 0;
    for (int r = p->total - 1; r >= 0; r--)
        if (!listed || r % 3 != 1) rows[n_rows++] = r;
    const int length = p->total * Y_STRIDE(p);
    double *want = calloc((size_t)length, sizeof *want);
    double *size = calloc((size_t)length, sizeof *size); // magnitude of what is added up
    for (int i = 0; i < length; i++)
        want[i] = (double)p->y[i];
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < p->n; j++) {
            const int r = rows[i], at = r * Y_STRIDE(p) + j;
            const double factor = added ? (double)p->scale[3 * r + 1] : 1;
            const double sum =
                (double)sum_of(p, r, j) * (double)p->w_scale[j] * (double)p->x_scale[r];
            const double offset = bias ? (double)p->bias[j] : 0;
            size[at] = fabs(want[at]) + fabs(factor) * (fabs(sum) + fabs(offset));
            want[at] = (added ? want[at] : 0) + factor * (sum + offset);
            if (relu && want[at] < 0) want[at] = 0;
        }
    const ramus_linear_i8_job job = {.n = p->n,
                                     .k = p->k,
                                     .rows = listed ? rows : NULL,
                                     .n_rows = n_rows,
                                     .scale = added ? p->scale + 1 : NULL,
                                     .scale_stride = 3,
                                     .relu = relu,
                                     .x = p->x,
                                     .x_scale = p->x_scale,
                                     .x_sum = p->x_sum,
                                     .w = p->w,
                                     .w_scale = p->w_scale,
                                     .bias = bias ? p->bias : NULL,
                                     .y = p->y,
                                     .y_stride = Y_STRIDE(p)};
    k->linear_i8(&job);
    for (int i = 0; i < length; i++)
        EXPECT(fabs((double)p->y[i] - want[i]) <= 4e-7 * size[i],
               "%s %d x %d, variant %d: y[%d] = %.9g, want %.9g", k->isa, p->n, p->k, variant, i,
               (double)p->y[i], want[i]);
    free(size);
    free(want);
}

static void linear_equals_plain_loops(void)
{
    static const int sizes[][3] = {{1, 1, 1},   {3, 5, 2},     {16, 4, 3},  {17, 33, 5},
                                   {40, 20, 9}, {31, 63, 7},   {48, 65, 8}, {16, 64, 6},
                                   {100, 9, 1}, {33, 130, 64}, {64, 64, 1}, {127, 4200, 1}};
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int variant = 0; variant < 16; variant++) {
                product p = make_product(sizes[i][0], sizes[i][1], sizes[i][2], false);
                check_linear(&k[t], &p, variant);
                free_product(&p);
            }
}

/* With scales of 1 the result is the sum itself, rounded to float once. */
static void expect_exact_sums(const ramus_kernels *k, product *p)
{
    for (int j = 0; j < p->n; j++)
        p->w_scale[j] = 1;
    for (int r = 0; r < p->total; r++)
        p->x_scale[r] = 1;
    const ramus_linear_i8_job job = {.n = p->n,
                                     .k = p->k,
                                     .n_rows = p->total,
                                     .x = p->x,
                                     .x_scale = p->x_scale,
                                     .x_sum = p->x_sum,
                                     .w = p->w,
                                     .w_scale = p->w_scale,
                                     .y = p->y,
                                     .y_stride = Y_STRIDE(p)};
    k->linear_i8(&job);
    for (int r = 0; r < p->total; r++)
        for (int j = 0; j < p->n; j++)
            EXPECT(p->y[r * Y_STRIDE(p) + j] == (float)sum_of(p, r, j),
                   "%s, %d inputs: row %d, output %d", k->isa, p->k, r, j);
}

static void sums_are_exact(void)
{
    static const int inputs[] = {1, 2, 3, 4, 63, 64, 65, 1000, 4096, 131072};
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (size_t i = 0; i < 2 * sizeof inputs / sizeof *inputs; i++) {
            product p = make_product(19, inputs[i / 2], 9, i % 2);
            expect_exact_sums(&k[t], &p);
            free_product(&p);
        }
}

/* As behind a relu: most groups of inputs are zero, in row 1 all of them. */
static void zeros_count_nothing(void)
{
    static const int inputs[] = {3, 4, 9, 65, 256, 1000};
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int i = 0; i < 8 * (int)(sizeof inputs / sizeof *inputs); i++) { // 1 to 8 rows
            product p = make_product(35, inputs[i / 8], i % 8 + 1, false);
            const int stride = ramus_i8_stride(p.k);
            for (int r = 0; r < p.total; r++) {
                p.x_sum[r] = 0;
                for (int at = 0; at < stride; at++) {
                    int8_t *x = &p.x[r * stride + at];
                    if (r == 1 || (at / 4 * 7 + r * r) % 5) *x = 0;
                    p.x_sum[r] += *x;
                }
            }
            expect_exact_sums(&k[t], &p);
            free_product(&p);
        }
}

/* Two equal products in a pair are the most that 16 bits must hold. */
static void every_pair_of_values_multiplies_exactly(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int first = -127; first <= 127; first += 16) {
            product p = make_product(40, 2, 6, false);
            for (int o = 0; o < p.n; o++) {
                int8_t *w = p.w + ramus_i8_row(2, o);
                w[0] = w[1] = (int8_t)(first + o % 16 > 127 ? 127 : first + o % 16);
                p.w_scale[o] = 1;
            }
            ramus_linear_i8_job job = {.n = p.n,
                                       .k = p.k,
                                       .x = p.x,
                                       .x_scale = p.x_scale,
                                       .x_sum = p.x_sum,
                                       .w = p.w,
                                       .w_scale = p.w_scale,
                                       .y = p.y,
                                       .y_stride = Y_STRIDE(&p)};
            for (int x = -127; x <= 127; x++)
                for (job.n_rows = 1; job.n_rows <= 6; job.n_rows += 5) {
                    for (int r = 0; r < 6; r++) {
                        p.x[r * 64] = p.x[r * 64 + 1] = (int8_t)x;
                        p.x_sum[r] = 2 * x, p.x_scale[r] = 1;
                    }
                    k[t].linear_i8(&job);
                    for (int r = 0; r < job.n_rows; r++)
                        for (int o = 0; o < p.n; o++)
                            EXPECT(p.y[r * Y_STRIDE(&p) + o] == (float)sum_of(&p, r, o),
                                   "%s, %d rows: row %d, output %d, x %d", k[t].isa, job.n_rows, r,
                                   o, x);
                }
            free_product(&p);
        }
}

static void embed_equals_plain_loops(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 140; n++) {
            product p = make_product(35, n, 1, false);
            const int output = (int)(draw() % 35);
            const int8_t *row = p.w + ramus_i8_row(n, output);
            float *y = floats(n), *bias = floats(n), *signal = floats(n);
            k[t].embed_i8(y, row, 0.37f, bias, signal, n);
            for (int i = 0; i < n; i++)
                EXPECT_NEAR(y[i],
                            p.w[ramus_i8_row(n, output) + ramus_i8_offset(i)] * (double)0.37f +
                                (double)bias[i] + (double)signal[i],
                            1e-5, "embed");
            k[t].embed_i8(y, NULL, 0.37f, NULL, signal, n);
            EXPECT_BYTES(y, signal, (size_t)n * sizeof *y, "%s: embed nothing", k[t].isa);
            free_floats(signal, n), free_floats(bias, n), free_floats(y, n);
            free_product(&p);
        }
}

/* Few different numbers, so that ties are frequent; NaN must not end a search. */
static void top_k_finds_the_first_of_the_largest(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 150; n++) {
            float *x = floats(n);
            const int levels = n % 3 ? 7 : 1000, most = n < 8 ? n : 8;
            for (int i = 0; i < n; i++)
                x[i] = i > 8 && draw() % 20 == 0 ? NAN : (float)(draw() % (unsigned)levels) - 3;
            int best[9] = {0};
            best[most] = -5;
            k[t].top_k(best, x, n, most);
            EXPECT_INT(best[most], -5, "behind the last");
            for (int b = 0; b < most; b++) {
                int before = 0; // how many come before best[b] in the order asked for
                for (int i = 0; i < n; i++)
                    before += x[i] > x[best[b]] || (i < best[b] && x[i] == x[best[b]]);
                EXPECT(before == b, "%s, %d: place %d has %d before it", k[t].isa, n, b, before);
            }
            free_floats(x, n);
        }
}

static void log_sum_exp_is_what_softmax_returns(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 100; n++) {
            float *x = floats(n), *y = floats(n);
            double total = 0;
            int best = 0;
            for (int i = 0; i < n; i++) {
                x[i] *= 10;
                total += exp((double)x[i]);
            }
            k[t].top_k(&best, x, n, 1);
            const float lse = k[t].log_sum_exp(x, n, x[best]);
            // cppcheck-suppress invalidFunctionArg ; n >= 1, so total > 0
            EXPECT_NEAR(lse, log(total), 1e-5, "log sum exp");
            EXPECT(lse == ramus_kernels_ref.softmax(y, x, n), "%s, %d: bits", k[t].isa, n);
            free_floats(y, n), free_floats(x, n);
        }
}

CHECK_MAIN({"a_matrix_lies_in_tiles", a_matrix_lies_in_tiles},
           {"quantize_equals_its_definition", quantize_equals_its_definition},
           {"quantize_defines_what_is_not_finite", quantize_defines_what_is_not_finite},
           {"linear_equals_plain_loops", linear_equals_plain_loops},
           {"sums_are_exact", sums_are_exact}, {"zeros_count_nothing", zeros_count_nothing},
           {"every_pair_of_values_multiplies_exactly", every_pair_of_values_multiplies_exactly},
           {"embed_equals_plain_loops", embed_equals_plain_loops},
           {"top_k_finds_the_first_of_the_largest", top_k_finds_the_first_of_the_largest},
           {"log_sum_exp_is_what_softmax_returns", log_sum_exp_is_what_softmax_returns})
