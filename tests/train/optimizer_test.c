/* The optimizer against plain loops in double, and the schedules against their formulas. */
#include "train/optimizer.h"

#include "base/rng.h"
#include "model/transformer.h"

#include "check.h"
#include "train/newton_schulz.h"

static ramus_weights *small_weights(void)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_settings_default(&s);
    a.width = 20;
    a.filter = ramus_numbers_of(300);
    a.heads = ramus_numbers_of(2);
    a.encoder_layers = a.decoder_layers = 1;
    a.source_vocab = a.target_vocab = 1001;
    a.routing = RAMUS_DMB;
    a.branches = 2;
    ramus_weights *w = NULL;
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    REQUIRE_OK(ramus_transformer_weights(&w, &a, true, &err), err);
    return w;
}

static void fill(ramus_weights *w, uint32_t key, double scale)
{
    const ramus_rng rng = {check_seed(), 3, key, 0};
    for (int i = 0; i < w->n; i++)
        for (size_t j = 0; j < w->items[i].count; j++)
            w->items[i].data[j] =
                (ramus_real)(scale * ramus_rng_normal(&rng, (uint64_t)i * 100000 + j));
}

static ramus_optimizer_options defaults(void)
{
    ramus_optimizer_options o = {0};
    const ramus_settings s = ramus_optimizer_settings(&o);
    ramus_settings_default(&s);
    return o;
}

static void choose(ramus_optimizer_options *o, const char *name, const char *value)
{
    ramus_error err = {0};
    const ramus_settings s = ramus_optimizer_settings(o);
    REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, name), value, &err), err);
}

/* Three updates of one number, as the papers write them. */
static double plain_steps(const ramus_optimizer_options *o, double w, const double *grads,
                          const double *norms, double rate, bool adam, bool decays, double *average)
{
    double m = 0, v = 0;
    *average = w;
    for (int s = 1; s <= 3; s++) {
        double g = grads[s - 1];
        if (o->clip > 0 && norms[s - 1] > o->clip) g *= o->clip / norms[s - 1];
        if (!adam) {
            w -= rate * g;
        } else {
            m = o->beta1 * m + (1 - o->beta1) * g;
            v = o->beta2 * v + (1 - o->beta2) * g * g;
            const double hat = m / (1 - pow(o->beta1, s));
            const double root = sqrt(v / (1 - pow(o->beta2, s)));
            w -= rate * (hat / (root + o->epsilon) + (decays ? o->decay * w : 0));
        }
        const double young = (1.0 + s) / (10.0 + s), keep = o->ema < young ? o->ema : young;
        *average = keep * *average + (1 - keep) * w;
    }
    return w;
}

static bool is_matrix(const char *name)
{
    const size_t n = strlen(name);
    return n > 7 && strcmp(name + n - 7, ".weight") == 0 && !strstr(name, ".gate.");
}

/* Whether others of the list share a part with it: "x.weight" beside "x.shared.weight". */
static bool is_own(const ramus_weights *w, const char *name)
{
    for (int i = 0; i < w->n; i++) {
        const char *other = w->items[i].name, *at = strstr(other, ".shared.");
        if (at && strncmp(other, name, (size_t)(at - other)) == 0 &&
            strcmp(at + strlen(".shared"), name + (at - other)) == 0)
            return true;
    }
    return false;
}

static bool in_layer(const char *name)
{
    return strncmp(name, "encoder.", 8) == 0 || strncmp(name, "decoder.", 8) == 0;
}

/* Three updates of one matrix [n, k], as the papers write them. */
static void plain_muon(const ramus_optimizer_options *o, double *w, double *average,
                       const ramus_real *const *grads, const double *norms, double rate, int n,
                       int k)
{
    const size_t count = (size_t)n * (size_t)k;
    double *m = newton_numbers(count), *move = newton_numbers(count);
    memcpy(average, w, count * sizeof *w);
    for (int s = 1; s <= 3; s++) {
        const double norm = norms[s - 1],
                     scale = o->clip > 0 && norm > o->clip ? o->clip / norm : 1;
        for (size_t i = 0; i < count; i++) {
            const double g = scale * (double)grads[s - 1][i];
            m[i] = o->momentum * m[i] + (1 - o->momentum) * g;
            move[i] = o->momentum * m[i] + (1 - o->momentum) * g;
        }
        newton_iterate(move, n, k);
        const double young = (1.0 + s) / (10.0 + s), keep = o->ema < young ? o->ema : young;
        for (size_t i = 0; i < count; i++) {
            w[i] -= rate * (0.2 * sqrt(fmax(n, k)) * move[i] + o->decay * w[i]);
            average[i] = keep * average[i] + (1 - keep) * w[i];
        }
    }
    free(m);
    free(move);
}

/* The matrices that item `i` of w has been made of, against three plain updates. */
static void expect_muon(const ramus_optimizer_options *o, const ramus_weights *start,
                        ramus_weights *const *grads, const double *norms, double rate,
                        const ramus_weights *w, const ramus_weights *mean, int i)
{
    const ramus_weight *item = &w->items[i];
    const int n = item->dims[item->n_dims - 2], k = item->dims[item->n_dims - 1];
    const size_t count = (size_t)n * (size_t)k;
    double *want = newton_numbers(count), *average = newton_numbers(count);
    for (size_t at = 0; at < item->count; at += count) {
        const ramus_real *g[3];
        for (int s = 0; s < 3; s++)
            g[s] = grads[s]->items[i].data + at;
        for (size_t j = 0; j < count; j++)
            want[j] = (double)start->items[i].data[at + j];
        plain_muon(o, want, average, g, norms, rate, n, k);
        for (size_t j = 0; j < count; j++) {
            EXPECT_NEAR(item->data[at + j], want[j], 3e-6, item->name);
            if (mean) EXPECT_NEAR(mean->items[i].data[at + j], average[j], 3e-6, item->name);
        }
    }
    free(want);
    free(average);
}

typedef enum { DESCENT, ADAM, MUON } rule;

static void check_steps(const ramus_optimizer_options *o, rule how, bool decays)
{
    ramus_error err = {0};
    ramus_optimizer *opt = NULL;
    ramus_weights *w = small_weights(), *start = small_weights();
    ramus_weights *grads[3], *used = small_weights();
    double norms[3];
    const double rate = 0.01;
    fill(w, 1, 1);
    fill(start, 1, 1);
    REQUIRE_OK(ramus_optimizer_create(&opt, o, w, NULL, &err), err);
    for (int s = 0; s < 3; s++) {
        grads[s] = small_weights();
        fill(grads[s], (uint32_t)s + 2, 0.1);
        fill(used, (uint32_t)s + 2, 0.1);
        double sum = 0;
        for (int i = 0; i < used->n; i++)
            for (size_t j = 0; j < used->items[i].count; j++)
                sum += (double)used->items[i].data[j] * (double)used->items[i].data[j];
        norms[s] = ramus_optimizer_norm(opt, used);
        EXPECT_NEAR(norms[s], sqrt(sum), 1e-9 * sqrt(sum), "norm");
        EXPECT(ramus_optimizer_step(opt, w, used, rate, norms[s]), "a step");
        for (size_t i = 0; i < used->size; i++)
            if (used->data[i] != 0) EXPECT(false, "gradient %zu is not zeroed", i);
    }
    const ramus_optimizer_state *state = ramus_optimizer_remembers(opt);
    EXPECT_INT(state->steps, 3, "steps");
    for (int i = 0; i < w->n; i++) {
        const bool matrix = is_matrix(w->items[i].name), own = is_own(w, w->items[i].name);
        const double part = own ? o->own_rate : 1;
        if (how == MUON && matrix && !own && in_layer(w->items[i].name)) {
            expect_muon(o, start, grads, norms, rate, w, state->average, i);
            continue;
        }
        for (size_t j = 0; j < w->items[i].count; j += 7) {
            double g[3], average = 0;
            for (int s = 0; s < 3; s++)
                g[s] = (double)grads[s]->items[i].data[j];
            const double want =
                plain_steps(o, (double)start->items[i].data[j], g, norms, rate * part,
                            how != DESCENT, decays && matrix, &average);
            EXPECT_NEAR(w->items[i].data[j], want, 3e-6, w->items[i].name);
            if (o->ema > 0)
                EXPECT_NEAR(state->average->items[i].data[j], average, 3e-6, w->items[i].name);
        }
    }
    for (int s = 0; s < 3; s++)
        ramus_weights_destroy(grads[s]);
    ramus_weights_destroy(used);
    ramus_weights_destroy(start);
    ramus_weights_destroy(w);
    ramus_optimizer_destroy(opt);
}

static void steps_are_those_of_the_papers(void)
{
    ramus_optimizer_options o = defaults();
    check_steps(&o, ADAM, false);
    choose(&o, "clip", "1.5");
    choose(&o, "ema", "0.9");
    check_steps(&o, ADAM, false);
    choose(&o, "optimizer", "adamw");
    choose(&o, "weight-decay", "0.1");
    choose(&o, "own-rate", "0.25");
    check_steps(&o, ADAM, true);
    choose(&o, "optimizer", "muon");
    check_steps(&o, MUON, true);
    choose(&o, "optimizer", "sgd");
    check_steps(&o, DESCENT, false);
}

static void a_gradient_that_is_not_finite_moves_nothing(void)
{
    static const float bad[] = {INFINITY, NAN, -INFINITY};
    ramus_error err = {0};
    for (int i = 0; i < 3; i++) {
        ramus_optimizer *opt = NULL;
        ramus_optimizer_options o = defaults();
        ramus_weights *w = small_weights(), *same = small_weights(), *grads = small_weights();
        fill(w, 1, 1);
        fill(same, 1, 1);
        fill(grads, 2, 1);
        grads->items[2].data[1] = bad[i];
        REQUIRE_OK(ramus_optimizer_create(&opt, &o, w, NULL, &err), err);
        const double norm = ramus_optimizer_norm(opt, grads);
        EXPECT(!isfinite(norm), "norm %g", norm);
        EXPECT(!ramus_optimizer_step(opt, w, grads, 0.1, norm), "the step is refused");
        EXPECT_BYTES(w->data, same->data, w->size * sizeof *w->data, "weights stay");
        EXPECT_INT(ramus_optimizer_remembers(opt)->steps, 0, "steps");
        double sum = 0;
        for (size_t j = 0; j < grads->size; j++)
            sum += fabs((double)grads->data[j]);
        EXPECT_NEAR(sum, 0, 0, "gradients are zeroed");
        ramus_weights_destroy(w);
        ramus_weights_destroy(same);
        ramus_weights_destroy(grads);
        ramus_optimizer_destroy(opt);
    }
}

static void check_threads(const char *kind)
{
    ramus_error err = {0};
    ramus_weights *want = NULL;
    double want_norm = 0;
    for (int threads = 1; threads <= 4; threads++) {
        ramus_pool *pool = NULL;
        ramus_optimizer *opt = NULL;
        ramus_optimizer_options o = defaults();
        choose(&o, "optimizer", kind);
        choose(&o, "clip", "0.5");
        choose(&o, "ema", "0.99");
        ramus_weights *w = small_weights(), *grads = small_weights();
        fill(w, 1, 1);
        fill(grads, 2, 1);
        REQUIRE_OK(ramus_pool_create(&pool, threads, &err), err);
        REQUIRE_OK(ramus_optimizer_create(&opt, &o, w, pool, &err), err);
        const double norm = ramus_optimizer_norm(opt, grads);
        EXPECT(ramus_optimizer_step(opt, w, grads, 0.1, norm), "a step");
        if (want) {
            EXPECT(norm == want_norm, "norm with %d threads", threads);
            EXPECT_BYTES(w->data, want->data, w->size * sizeof *w->data, "%d threads", threads);
            ramus_weights_destroy(w);
        } else {
            want = w;
            want_norm = norm;
        }
        ramus_weights_destroy(grads);
        ramus_optimizer_destroy(opt);
        ramus_pool_destroy(pool);
    }
    ramus_weights_destroy(want);
}

static void threads_change_no_bit(void)
{
    check_threads("adam");
    check_threads("muon");
}

/* As that of a branch that no token of an update took. */
static void a_matrix_without_gradient_stays(void)
{
    ramus_error err = {0};
    ramus_optimizer *opt = NULL;
    ramus_optimizer_options o = defaults();
    ramus_weights *w = small_weights(), *grads = small_weights();
    const ramus_weight *item = ramus_weights_find(w, "encoder.0.ffn.in.shared.weight");
    const ramus_weight *gradient = ramus_weights_find(grads, item->name);
    const size_t size = item->count * sizeof *item->data;
    choose(&o, "optimizer", "muon");
    choose(&o, "ema", "0.9");
    REQUIRE_OK(ramus_optimizer_create(&opt, &o, w, NULL, &err), err);
    const ramus_weights *mean = ramus_optimizer_remembers(opt)->average;
    const ramus_real *average = ramus_weights_find(mean, item->name)->data;
    double distance[2];
    ramus_real *before = calloc(item->count, sizeof *before);
    RAMUS_ASSERT(before);
    for (int s = 0; s < 2; s++) {
        fill(grads, 2, 1);
        if (s) memset(gradient->data, 0, size);
        memcpy(before, item->data, size);
        EXPECT(ramus_optimizer_step(opt, w, grads, 0.1, 1), "a step");
        EXPECT((memcmp(before, item->data, size) == 0) == (s == 1), "step %d", s);
        distance[s] = fabs((double)average[0] - (double)item->data[0]);
    }
    EXPECT_NEAR(distance[1], distance[0] * 3 / 12, 1e-6, "the running average comes nearer");
    free(before);
    ramus_optimizer_destroy(opt);
    ramus_weights_destroy(grads);
    ramus_weights_destroy(w);
}

static void muon_keeps_no_second_moment_of_its_matrices(void)
{
    ramus_error err = {0};
    ramus_optimizer *opt = NULL;
    ramus_optimizer_options o = defaults();
    ramus_weights *w = small_weights();
    choose(&o, "optimizer", "muon");
    REQUIRE_OK(ramus_optimizer_create(&opt, &o, w, NULL, &err), err);
    const ramus_optimizer_state *state = ramus_optimizer_remembers(opt);
    int matrices = 0;
    for (int i = 0; i < w->n; i++) {
        const char *name = w->items[i].name;
        const bool matrix = is_matrix(name) && in_layer(name) && !is_own(w, name);
        matrices += matrix;
        EXPECT(!ramus_weights_find(state->second, name) == matrix, "%s", name);
    }
    EXPECT_INT(matrices, 4 + 2 + 8 + 2, "the shared parts of the maps of two layers");
    EXPECT(state->second->count < w->count, "%zu numbers", state->second->count);
    ramus_optimizer_destroy(opt);
    ramus_weights_destroy(w);
}

static void schedules_are_their_formulas(void)
{
    ramus_optimizer_options o = defaults();
    for (int s = 1; s <= 20000; s += 617) { // the paper's: 7e-4, 4000 updates of warm-up
        const double want = s < 4000 ? 7e-4 * s / 4000 : 7e-4 * sqrt(4000.0 / s);
        EXPECT_NEAR(ramus_learning_rate(&o, s, 10000), want, 1e-12, "inverse-sqrt");
    }
    o.warmup = 100;
    o.rate = 1;
    o.end_rate = 0.2;
    choose(&o, "schedule", "linear");
    EXPECT_NEAR(ramus_learning_rate(&o, 50, 300), 0.5, 1e-12, "warm-up");
    EXPECT_NEAR(ramus_learning_rate(&o, 100, 300), 1, 1e-12, "its end");
    EXPECT_NEAR(ramus_learning_rate(&o, 150, 300), 0.8, 1e-12, "a quarter of the way");
    EXPECT_NEAR(ramus_learning_rate(&o, 300, 300), 0.2, 1e-12, "the end");
    EXPECT_NEAR(ramus_learning_rate(&o, 400, 300), 0.2, 1e-12, "beyond");
    choose(&o, "schedule", "cosine");
    EXPECT_NEAR(ramus_learning_rate(&o, 150, 300), 0.2 + 0.8 * (1 + sqrt(0.5)) / 2, 1e-12,
                "a quarter of the way");
    EXPECT_NEAR(ramus_learning_rate(&o, 200, 300), 0.6, 1e-12, "half of the way");
    EXPECT_NEAR(ramus_learning_rate(&o, 300, 300), 0.2, 1e-12, "the end");
    choose(&o, "schedule", "constant");
    EXPECT_NEAR(ramus_learning_rate(&o, 250, 300), 1, 1e-12, "constant");
    o.warmup = 0;
    EXPECT_NEAR(ramus_learning_rate(&o, 1, 300), 1, 1e-12, "no warm-up");
}

static void a_stable_rate_falls_in_the_last_updates(void)
{
    ramus_optimizer_options o = defaults();
    o.warmup = 100;
    o.rate = 1;
    o.end_rate = 0.2;
    EXPECT_INT(ramus_decay_start(&o, 1000), -1, "another schedule");
    choose(&o, "schedule", "stable");
    EXPECT_INT(ramus_decay_start(&o, 1000), 800, "a fifth of all");
    choose(&o, "decay-updates", "400");
    EXPECT_INT(ramus_decay_start(&o, 1000), 600, "as it is told");
    EXPECT_NEAR(ramus_learning_rate(&o, 50, 1000), 0.5, 1e-12, "warm-up");
    for (int s = 100; s <= 600; s++) { // a longer run is the same so far
        EXPECT_NEAR(ramus_learning_rate(&o, s, 1000), 1, 0, "constant");
        EXPECT_NEAR(ramus_learning_rate(&o, s, 5000), 1, 0, "constant");
    }
    EXPECT_NEAR(ramus_learning_rate(&o, 700, 1000), 1 - 0.8 * 0.5, 1e-12, "a quarter of the way");
    EXPECT_NEAR(ramus_learning_rate(&o, 1000, 1000), 0.2, 1e-12, "the end");
    EXPECT_NEAR(ramus_learning_rate(&o, 1100, 1000), 0.2, 1e-12, "beyond");
    EXPECT_INT(ramus_decay_start(&o, 300), 100, "not before the end of the warm-up");
    EXPECT_NEAR(ramus_learning_rate(&o, 150, 300), 0.6, 1e-12, "a quarter of the way");
    choose(&o, "decay-updates", "0");
    o.warmup = 0;
    EXPECT_NEAR(ramus_learning_rate(&o, 3, 3), 1, 1e-12, "too short to fall");
}

CHECK_MAIN({"steps_are_those_of_the_papers", steps_are_those_of_the_papers},
           {"a_gradient_that_is_not_finite_moves_nothing",
            a_gradient_that_is_not_finite_moves_nothing},
           {"threads_change_no_bit", threads_change_no_bit},
           {"a_matrix_without_gradient_stays", a_matrix_without_gradient_stays},
           {"muon_keeps_no_second_moment_of_its_matrices",
            muon_keeps_no_second_moment_of_its_matrices},
           {"schedules_are_their_formulas", schedules_are_their_formulas},
           {"a_stable_rate_falls_in_the_last_updates", a_stable_rate_falls_in_the_last_updates})
