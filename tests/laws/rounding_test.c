/* Training with --quantize computes what the runtime will compute: maps and whole models. */
#include "convert/quantize.h"
#include "grad/grad.h"
#include "kernels/fit.h"
#include "kernels/i4.h"
#include "model/fold.h"
#include "model/routing.h"

#include "model.h"

#define ROWS    150
#define INPUTS  134 // three groups of 4-bit numbers, the last one ragged
#define OUTPUTS 21
#define EPSILON 1.1920929e-7

static const char *const kinds[][7] = {
    {"routing", "dense", NULL},
    {"routing", "dmb", NULL},
    {"routing", "dmb", "norm", "pre", "shared-private", "off", NULL},
    {"routing", "moe", NULL},
    {"routing", "switch", "tie", "none", NULL},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* One map as the model builds it, on rows that are parameters. */
typedef struct {
    ramus_graph *graph;
    ramus_run *run;
    ramus_weights *weights;
    ramus_tensor *x, *y;
} one_map;

static one_map map_create(const ramus_arch *a, const ramus_objective *o)
{
    ramus_error err = {0};
    one_map m = {0};
    const ramus_limits limits = {ROWS, 1, ROWS};
    const ramus_graph_spec spec = {
        .training = o != NULL, .max_nodes = 20, .source = limits, .target = limits};
    REQUIRE_OK(ramus_graph_create(&m.graph, &spec, &err), err);
    ramus_graph *g = m.graph;
    static const ramus_objective none;
    ramus_builder b = {.graph = g, .arch = a, .objective = o ? o : &none, .keep_gates = true};
    ramus_tensor *table = ramus_builder_param(&b, RAMUS_ROLE_SOURCE, 2, (int[]){ROWS, INPUTS});
    ramus_tensor *ids = ramus_input(g, &g->source, "ids");
    m.x = ramus_embed(g, ids, table, NULL,
                      ramus_signal(g, ids, &(ramus_signal_spec){.width = INPUTS}),
                      &(ramus_embed_spec){.scale = 1});
    ramus_keep(g, m.x, "x");
    const ramus_route route = ramus_gate(&b, m.x, RAMUS_GATE_X, true);
    m.y = ramus_map(&b, m.x, RAMUS_MAP_OUT, &route, &(ramus_map_spec){.width = OUTPUTS, .gain = 1});
    ramus_keep(g, m.y, "y");
    REQUIRE_OK(ramus_grad_run_create(&m.run, g, NULL, &err), err);
    REQUIRE_OK(ramus_weights_create(&m.weights, g, &err), err);
    ramus_axis_set(&g->source, (int[]){ROWS}, 1);
    for (int r = 0; r < ROWS; r++)
        ((int *)ramus_graph_find(g, "ids")->data)[r] = r;
    return m;
}

static void map_destroy(one_map *m)
{
    ramus_run_destroy(m->run);
    ramus_graph_destroy(m->graph);
    ramus_weights_destroy(m->weights);
}

/* The map's result for row r and output o of branch `branch`, and the sum of all magnitudes in it,
 * by a plain loop over the numbers of kernels/fit.h and the kernel `quantize`. */
static double plain_result(const one_map *m, int r, int branch, int o, int bits, double *size)
{
    int8_t x[256], w[INPUTS];
    ramus_real scale = 0;
    int32_t sum = 0;
    const ramus_real *row = (const ramus_real *)m->x->data + (size_t)r * INPUTS;
    ramus_kernels_ref.quantize(x, &scale, &sum, row, INPUTS);
    const size_t at = (size_t)branch * OUTPUTS + (size_t)o;
    const ramus_real *weight = ramus_weights_find(m->weights, "out.weight")->data + at * INPUTS;
    double y = (double)ramus_weights_find(m->weights, "out.bias")->data[at];
    *size = fabs(y);
    const int group = bits == 4 ? 64 : INPUTS;
    for (int first = 0; first < INPUTS; first += group) {
        const int n = INPUTS - first < group ? INPUTS - first : group;
        const double step = bits == 4 ? (double)ramus_half_float(ramus_fit_i4(w, weight + first, n))
                                      : (double)ramus_fit_i8(w, weight + first, n);
        for (int i = 0; i < n; i++) {
            y += x[first + i] * (double)scale * (w[i] * step);
            *size += fabs(x[first + i] * (double)scale * (w[i] * step));
        }
    }
    return y;
}

/* The worst difference from the plain loop, in units of `epsilon * sum of all magnitudes`. */
static double worst_of(const one_map *m, const one_map *folded, int bits)
{
    double worst = 0;
    const ramus_tensor *index = ramus_graph_find(m->graph, "gate.x.index");
    for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < OUTPUTS; o++) {
            double size = 0;
            const int branch = index ? ((const int *)index->data)[r] : 0;
            const double want = plain_result(folded, r, branch, o, bits, &size);
            const double got = (double)((const ramus_real *)m->y->data)[r * OUTPUTS + o];
            worst = fmax(worst, fabs(got - want) / (EPSILON * size));
        }
    return worst;
}

static ramus_quantize_spec deployed(int bits)
{
    const ramus_dtype type = bits == 4 ? RAMUS_I4 : RAMUS_I8;
    return (ramus_quantize_spec){type, type};
}

/* Training multiplies rounded floats: each factor is off by half an epsilon, each product too, and
 * the sum by INPUTS * epsilon (kernels.h). The runtime adds whole numbers, which is exact below
 * 2^24, and rounds the two scales' product, its product with the sum and the sum with the bias;
 * with 4 bits it rounds each group's product with its scale and the sum with those before. */
static void a_rounded_map_equals_the_runtimes(void)
{
    for (int k = 0; k < 3; k++)
        for (int bits = 8; bits >= 4; bits -= 4) {
            ramus_error err = {0};
            const ramus_arch a = make_arch(kinds[k]);
            const ramus_arch wide = {.width = INPUTS,
                                     .routing = a.routing,
                                     .branches = a.branches,
                                     .top_k = 1,
                                     .shared_private = a.shared_private};
            const ramus_objective o = {.quantize = bits == 4 ? RAMUS_BITS_4 : RAMUS_BITS_8};
            one_map trained = map_create(&wide, &o), used = map_create(&wide, NULL);
            const ramus_rng rng = {check_seed(), 4, 4, (uint32_t)k};
            for (size_t i = 0; i < trained.weights->size; i++)
                trained.weights->data[i] = (ramus_real)ramus_rng_normal(&rng, i);
            ramus_weights_fold(used.weights, trained.weights);
            ramus_weights_bind(trained.graph, trained.weights, NULL);
            ramus_weights_bind(used.graph, used.weights, NULL);
            ramus_grad_forward(trained.run);
            ramus_run_forward(used.run, RAMUS_WEIGHTS, RAMUS_TARGET);

            const double off = worst_of(&trained, &used, bits),
                         plain = worst_of(&used, &used, bits);
            EXPECT(off <= INPUTS + 4, "kind %d, %d bits: training is off by %g", k, bits, off);
            EXPECT(plain > 100 * (INPUTS + 4), "kind %d: without rounding only %g", k, plain);
            ramus_weights *tiles = NULL;
            REQUIRE_OK(ramus_quantize(&tiles, used.weights, deployed(bits), &err), err);
            ramus_weights_bind(used.graph, tiles, NULL);
            ramus_run_forward(used.run, RAMUS_WEIGHTS, RAMUS_TARGET);
            const double runtime = worst_of(&used, &used, bits);
            EXPECT(runtime <= (bits == 4 ? 4 + 2 * ramus_i4_groups(INPUTS) : 4),
                   "kind %d, %d bits: the runtime is off by %g", k, bits, runtime);
            ramus_weights_destroy(tiles);
            map_destroy(&used);
            map_destroy(&trained);
        }
}

/* The loss of each target token; returns how many there are. */
static int losses_of(double *losses, const ramus_arch *a, const ramus_weights *w,
                     const ramus_objective *o)
{
    const ramus_build build = full_build(RAMUS_HEAD_LOSS, o);
    ramus_error err = {0};
    ramus_weights *grads = NULL;
    if (o) REQUIRE_OK(ramus_weights_create_like(&grads, w, &err), err);
    bench b = bench_create(a, w, grads, &build, NULL);
    bench_batch(&b, 0, MANY);
    if (o)
        ramus_grad_forward(b.run);
    else
        ramus_run_forward(b.run, RAMUS_WEIGHTS, RAMUS_TARGET);
    const ramus_real *rows = b.graph->losses[0].value->maker->out[1]->data;
    const int n = b.graph->target.rows;
    for (int r = 0; r < n; r++)
        losses[r] = (double)rows[r];
    bench_destroy(&b);
    ramus_weights_destroy(grads);
    return n;
}

/* How many of n losses agree within the rounding of floats. */
static int agreeing(const double *x, const double *y, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += fabs(x[i] - y[i]) <= 2e-5;
    return count;
}

/* A number on the edge between two whole ones may fall to either side when floats are summed in
 * another order; then an activation moves by a step, and the losses of its sentence with it. Such
 * sentences are few; without rounding hardly a loss agrees. */
static void compare_model(int k, int bits)
{
    ramus_error err = {0};
    const ramus_arch a = make_arch(kinds[k]);
    const ramus_objective plain = {0},
                          rounds = {.quantize = bits == 4 ? RAMUS_BITS_4 : RAMUS_BITS_8,
                                    .quantize_embeddings = bits == 4};
    double want[450] = {0}, got[450] = {0}, unrounded[450] = {0};
    ramus_weights *trained = random_weights(&a, true), *folded = NULL, *tiles = NULL;
    REQUIRE_OK(ramus_transformer_weights(&folded, &a, false, &err), err);
    ramus_weights_fold(folded, trained);
    REQUIRE_OK(ramus_quantize(&tiles, folded, deployed(bits), &err), err);
    const int n = losses_of(want, &a, tiles, NULL);
    losses_of(got, &a, trained, &rounds);
    losses_of(unrounded, &a, trained, &plain);
    const int same = agreeing(got, want, n), by_chance = agreeing(unrounded, want, n);
    EXPECT(same >= n * 9 / 10, "kind %d, %d bits: %d of %d losses agree", k, bits, same, n);
    EXPECT(by_chance < n / 10, "kind %d: %d of %d agree without rounding", k, by_chance, n);
    ramus_weights_destroy(tiles);
    ramus_weights_destroy(folded);
    ramus_weights_destroy(trained);
}

static void a_rounded_model_equals_the_runtimes(void)
{
    for (int k = 0; k < KINDS; k++) {
        compare_model(k, 8);
        compare_model(k, 4);
    }
}

/* What a model with learned ranges is deployed with: own + shared, clipped. */
static void folding_clips_to_the_ranges(void)
{
    ramus_error err = {0};
    const ramus_arch a = make_arch(kinds[1]);
    const ramus_objective o = {.quantize = RAMUS_BITS_4, .ranges = RAMUS_RANGES_LEARNED};
    const ramus_rng rng = {check_seed(), 6, 6, 6};
    ramus_weights *trained = NULL, *folded = NULL;
    REQUIRE_OK(ramus_transformer_trained(&trained, &a, &o, &err), err);
    REQUIRE_OK(ramus_transformer_weights(&folded, &a, false, &err), err);
    for (size_t i = 0; i < trained->size; i++)
        trained->data[i] = (ramus_real)(0.3 * ramus_rng_normal(&rng, i));
    const ramus_weight *own = ramus_weights_find(trained, "encoder.1.ffn.in.weight");
    const ramus_weight *shared = ramus_weights_find(trained, "encoder.1.ffn.in.shared.weight");
    const ramus_weight *range = ramus_weights_find(trained, "encoder.1.ffn.in.weight_range");
    const ramus_weight *got = ramus_weights_find(folded, "encoder.1.ffn.in.weight");
    EXPECT_INT((int)range->count, a.branches, "ranges");
    for (size_t b = 0; b < range->count; b++)
        range->data[b] = b ? (ramus_real)(0.1 * (double)b) : -1; // one went astray: counts as 0.001
    ramus_weights_fold(folded, trained);
    for (size_t i = 0; i < got->count; i++) {
        const size_t b = i / shared->count;
        const double limit = b ? 0.1 * (double)b : 0.001;
        const double sum = (double)own->data[i] + (double)shared->data[i % shared->count];
        const double want = fmax(fmin(sum, limit), -limit);
        EXPECT(fabs((double)got->data[i] - want) < 1e-6, "%zu: %g, expected %g", i,
               (double)got->data[i], want);
    }
    ramus_weights_destroy(folded);
    ramus_weights_destroy(trained);
}

CHECK_MAIN({"folding_clips_to_the_ranges", folding_clips_to_the_ranges},
           {"a_rounded_map_equals_the_runtimes", a_rounded_map_equals_the_runtimes},
           {"a_rounded_model_equals_the_runtimes", a_rounded_model_equals_the_runtimes})
