/* 4-bit numbers on every row of this CPU, the reference too, against plain loops: sums in whole
 * numbers, and every operation behind them rounded to float on its own. */
#include "kernels/i4.h"

#include "kernels/numbers.h"

/* [n / 16][k / 8][16][4], inputs padded to 64; input i % 8 < 4 in the low bits. */
static void a_matrix_lies_in_tiles_of_nibbles(void)
{
    EXPECT_INT(ramus_i4_size(1, 1), 8 * 64, "one number");
    EXPECT_INT(ramus_i4_size(17, 65), 2 * 16 * 64, "a ragged matrix");
    EXPECT_INT(ramus_i4_size(37056, 128), 37056 * 64, "whole tiles");
    EXPECT_INT(ramus_i4_scales(17, 65), 2 * 2 * 16, "scales");
    int8_t w[2 * 16 * 64] = {0};
    for (int o = 0; o < 17; o++)
        for (int i = 0; i < 65; i++) {
            const int place = ((o / 16 * 16 + i / 8) * 16 + o % 16) * 4 + i % 4;
            EXPECT_INT(ramus_i4_byte(65, o, i), place, "place");
            EXPECT_INT(ramus_i4_scale(65, o, i / 64), (o / 16 * 2 + i / 64) * 16 + o % 16, "scale");
            w[place] = (int8_t)(i % 8 < 4 ? 0x5a : 0xa5); // 10 in the half that is asked for
            EXPECT_INT(ramus_i4_get(w + ramus_i4_byte(65, o, 0), i), 2, "value");
        }
}

/* A matrix and rows of numbers; where there is padding, the matrix is random. */
typedef struct {
    int n, k, total;
    int *weights; // [n, k]
    int8_t *w, *x;
    ramus_half *half;
    float *x_scale, *bias, *scale, *y;
    int32_t *x_sum;
} product;

#define Y_STRIDE(p) ((p)->n + 3)

static size_t bytes_of_halves(const product *p)
{
    return ramus_i4_scales(p->n, p->k) * sizeof *p->half;
}

static size_t bytes_of_sums(const product *p)
{
    return (size_t)p->total * (size_t)ramus_i4_groups(p->k) * sizeof *p->x_sum;
}

static void draw_weights(product *p, bool extreme)
{
    for (size_t i = 0; i < ramus_i4_size(p->n, p->k); i++)
        p->w[i] = (int8_t)draw();
    for (int o = 0; o < p->n; o++)
        for (int i = 0; i < p->k; i++) {
            const int value = extreme ? (o % 2 ? -8 : 7) : (int)(draw() % 16) - 8;
            int8_t *both = p->w + ramus_i4_byte(p->k, o, i);
            const int other = i % 8 < 4 ? *both & 0xf0 : *both & 0x0f;
            *both = (int8_t)(other | (value + 8) << (i % 8 < 4 ? 0 : 4));
            p->weights[o * p->k + i] = value;
        }
}

/* thin: most inputs are zero, as behind a relu. */
static product make_product(int n, int k, int total, bool extreme, bool thin)
{
    product p = {.n = n, .k = k, .total = total};
    const size_t stride = (size_t)ramus_i8_stride(k);
    p.weights = malloc((size_t)n * (size_t)k * sizeof *p.weights);
    p.w = guarded(ramus_i4_size(n, k));
    p.half = guarded(bytes_of_halves(&p));
    p.x = guarded((size_t)total * stride);
    p.x_sum = guarded(bytes_of_sums(&p));
    p.bias = floats(n), p.x_scale = floats(total), p.scale = floats(3 * total);
    p.y = floats(total * Y_STRIDE(&p));
    draw_weights(&p, extreme);
    for (size_t i = 0; i < ramus_i4_scales(n, k); i++)
        p.half[i] =
            ramus_half_of(draw_normal() * (i % 7 ? 1 : 1e-6F)); // some below the normal ones
    for (int r = 0; r < total; r++)
        for (int i = 0; i < (int)stride; i++)
            p.x[(size_t)r * stride + (size_t)i] = (int8_t)(i >= k || (thin && draw() % 8) ? 0
                                                           : extreme ? (r % 2 ? -127 : 127)
                                                                     : draw_byte());
    return p;
}

static void free_product(product *p)
{
    const size_t stride = (size_t)ramus_i8_stride(p->k);
    free_floats(p->y, p->total * Y_STRIDE(p)), free_floats(p->scale, 3 * p->total);
    free_floats(p->x_scale, p->total), free_floats(p->bias, p->n);
    free_guarded(p->x_sum, bytes_of_sums(p));
    free_guarded(p->x, (size_t)p->total * stride);
    free_guarded(p->half, bytes_of_halves(p));
    free_guarded(p->w, ramus_i4_size(p->n, p->k));
    free(p->weights);
}

static int64_t sum_of_group(const product *p, int row, int output, int g)
{
    int64_t sum = 0;
    for (int i = 64 * g; i < p->k && i < 64 * (g + 1); i++)
        sum += (int64_t)p->weights[output * p->k + i] *
               p->x[(size_t)row * (size_t)ramus_i8_stride(p->k) + (size_t)i];
    return sum;
}

/* double is wide enough that rounding its sums and products to float rounds once. */
static float total_of(const product *p, int row, int output)
{
    float total = 0;
    for (int g = 0; g < (p->k + 63) / 64; g++) {
        const ramus_half half = p->half[ramus_i4_scale(p->k, output, g)];
        const float part =
            (float)((double)sum_of_group(p, row, output, g) * (double)ramus_half_float(half));
        total = (float)((double)total + (double)part);
    }
    return total;
}

/* variant, bits: rows are listed, results are added with a factor, relu, no bias */
static void check_linear(const ramus_kernels *k, product *p, int variant)
{
    const bool listed = variant & 1, added = variant & 2, relu = variant & 4, bias = !(variant & 8);
    int rows[64], n_rows = 0;
    for (int r = p->total - 1; r >= 0; r--)
        if (!listed || r % 3 != 1) rows[n_rows++] = r;
    const int length = p->total * Y_STRIDE(p), groups = ramus_i4_groups(p->k);
    float *want = malloc((size_t)length * sizeof *want);
    memcpy(want, p->y, (size_t)length * sizeof *want);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < p->n; j++) {
            float *y = want + rows[i] * Y_STRIDE(p) + j;
            float value = (float)((double)total_of(p, rows[i], j) * (double)p->x_scale[rows[i]]);
            if (bias) value = (float)((double)value + (double)p->bias[j]);
            const float part = (float)((double)value * (double)p->scale[3 * rows[i] + 1]);
            *y = added ? (float)((double)*y + (double)part) : value;
            if (relu && !(*y > 0)) *y = 0;
        }
    for (int r = 0; r < p->total; r++)
        k->sum_groups(p->x_sum + r * groups, p->x + r * ramus_i8_stride(p->k), p->k);
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
                                     .w_half = p->half,
                                     .bias = bias ? p->bias : NULL,
                                     .y = p->y,
                                     .y_stride = Y_STRIDE(p)};
    k->linear_i4(&job);
    for (int i = 0; i < length; i++)
        EXPECT(p->y[i] == want[i], "%s %d x %d, %d rows, variant %d: y[%d] = %.9g, want %.9g",
               k->isa, p->n, p->k, p->total, variant, i, (double)p->y[i], (double)want[i]);
    free(want);
}

static void linear_equals_plain_loops(void)
{
    static const int sizes[][3] = {{1, 1, 1},    {3, 5, 2},     {16, 64, 3},  {17, 33, 5},
                                   {40, 20, 9},  {31, 63, 7},   {48, 65, 8},  {16, 64, 6},
                                   {100, 9, 1},  {33, 130, 64}, {64, 128, 1}, {127, 4200, 1},
                                   {80, 256, 1}, {16, 9000, 1}};
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++)
            for (int variant = 0; variant < 16; variant++) {
                const int *size = sizes[i / 4];
                product p = make_product(size[0], size[1], size[2], i % 2, i / 2 % 2);
                check_linear(&k[t], &p, variant);
                free_product(&p);
            }
}

static void sums_of_groups_equal_plain_loops(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 300; n++) {
            product p = make_product(1, n, 1, n % 5 == 0, false);
            k[t].sum_groups(p.x_sum, p.x, n);
            for (int g = 0; g < (n + 63) / 64; g++) {
                int want = 0;
                for (int i = 64 * g; i < n && i < 64 * (g + 1); i++)
                    want += p.x[i];
                EXPECT_INT(p.x_sum[g], want, "sum");
            }
            free_product(&p);
        }
}

static void embed_equals_plain_loops(void)
{
    ramus_kernels k[8];
    const int n_tables = tables(k);
    for (int t = 0; t < n_tables; t++)
        for (int n = 1; n <= 200; n++) {
            product p = make_product(35, n, 1, false, false);
            const int output = (int)(draw() % 35);
            const ramus_i4_row row = ramus_i4_row_of(p.w, p.half, n, output);
            float *y = floats(n), *bias = floats(n), *signal = floats(n);
            k[t].embed_i4(y, &row, 0.37F, bias, signal, n);
            for (int i = 0; i < n; i++) {
                const double scale =
                    (double)ramus_half_float(p.half[ramus_i4_scale(n, output, i / 64)]);
                const float factor = (float)((double)0.37F * scale);
                float want = (float)(p.weights[output * n + i] * (double)factor);
                want = (float)((double)want + (double)bias[i]);
                want = (float)((double)want + (double)signal[i]);
                EXPECT(y[i] == want, "%s, %d: y[%d] = %.9g, want %.9g", k[t].isa, n, i,
                       (double)y[i], (double)want);
            }
            k[t].embed_i4(y, NULL, 0.37F, NULL, signal, n);
            EXPECT_BYTES(y, signal, (size_t)n * sizeof *y, "%s: embed nothing", k[t].isa);
            free_floats(signal, n), free_floats(bias, n), free_floats(y, n);
            free_product(&p);
        }
}

CHECK_MAIN({"a_matrix_lies_in_tiles_of_nibbles", a_matrix_lies_in_tiles_of_nibbles},
           {"linear_equals_plain_loops", linear_equals_plain_loops},
           {"sums_of_groups_equal_plain_loops", sums_of_groups_equal_plain_loops},
           {"embed_equals_plain_loops", embed_equals_plain_loops})
