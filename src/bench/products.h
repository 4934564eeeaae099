/* products.h - the speed of products with 8-bit and 4-bit weights, at the shapes of the presets. */
#ifndef RAMUS_BENCH_PRODUCTS_H
#define RAMUS_BENCH_PRODUCTS_H

#include "base/buffer.h"
#include "base/status.h"
#include "kernels/kernels.h"

#define RAMUS_BENCH_ROWS 8 // of kernels, at most

typedef struct ramus_bench_products {
    ramus_kernels tables[RAMUS_BENCH_ROWS]; // timed interleaved, round after round
    int n_tables;
    int runs; // rounds; the best one counts
    bool json;
} ramus_bench_products;

int ramus_bench_products_count(void); // shapes

/* Times one shape, beside the same product of floats, and prints its lines. */
RAMUS_CHECKED ramus_status ramus_bench_products_run(ramus_buffer *out, int shape,
                                                    const ramus_bench_products *how,
                                                    ramus_error *err);

#endif
