/* AVX-512 with VNNI, exact: the products of 8-bit and 4-bit numbers; everything else is the row
 * avx512.
 *
 * A block is some rows by some tiles of 16 outputs. Each of its sums is one register, and there are
 * enough of them to hide the 4 cycles of a multiplication. Few rows wait for the weights: they take
 * these as they lie in memory. */
#include "kernels/cpu.h"
#include "kernels/i4.h"
#include "kernels/x86/lanes_avx512.h"

#include <stdint.h>
#include <string.h>

typedef __m512i sums;

static inline lanes sums_lanes(sums s)
{
    return _mm512_cvtepi32_ps(s);
}

#include "kernels/lanes/part.inc"

#include "kernels/lanes/job.inc"

#define HEIGHT    8 // rows of a block, at most
#define HEIGHT_I4 4 // of 4-bit numbers
#define TILES     4 // tiles of a block, at most
#define STEPS     4 // sums of one row and tile that lie beside each other, where there is one tile
#define AHEAD     4096 // bytes: the hardware looks ahead only within a page

/* s + w x: four bytes of w, unsigned, by four of x for each of 16 sums. The compiler's own function
 * for this copies sums from register to register and spills them (gcc 12): half the speed. */
static inline __attribute__((always_inline)) sums multiply(sums s, __m512i w, __m512i x)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(w), "v"(x));
    return s;
}

static inline __m512i load_inputs(const int8_t *x)
{
    int32_t four;
    memcpy(&four, x, sizeof four);
    return _mm512_set1_epi32(four);
}

/* Asks for the line that comes `bytes` later, maybe behind the last. */
static inline __attribute__((always_inline)) void ask_ahead(const int8_t *w, ptrdiff_t bytes)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer must not go behind the last
    __builtin_prefetch((const void *)((uintptr_t)w + (uintptr_t)bytes));
}

/* What the products of a block, value[t * HEIGHT + r], become: finish() of each. */
static inline __attribute__((always_inline)) void finish_block(const ramus_linear_i8_job *job,
                                                               lanes *value, const int *row,
                                                               int first, const int rows,
                                                               const int tiles)
{
    const bool plain = !job->scale && first + tiles * RAMUS_I8_OUTPUTS <= job->n;
    const float *bias = job->bias;
    const bool relu = job->relu;
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++) {
        const int at = first + t * RAMUS_I8_OUTPUTS;
        const lanes b = plain && bias ? lanes_load(bias + at) : lanes_set(0);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            lanes v = value[t * HEIGHT + r];
            if (!plain) {
                finish(job, v, row[r], at);
                continue;
            }
            if (bias) v = lanes_add(v, b);
            if (relu) v = lanes_where_positive(v, v);
            lanes_store(job->y + row[r] * job->y_stride + at, v);
        }
    }
}

/* s[t * HEIGHT + r] += w x[r] for 4 inputs, `at` and behind. The multiplication wants one side
 * unsigned: w + 128. */
static inline __attribute__((always_inline)) void add_i8(sums *s, const int8_t *tile,
                                                         ptrdiff_t apart, const int8_t *const *x,
                                                         ptrdiff_t at, const int rows,
                                                         const int tiles)
{
    const __m512i flip = _mm512_set1_epi8(INT8_MIN);
    __m512i w[TILES];
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++) {
        w[t] = _mm512_xor_si512(_mm512_loadu_si512(tile + t * apart), flip);
        ask_ahead(tile + t * apart, tiles == 1 ? AHEAD : tiles * apart);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        const __m512i four = load_inputs(x[r] + at);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++)
            s[t * HEIGHT + r] = multiply(s[t * HEIGHT + r], w[t], four);
    }
}

/* `rows` and `tiles` are constants where a block is called: then sums stay in registers. */
static inline __attribute__((always_inline)) void
block_i8(const ramus_linear_i8_job *job, int from, int first, const int rows, const int tiles)
{
    const ptrdiff_t groups = ramus_i8_groups(job->k), apart = groups * RAMUS_I8_TILE;
    const int8_t *w = job->w + ramus_i8_row(job->k, first), *x[HEIGHT];
    const int steps = tiles == 1 ? STEPS : 1;
    sums s[STEPS][TILES * HEIGHT];
    int row[HEIGHT];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        row[r] = row_of(job, from + r);
        x[r] = inputs_of(job, row[r]);
        // 128 times the sum of x is what w + 128 adds; sums wrap around, nothing is lost in between
        const sums start = _mm512_set1_epi32(-128 * job->x_sum[row[r]]);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++)
            s[0][t * HEIGHT + r] = start;
#pragma GCC unroll 4
        for (int i = 1; i < steps; i++)
            s[i][r] = _mm512_setzero_si512();
    }
    ptrdiff_t g = 0;
    for (; g + steps <= groups; g += steps)
#pragma GCC unroll 4
        for (int i = 0; i < steps; i++)
            add_i8(s[i], w + (g + i) * RAMUS_I8_TILE, apart, x, (g + i) * RAMUS_I8_INPUTS, rows,
                   tiles);
    for (; g < groups; g++)
        add_i8(s[0], w + g * RAMUS_I8_TILE, apart, x, g * RAMUS_I8_INPUTS, rows, tiles);
    lanes value[TILES * HEIGHT];
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++) {
        const int at = first + t * RAMUS_I8_OUTPUTS;
        const lanes w_scale = load(job->w_scale + at, job->n - at);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            sums total = s[0][t * HEIGHT + r];
#pragma GCC unroll 4
            for (int i = 1; i < steps; i++)
                total = _mm512_add_epi32(total, s[i][r]);
            const lanes scale = lanes_mul(w_scale, lanes_set(job->x_scale[row[r]]));
            value[t * HEIGHT + r] = lanes_mul(sums_lanes(total), scale);
        }
    }
    finish_block(job, value, row, first, rows, tiles);
}

/* One tile: 8 inputs. s[2 (t HEIGHT + r)] gets the products of the low bits, the next sum those of
 * the high ones; weights + 8 are unsigned. */
static inline __attribute__((always_inline)) void add_i4(sums *s, const int8_t *tile,
                                                         ptrdiff_t apart, const int8_t *const *x,
                                                         ptrdiff_t at, const int rows,
                                                         const int tiles)
{
    const __m512i mask = _mm512_set1_epi8(15);
    __m512i low[TILES], high[TILES];
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++) {
        const __m512i both = _mm512_loadu_si512(tile + t * apart);
        low[t] = _mm512_and_si512(both, mask);
        high[t] = _mm512_and_si512(_mm512_srli_epi16(both, 4), mask);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        const __m512i four = load_inputs(x[r] + at), next = load_inputs(x[r] + at + 4);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++) {
            sums *to = s + 2 * (t * HEIGHT + r);
            to[0] = multiply(to[0], low[t], four);
            to[rows * tiles <= 4] = multiply(to[rows * tiles <= 4], high[t], next);
        }
    }
}

static inline __attribute__((always_inline)) void
block_i4(const ramus_linear_i8_job *job, int from, int first, const int rows, const int tiles)
{
    const ptrdiff_t groups = ramus_i4_groups(job->k);
    const ptrdiff_t apart = groups * RAMUS_I4_GROUP_TILES * RAMUS_I8_TILE;
    const ramus_i4_row w = ramus_i4_row_of(job->w, job->w_half, job->k, first);
    const int8_t *x[HEIGHT];
    const int32_t *x_sum[HEIGHT];
    lanes total[TILES * HEIGHT];
    int row[HEIGHT];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        row[r] = row_of(job, from + r);
        x[r] = inputs_of(job, row[r]);
        x_sum[r] = group_sums_of(job, row[r]);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++)
            total[t * HEIGHT + r] = lanes_set(0);
    }
    for (ptrdiff_t g = 0; g < groups; g++) {
        const ramus_i4_row group = ramus_i4_group(w, g);
        sums s[2 * TILES * HEIGHT];
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++)
#pragma GCC unroll 8
            for (int i = 0; i < RAMUS_I4_GROUP_TILES; i++)
                ask_ahead(group.w + t * apart + i * RAMUS_I8_TILE,
                          tiles == 1 ? AHEAD : tiles * apart);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++)
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                s[2 * (t * HEIGHT + r)] = _mm512_set1_epi32(-8 * x_sum[r][g]);
                s[2 * (t * HEIGHT + r) + 1] = _mm512_setzero_si512();
            }
        for (ptrdiff_t i = 0; i < RAMUS_I4_GROUP_TILES; i++)
            add_i4(s, group.w + i * RAMUS_I8_TILE, apart, x,
                   g * RAMUS_I4_GROUP + i * RAMUS_I4_TILE_INPUTS, rows, tiles);
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++) {
            const lanes factor = _mm512_cvtph_ps(
                _mm256_loadu_si256((const void *)ramus_i4_group(group, t * groups).scale));
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const sums *of = s + 2 * (t * HEIGHT + r);
                const sums sum = rows * tiles <= 4 ? _mm512_add_epi32(of[0], of[1]) : of[0];
                total[t * HEIGHT + r] =
                    lanes_add(total[t * HEIGHT + r], lanes_mul(sums_lanes(sum), factor));
            }
        }
    }
#pragma GCC unroll 4
    for (int t = 0; t < tiles; t++)
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            total[t * HEIGHT + r] =
                lanes_mul(total[t * HEIGHT + r], lanes_set(job->x_scale[row[r]]));
    finish_block(job, total, row, first, rows, tiles);
}

/* `rows` rows by TILES tiles, in blocks of the constants that are fastest. */
#define CASE(block, rows, tiles)                                                                   \
    case rows:                                                                                     \
        for (int t = 0; t < TILES; t += (tiles))                                                   \
            block(job, from, first + t * RAMUS_I8_OUTPUTS, rows, tiles);                           \
        break;

static void blocks_i8(const ramus_linear_i8_job *job, int from, int first, int rows)
{
    switch (rows) {
        CASE(block_i8, 1, 1)
        CASE(block_i8, 2, 1)
        CASE(block_i8, 3, 4)
        CASE(block_i8, 4, 4)
        CASE(block_i8, 5, 2)
        CASE(block_i8, 6, 2)
        CASE(block_i8, 7, 2)
        CASE(block_i8, 8, 2)
    default:
        break;
    }
}

static void blocks_i4(const ramus_linear_i8_job *job, int from, int first, int rows)
{
    switch (rows) {
        CASE(block_i4, 1, 4)
        CASE(block_i4, 2, 4)
        CASE(block_i4, 3, 2)
        CASE(block_i4, 4, 2)
    default:
        break;
    }
}

static void last_i8(const ramus_linear_i8_job *job, int from, int first)
{
    block_i8(job, from, first, 1, 1);
}

static void last_i4(const ramus_linear_i8_job *job, int from, int first)
{
    block_i4(job, from, first, 1, 1);
}

/* Cuts a job so that weights are read once for all rows, and rows into parts of nearly one size. */
static inline __attribute__((always_inline)) void
cut(const ramus_linear_i8_job *job, const int height,
    void (*blocks)(const ramus_linear_i8_job *job, int from, int first, int rows),
    void (*last)(const ramus_linear_i8_job *job, int from, int first))
{
    const int rows = job->n_rows, parts = (rows + height - 1) / height;
    int first = 0;
    for (; first + TILES * RAMUS_I8_OUTPUTS <= job->n; first += TILES * RAMUS_I8_OUTPUTS)
        for (int p = 0; p < parts; p++) {
            const int from = rows * p / parts;
            blocks(job, from, first, rows * (p + 1) / parts - from);
        }
    for (; first < job->n; first += RAMUS_I8_OUTPUTS)
        for (int r = 0; r < rows; r++)
            last(job, r, first);
}

static void linear_i8(const ramus_linear_i8_job *job)
{
    cut(job, HEIGHT, blocks_i8, last_i8);
}

static void linear_i4(const ramus_linear_i8_job *job)
{
    cut(job, HEIGHT_I4, blocks_i4, last_i4);
}

extern const ramus_kernels ramus_kernels_avx512vnni;
const ramus_kernels ramus_kernels_avx512vnni = {.isa = "avx512vnni",
                                                .needs = RAMUS_CPU_AVX512 | RAMUS_CPU_VNNI,
                                                .linear_i8 = linear_i8,
                                                .linear_i4 = linear_i4};
