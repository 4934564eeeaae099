/* numbers.h - what tests of whole-number kernels share: drawn numbers, buffers with guards, and the
 * rows of this CPU. */
#ifndef RAMUS_TESTS_KERNELS_NUMBERS_H
#define RAMUS_TESTS_KERNELS_NUMBERS_H

#include "base/rng.h"
#include "kernels/cpu.h"
#include "kernels/select.h"

#include "check.h"

#define GUARD 77

static uint64_t drawn;

static inline uint32_t draw(void)
{
    const ramus_rng rng = {check_seed(), 5, 5, 5};
    return ramus_rng_bits(&rng, drawn++);
}

static inline float draw_normal(void)
{
    const ramus_rng rng = {check_seed(), 6, 6, 6};
    return (float)ramus_rng_normal(&rng, drawn++);
}

static inline int8_t draw_byte(void)
{
    return (int8_t)((int)(draw() % 255) - 127);
}

/* `size` bytes with a guard on both sides, each GUARD; ended by free_guarded(). */
static inline void *guarded(size_t size)
{
    unsigned char *block = malloc(size + 128);
    memset(block, GUARD, size + 128);
    return block + 64;
}

static inline void free_guarded(void *p, size_t size)
{
    const unsigned char *at = p;
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += at[i - 64] != GUARD || at[size + (size_t)i] != GUARD;
    EXPECT(wrong == 0, "%d guard bytes of %zu bytes were written", wrong, size);
    free((unsigned char *)p - 64);
}

static inline float *floats(int n)
{
    float *x = guarded((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = draw_normal();
    return x;
}

static inline void free_floats(float *x, int n)
{
    free_guarded(x, (size_t)n * sizeof *x);
}

/* The rows that this CPU can run, those before them laid under. */
static inline int tables(ramus_kernels out[8])
{
    int n = 0;
    for (int i = 0; i < ramus_kernels_count() && n < 8; i++) {
        const ramus_kernels *row = ramus_kernels_at(i);
        if (ramus_cpu_has(row->needs))
            EXPECT(ramus_kernels_select(&out[n++], row->isa), "%s", row->isa);
    }
    return n;
}

#endif
