/* The reference row: what each kernel means. Plain loops; the exact ones keep to 16 lanes. */
#include "kernels/kernels.h"

#include "base/math.h"
#include "kernels/exp.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#define LANES    16
#define NORM_EPS ((ramus_real)1e-5)
#define NEVER    ((ramus_real)-1e30)
#define TINY     ((ramus_real)1e-30) // 127 / x is finite from here on
#define LARGEST  ((ramus_real)FLT_MAX)

static ramus_real add_lanes(ramus_real lane[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

static ramus_real dot(const ramus_real *a, const ramus_real *b, int n)
{
    ramus_real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] += a[i + l] * b[i + l];
    return add_lanes(lane);
}

static ramus_real sum(const ramus_real *x, int n)
{
    ramus_real lane[LANES] = {0};
    for (int i = 0; i < n; i++)
        lane[i % LANES] += x[i];
    return add_lanes(lane);
}

static ramus_real largest(const ramus_real *x, int n)
{
    ramus_real best = NEVER;
    for (int i = 0; i < n; i++)
        if (x[i] > best) best = x[i];
    return best;
}

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

static void axpy(ramus_real *y, ramus_real a, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

#define HEIGHT 4
#define WIDTH  16

/* sum[i][j] for HEIGHT rows that start at a[i] and go on every `step` numbers */
static void gemm_tile(ramus_real sum[HEIGHT][WIDTH], const ramus_real *const a[HEIGHT],
                      ptrdiff_t step, const ramus_real *b, int depth)
{
    memset(sum, 0, HEIGHT * sizeof *sum);
    for (int t = 0; t < depth; t++)
        for (int i = 0; i < HEIGHT; i++)
            for (int j = 0; j < WIDTH; j++)
                sum[i][j] += a[i][t * step] * b[(ptrdiff_t)t * WIDTH + j];
}

static void gemm_store(const ramus_gemm_job *job, const ramus_real *sum_row, int row)
{
    const ramus_real scale = job->scale ? job->scale[(ptrdiff_t)row * job->scale_stride] : 1;
    ramus_real *c = job->c + row * job->c_stride;
    ramus_real dscale = 0;
    for (int j = 0; j < job->columns; j++) {
        ramus_real value = sum_row[j];
        if (job->dscale) dscale += value * job->x[row * job->c_stride + j];
        if (job->bias) value += job->bias[j];
        value *= scale;
        c[j] = job->add ? c[j] + value : value;
    }
    if (job->dscale) job->dscale[(ptrdiff_t)row * job->scale_stride] += dscale;
}

static void gemm_panel(const ramus_gemm_job *job)
{
    for (int first = 0; first < job->n_rows; first += HEIGHT) {
        const ramus_real *a[HEIGHT];
        ramus_real tile[HEIGHT][WIDTH];
        int row[HEIGHT];
        for (int i = 0; i < HEIGHT; i++) { // behind the last row: the last row again, not stored
            const int at = first + i < job->n_rows ? first + i : job->n_rows - 1;
            row[i] = job->rows ? job->rows[at] : at;
            a[i] = job->a_stride ? job->a + row[i] * job->a_stride
                                 : job->a + (ptrdiff_t)first * job->depth + i;
        }
        gemm_tile(tile, a, job->a_stride ? 1 : HEIGHT, job->b, job->depth);
        for (int i = 0; i < HEIGHT && first + i < job->n_rows; i++)
            gemm_store(job, tile[i], row[i]);
    }
}

static void pack(ramus_real *to, ramus_real *sums, const ramus_pack_job *job, int width)
{
    for (int i = 0; i < job->n_rows; i++) {
        const int row = job->rows ? job->rows[i] : i;
        const ramus_real *src = job->src + row * job->stride;
        const ramus_real scale = job->scale ? job->scale[(ptrdiff_t)row * job->scale_stride] : 1;
        for (int first = 0; first < job->columns; first += width) {
            ramus_real *group = to + (ptrdiff_t)first * job->n_rows + (ptrdiff_t)i * width;
            for (int j = 0; j < width; j++)
                group[j] = first + j < job->columns ? scale * src[first + j] : 0;
        }
        for (int j = 0; sums && j < job->columns; j++)
            sums[j] += scale * src[j];
    }
}

static void gemm_pack_a(ramus_real *to, ramus_real *sums, const ramus_pack_job *job)
{
    pack(to, sums, job, HEIGHT);
}

static void gemm_pack_b(ramus_real *to, const ramus_pack_job *job)
{
    pack(to, NULL, job, WIDTH);
}

static double gemm_peak(long rounds)
{
    ramus_real sum[WIDTH] = {0};
    const volatile ramus_real start = 1;
    const ramus_real a = start;
    for (long i = 0; i < rounds; i++)
        for (int j = 0; j < WIDTH; j++)
            sum[j] = sum[j] * a + a;
    const volatile ramus_real used = sum[0];
    (void)used;
    return 2.0 * WIDTH * (double)rounds;
}

static const ramus_gemm gemm = {HEIGHT, WIDTH, gemm_panel, gemm_pack_b, gemm_pack_a, gemm_peak};

/* The nearest whole number, halves to even, of x in [-127, 127]. */
static int nearest(ramus_real x)
{
    const float shift = 12582912.0f; // 1.5 * 2^23: adding it rounds to whole numbers
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
    return top + (ramus_real)ramus_math_log(total);
}

static ramus_real log_sum_exp(const ramus_real *x, int n, ramus_real top)
{
    ramus_real lane[LANES] = {0};
    for (int i = 0; i < n; i++)
        lane[i % LANES] += ramus_exp(x[i] - top);
    return top + (ramus_real)ramus_math_log(add_lanes(lane));
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
                 const ramus_real *residual, const ramus_real *gain, const ramus_real *bias, int n)
{
    ramus_real square[LANES] = {0};
    for (int i = 0; i < n; i++)
        total[i] = residual ? x[i] + residual[i] : x[i];
    const ramus_real mean = sum(total, n) / (ramus_real)n;
    for (int i = 0; i < n; i++)
        square[i % LANES] += (total[i] - mean) * (total[i] - mean);
    const ramus_real scale = 1 / ramus_sqrt(add_lanes(square) / (ramus_real)n + NORM_EPS);
    for (int i = 0; i < n; i++)
        y[i] = (total[i] - mean) * scale * gain[i] + bias[i];
    stats[0] = mean;
    stats[1] = scale;
}

static void norm_backward_row(const ramus_norm_job *job, int r)
{
    const int n = job->n;
    const ptrdiff_t at = (ptrdiff_t)r * n;
    const ramus_real mean = job->stats[2 * (ptrdiff_t)r], scale = job->stats[2 * (ptrdiff_t)r + 1];
    ramus_real mean_d = 0,
               mean_dh = 0; // means of d and of d * h; h the normalised row, d its gradient
    for (int i = 0; i < n; i++) {
        const ramus_real dy = job->dy[at + i], h = (job->sum[at + i] - mean) * scale;
        mean_d += dy * job->gain[i];
        mean_dh += dy * job->gain[i] * h;
        job->dgain[i] += dy * h;
        job->dbias[i] += dy;
    }
    mean_d /= (ramus_real)n;
    mean_dh /= (ramus_real)n;
    for (int i = 0; i < n; i++) {
        const ramus_real h = (job->sum[at + i] - mean) * scale;
        const ramus_real d = (job->dy[at + i] * job->gain[i] - mean_d - h * mean_dh) * scale;
        if (job->dx) job->dx[at + i] += d;
        if (job->dresidual) job->dresidual[at + i] += d;
    }
}

static void norm_backward(const ramus_norm_job *job)
{
    for (int r = 0; r < job->rows; r++)
        norm_backward_row(job, r);
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

static void attention_train(const ramus_attention_block *b)
{
    ramus_real *p = b->scratch;
    for (int i = 0; i < b->queries; i++) {
        const int n = b->seen + i * b->more;
        const ramus_real *keep = b->keep ? b->keep + (ptrdiff_t)i * b->keys : NULL;
        ramus_real *out = b->out + (ptrdiff_t)i * b->stride;
        for (int j = 0; j < n; j++)
            p[j] = b->scale *
                   dot(b->q + (ptrdiff_t)i * b->stride, b->k + (ptrdiff_t)j * b->stride, b->size);
        b->lse[(ptrdiff_t)i * b->lse_stride] = softmax(p, p, n);
        memset(out, 0, (size_t)b->size * sizeof *out);
        for (int j = 0; j < n; j++)
            axpy(out, keep ? p[j] * keep[j] : p[j], b->v + (ptrdiff_t)j * b->stride, b->size);
    }
}

static void attention_backward(const ramus_attention_block *b)
{
    for (int i = 0; i < b->queries; i++) {
        const ptrdiff_t own = (ptrdiff_t)i * b->stride;
        const ramus_real *q = b->q + own, *dout = b->dout + own;
        const ramus_real lse = b->lse[(ptrdiff_t)i * b->lse_stride];
        const ramus_real mean = dot(dout, b->out + own, b->size); // sum_j p[j] dp[j]
        for (int j = 0; j < b->seen + i * b->more; j++) {
            const ptrdiff_t at = (ptrdiff_t)j * b->stride;
            const ramus_real p = ramus_exp(dot(q, b->k + at, b->size) * b->scale - lse);
            const ramus_real keep = b->keep ? b->keep[(ptrdiff_t)i * b->keys + j] : 1;
            const ramus_real dp = dot(dout, b->v + at, b->size) * keep;
            const ramus_real ds = p * (dp - mean) * b->scale;
            axpy(b->dv + at, p * keep, dout, b->size);
            axpy(b->dk + at, ds, q, b->size);
            axpy(b->dq + own, ds, b->k + at, b->size);
        }
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

static void relu_backward(ramus_real *dy, const ramus_real *y, int n)
{
    for (int i = 0; i < n; i++)
        dy[i] = y[i] > 0 ? dy[i] : 0;
}

static void random_bits(uint32_t *out, const ramus_rng *rng, uint64_t first, int n)
{
    ramus_rng_fill(rng, out, first, n);
}

static void dropout(ramus_real *y, const ramus_real *x, const uint32_t *bits, uint32_t threshold,
                    ramus_real scale, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = bits[i] < threshold ? 0 : x[i] * scale;
}

static double cross_entropy(ramus_real *logits, int n, int label, double high, double low,
                            const ramus_real *gradient)
{
    const ramus_real top = largest(logits, n), labelled = logits[label];
    const ramus_real total = sum(logits, n);
    ramus_real lane[LANES] = {0};
    for (int i = 0; i < n; i++)
        lane[i % LANES] += ramus_exp(logits[i] - top);
    const ramus_real sum_exp = add_lanes(lane);
    const double lse = (double)top + ramus_math_log((double)sum_exp);

    if (gradient) {
        const ramus_real scale = *gradient / sum_exp, rest = (ramus_real)low * *gradient;
        for (int i = 0; i < n; i++)
            logits[i] = ramus_exp(logits[i] - top) * scale - rest;
        logits[label] -= (ramus_real)(high - low) * *gradient;
    }
    return lse - (high - low) * (double)labelled - low * (double)total;
}

static void adam(ramus_real *w, ramus_real *m, ramus_real *v, const ramus_real *grad, int n,
                 const ramus_adam *how)
{
    for (int i = 0; i < n; i++) {
        const ramus_real g = how->grad_scale * grad[i];
        m[i] = how->beta1 * m[i] + (1 - how->beta1) * g;
        v[i] = how->beta2 * v[i] + (1 - how->beta2) * (g * g);
        const ramus_real step =
            m[i] * how->correction1 / (ramus_sqrt(v[i] * how->correction2) + how->epsilon);
        w[i] -= how->rate * (step + how->decay * w[i]);
    }
}

const ramus_kernels ramus_kernels_ref = {
    .isa = "ref",
    .linear = linear,
    .gemm = &gemm,
    .quantize = quantize,
    .linear_i8 = linear_i8,
    .linear_i4 = linear_i4,
    .sum_groups = sum_groups,
    .softmax = softmax,
    .log_sum_exp = log_sum_exp,
    .top_k = top_k,
    .norm = norm,
    .norm_backward = norm_backward,
    .attention = attention,
    .attention_train = attention_train,
    .attention_backward = attention_backward,
    .embed = embed,
    .embed_i8 = embed_i8,
    .embed_i4 = embed_i4,
    .add = add,
    .axpy = axpy,
    .relu = relu,
    .relu_backward = relu_backward,
    .random = random_bits,
    .dropout = dropout,
    .cross_entropy = cross_entropy,
    .adam = adam,
};
