/* The reference row: what each kernel of translation means. Plain loops that keep to 16 lanes. */
#include "kernels/kernels.h"

#include "base/math.h"
#include "kernels/activation.h"
#include "kernels/ref.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#define TINY    ((ramus_real)1e-30) // 127 / x is finite from here on
#define LARGEST ((ramus_real)FLT_MAX)

/* y[i] = exp(x[i] - top), which may be in place; returns the sum. */
static ramus_real exponentials(ramus_real *y, const ramus_real *x, ramus_real top, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = ramus_exp(x[i] - top);
    return sum(y, n);
}

static int job_row(const ramus_linear_job *job, int i)
{
    return job->rows ? job->rows[i] : i;
}

static ramus_real job_scale(const ramus_linear_job *job, int row)
{
    return job->scale ? job->scale[(ptrdiff_t)row * job->scale_stride] : 1;
}

static void linear(const ramus_linear_job *job)
{
    const int n = job->n, k = job->k;
    for (int i = 0; i < job->n_rows; i++) {
        const int row = job_row(job, i);
        const ramus_real *x = job->x + (ptrdiff_t)row * k;
        ramus_real *y = job->y + (ptrdiff_t)row * n;
        for (int j = 0; j < n; j++) {
            ramus_real value = dot(job->w + (ptrdiff_t)j * k, x, k);
            if (job->bias) value += job->bias[j];
            y[j] = job->scale ? y[j] + job_scale(job, row) * value : value;
        }
    }
}

/* The nearest integer, halves to even, of x in [-127, 127]. */
static int nearest(ramus_real x)
{
    const float shift = 12582912.0f; // 1.5 * 2^23: adding it rounds to integers
    return (int)(((float)x + shift) - shift);
}

static void quantize(int8_t *q, ramus_real *scale, int32_t *total, const ramus_real *x, int n)
{
    ramus_real max = 0;
    for (int i = 0; i < n; i++) {
        const ramus_real size = x[i] < 0 ? -x[i] : x[i];
        if (size > max) max = size;
    }
    if (max > LARGEST) max = LARGEST;
    const bool empty = max < TINY;
    const ramus_real factor = empty ? 0 : 127 / max;
    *scale = empty ? 0 : max / 127;
    *total = 0;
    memset(q, 0, (size_t)ramus_i8_stride(n));
    for (int i = 0; i < n && !empty; i++) {
        ramus_real value = x[i] * factor;
        value = value < 127 ? value : 127; // NaN, too
        value = value > -127 ? value : -127;
        q[i] = (int8_t)nearest(value);
        *total += q[i];
    }
}

/* sum[o] = sum_i w[o,i] x[i] for the outputs of the tiles that begin at w */
static void tile_sums(int32_t total[RAMUS_I8_OUTPUTS], const int8_t *w, const int8_t *x, int k)
{
    memset(total, 0, RAMUS_I8_OUTPUTS * sizeof *total);
    for (int g = 0; g < ramus_i8_groups(k); g++)
        for (int o = 0; o < RAMUS_I8_OUTPUTS; o++)
            for (int i = 0; i < RAMUS_I8_INPUTS; i++)
                total[o] +=
                    w[g * RAMUS_I8_TILE + o * RAMUS_I8_INPUTS + i] * x[g * RAMUS_I8_INPUTS + i];
}

/* What the product of row and output j becomes. */
static void finish(const ramus_linear_i8_job *job, ramus_real value, int row, int j)
{
    ramus_real *y = job->y + row * job->y_stride + j;
    if (job->bias) value += job->bias[j];
    if (job->scale) value = *y + job->scale[(ptrdiff_t)row * job->scale_stride] * value;
    *y = job->relu && !(value > 0) ? 0 : value;
}

static void linear_i8(const ramus_linear_i8_job *job)
{
    for (int first = 0; first < job->n; first += RAMUS_I8_OUTPUTS)
        for (int i = 0; i < job->n_rows; i++) {
            const int row = job->rows ? job->rows[i] : i;
            int32_t total[RAMUS_I8_OUTPUTS];
            tile_sums(total, job->w + ramus_i8_row(job->k, first),
                      job->x + (ptrdiff_t)row * ramus_i8_stride(job->k), job->k);
            for (int j = first; j < job->n && j < first + RAMUS_I8_OUTPUTS; j++)
                finish(job, (ramus_real)total[j - first] * (job->w_scale[j] * job->x_scale[row]),
                       row, j);
        }
}

/* sum[o] = sum_i w[o,i] x[i] over a group of inputs, for the outputs of the tiles that begin at w
 */
static void group_sums(int32_t total[RAMUS_I8_OUTPUTS], const int8_t *w, const int8_t *x)
{
    memset(total, 0, RAMUS_I8_OUTPUTS * sizeof *total);
    for (int t = 0; t < RAMUS_I4_GROUP_TILES; t++, x += RAMUS_I4_TILE_INPUTS)
        for (int o = 0; o < RAMUS_I8_OUTPUTS; o++)
            for (int i = 0; i < RAMUS_I8_INPUTS; i++) {
                const uint8_t both = (uint8_t)w[t * RAMUS_I8_TILE + o * RAMUS_I8_INPUTS + i];
                total[o] += ((both & 15) - 8) * x[i] + ((both >> 4) - 8) * x[RAMUS_I8_INPUTS + i];
            }
}

/* The outputs from `first` on, a row of tiles, for one row of x. */
static void tiles_i4(const ramus_linear_i8_job *job, int row, int first)
{
    const ramus_i4_row all = ramus_i4_row_of(job->w, job->w_half, job->k, first);
    const int8_t *x = job->x + (ptrdiff_t)row * ramus_i8_stride(job->k);
    ramus_real total[RAMUS_I8_OUTPUTS] = {0};
    for (int g = 0; g < ramus_i4_groups(job->k); g++) {
        const ramus_i4_row w = ramus_i4_group(all, g);
        int32_t sums[RAMUS_I8_OUTPUTS];
        group_sums(sums, w.w, x + (ptrdiff_t)g * RAMUS_I4_GROUP);
        for (int o = 0; o < RAMUS_I8_OUTPUTS; o++)
            total[o] += (ramus_real)sums[o] * (ramus_real)ramus_half_float(w.scale[o]);
    }
    for (int j = first; j < job->n && j < first + RAMUS_I8_OUTPUTS; j++)
        finish(job, total[j - first] * job->x_scale[row], row, j);
}

static void linear_i4(const ramus_linear_i8_job *job)
{
    for (int first = 0; first < job->n; first += RAMUS_I8_OUTPUTS)
        for (int i = 0; i < job->n_rows; i++)
            tiles_i4(job, job->rows ? job->rows[i] : i, first);
}

static void sum_groups(int32_t *sums, const int8_t *q, int n)
{
    memset(sums, 0, (size_t)ramus_i4_groups(n) * sizeof *sums);
    for (int i = 0; i < n; i++)
        sums[i / RAMUS_I4_GROUP] += q[i];
}

static ramus_real softmax(ramus_real *y, const ramus_real *x, int n)
{
    const ramus_real top = largest(x, n);
    const ramus_real total = exponentials(y, x, top, n);
    const ramus_real factor = 1 / total;
    for (int i = 0; i < n; i++)
        y[i] *= factor;
    return top + (ramus_real)ramus_math_log((double)total);
}

static ramus_real log_sum_exp(const ramus_real *x, int n, ramus_real top)
{
    return top + (ramus_real)ramus_math_log((double)sum_exp(x, top, n));
}

static void top_k(int *best, const ramus_real *x, int n, int k)
{
    int held = 0;
    for (int i = 0; i < n; i++) {
        if (held == k && !(x[i] > x[best[k - 1]])) continue;
        int at = held < k ? held++ : k - 1;
        for (; at > 0 && x[i] > x[best[at - 1]]; at--)
            best[at] = best[at - 1];
        best[at] = i;
    }
}

static void norm(ramus_real *y, ramus_real *total, ramus_real stats[2], const ramus_real *x,
                 const ramus_real *residual, const ramus_real *gain, const ramus_real *bias,
                 ramus_real epsilon, int n)
{
    ramus_real square[LANES] = {0};
    for (int i = 0; i < n; i++)
        total[i] = residual ? x[i] + residual[i] : x[i];
    const ramus_real mean = sum(total, n) / (ramus_real)n;
    for (int i = 0; i < n; i++)
        square[i % LANES] += (total[i] - mean) * (total[i] - mean);
    const ramus_real scale = 1 / ramus_sqrt(add_lanes(square) / (ramus_real)n + epsilon);
    for (int i = 0; i < n; i++)
        y[i] = (total[i] - mean) * scale * gain[i] + bias[i];
    stats[0] = mean;
    stats[1] = scale;
}

/* The scores of one head, `stride` apart, become exponentials; behind them: 1 / their sum. */
static void soften(ramus_real *p, int n, int stride)
{
    ramus_real top = NEVER, total[2] = {0};
    for (int j = 0; j < n; j++)
        if (p[j * stride] > top) top = p[j * stride];
    for (int j = 0; j < n; j++) {
        p[j * stride] = ramus_exp(p[j * stride] - top);
        total[j % 2] += p[j * stride];
    }
    p[n * stride] = 1 / (total[0] + total[1]);
}

static void attention(const ramus_attention_job *job)
{
    const int n = job->n, size = job->size, stride = ramus_attention_stride(job->heads);
    const ptrdiff_t width = (ptrdiff_t)job->heads * size;
    memset(job->out, 0, (size_t)width * sizeof *job->out);
    memset(job->p, 0, ((size_t)n + 1) * (size_t)stride * sizeof *job->p);
    for (int h = 0; h < job->heads; h++) {
        ramus_real *p = job->p + h, *out = job->out + (ptrdiff_t)h * size;
        const ptrdiff_t head = (ptrdiff_t)h * size;
        for (int j = 0; j < n; j++) {
            const ramus_real *k = job->k + (job->rows ? job->rows[j] : j) * width;
            p[j * stride] = dot(job->q + head, k + head, size) * job->scale;
        }
        soften(p, n, stride);
        for (int j = 0; j < n; j++) {
            const ramus_real *v = job->v + (job->rows ? job->rows[j] : j) * width;
            axpy(out, p[j * stride], v + head, size);
        }
        for (int i = 0; i < size; i++)
            out[i] *= p[n * stride];
    }
}

static void convolution(const ramus_convolution_job *job)
{
    const int size = job->size;
    const ptrdiff_t width = (ptrdiff_t)job->heads * size;
    memset(job->out, 0, (size_t)width * sizeof *job->out);
    for (int k = 0; k < job->n; k++) {
        const ramus_real *v = job->v + (job->rows ? job->rows[k] : k) * width;
        for (int h = 0; h < job->heads; h++)
            axpy(job->out + h * size, job->taps[h * job->stride + k], v + h * size, size);
    }
}

static void embed(ramus_real *y, const ramus_real *row, ramus_real scale, const ramus_real *bias,
                  const ramus_real *signal, int n)
{
    for (int i = 0; i < n; i++) {
        ramus_real value = row ? row[i] * scale : 0;
        if (bias) value += bias[i];
        y[i] = value + signal[i];
    }
}

static void embed_i8(ramus_real *y, const int8_t *row, ramus_real scale, const ramus_real *bias,
                     const ramus_real *signal, int n)
{
    for (int i = 0; i < n; i++) {
        ramus_real value = row ? (ramus_real)row[ramus_i8_offset(i)] * scale : 0;
        if (bias) value += bias[i];
        y[i] = value + signal[i];
    }
}

static void embed_i4(ramus_real *y, const ramus_i4_row *row, ramus_real scale,
                     const ramus_real *bias, const ramus_real *signal, int n)
{
    for (int i = 0; i < n; i++) {
        ramus_real value = 0;
        if (row) {
            const ramus_half half = row->scale[i / RAMUS_I4_GROUP * RAMUS_I8_OUTPUTS];
            value =
                (ramus_real)ramus_i4_get(row->w, i) * (scale * (ramus_real)ramus_half_float(half));
        }
        if (bias) value += bias[i];
        y[i] = value + signal[i];
    }
}

static void add(ramus_real *y, const ramus_real *a, const ramus_real *b, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

static void relu(ramus_real *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] > 0 ? y[i] : 0;
}

static void swish(ramus_real *y, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * ramus_sigmoid(x[i]);
}

static void gelu(ramus_real *y, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * ramus_normal_cdf(x[i]);
}

static void glu(ramus_real *y, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * ramus_sigmoid(x[n + i]);
}

static double cross_entropy(const ramus_real *logits, int n, int label, double high, double low)
{
    const ramus_real top = largest(logits, n);
    const double lse = (double)top + ramus_math_log((double)sum_exp(logits, top, n));
    return lse - (high - low) * (double)logits[label] - low * (double)sum(logits, n);
}

const ramus_kernels ramus_kernels_ref = {
    .isa = "ref",
    .linear = linear,
    .quantize = quantize,
    .linear_i8 = linear_i8,
    .linear_i4 = linear_i4,
    .sum_groups = sum_groups,
    .softmax = softmax,
    .log_sum_exp = log_sum_exp,
    .top_k = top_k,
    .norm = norm,
    .attention = attention,
    .convolution = convolution,
    .embed = embed,
    .embed_i8 = embed_i8,
    .embed_i4 = embed_i4,
    .add = add,
    .axpy = axpy,
    .relu = relu,
    .swish = swish,
    .gelu = gelu,
    .glu = glu,
    .cross_entropy = cross_entropy,
};
