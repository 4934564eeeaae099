/* The reference row against plain loops in double; and the order of summation, which is part of the
 * definition, to the last bit. */
#include "base/rng.h"
#include "kernels/exp.h"
#include "kernels/train.h"

#include "check.h"

#define GUARD 12345.0f

static uint64_t drawn;

static double draw(void)
{
    const ramus_rng rng = {check_seed(), 4, 4, 4};
    return ramus_rng_normal(&rng, drawn++);
}

/* n random numbers between guards; ended by free_guarded(). */
static float *guarded(int n)
{
    float *block = malloc(((size_t)n + 2) * sizeof *block);
    for (int i = 0; i < n; i++)
        block[i + 1] = (float)draw();
    block[0] = block[n + 1] = GUARD;
    return block + 1;
}

static void free_guarded(float *x, int n)
{
    EXPECT(x[-1] == GUARD && x[n] == GUARD, "guards of %d numbers", n);
    free(x - 1);
}

static double *as_double(const float *x, int n)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++)
        copy[i] = (double)x[i];
    return copy;
}

static void exp_is_close(void)
{
    double worst = 0;
    for (int i = 0; i <= 1000000; i++) {
        const float x = -87.0f + 175.0f * (float)i / 1000000;
        const double want = exp((double)x);
        worst = fmax(worst, fabs((double)ramus_exp(x) - want) / want);
    }
    EXPECT(worst <= 2e-7, "relative error %g", worst);
    EXPECT(ramus_exp(0) == 1 && ramus_exp(-88) == 0 && ramus_exp(-1e30f) == 0, "ends");
}

/* Against libm in double: the error of swish is that of exp, of gelu's cdf 1e-7. */
static void smooth_activations_are_close(void)
{
    double swish = 0, gelu = 0, slopes[2] = {0};
    for (int i = -40000; i <= 40000; i++) {
        const float x = (float)i / 2000, one = 1;
        const double d = (double)x, s = 1 / (1 + exp(-d)), cdf = erfc(-d / sqrt(2)) / 2;
        float y[2] = {0}, dx[2] = {0};
        ramus_kernels_ref.swish(&y[0], &x, 1);
        ramus_kernels_ref.gelu(&y[1], &x, 1);
        ramus_train_kernels_ref.swish_backward(&dx[0], &one, &x, 1);
        ramus_train_kernels_ref.gelu_backward(&dx[1], &one, &x, 1);
        swish = fmax(swish, fabs((double)y[0] - d * s) / fmax(1, fabs(d)));
        gelu = fmax(gelu, fabs((double)y[1] - d * cdf) / fmax(1, fabs(d)));
        slopes[0] = fmax(slopes[0], fabs((double)dx[0] - s * (1 + d * (1 - s))));
        slopes[1] =
            fmax(slopes[1], fabs((double)dx[1] - cdf - d * exp(-d * d / 2) / sqrt(2 * acos(-1))));
    }
    EXPECT(swish <= 3e-7 && gelu <= 3e-7, "swish %g, gelu %g", swish, gelu);
    EXPECT(slopes[0] <= 2e-6 && slopes[1] <= 1e-6, "slopes %g, %g", slopes[0], slopes[1]);
}

static void dot_products_have_16_lanes(void)
{
    for (int n = 1; n <= 70; n++) {
        float *x = guarded(n), *w = guarded(n), y = 0, lane[16] = {0};
        const ramus_linear_job job = {.n = 1, .k = n, .n_rows = 1, .x = x, .w = w, .y = &y};
        ramus_kernels_ref.linear(&job);
        for (int i = 0; i < n; i++) {
            volatile float product = x[i] * w[i];
            lane[i % 16] += product;
        }
        for (int half = 8; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                lane[i] += lane[i + half];
        EXPECT(y == lane[0], "%d terms: %.9g, %.9g", n, (double)y, (double)lane[0]);
        free_guarded(w, n);
        free_guarded(x, n);
    }
}

/* A linear map in every variant: which rows take part, and whether each has a factor. */
static void check_linear(int n, int k, int total, bool listed, bool scaled)
{
    int rows[64], n_rows = 0;
    for (int r = 0; r < total; r++)
        if (!listed || r % 3 != 1) rows[n_rows++] = r;
    float *x = guarded(total * k), *w = guarded(n * k), *bias = guarded(n), *y = guarded(total * n);
    float *scale = guarded(total * 3);
    double *want = as_double(y, total * n);
    const ramus_linear_job job = {.n = n,
                                  .k = k,
                                  .rows = listed ? rows : NULL,
                                  .n_rows = n_rows,
                                  .scale = scaled ? scale + 1 : NULL,
                                  .scale_stride = 3,
                                  .x = x,
                                  .w = w,
                                  .bias = bias,
                                  .y = y};
    ramus_kernels_ref.linear(&job);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n; j++) {
            const int r = rows[i];
            double value = (double)bias[j];
            for (int m = 0; m < k; m++)
                value += (double)w[j * k + m] * (double)x[r * k + m];
            want[r * n + j] = scaled ? want[r * n + j] + (double)scale[3 * r + 1] * value : value;
        }
    for (int i = 0; i < total * n; i++)
        EXPECT_NEAR(y[i], want[i], 2e-6 * (1 + k), "y");
    free(want);
    free_guarded(scale, total * 3), free_guarded(y, total * n), free_guarded(bias, n);
    free_guarded(w, n * k), free_guarded(x, total * k);
}

static void linear_equals_plain_loops(void)
{
    static const int sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {16, 16, 7}, {17, 33, 10}, {40, 20, 9}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 4; variant++)
            check_linear(sizes[i][0], sizes[i][1], sizes[i][2], variant & 1, variant & 2);
}

static void softmax_equals_its_definition(void)
{
    for (int n = 1; n <= 65; n++) {
        float *x = guarded(n), *y = guarded(n);
        double top = -1e300, total = 0;
        for (int i = 0; i < n; i++) {
            x[i] *= 20; // far apart: the largest must be taken off first
            top = fmax(top, (double)x[i]);
        }
        for (int i = 0; i < n; i++)
            total += exp((double)x[i] - top);
        const float lse = ramus_kernels_ref.softmax(y, x, n);
        for (int i = 0; i < n; i++)
            EXPECT_NEAR(y[i], exp((double)x[i] - top) / total, 1e-6, "softmax");
        EXPECT_NEAR(lse, top + log(total), 1e-5, "log sum exp");
        free_guarded(y, n);
        free_guarded(x, n);
    }
}

static void norm_equals_its_definition(void)
{
    for (int n = 2; n <= 65; n++) {
        float *x = guarded(n), *y = guarded(n), *sum = guarded(n), *gain = guarded(n),
              *bias = guarded(n);
        float *residual = guarded(n), stats[2];
        double mean = 0, variance = 0;
        ramus_kernels_ref.norm(y, sum, stats, x, residual, gain, bias, 1e-5f, n);
        for (int i = 0; i < n; i++)
            mean += ((double)x[i] + (double)residual[i]) / n;
        for (int i = 0; i < n; i++)
            variance += pow((double)x[i] + (double)residual[i] - mean, 2) / n;
        for (int i = 0; i < n; i++) {
            const double h = ((double)x[i] + (double)residual[i] - mean) / sqrt(variance + 1e-5);
            EXPECT_NEAR(sum[i], (double)x[i] + (double)residual[i], 1e-6, "sum");
            EXPECT_NEAR(y[i], h * (double)gain[i] + (double)bias[i], 2e-5, "norm");
        }
        EXPECT_NEAR(stats[0], mean, 1e-6, "mean");
        free_guarded(residual, n), free_guarded(bias, n), free_guarded(gain, n);
        free_guarded(sum, n), free_guarded(y, n), free_guarded(x, n);
    }
}

static void attention_equals_its_definition(void)
{
    enum { HEADS = 3, SIZE = 5, WIDTH = HEADS * SIZE, KEYS = 19, MOST = (KEYS + 1) * 8 };
    float *q = guarded(WIDTH), *k = guarded(KEYS * WIDTH), *v = guarded(KEYS * WIDTH);
    float *out = guarded(WIDTH), *p = guarded(MOST);
    const int rows[KEYS] = {4, 0, 8, 3, 3, 7, 1, 2, 6, 18, 17, 16, 11, 12, 13, 9, 10, 5, 5};
    for (int n = 1; n <= KEYS; n++)
        for (int variant = 0; variant < 2; variant++) {
            const int *list = variant ? rows : NULL, stride = ramus_attention_stride(HEADS);
            const ramus_attention_job job = {.n = n,
                                             .heads = HEADS,
                                             .size = SIZE,
                                             .rows = list,
                                             .scale = 0.7f,
                                             .q = q,
                                             .k = k,
                                             .v = v,
                                             .p = p,
                                             .out = out};
            ramus_kernels_ref.attention(&job);
            for (int i = 0; i < (n + 1) * stride; i++)
                if (i % stride >= HEADS) EXPECT_NEAR(p[i], 0, 0, "behind the heads");
            for (int h = 0; h < HEADS; h++) {
                double score[KEYS] = {0}, total = 0;
                for (int j = 0; j < n; j++) {
                    const float *key = k + (list ? rows[j] : j) * WIDTH;
                    for (int i = h * SIZE; i < (h + 1) * SIZE; i++)
                        score[j] += 0.7 * (double)q[i] * (double)key[i];
                    total += exp(score[j]);
                }
                for (int j = 0; j < n; j++)
                    EXPECT_NEAR(p[j * stride + h] * p[n * stride + h], exp(score[j]) / total, 1e-6,
                                "p");
                for (int i = h * SIZE; i < (h + 1) * SIZE; i++) {
                    double want = 0;
                    for (int j = 0; j < n; j++)
                        want += exp(score[j]) / total * (double)v[(list ? rows[j] : j) * WIDTH + i];
                    EXPECT_NEAR(out[i], want, 1e-5, "attention");
                }
            }
        }
    free_guarded(p, MOST), free_guarded(out, WIDTH);
    free_guarded(v, KEYS * WIDTH), free_guarded(k, KEYS * WIDTH), free_guarded(q, WIDTH);
}

static void cross_entropy_equals_its_definition(void)
{
    for (int n = 2; n <= 40; n++) {
        float *logits = guarded(n), *d = guarded(n);
        const double low = 0.1 / (n - 1);
        const float gradient = 0.25f;
        const int label = n / 2;
        double total = 0, want = 0;
        for (int i = 0; i < n; i++)
            total += exp((double)logits[i]);
        for (int i = 0; i < n; i++)
            want -= (i == label ? 0.9 : low) * ((double)logits[i] - log(total));
        memcpy(d, logits, (size_t)n * sizeof *d);
        EXPECT_NEAR(ramus_kernels_ref.cross_entropy(logits, n, label, 0.9, low), want, 1e-5,
                    "loss");
        double nll = 0;
        const double again =
            ramus_train_kernels_ref.cross_entropy_gradient(d, n, label, 0.9, low, gradient, &nll);
        EXPECT_NEAR(again, want, 1e-5, "again");
        EXPECT_NEAR(nll, log(total) - (double)logits[label], 1e-5, "without smoothing");
        for (int i = 0; i < n; i++) {
            const double p = exp((double)logits[i]) / total;
            EXPECT_NEAR(d[i], 0.25 * (p - (i == label ? 0.9 : low)), 1e-6, "gradient");
        }
        free_guarded(d, n);
        free_guarded(logits, n);
    }
}

static void small_kernels_by_hand(void)
{
    const float x[4] = {-1, 0, 2, 3}, a[4] = {1, 2, 3, 4};
    float y[4] = {-1, 0, 2, 3}, dy[4] = {5, 6, 7, 8};
    const uint32_t bits[4] = {0, 999, 1000, 4000000000u};
    ramus_kernels_ref.relu(y, 4);
    EXPECT(y[0] == 0 && y[1] == 0 && y[2] == 2 && y[3] == 3, "relu");
    ramus_train_kernels_ref.relu_backward(dy, y, 4);
    EXPECT(dy[0] == 0 && dy[1] == 0 && dy[2] == 7 && dy[3] == 8, "relu backward");
    ramus_kernels_ref.axpy(y, 2, a, 4);
    EXPECT(y[0] == 2 && y[1] == 4 && y[2] == 8 && y[3] == 11, "axpy");
    ramus_kernels_ref.add(y, x, a, 4);
    EXPECT(y[0] == 0 && y[1] == 2 && y[2] == 5 && y[3] == 7, "add");
    ramus_train_kernels_ref.dropout(y, a, bits, 1000, 1.5f, 4);
    EXPECT(y[0] == 0 && y[1] == 0 && y[2] == 4.5f && y[3] == 6, "dropout");
    ramus_kernels_ref.embed(y, a, 2, x, x, 4);
    EXPECT(y[0] == 0 && y[1] == 4 && y[2] == 10 && y[3] == 14, "embed");
    ramus_kernels_ref.embed(y, NULL, 2, NULL, x, 4);
    EXPECT_BYTES(y, x, sizeof y, "embed nothing");
}

static void convolution_equals_its_definition(void)
{
    static const int rows[] = {6, 0, 3, 3, 1};
    for (int n = 1; n <= 5; n++)
        for (int size = 1; size <= 35; size += 2)
            for (int listed = 0; listed < 2; listed++) {
                const int heads = 3, stride = 6, width = heads * size;
                float *v = guarded(7 * width), *taps = guarded(heads * stride),
                      *out = guarded(width);
                const ramus_convolution_job job = {.n = n,
                                                   .heads = heads,
                                                   .size = size,
                                                   .stride = stride,
                                                   .rows = listed ? rows : NULL,
                                                   .taps = taps,
                                                   .v = v,
                                                   .out = out};
                ramus_kernels_ref.convolution(&job);
                for (int j = 0; j < width; j++) {
                    double want = 0;
                    for (int k = 0; k < n; k++)
                        want += (double)taps[j / size * stride + k] *
                                (double)v[(listed ? rows[k] : k) * width + j];
                    EXPECT_NEAR(out[j], want, 2e-6, "convolution");
                }
                free_guarded(out, width), free_guarded(taps, heads * stride);
                free_guarded(v, 7 * width);
            }
}

static void glu_equals_its_definition(void)
{
    for (int n = 1; n <= 40; n++) {
        float *x = guarded(2 * n), *y = guarded(n);
        ramus_kernels_ref.glu(y, x, n);
        for (int i = 0; i < n; i++)
            EXPECT_NEAR(y[i], (double)x[i] / (1 + exp(-(double)x[n + i])), 1e-6, "glu");
        free_guarded(y, n), free_guarded(x, 2 * n);
    }
}

CHECK_MAIN({"convolution_equals_its_definition", convolution_equals_its_definition},
           {"glu_equals_its_definition", glu_equals_its_definition},
           {"smooth_activations_are_close", smooth_activations_are_close},
           {"exp_is_close", exp_is_close},
           {"dot_products_have_16_lanes", dot_products_have_16_lanes},
           {"linear_equals_plain_loops", linear_equals_plain_loops},
           {"softmax_equals_its_definition", softmax_equals_its_definition},
           {"norm_equals_its_definition", norm_equals_its_definition},
           {"attention_equals_its_definition", attention_equals_its_definition},
           {"cross_entropy_equals_its_definition", cross_entropy_equals_its_definition},
           {"small_kernels_by_hand", small_kernels_by_hand})
