/* The products of training, of floats, of bfloat16 and those of oneDNN, interleaved in one run:
 * build/bench/gemm [THREADS].
 *
 * M rows of a batch; every shape forward, with its input gradient and its weight gradient. Routed:
 * 4 branches, rows drawn at random. Numbers are the best of several rounds; % is of the measured
 * peak of the instruction. */
#include "grad/gemm.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/rng.h"
#include "kernels/select_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RAMUS_DNNL
#include <dnnl.h>
#endif

#define M        4096
#define BRANCHES 4

typedef struct {
    ramus_arena *memory; // as large as those of training, so that both have large pages or neither
    int n, k;
    ramus_real *x, *w, *y, *dy, *dx, *dw, *bias; // weights for BRANCHES
    int offset[BRANCHES + 1], list[M];
} shape;

static ramus_arena *memory_create(size_t bytes)
{
    const size_t least = (size_t)64 << 20;
    ramus_arena *memory = NULL;
    ramus_error err = {0};
    if (ramus_arena_create(&memory, bytes > least ? bytes : least, &err)) {
        (void)fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return memory;
}

static ramus_real *numbers(ramus_arena *memory, size_t n, uint32_t key)
{
    const ramus_rng rng = {1, 2, 3, key};
    ramus_real *p = ramus_arena_alloc(memory, n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = (ramus_real)(ramus_rng_uniform(&rng, i) - 0.5);
    return p;
}

static shape shape_create(int n, int k, int branches)
{
    const size_t inputs = (size_t)M * (size_t)k, outputs = (size_t)M * (size_t)n;
    const size_t weights = (size_t)n * (size_t)k * (size_t)branches;
    const size_t biases = (size_t)n * (size_t)branches;
    ramus_arena *memory = memory_create(2 * ramus_arena_round(inputs * sizeof(ramus_real)) +
                                        2 * ramus_arena_round(outputs * sizeof(ramus_real)) +
                                        2 * ramus_arena_round(weights * sizeof(ramus_real)) +
                                        ramus_arena_round(biases * sizeof(ramus_real)));
    shape s = {.memory = memory, .n = n, .k = k};
    s.x = numbers(memory, inputs, 1), s.w = numbers(memory, weights, 2);
    s.y = numbers(memory, outputs, 3), s.dy = numbers(memory, outputs, 4);
    s.dx = numbers(memory, inputs, 5), s.dw = numbers(memory, weights, 6);
    s.bias = numbers(memory, biases, 7);
    const ramus_rng rng = {5, 5, 5, 5};
    int at = 0;
    for (int b = 0; b < BRANCHES; b++) {
        s.offset[b] = at;
        for (int r = 0; r < M; r++)
            if (ramus_rng_bits(&rng, (uint64_t)r) % BRANCHES == (uint32_t)b) s.list[at++] = r;
    }
    s.offset[BRANCHES] = at;
    return s;
}

static const int *rows_of(const void *arg, int branch, int first, int last, int *n_rows)
{
    const shape *s = arg;
    int low = s->offset[branch];
    while (low < s->offset[branch + 1] && s->list[low] < first)
        low++;
    int high = low;
    while (high < s->offset[branch + 1] && s->list[high] < last)
        high++;
    *n_rows = high - low;
    return s->list + low;
}

/* kind 0: forward, 1: input gradient, 2: weight gradient */
static void ours(ramus_run *run, shape *s, int kind, bool routed)
{
    const int branches = routed ? BRANCHES : 1;
    if (kind == 2) {
        const ramus_gemm_weights g = {.n_rows = M,
                                      .branches = branches,
                                      .rows_of = routed ? rows_of : NULL,
                                      .arg = s,
                                      .outputs = s->n,
                                      .inputs = s->k,
                                      .dy = s->dy,
                                      .x = s->x,
                                      .dw = s->dw};
        ramus_gemm_weights_run(run, &g);
        return;
    }
    const ramus_gemm_rows g = {.n_rows = M,
                               .branches = branches,
                               .rows_of = routed ? rows_of : NULL,
                               .arg = s,
                               .depth = kind ? s->n : s->k,
                               .columns = kind ? s->k : s->n,
                               .transposed = kind == 1,
                               .a = kind ? s->dy : s->x,
                               .w = s->w,
                               .bias = kind ? NULL : s->bias,
                               .c = kind ? s->dx : s->y,
                               .add = kind == 1};
    ramus_gemm_rows_run(run, &g);
}

static void theirs(shape *s, int kind)
{
#ifdef RAMUS_DNNL
    if (kind == 0) dnnl_sgemm('N', 'T', M, s->n, s->k, 1, s->x, s->k, s->w, s->k, 0, s->y, s->n);
    if (kind == 1) dnnl_sgemm('N', 'N', M, s->k, s->n, 1, s->dy, s->n, s->w, s->k, 1, s->dx, s->k);
    if (kind == 2) dnnl_sgemm('T', 'N', s->n, s->k, M, 1, s->dy, s->n, s->x, s->k, 1, s->dw, s->k);
#else
    (void)s;
    (void)kind;
#endif
}

static double peak(const ramus_gemm *gemm)
{
    double best = 0;
    for (int i = 0; i < 5; i++) {
        const double start = ramus_clock_now(), flops = gemm->peak(2000000);
        const double rate = flops / (ramus_clock_now() - start);
        if (rate > best) best = rate;
    }
    return best;
}

/* Who multiplies. */
enum { FLOATS, FLOATS_ROUTED, BF16, BF16_ROUTED, THEIRS, RIVALS };

/* The best seconds of each. */
static void race(double best[RIVALS], ramus_run *run, shape *s, int kind, bool layer)
{
    const ramus_gemm *const floats = run->train->kernels.gemm;
    for (int i = 0; i < RIVALS; i++)
        best[i] = 1e9;
    for (int round = 0; round < (layer ? 25 : 7); round++)
        for (int who = 0; who < RIVALS; who++) {
            const bool routed = who == FLOATS_ROUTED || who == BF16_ROUTED;
            if (routed && !layer) continue;
            run->train->kernels.gemm = who < BF16 ? floats : run->train->kernels.gemm_bf16;
            const double start = ramus_clock_now();
            if (who == THEIRS)
                theirs(s, kind);
            else
                ours(run, s, kind, routed);
            const double seconds = ramus_clock_now() - start;
            if (seconds < best[who]) best[who] = seconds;
        }
    run->train->kernels.gemm = floats;
}

static void measure(ramus_run *run, int n, int k, const double top[2], bool layer)
{
    static const char *const kinds[] = {"forward", "d input", "d weight"};
    shape s = shape_create(n, k, layer ? BRANCHES : 1);
    for (int kind = 0; kind < 3; kind++) {
        double best[RIVALS];
        race(best, run, &s, kind, layer);
        const double flops = 2.0 * M * n * k;
        printf("%6d x %-5d %-8s  %6.1f  %3.0f %%  %6.1f  %3.0f %%  %5.2f", n, k, kinds[kind],
               flops / best[FLOATS] / 1e9, 100 * flops / best[FLOATS] / top[0],
               flops / best[BF16] / 1e9, 100 * flops / best[BF16] / top[1],
               best[FLOATS] / best[BF16]);
        if (layer)
            printf("  %5.2f  %5.2f", best[FLOATS_ROUTED] / best[FLOATS],
                   best[BF16_ROUTED] / best[BF16]);
#ifdef RAMUS_DNNL
        printf("  %6.1f  %3.0f %%  %5.2f", flops / best[THEIRS] / 1e9,
               100 * flops / best[THEIRS] / top[0], best[THEIRS] / best[FLOATS]);
        if (layer) printf("  %5.2f", best[FLOATS_ROUTED] / best[THEIRS]);
#endif
        printf("\n");
        (void)fflush(stdout);
    }
    ramus_arena_destroy(s.memory);
}

int main(int argc, char **argv)
{
    static const int layers[][2] = {{128, 128}, {512, 128},  {128, 512},
                                    {256, 256}, {1024, 256}, {256, 1024}};
    static const int words[][2] = {{8000, 128}, {37056, 128}, {8000, 256}, {37056, 256}};
    const int threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    ramus_error err = {0};
    ramus_train_run training = {0};
    ramus_run run = {.train = &training};
    if (threads < 1 || ramus_train_kernels_choose(&training.kernels, &err) ||
        ramus_pool_create(&run.pool, threads, &err)) {
        (void)fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    run.scratch_stride = ramus_arena_round(ramus_gemm_scratch(1024));
    const size_t packed = 2 * ramus_gemm_packed(37056, 256) * sizeof(ramus_real);
    const size_t scratch = run.scratch_stride * (size_t)threads;
    ramus_arena *memory = memory_create(ramus_arena_round(packed) + ramus_arena_round(scratch));
    run.scratch = ramus_arena_alloc(memory, scratch);
    training.shared = ramus_arena_alloc(memory, packed);

    const double top[] = {peak(training.kernels.gemm) * threads,
                          peak(training.kernels.gemm_bf16) * threads};
    printf("%s, %d threads, peak %.1f GFLOP/s, bf16 %.1f; %d rows; ratios of times\n",
           training.kernels.isa, threads, top[0] / 1e9, top[1] / 1e9, M);
    printf("                          float GFLOP/s    bf16 GFLOP/s         routed/dense\n"
           "outputs x inputs                                  float/bf16   float  bf16");
#ifdef RAMUS_DNNL
    printf("  oneDNN  %%  oneDNN/float  routed/oneDNN");
#endif
    printf("\n");
    for (int i = 0; i < RAMUS_COUNT(layers); i++)
        measure(&run, layers[i][0], layers[i][1], top, true);
    for (int i = 0; i < RAMUS_COUNT(words); i++)
        measure(&run, words[i][0], words[i][1], top, false);
    ramus_pool_destroy(run.pool);
    ramus_arena_destroy(memory);
    return 0;
}
