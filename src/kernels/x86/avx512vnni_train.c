/* AVX-512 BF16, for training: products of bfloat16 numbers, two terms of a sum in each of 16 lanes.
 * Tiles are those of floats, 12 rows by 32 columns. The instruction takes subnormal numbers for
 * zero. The row goes by the name of VNNI, which every CPU with BF16 has. */
#include "kernels/cpu.h"
#include "kernels/x86/lanes_avx512.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline lanes lanes_dot(lanes a, lanes b, lanes c)
{
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

#define HEIGHT  12
#define VECTORS 2
#define TERMS   2
#include "kernels/lanes/panel.inc"

/* 32 numbers in their order: low, then high. */
static inline lanes in_order(lanes low, lanes high)
{
    return (lanes)_mm512_cvtne2ps_pbh(high, low);
}

/* Pairs: number i of low and number i of high. */
static inline lanes in_pairs(lanes low, lanes high)
{
    const __m512i halves =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return (lanes)_mm512_permutexvar_epi16(halves, (__m512i)in_order(low, high));
}

static void gemm_pack_rows(float *to, const ramus_pack_job *job)
{
    const int numbers = (job->columns + 1) / 2;
    float scale = 1;
    for (int i = 0; i < job->n_rows; i++, to += numbers) {
        const float *src = pack_row(job, i, &scale);
        const lanes factor = lanes_set(scale);
        for (int j = 0; j < job->columns; j += 2 * LANES) {
            const int left = job->columns - j;
            const lanes low = load(src + j, left);
            const lanes high = left > LANES ? load(src + j + LANES, left - LANES) : lanes_set(0);
            store(to + j / 2, in_order(lanes_mul(low, factor), lanes_mul(high, factor)),
                  (left + 1) / 2);
        }
    }
}

/* Two rows of a packing job, scaled; the second may be one behind the last: zeros. */
typedef struct {
    lanes factor[2];
    const float *src[2];
    bool single;
} two_rows;

static inline two_rows pack_rows_of(const ramus_pack_job *job, int i)
{
    two_rows r = {.single = i + 1 == job->n_rows};
    float scale = 1;
    r.src[0] = pack_row(job, i, &scale);
    r.factor[0] = lanes_set(scale);
    r.src[1] = r.single ? r.src[0] : pack_row(job, i + 1, &scale);
    r.factor[1] = lanes_set(r.single ? 0 : scale);
    return r;
}

static inline lanes pairs_at(const two_rows *r, int j, int left)
{
    const lanes low = lanes_mul(load(r->src[0] + j, left), r->factor[0]);
    const lanes high =
        r->single ? lanes_set(0) : lanes_mul(load(r->src[1] + j, left), r->factor[1]);
    return in_pairs(low, high);
}

/* Rows outside, groups inside, as train.inc does it: a store reaches into the next numbers of the
 * group, which are written later; the last ones store exactly. */
static void gemm_pack_a(float *to, float *sums, const ramus_pack_job *job)
{
    const int numbers = (job->n_rows + 1) / 2, whole = numbers - (LANES + HEIGHT - 1) / HEIGHT;
    const ptrdiff_t next = (ptrdiff_t)HEIGHT * numbers;
    for (int i = 0; i < numbers; i++, to += HEIGHT) {
        const two_rows r = pack_rows_of(job, 2 * i);
        float *group = to;
        int first = 0;
        for (; i < whole && first + LANES <= job->columns; first += HEIGHT, group += next)
            lanes_store(group, pairs_at(&r, first, LANES));
        for (; first < job->columns; first += HEIGHT, group += next)
            lanes_store_part(group, pairs_at(&r, first, job->columns - first), HEIGHT);
        for (int j = 0; sums && j < job->columns; j += LANES) {
            const int left = job->columns - j;
            const lanes sum =
                lanes_fma(r.factor[0], load(r.src[0] + j, left), load(sums + j, left));
            store(sums + j, r.single ? sum : lanes_fma(r.factor[1], load(r.src[1] + j, left), sum),
                  left);
        }
    }
}

static void gemm_pack_b(float *to, const ramus_pack_job *job)
{
    const int numbers = (job->n_rows + 1) / 2;
    const ptrdiff_t next = (ptrdiff_t)WIDTH * numbers;
    for (int i = 0; i < numbers; i++, to += WIDTH) {
        const two_rows r = pack_rows_of(job, 2 * i);
        float *panel = to;
        for (int first = 0; first < job->columns; first += WIDTH, panel += next)
            for (int v = 0; v < VECTORS; v++) {
                const int j = first + v * LANES, left = job->columns - j;
                lanes_store(panel + v * LANES, left > 0 ? pairs_at(&r, j, left) : lanes_set(0));
            }
    }
}

static const ramus_gemm gemm = {.height = HEIGHT,
                                .width = WIDTH,
                                .terms = TERMS,
                                .panel = gemm_panel,
                                .pack_rows = gemm_pack_rows,
                                .pack_b = gemm_pack_b,
                                .pack_a = gemm_pack_a,
                                .peak = gemm_peak};

extern const ramus_train_kernels ramus_train_kernels_avx512vnni;
const ramus_train_kernels ramus_train_kernels_avx512vnni = {
    .isa = "avx512vnni", .needs = RAMUS_CPU_AVX512 | RAMUS_CPU_BF16, .gemm_bf16 = &gemm};
