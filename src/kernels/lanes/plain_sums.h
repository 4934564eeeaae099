/* plain_sums.h - the definition of sums of products of 8-bit numbers, and of 4-bit by 8-bit
 * numbers, in the manner of plain.h. x86/sums_avx2.h has the same functions. */
#ifndef RAMUS_KERNELS_LANES_PLAIN_SUMS_H
#define RAMUS_KERNELS_LANES_PLAIN_SUMS_H

#include "kernels/i4.h"
#include "kernels/lanes/plain.h"

#define HEIGHT    4        // rows at once: 4 to 8
#define HEIGHT_I4 4        // of 4-bit numbers
#define TILES     2        // at once where there is one row: at most 4
#define STRAIGHT  SIZE_MAX // bytes: a matrix that large is read as it lies

typedef struct {
    int32_t x[16];
} sums;

/* What sums begin with, given the sum of x, for rows that multiply w + 128. */
static inline sums sums_start(int32_t x_sum)
{
    (void)x_sum;
    return (sums){{0}};
}

/* One tile, `rows` rows: s[r] += w x[r] for 4 inputs, whole numbers in [-127, 127]. */
static inline void sums_add(sums *s, const int8_t *tile, const int8_t *const *x, ptrdiff_t at,
                            const int rows)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < RAMUS_I8_TILE; i++)
            s[r].x[i / RAMUS_I8_INPUTS] += tile[i] * x[r][at + i % RAMUS_I8_INPUTS];
}

/* One row, tiles that are `apart` bytes from each other. */
static inline void sums_add_tiles(sums *s, const int8_t *tile, ptrdiff_t apart, const int8_t *x,
                                  const int tiles)
{
    for (int t = 0; t < tiles; t++)
        sums_add(&s[t], tile + t * apart, &x, 0, 1);
}

static inline lanes sums_lanes(sums s)
{
    EACH(lanes, 16, (float)s.x[i]);
}

/* One group of inputs, one row, `tiles` rows of tiles of `groups` groups each:
 * total[t] += (w x) * scale. x_sum, the sum of x, is for rows that multiply w + 8. */
static inline void group_add_tiles(lanes *total, ramus_i4_row w, int groups, const int8_t *x,
                                   int32_t x_sum, const int tiles)
{
    (void)x_sum;
    for (int t = 0; t < tiles; t++) {
        const ramus_i4_row row = ramus_i4_group(w, (ptrdiff_t)t * groups);
        lanes scale = lanes_set(0);
        sums s = {{0}};
        for (int o = 0; o < RAMUS_I8_OUTPUTS; o++) {
            scale.x[o] = ramus_half_float(row.scale[o]);
            for (int i = 0; i < RAMUS_I4_GROUP; i++)
                s.x[o] += ramus_i4_get(row.w + o * RAMUS_I8_INPUTS, i) * x[i];
        }
        total[t] = lanes_add(total[t], lanes_mul(sums_lanes(s), scale));
    }
}

/* Group g of one row of tiles, `rows` rows: total[r] += (w x[r]) * scale */
static inline void group_add(lanes *total, ramus_i4_row w, const int8_t *const *x,
                             const int32_t *const *x_sum, ptrdiff_t g, const int rows)
{
    for (int r = 0; r < rows; r++)
        group_add_tiles(&total[r], w, 0, x[r] + g * RAMUS_I4_GROUP, x_sum[r][g], 1);
}

#endif
