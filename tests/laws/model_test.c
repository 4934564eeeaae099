/* Laws that hold for any weights: none of them trusts a number of ours. */
#include "grad/grad.h"
#include "model/fold.h"

#include "model.h"

static const char *const kinds[][17] = {
    {"routing", "dense", NULL},
    {"routing", "dmb", NULL},
    {"routing", "dmb", "branches", "7", "norm", "pre", NULL},
    {"routing", "moe", NULL},
    {"routing", "moe", "top-k", "3", "norm", "pre", "tie", "none", NULL},
    {"routing", "switch", NULL},
    {"routing", "dmb", "routed", "ffn", "encoder-layers", "3", "decoder-layers", "1", NULL},
    {"routing", "switch", "routed", "attention", "tie", "target", NULL},
    {"attention", "lsra", "taps", "3,7", "convolution-heads", "2", NULL},
    {"attention", "lsra", "decoder-taps", "4,1", "convolution", "dynamic", "convolution-heads", "5",
     "routing", "dmb", "norm", "pre", NULL},
    {"attention", "lsra", "taps", "31", "convolution", "lightweight", "convolution-heads", "2",
     "convolution-width", "4", "routing", "dmb", NULL},
    {"attention", "lsra", "convolution", "lightweight", "convolution-heads", "1", "routing", "moe",
     "decoder-convolution", "dynamic-glu", NULL},
    {"attention", "lsra", "convolution-heads", "5", "routing", "switch", NULL},
    {"filter", "9,40", "heads", "5,1", "decoder-filter", "30,7", "decoder-heads", "4,2",
     "cross-heads", "2,10", "cross-layers", "1,2", "first-position", "2", NULL},
    {"decoder-width", "12", "attention-width", "24", "position-width", "28", "cross-layers", "2",
     "routing", "dmb", "source-bias", "off", NULL},
    {"decoder-width", "28", "encoder-layers", "3", "cross-layers", "3,2", "routing", "moe", "norm",
     "pre", "tie", "target", NULL},
    {"decoder-width", "8", "attention", "lsra", "convolution-heads", "1", "routing", "switch",
     NULL},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static const float *logits_of(const bench *b)
{
    return ramus_graph_find(b->graph, "logits")->data;
}

static double worst_difference(const float *a, const float *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

/* Other sentences in the batch, longer and shorter, change no bit of a sentence's logits. */
static void batch_equals_single_sentences(void)
{
    for (int k = 0; k < KINDS; k++) {
        const ramus_arch a = make_arch(kinds[k]);
        ramus_weights *w = random_weights(&a, false);
        const ramus_build build = full_build(RAMUS_HEAD_LOGITS, NULL);
        bench all = bench_create(&a, w, NULL, &build, NULL),
              one = bench_create(&a, w, NULL, &build, NULL);
        bench_batch(&all, 0, SENTENCES);
        ramus_run_forward(all.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        const float *together = logits_of(&all);
        for (int s = 0; s < SENTENCES; s++) {
            const size_t count = (size_t)target_lengths[s] * VOCAB;
            bench_batch(&one, s, 1);
            ramus_run_forward(one.run, RAMUS_WEIGHTS, RAMUS_TARGET);
            EXPECT_BYTES(logits_of(&one), together, count * sizeof(float), "kind %d, sentence %d",
                         k, s);
            together += count;
        }
        bench_destroy(&one);
        bench_destroy(&all);
        ramus_weights_destroy(w);
    }
}

/* Decoding position by position through caches gives what the whole sentence at once gives. The
 * rows of the sentences change places at every step, so caches are read through ancestors. */
static void step_equals_full(void)
{
    for (int k = 0; k < KINDS; k++) {
        const ramus_arch a = make_arch(kinds[k]);
        ramus_weights *w = random_weights(&a, false);
        const ramus_build build = full_build(RAMUS_HEAD_LOGITS, NULL);
        const ramus_build step_build = {.kind = RAMUS_STEP,
                                        .head = RAMUS_HEAD_LOGITS,
                                        .source = {40, SENTENCES, 12},
                                        .target = {SENTENCES + 2, SENTENCES + 2, 12},
                                        .positions = k % 2 ? SENTENCES * 7 : 0};
        bench full = bench_create(&a, w, NULL, &build, NULL);
        bench step = bench_create(&a, w, NULL, &step_build, NULL);
        bench_batch(&full, 0, SENTENCES);
        ramus_run_forward(full.run, RAMUS_WEIGHTS, RAMUS_TARGET);

        ramus_axis_set(&step.graph->source, source_lengths, SENTENCES);
        memcpy(ramus_graph_find(step.graph, "source_ids")->data,
               ramus_graph_find(full.graph, "source_ids")->data, 18 * sizeof(int));
        ramus_run_forward(step.run, RAMUS_WEIGHTS, RAMUS_SOURCE);
        ramus_axis *axis = &step.graph->target;
        if (k % 2) { // as little room as these sentences need
            axis->stride = SENTENCES;
            axis->span = 7;
        }
        int history[SENTENCES][12] = {{0}};
        for (int p = 0; p < 7; p++) {
            int rows = 0;
            for (int i = 0; i < SENTENCES; i++) {
                const int s = (i + p) % SENTENCES; // another order at every step
                if (p >= target_lengths[s]) continue;
                axis->sequence[rows] = s;
                axis->position[rows] = p;
                history[s][p] = p * axis->stride + rows;
                memcpy(axis->ancestor + rows * axis->span, history[s],
                       (size_t)axis->span * sizeof(int));
                ((int *)ramus_graph_find(step.graph, "previous_ids")->data)[rows] =
                    p ? word_at(s, p - 1, 1) : 0;
                rows++;
            }
            axis->rows = rows;
            ramus_run_forward(step.run, RAMUS_TARGET, RAMUS_TARGET);
            for (int r = 0; r < rows; r++) {
                const int s = axis->sequence[r];
                const float *want = logits_of(&full) + (full.graph->target.start[s] + p) * VOCAB;
                EXPECT_BYTES(logits_of(&step) + r * VOCAB, want, VOCAB * sizeof(float),
                             "kind %d, sentence %d, position %d", k, s, p);
            }
        }
        bench_destroy(&step);
        bench_destroy(&full);
        ramus_weights_destroy(w);
    }
}

/* The graph that trains, with shared parts and without dropout, gives the logits of the folded
 * model. */
static void folding_changes_no_logit(void)
{
    for (int k = 0; k < KINDS; k++) {
        const ramus_arch a = make_arch(kinds[k]);
        const ramus_objective objective = {0};
        ramus_error err = {0};
        ramus_weights *trained = random_weights(&a, true), *folded = NULL;
        REQUIRE_OK(ramus_transformer_weights(&folded, &a, false, &err), err);
        ramus_weights_fold(folded, trained);
        EXPECT(a.shared_private == (folded->n < trained->n), "kind %d: shared parts are gone", k);
        const ramus_build training = full_build(RAMUS_HEAD_LOGITS, &objective);
        const ramus_build used = full_build(RAMUS_HEAD_LOGITS, NULL);
        bench before = bench_create(&a, trained, NULL, &training, NULL);
        bench after = bench_create(&a, folded, NULL, &used, NULL);
        bench_batch(&before, 0, SENTENCES);
        bench_batch(&after, 0, SENTENCES);
        ramus_run_forward(before.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        ramus_run_forward(after.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        const size_t count = (size_t)before.graph->target.rows * VOCAB;
        const double worst = worst_difference(logits_of(&before), logits_of(&after), count);
        EXPECT(worst <= 1e-5, "kind %d: logits differ by %g", k, worst);
        bench_destroy(&after);
        bench_destroy(&before);
        ramus_weights_destroy(folded);
        ramus_weights_destroy(trained);
    }
}

/* One branch is no choice: the same weights give the same bits as the dense model, with either
 * norm. */
static void one_branch_equals_dense(void)
{
    for (int pre = 0; pre < 2; pre++) {
        const char *norm = pre ? "pre" : "post";
        const char *one[] = {"routing", "dmb", "branches", "1", "norm", norm, NULL};
        const char *none[] = {"routing", "dense", "norm", norm, NULL};
        const ramus_arch dmb = make_arch(one), dense = make_arch(none);
        ramus_error err = {0};
        ramus_weights *routed = random_weights(&dmb, false), *plain = NULL;
        REQUIRE_OK(ramus_transformer_weights(&plain, &dense, false, &err), err);
        for (int i = 0; i < plain->n; i++) {
            const ramus_weight *from = ramus_weights_find(routed, plain->items[i].name);
            EXPECT(from && from->count == plain->items[i].count, "%s", plain->items[i].name);
            memcpy(plain->items[i].data, from->data, from->count * sizeof *from->data);
        }
        const ramus_build build = full_build(RAMUS_HEAD_LOGITS, NULL);
        bench a = bench_create(&dmb, routed, NULL, &build, NULL);
        bench b = bench_create(&dense, plain, NULL, &build, NULL);
        bench_batch(&a, 0, SENTENCES);
        bench_batch(&b, 0, SENTENCES);
        ramus_run_forward(a.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        ramus_run_forward(b.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        EXPECT_BYTES(logits_of(&a), logits_of(&b),
                     (size_t)a.graph->target.rows * VOCAB * sizeof(float), "norm %s", norm);
        bench_destroy(&b);
        bench_destroy(&a);
        ramus_weights_destroy(plain);
        ramus_weights_destroy(routed);
    }
}

/* Losses and all gradients of a training step with every kind of randomness on. */
static ramus_weights *train_step(const ramus_arch *a, const ramus_weights *w, int quantize,
                                 int threads, double *loss)
{
    ramus_error err = {0};
    ramus_pool *pool = NULL;
    ramus_weights *grads = NULL;
    ramus_objective o = {0};
    const ramus_settings os = ramus_objective_settings(&o);
    ramus_settings_default(&os);
    o.attention_dropout = o.relu_dropout = o.convolution_dropout = 0.2;
    o.quantize = quantize;
    REQUIRE_OK(ramus_pool_create(&pool, threads, &err), err);
    REQUIRE_OK(ramus_transformer_weights(&grads, a, true, &err), err);
    const ramus_build build = full_build(RAMUS_HEAD_LOSS, &o);
    bench b = bench_create(a, w, grads, &build, pool);
    bench_batch(&b, 0, MANY);
    b.run->train->rng = (ramus_rng){check_seed(), 11, 2, 0};
    b.run->train->loss_scale = 1.0 / b.graph->target.rows;
    ramus_grad_forward(b.run);
    ramus_grad_seed(b.run);
    ramus_grad_backward(b.run);
    *loss = 0;
    for (int i = 0; i < b.graph->n_losses; i++)
        *loss += (double)*(float *)b.graph->losses[i].value->data * b.graph->losses[i].weight;
    bench_destroy(&b);
    ramus_pool_destroy(pool);
    return grads;
}

static void thread_count_changes_no_bit(void)
{
    for (int k = 0; k < KINDS + 1; k++) {
        static const char *const noisy[] = {"routing", "moe", "gate-noise", "on", NULL};
        const ramus_arch a = make_arch(k < KINDS ? kinds[k] : noisy);
        ramus_weights *w = random_weights(&a, true);
        double loss = 0, other_loss = 0; // k % 3: without rounding, with 8 bits, with 4
        ramus_weights *grads = train_step(&a, w, k % 3, 1, &loss);
        EXPECT(isfinite(loss) && loss > 0, "kind %d: loss %g", k, loss);
        for (int threads = 2; threads <= 5; threads++) {
            ramus_weights *others = train_step(&a, w, k % 3, threads, &other_loss);
            EXPECT(loss == other_loss, "kind %d, %d threads: loss %.9g, %.9g", k, threads, loss,
                   other_loss);
            EXPECT_BYTES(grads->data, others->data, grads->size * sizeof *grads->data,
                         "kind %d, %d threads: gradients", k, threads);
            ramus_weights_destroy(others);
        }
        ramus_weights_destroy(grads);
        ramus_weights_destroy(w);
    }
}

/* With `alike` a new routed model is a dense one N times over; without, its branches differ. */
static void branches_begin_alike_if_asked(void)
{
    static const struct {
        const char *routing, *shared;
    } models[] = {{"dmb", "on"}, {"dmb", "off"}, {"moe", "off"}, {"switch", "off"}};
    const ramus_limits one = {1, 1, 1};
    for (int run = 0; run < 8; run++) {
        const char *routing = models[run / 2].routing, *shared = models[run / 2].shared;
        const bool alike = run % 2;
        const ramus_arch a = make_arch((const char *const[]){"routing", routing, "branches", "3",
                                                             "shared-private", shared, NULL});
        ramus_error err = {0};
        const ramus_objective objective = {.alike = alike};
        const ramus_build build = {
            .head = RAMUS_HEAD_LOSS, .objective = &objective, .source = one, .target = one};
        ramus_graph *g = NULL;
        ramus_weights *w = NULL, *folded = NULL;
        REQUIRE_OK(ramus_transformer_create(&g, &a, &build, &err), err);
        REQUIRE_OK(ramus_weights_create(&w, g, &err), err);
        REQUIRE_OK(ramus_transformer_weights(&folded, &a, false, &err), err);
        ramus_weights_init(w, g, check_seed());
        ramus_weights_fold(folded, w);
        int matrices = 0;
        for (int i = 0; i < folded->n; i++) {
            const ramus_weight *x = &folded->items[i];
            if (x->n_dims != 3) continue;
            const size_t size = x->count / 3;
            bool constant = true, same = true;
            for (size_t j = 0; j < size; j++) {
                constant = constant && x->data[j] == x->data[0];
                same =
                    same && x->data[j] == x->data[size + j] && x->data[j] == x->data[2 * size + j];
            }
            EXPECT(!constant && same == alike, "%s, %s, shared part %s: alike %d", routing, x->name,
                   shared, alike);
            matrices++;
        }
        EXPECT_INT(matrices, 2 * 6 + 2 * 10, "branched matrices");
        ramus_weights_destroy(folded);
        ramus_weights_destroy(w);
        ramus_graph_destroy(g);
    }
}

CHECK_MAIN({"branches_begin_alike_if_asked", branches_begin_alike_if_asked},
           {"batch_equals_single_sentences", batch_equals_single_sentences},
           {"step_equals_full", step_equals_full},
           {"folding_changes_no_logit", folding_changes_no_logit},
           {"one_branch_equals_dense", one_branch_equals_dense},
           {"thread_count_changes_no_bit", thread_count_changes_no_bit})
