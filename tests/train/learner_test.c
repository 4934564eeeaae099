/* The learner: micro-batches add up to the update, nothing is allocated, gates are counted. */
#include "train/learner.h"
#include "train/optimizer.h"

#include "allocations.h"
#include "check.h"

#define WORDS 50
#define PAIRS 60

static int ids[2][PAIRS][12];
static ramus_pair pairs[PAIRS];

static void draw_pairs(void)
{
    const ramus_rng rng = {check_seed(), 1, 1, 1};
    uint64_t at = 0;
    for (int i = 0; i < PAIRS; i++) {
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < 12; j++)
                ids[side][i][j] = (int)(ramus_rng_bits(&rng, at++) % WORDS);
        pairs[i] = (ramus_pair){ids[0][i], ids[1][i], 1 + (int)(ramus_rng_bits(&rng, at++) % 12),
                                1 + (int)(ramus_rng_bits(&rng, at++) % 12)};
    }
}

static ramus_batch batch_of(int first, int n)
{
    ramus_batch b = {.pairs = pairs + first, .n = n};
    for (int i = 0; i < n; i++) {
        b.source_tokens += b.pairs[i].source_length;
        b.target_tokens += b.pairs[i].target_length;
    }
    return b;
}

static ramus_learner *create(const char *routing, bool noise, const ramus_objective *objective,
                             ramus_pool *pool)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_settings_default(&s);
    a.width = 24;
    a.filter = ramus_numbers_of(40);
    a.heads = ramus_numbers_of(3);
    a.encoder_layers = a.decoder_layers = 2;
    a.source_vocab = a.target_vocab = WORDS;
    REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, "routing"), routing, &err), err);
    a.gate_noise = noise;
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    const ramus_learner_spec spec = {.arch = &a,
                                     .objective = objective,
                                     .tokens = 12 * PAIRS,
                                     .max_length = 12,
                                     .seed = check_seed(),
                                     .pool = pool};
    ramus_learner *l = NULL;
    REQUIRE_OK(ramus_learner_create(&l, &spec, &err), err);
    return l;
}

static void learn(ramus_learner *l, const ramus_batch *batches, int n)
{
    ramus_update u = {.batches = batches, .n = n};
    for (int i = 0; i < n; i++) {
        u.source_tokens += batches[i].source_tokens;
        u.target_tokens += batches[i].target_tokens;
    }
    for (int i = 0; i < n; i++)
        ramus_learner_batch(l, &u, i, 1);
}

static void micro_batches_add_up_to_the_update(void)
{
    static const char *const routings[] = {"dense", "dmb", "moe", "switch"};
    const ramus_objective plain = {.label_smoothing = 0.1}; // auxiliary losses are per micro-batch
    draw_pairs();
    for (int i = 0; i < 4; i++) {
        ramus_learner *whole = create(routings[i], false, &plain, NULL);
        ramus_learner *parts = create(routings[i], false, &plain, NULL);
        const ramus_batch one = batch_of(0, PAIRS);
        const ramus_batch four[] = {batch_of(0, 1), batch_of(1, 20), batch_of(21, 30),
                                    batch_of(51, PAIRS - 51)};
        learn(whole, &one, 1);
        learn(parts, four, 4);
        EXPECT_NEAR(ramus_learner_loss(parts, 0), ramus_learner_loss(whole, 0), 1e-5, routings[i]);
        EXPECT_INT(parts->learned.target_tokens, one.target_tokens, "target tokens");
        double norm = 0, error = 0;
        for (size_t j = 0; j < whole->grads->size; j++) {
            const double g = (double)whole->grads->data[j];
            norm += g * g;
            error += pow(g - (double)parts->grads->data[j], 2);
        }
        EXPECT(sqrt(error) <= 1e-5 * sqrt(norm) && norm > 0, "%s: error %g of norm %g", routings[i],
               sqrt(error), sqrt(norm));
        ramus_learner_destroy(whole);
        ramus_learner_destroy(parts);
    }
}

static void an_update_allocates_nothing(void)
{
    static const char *const routings[] = {"dense", "dmb", "moe", "switch"};
    const ramus_objective all = {.label_smoothing = 0.1,
                                 .dropout = 0.1,
                                 .attention_dropout = 0.1,
                                 .relu_dropout = 0.1,
                                 .diversity_weight = 0.1,
                                 .entropy_weight = 0.1,
                                 .load_weight = 0.01};
    ramus_error err = {0};
    ramus_pool *pool = NULL;
    REQUIRE_OK(ramus_pool_create(&pool, 2, &err), err);
    draw_pairs();
    for (int i = 0; i < 4; i++) {
        ramus_optimizer_options options = {0};
        const ramus_settings s = ramus_optimizer_settings(&options);
        ramus_settings_default(&s);
        options.ema = 0.9;
        ramus_learner *l = create(routings[i], false, &all, pool);
        ramus_optimizer *o = NULL;
        REQUIRE_OK(ramus_optimizer_create(&o, &options, l->weights, pool, &err), err);
        const ramus_batch batches[] = {batch_of(0, 30), batch_of(30, 30)};
        const long before = allocations;
        learn(l, batches, 2);
        const double norm = ramus_optimizer_norm(o, l->grads);
        EXPECT(ramus_optimizer_step(o, l->weights, l->grads, 1e-3, norm), "a step");
        ramus_learner_gates(l);
        EXPECT_INT(allocations - before, 0, routings[i]);
        EXPECT(before > 0, "allocations are counted");
        ramus_optimizer_destroy(o);
        ramus_learner_destroy(l);
    }
    ramus_pool_destroy(pool);
}

/* Over the gates, whose shares add up to 1. */
static double mean_entropy(const ramus_learner *l)
{
    double entropy = 0;
    for (int i = 0; i < l->n_gates; i++) {
        const ramus_gate_use *use = &l->gates[i];
        double sum = 0;
        for (int j = 0; j < use->branches; j++)
            sum += use->share[j];
        EXPECT_NEAR(sum, 1, 1e-9, use->name);
        entropy += use->entropy / l->n_gates;
    }
    return entropy;
}

/* A learner without smoothing has the cross-entropy as its loss. */
static void nll_is_the_loss_without_smoothing(void)
{
    const ramus_objective smooth = {.label_smoothing = 0.2}, plain = {.label_smoothing = 0};
    draw_pairs();
    ramus_learner *a = create("dmb", false, &smooth, NULL), *b = create("dmb", false, &plain, NULL);
    const ramus_batch parts[] = {batch_of(0, 20), batch_of(20, PAIRS - 20)};
    learn(a, parts, 2);
    learn(b, parts, 2);
    EXPECT_NEAR(ramus_learner_nll(b), ramus_learner_loss(b, 0), 1e-6, "no smoothing");
    EXPECT_NEAR(ramus_learner_nll(a), ramus_learner_loss(b, 0), 1e-5, "smoothing");
    EXPECT(ramus_learner_loss(a, 0) < ramus_learner_nll(a) - 0.1, "the objective has another zero");
    ramus_learner_destroy(a);
    ramus_learner_destroy(b);
}

static void gates_are_counted(void)
{
    const ramus_objective all = {.label_smoothing = 0.1,
                                 .diversity_weight = 0.1,
                                 .entropy_weight = 0.1,
                                 .load_weight = 0.01};
    draw_pairs();
    ramus_learner *l = create("dmb", false, &all, NULL);
    const ramus_batch one = batch_of(0, PAIRS);
    learn(l, &one, 1);
    ramus_learner_gates(l);
    EXPECT_INT(l->n_gates, 2 * 2 + 4 * 2, "applications: 2 per encoder layer, 4 per decoder layer");
    EXPECT_INT(l->n_losses, 3, "cross-entropy, diversity, entropy");
    EXPECT_NEAR(mean_entropy(l), ramus_learner_loss(l, 2), 1e-5, "the entropy loss is their mean");
    ramus_learner_destroy(l);

    l = create("moe", true, &all, NULL);
    learn(l, &one, 1);
    ramus_learner_gates(l);
    EXPECT_INT(l->n_gates, 2 * 2 + 4 * 2, "applications of gates with noise");
    EXPECT_INT(l->n_losses, 3, "cross-entropy, diversity, load");
    const double entropy = mean_entropy(l);
    EXPECT(entropy > 0 && entropy < log(2), "entropy %g of two experts", entropy);
    ramus_learner_destroy(l);
}

CHECK_MAIN({"micro_batches_add_up_to_the_update", micro_batches_add_up_to_the_update},
           {"an_update_allocates_nothing", an_update_allocates_nothing},
           {"nll_is_the_loss_without_smoothing", nll_is_the_loss_without_smoothing},
           {"gates_are_counted", gates_are_counted})
