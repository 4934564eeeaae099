/* The law of ranks, run by mpirun: several ranks that share an update have the gradient of one that
 * does all of it, and their weights stay the same bit by bit. Every rank computes the truth, too:
 * with a learner of its own that is alone. */
#include "base/hash.h"
#include "train/exchange.h"
#include "train/optimizer.h"

#include "check.h"

#define WORDS 50
#define PAIRS 24
#define PARTS 7 // micro-batches of an update, at most

static ramus_comm *comm;
static int ids[2][PAIRS][12];
static ramus_pair pairs[PAIRS];
static ramus_batch batches[PARTS];

/* Another update for each number: the pairs, and how they are cut into 1 .. PARTS pieces. */
static ramus_update draw_update(int number)
{
    const ramus_rng rng = {check_seed(), 1, 1, (uint32_t)number};
    uint64_t at = 0;
    for (int i = 0; i < PAIRS; i++) {
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < 12; j++)
                ids[side][i][j] = (int)(ramus_rng_bits(&rng, at++) % WORDS);
        pairs[i] = (ramus_pair){ids[0][i], ids[1][i], 1 + (int)(ramus_rng_bits(&rng, at++) % 12),
                                1 + (int)(ramus_rng_bits(&rng, at++) % 12)};
    }
    ramus_update u = {.batches = batches, .n = 1 + number % PARTS};
    for (int i = 0, first = 0; i < u.n; i++) {
        const int most = PAIRS - first - (u.n - 1 - i);
        const int n = i == u.n - 1 ? most : 1 + (int)(ramus_rng_bits(&rng, at++) % (uint64_t)most);
        ramus_batch *b = &batches[i];
        *b = (ramus_batch){.pairs = pairs + first, .n = n};
        for (int j = first; j < first + n; j++) {
            b->source_tokens += pairs[j].source_length;
            b->target_tokens += pairs[j].target_length;
        }
        u.source_tokens += b->source_tokens;
        u.target_tokens += b->target_tokens;
        first += n;
    }
    return u;
}

/* A learner and what shares its work. */
typedef struct {
    ramus_learner *learner;
    ramus_exchange *exchange;
    ramus_optimizer *optimizer;
} team;

static team create(const char *routing, const char *optimizer, ramus_comm *with, size_t bucket)
{
    const ramus_objective objective = {.label_smoothing = 0.1,
                                       .dropout = 0.1,
                                       .attention_dropout = 0.1,
                                       .relu_dropout = 0.1,
                                       .diversity_weight = 0.1,
                                       .entropy_weight = 0.1,
                                       .load_weight = 0.01};
    ramus_error err = {0};
    ramus_arch a = {0};
    ramus_optimizer_options options = {0};
    const ramus_settings s = ramus_arch_settings(&a), o = ramus_optimizer_settings(&options);
    ramus_settings_default(&s);
    ramus_settings_default(&o);
    a.width = 24;
    a.filter = ramus_numbers_of(40);
    a.heads = ramus_numbers_of(3);
    a.encoder_layers = a.decoder_layers = 1;
    a.source_vocab = a.target_vocab = WORDS;
    REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, "routing"), routing, &err), err);
    REQUIRE_OK(ramus_setting_set(&o, ramus_setting_find(&o, "optimizer"), optimizer, &err), err);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    const ramus_learner_spec spec = {.arch = &a,
                                     .objective = &objective,
                                     .tokens = 12 * PAIRS,
                                     .max_length = 12,
                                     .seed = check_seed()};
    team t = {0};
    REQUIRE_OK(ramus_learner_create(&t.learner, &spec, &err), err);
    REQUIRE_OK(ramus_exchange_create(&t.exchange, with, t.learner, bucket, &err), err);
    REQUIRE_OK(ramus_optimizer_create(&t.optimizer, &options, t.learner->weights, NULL, &err), err);
    return t;
}

static void destroy(team *t)
{
    ramus_optimizer_destroy(t->optimizer);
    ramus_exchange_destroy(t->exchange);
    ramus_learner_destroy(t->learner);
}

static void step(team *t, double rate)
{
    const double norm = ramus_optimizer_norm(t->optimizer, t->learner->grads);
    EXPECT(ramus_optimizer_step(t->optimizer, t->learner->weights, t->learner->grads, rate, norm),
           "the gradient is finite");
}

static void expect_same_gradient(const ramus_learner *got, const ramus_learner *want,
                                 const char *what, int number)
{
    double norm = 0, error = 0;
    for (size_t i = 0; i < want->grads->size; i++) {
        const double g = (double)want->grads->data[i];
        norm += g * g;
        error += pow(g - (double)got->grads->data[i], 2);
    }
    EXPECT(sqrt(error) <= 1e-5 * sqrt(norm) && norm > 0, "%s, update %d: error %g of norm %g", what,
           number, sqrt(error), sqrt(norm));
}

static const char *const routings[] = {"dense", "dmb", "moe", "switch"};

/* Both have the same weights before each of the updates. */
static void compare_gradients(const char *routing, size_t bucket)
{
    team alone = create(routing, "adam", NULL, 0), shared = create(routing, "adam", comm, bucket);
    for (int number = 1; number <= 20; number++) {
        const ramus_weights *w = alone.learner->weights;
        const ramus_update u = draw_update(number);
        memcpy(shared.learner->weights->data, w->data, w->size * sizeof *w->data);
        ramus_exchange_learn(alone.exchange, &u, number);
        ramus_exchange_learn(shared.exchange, &u, number);
        expect_same_gradient(shared.learner, alone.learner, routing, number);
        EXPECT_INT(shared.learner->learned.target_tokens, alone.learner->learned.target_tokens,
                   "target tokens");
        for (int i = 0; i < alone.learner->n_losses; i++)
            EXPECT_NEAR(ramus_learner_loss(shared.learner, i), ramus_learner_loss(alone.learner, i),
                        1e-5, alone.learner->losses[i]);
        step(&alone, 1e-3);
        step(&shared, 1e-3);
    }
    destroy(&shared);
    destroy(&alone);
}

static void ranks_have_the_gradient_of_one(void)
{
    static const size_t buckets[] = {0, 3000}; // one at the end, several
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            compare_gradients(routings[i], buckets[j]);
}

/* Each goes its own way from the same start. */
static void plain_descent_has_the_losses_of_one(void)
{
    for (int i = 0; i < 4; i++) {
        team alone = create(routings[i], "sgd", NULL, 0);
        team shared = create(routings[i], "sgd", comm, 5000);
        double first = 0, last = 0;
        for (int number = 1; number <= 50; number++) {
            const ramus_update u = draw_update(0);
            ramus_learner_clear(alone.learner);
            ramus_learner_clear(shared.learner);
            ramus_exchange_learn(alone.exchange, &u, number);
            ramus_exchange_learn(shared.exchange, &u, number);
            last = ramus_learner_loss(alone.learner, 0);
            if (number == 1) first = last;
            EXPECT_NEAR(ramus_learner_loss(shared.learner, 0), last, 1e-4, routings[i]);
            step(&alone, 0.1);
            step(&shared, 0.1);
        }
        EXPECT(last < first - 0.1, "%s: it learns, from %g to %g", routings[i], first, last);
        destroy(&shared);
        destroy(&alone);
    }
}

static void weights_stay_the_same_on_all_ranks(void)
{
    for (int i = 0; i < 8; i++) {
        team shared = create(routings[i % 4], i < 4 ? "adam" : "muon", comm, 3000);
        const ramus_weights *w = shared.learner->weights;
        for (int number = 1; number <= 20; number++) {
            const ramus_update u = draw_update(number);
            ramus_exchange_learn(shared.exchange, &u, number);
            step(&shared, 1e-3);
            EXPECT(ramus_comm_same(comm, ramus_hash(0, w->data, w->size * sizeof *w->data)),
                   "%s, update %d: weights differ", routings[i % 4], number);
        }
        destroy(&shared);
    }
}

static void a_failure_of_one_is_told_by_all(void)
{
    const int ranks = ramus_comm_ranks(comm), rank = ramus_comm_rank(comm);
    for (int bad = 0; bad < ranks; bad++) {
        ramus_error err = {0};
        ramus_status st = RAMUS_OK;
        char name[32];
        if (rank >= bad) st = ramus_fail(&err, RAMUS_IO, "disk %d is full", rank);
        EXPECT_INT(ramus_comm_agree(comm, st, &err), RAMUS_IO,
                   "the status of the first that fails");
        (void)snprintf(name, sizeof name, "disk %d is full", bad);
        EXPECT(strstr(err.message, name), "got %s, want %s", err.message, name);
        EXPECT((strncmp(err.message, "rank ", 5) == 0) == (bad > 0), "the rank is named: %s",
               err.message);
    }
    ramus_error err = {0};
    EXPECT_INT(ramus_comm_agree(comm, RAMUS_OK, &err), RAMUS_OK, "all is well");
    EXPECT(ramus_comm_same(comm, 7), "the same");
    EXPECT(ranks == 1 || !ramus_comm_same(comm, (uint64_t)rank), "not the same");
    EXPECT(ramus_comm_max(comm, rank) == ranks - 1, "the largest");
}

int main(int argc, char **argv)
{
    static const check_fact facts[] = {
        {"ranks_have_the_gradient_of_one", ranks_have_the_gradient_of_one},
        {"plain_descent_has_the_losses_of_one", plain_descent_has_the_losses_of_one},
        {"weights_stay_the_same_on_all_ranks", weights_stay_the_same_on_all_ranks},
        {"a_failure_of_one_is_told_by_all", a_failure_of_one_is_told_by_all},
    };
    ramus_error err = {0};
    REQUIRE_OK(ramus_comm_open(&comm, &err), err);
    printf("rank %d of %d\n", ramus_comm_rank(comm), ramus_comm_ranks(comm));
    const int code = check_run(argc, argv, facts, RAMUS_COUNT(facts));
    ramus_comm_close(comm);
    return code;
}
