/* The reference row of training: what each kernel of train.h means, in plain loops. Attention sums
 * in the 16 lanes of ref.h; products and gradients have no order to keep to. */
#include "kernels/train.h"

#include "kernels/activation.h"
#include "kernels/ref.h"

#include <string.h>

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
            a[i] = job->a_stride ? job->a + (job->in_order ? at : row[i]) * job->a_stride
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

static const ramus_gemm gemm = {.height = HEIGHT,
                                .width = WIDTH,
                                .terms = 1,
                                .panel = gemm_panel,
                                .pack_b = gemm_pack_b,
                                .pack_a = gemm_pack_a,
                                .peak = gemm_peak};

#include "kernels/rounded.inc"

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
        b->lse[(ptrdiff_t)i * b->lse_stride] = ramus_kernels_ref.softmax(p, p, n);
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

static void convolution_backward(const ramus_convolution_back *job)
{
    for (int k = 0; k < job->n; k++) {
        job->dtaps[k] += dot(job->dout, job->v + k * job->stride, job->size);
        axpy(job->dv + k * job->stride, job->taps[k], job->dout, job->size);
    }
}

static double cross_entropy_gradient(ramus_real *logits, int n, int label, double high, double low,
                                     ramus_real gradient, double *nll)
{
    const double loss = ramus_kernels_ref.cross_entropy(logits, n, label, high, low);
    *nll = ramus_kernels_ref.cross_entropy(logits, n, label, 1, 0);
    const ramus_real top = largest(logits, n);
    const ramus_real scale = gradient / sum_exp(logits, top, n), rest = (ramus_real)low * gradient;
    for (int i = 0; i < n; i++)
        logits[i] = ramus_exp(logits[i] - top) * scale - rest;
    logits[label] -= (ramus_real)(high - low) * gradient;
    return loss;
}

static void relu_backward(ramus_real *dy, const ramus_real *y, int n)
{
    for (int i = 0; i < n; i++)
        dy[i] = y[i] > 0 ? dy[i] : 0;
}

static void swish_backward(ramus_real *dx, const ramus_real *dy, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        dx[i] += dy[i] * ramus_swish_slope(x[i]);
}

static void gelu_backward(ramus_real *dx, const ramus_real *dy, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++)
        dx[i] += dy[i] * ramus_gelu_slope(x[i]);
}

static void glu_backward(ramus_real *dx, const ramus_real *dy, const ramus_real *x, int n)
{
    for (int i = 0; i < n; i++) {
        const ramus_real s = ramus_sigmoid(x[n + i]);
        dx[i] += dy[i] * s;
        dx[n + i] += dy[i] * (x[i] * (s * (1 - s)));
    }
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

const ramus_train_kernels ramus_train_kernels_ref = {
    .isa = "ref",
    .gemm = &gemm,
    .gemm_bf16 = &gemm_rounded,
    .norm_backward = norm_backward,
    .attention_train = attention_train,
    .attention_backward = attention_backward,
    .convolution_backward = convolution_backward,
    .cross_entropy_gradient = cross_entropy_gradient,
    .relu_backward = relu_backward,
    .swish_backward = swish_backward,
    .gelu_backward = gelu_backward,
    .glu_backward = glu_backward,
    .random = random_bits,
    .dropout = dropout,
    .adam = adam,
};
