/* Scoring, recording of products and drawn routes: laws that hold for any weights. */
#include "bench/random_routes.h"
#include "bench/record.h"
#include "convert/quantize.h"
#include "runtime/scorer.h"
#include "runtime/search.h"

#include "model.h"

static const char *const kinds[][9] = {
    {"routing", "dense", NULL},
    {"routing", "dmb", "norm", "pre", NULL},
    {"routing", "moe", "top-k", "3", "tie", "none", NULL},
    {"routing", "switch", "routed", "ffn", NULL},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
#define BEAM  3
#define EXTRA 3

static ramus_weights *weights_of(const ramus_arch *a, bool i8)
{
    ramus_error err = {0};
    ramus_weights *w = random_weights(a, false), *q = NULL;
    if (!i8) return w;
    REQUIRE_OK(ramus_quantize(&q, w, (ramus_quantize_spec){RAMUS_I8, RAMUS_I8}, &err), err);
    ramus_weights_destroy(w);
    return q;
}

static ramus_search *search_of(const ramus_arch *a, const ramus_weights *w, int beam,
                               int target_length)
{
    ramus_error err = {0};
    ramus_search *s = NULL;
    const ramus_search_limits limits = {.beam = beam,
                                        .sentences = SENTENCES,
                                        .source_tokens = 60,
                                        .source_length = 12,
                                        .target_length = target_length};
    REQUIRE_OK(ramus_search_create(&s, a, w, &limits, NULL, &err), err);
    return s;
}

/* The pairs of the first sentences and their translations, whose ids go to `target`. */
static int translate(ramus_search *s, const ramus_search_options *o, int source[][12],
                     int target[][16], ramus_pair *pairs, double *scores)
{
    ramus_error err = {0};
    ramus_hypothesis best[SENTENCES * BEAM];
    ramus_source sources[SENTENCES];
    int n = 0;
    for (int i = 0; i < SENTENCES; i++) {
        for (int j = 0; j < source_lengths[i]; j++)
            source[i][j] = word_at(i, j, 0);
        sources[i] = (ramus_source){.ids = source[i], .length = source_lengths[i]};
    }
    REQUIRE_OK(ramus_search_run(s, o, sources, SENTENCES, best, &err), err);
    for (int i = 0; i < SENTENCES * o->beam; i++) {
        if (!best[i].length) continue;
        memcpy(target[n], best[i].ids, (size_t)best[i].length * sizeof(int));
        pairs[n] = (ramus_pair){source[i / o->beam], target[n], source_lengths[i / o->beam],
                                best[i].length};
        scores[n++] = best[i].score;
    }
    return n;
}

/* What the search reports for a translation is what scoring gives for it: greedy and beam, floats
 * and 8 bits. The search rounds each log-probability to a float. */
static void score_equals_that_of_the_search(void)
{
    for (int test = 0; test < 4 * KINDS; test++) {
        const bool i8 = test % 2, greedy = test / 2 % 2;
        const ramus_arch a = make_arch(kinds[test / 4]);
        ramus_error err = {0};
        ramus_weights *w = weights_of(&a, i8);
        ramus_search *search = search_of(&a, w, BEAM, 16);
        const ramus_search_options o = {.beam = greedy ? 1 : BEAM,
                                        .greedy = greedy,
                                        .scores = true,
                                        .length_penalty = 0,
                                        .length_ratio = 1,
                                        .extra_length = EXTRA,
                                        .eos = 1};
        int source[SENTENCES][12], target[SENTENCES * BEAM][16];
        ramus_pair pairs[SENTENCES * BEAM];
        double scores[SENTENCES * BEAM];
        const int n = translate(search, &o, source, target, pairs, scores);
        EXPECT(n >= SENTENCES, "%d translations", n);

        const ramus_scorer_spec spec = {&a, w, 16, NULL};
        ramus_scorer *scorer = NULL;
        float log_probs[SENTENCES * BEAM * 16];
        const float *at = log_probs;
        REQUIRE_OK(ramus_scorer_create(&scorer, &spec, &err), err);
        REQUIRE_OK(ramus_scorer_run(scorer, pairs, n, log_probs, &err), err);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < pairs[i].target_length; j++)
                sum += (double)*at++;
            EXPECT_NEAR(sum, scores[i], 2e-6 * pairs[i].target_length, "log-probability");
            EXPECT(sum < -0.1, "%g: nothing is that certain", sum);
        }
        ramus_scorer_destroy(scorer);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
}

/* Pairs alone, or among others, or with several threads: the same bits. */
static void company_changes_no_score(void)
{
    enum { PAIRS = 300, LENGTH = 12 }; // several batches
    const ramus_arch a = make_arch(kinds[1]);
    ramus_error err = {0};
    ramus_weights *w = weights_of(&a, true);
    ramus_pool *pool = NULL;
    ramus_scorer *alone = NULL, *threads = NULL;
    static int ids[PAIRS][2][LENGTH];
    static float one[PAIRS * LENGTH], all[PAIRS * LENGTH];
    ramus_pair pairs[PAIRS];
    size_t n = 0;
    for (int i = 0; i < PAIRS; i++) {
        for (int j = 0; j < 2 * LENGTH; j++)
            ids[i][j % 2][j / 2] = word_at(i, j / 2, j % 2);
        pairs[i] = (ramus_pair){ids[i][0], ids[i][1], 1 + i * 7 % LENGTH, 1 + i * 5 % LENGTH};
    }
    REQUIRE_OK(ramus_pool_create(&pool, 3, &err), err);
    REQUIRE_OK(ramus_scorer_create(&alone, &(ramus_scorer_spec){&a, w, LENGTH, NULL}, &err), err);
    REQUIRE_OK(ramus_scorer_create(&threads, &(ramus_scorer_spec){&a, w, LENGTH, pool}, &err), err);
    REQUIRE_OK(ramus_scorer_run(threads, pairs, PAIRS, all, &err), err);
    for (int i = 0; i < PAIRS; i++) {
        REQUIRE_OK(ramus_scorer_run(alone, pairs + i, 1, one + n, &err), err);
        n += (size_t)pairs[i].target_length;
    }
    EXPECT_BYTES(one, all, n * sizeof *one, "scores of %d pairs", PAIRS);
    ramus_scorer_destroy(alone);
    ramus_scorer_destroy(threads);
    ramus_pool_destroy(pool);
    ramus_weights_destroy(w);
}

/* Records what a search without an end does with one sentence. */
static void record_sentence(ramus_record *record, ramus_search *search, int beam, int source_length,
                            int target_length)
{
    ramus_error err = {0};
    ramus_run *run = ramus_search_get_run(search);
    const ramus_search_options o = {
        .beam = beam, .greedy = beam == 1, .extra_length = target_length, .eos = -1};
    int ids[12];
    const ramus_source source = {.ids = ids, .length = source_length};
    ramus_hypothesis best[BEAM];
    for (int i = 0; i < source_length; i++)
        ids[i] = word_at(0, i, 0);
    const ramus_probe probe = ramus_record_probe(record);
    run->probe = &probe;
    REQUIRE_OK(ramus_search_run(search, &o, &source, 1, best, &err), err);
    run->probe = NULL;
    EXPECT_INT(best[0].length, target_length, "tokens without an end");
    REQUIRE_OK(ramus_record_finish(record, &err), err);
}

static double products_of(const ramus_record *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) {
        const ramus_product *p = &r->items[i];
        sum += p->dtype == RAMUS_I8
                   ? (double)p->job.packed.n * p->job.packed.k * p->job.packed.n_rows
                   : (double)p->job.f32.n * p->job.f32.k * p->job.f32.n_rows;
    }
    return sum;
}

/* Bytes of a matrix: in 8 bits whole tiles of 16 outputs by 4 inputs. */
static double matrix(int n, int k, bool i8)
{
    const int tiles = (n + 15) / 16 * ((k + 3) / 4);
    return i8 ? 64.0 * tiles : 4.0 * n * k;
}

/* By hand, for the shape of model.h: 2 + 2 layers, width 20, filter 27, 37 words. With moe that
 * takes all of its 4 experts every matrix of a layer comes four times, and each sublayer has a gate
 * of floats. */
static void record_has_every_product_once(void)
{
    static const char *const all[] = {"routing", "moe", "branches", "4", "top-k", "4", NULL};
    enum { S = 9, T = 11, D = 20, F = 27, V = 37, LAYERS = 2 };
    for (int test = 0; test < 8; test++) {
        const bool i8 = test % 2, routed = test / 2 % 2;
        const int beam = test / 4 ? BEAM : 1, n = routed ? 4 : 1;
        const ramus_arch a = make_arch(routed ? all : kinds[0]);
        ramus_weights *w = weights_of(&a, i8);
        ramus_search *search = search_of(&a, w, beam, T);
        ramus_record record = {0};
        record_sentence(&record, search, beam, S, T);

        const double square = n * matrix(D, D, i8), gate = routed ? matrix(4, D, false) : 0;
        const double ffn = n * (matrix(D, F, i8) + matrix(F, D, i8)) + gate;
        const double encoder = 4 * square + gate + ffn, memory = 2 * square + gate,
                     step = 6 * square + 2 * gate + ffn;
        EXPECT_NEAR(ramus_record_bytes(&record),
                    LAYERS * (encoder + memory + T * step) + T * matrix(V, D, i8), 0.5, "bytes");

        const double gates = routed ? 4 * D : 0, rows = 1 + beam * (T - 1);
        const double sublayer = n * 2.0 * D * F + gates;
        EXPECT_NEAR(products_of(&record),
                    LAYERS * (S * (n * 4.0 * D * D + gates + sublayer) +
                              S * (n * 2.0 * D * D + gates) +
                              rows * (n * 6.0 * D * D + 2 * gates + sublayer)) +
                        rows * V * D,
                    0.5, "products");

        const ramus_branch_count count = ramus_record_branches(&record);
        EXPECT_INT(count.sublayers, routed ? 3 * LAYERS * T : 0, "routed sublayers");
        EXPECT_INT(count.branches, n * count.sublayers, "branches");
        ramus_record_free(&record);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
}

/* Products done again write what they wrote: the last one's are the logits of the last step. */
static void replay_repeats_the_products(void)
{
    const ramus_arch a = make_arch(kinds[1]);
    ramus_weights *w = weights_of(&a, true);
    ramus_search *search = search_of(&a, w, BEAM, 8);
    ramus_record record = {0};
    record_sentence(&record, search, BEAM, 5, 8);
    const ramus_linear_i8_job *last = &record.items[record.n - 1].job.packed;
    const size_t size = (size_t)(last->n_rows * last->n) * sizeof(float);
    float logits[BEAM * VOCAB];
    EXPECT_INT(last->n_rows, BEAM, "live rows");
    memcpy(logits, last->y, size);
    memset(last->y, 0, size);
    ramus_record_replay(&record, ramus_search_get_run(search)->kernels, NULL);
    EXPECT_BYTES(last->y, logits, size, "logits of the last step");
    ramus_record_free(&record);
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
}

/* Branches that are drawn: fixed by the seed, different among rows, positions and sublayers, k
 * different ones of each row, and each branch about as often as any other. */
static void drawn_branches_are_uniform(void)
{
    static const char *const moe[] = {"routing", "moe", "branches", "5", "top-k", "2", NULL};
    static const char *const gates[] = {"encoder.0.attention.gate.x.index",
                                        "encoder.1.ffn.gate.x.index",
                                        "decoder.0.cross.gate.q.index"};
    const ramus_arch a = make_arch(moe);
    ramus_weights *w = weights_of(&a, false);
    const ramus_build build = full_build(RAMUS_HEAD_LOGITS, NULL);
    ramus_error err = {0};
    int first[3][2 * 450], used[5] = {0}, n = 0, other = 0, same = 0;
    for (int seed = 1; seed <= 3; seed++) { // 3: the first one again
        const ramus_rng key = {.seed = seed == 2 ? 2 : 1};
        bench b = bench_create(&a, w, NULL, &build, NULL);
        bench_batch(&b, 0, MANY);
        ramus_random_routes *routes = NULL;
        REQUIRE_OK(ramus_random_routes_create(&routes, b.graph, &key, &err), err);
        ramus_run_forward(b.run, RAMUS_WEIGHTS, RAMUS_TARGET);
        for (int g = 0; g < 3; g++) {
            const ramus_tensor *t = ramus_graph_find(b.graph, gates[g]);
            const int *index = t->data, count = 2 * ramus_tensor_rows(t);
            if (seed == 1) memcpy(first[g], index, (size_t)count * sizeof *index);
            if (seed == 3)
                EXPECT_BYTES(index, first[g], (size_t)count * sizeof *index, "%s", gates[g]);
            for (int i = 0; i < count && seed < 3; i++, n++) {
                EXPECT(index[i] >= 0 && index[i] < 5, "branch %d", index[i]);
                EXPECT(i % 2 == 0 || index[i] != index[i - 1], "branch %d twice", index[i]);
                used[index[i]]++;
                other += seed == 2 && index[i] != first[g][i];
                same += seed == 1 && g == 1 && index[i] == first[0][i];
            }
        }
        bench_destroy(&b);
        ramus_random_routes_destroy(routes);
    }
    for (int i = 0; i < 5; i++) // 5 standard deviations
        EXPECT_NEAR(used[i], n / 5.0, 5 * sqrt(n * 0.16), "uses of a branch");
    EXPECT(other > n / 5, "another seed changes %d of %d choices", other, n / 2);
    EXPECT(same < n / 10, "two sublayers agree in %d of %d choices", same, n / 6);
    ramus_weights_destroy(w);
}

CHECK_MAIN({"score_equals_that_of_the_search", score_equals_that_of_the_search},
           {"company_changes_no_score", company_changes_no_score},
           {"record_has_every_product_once", record_has_every_product_once},
           {"replay_repeats_the_products", replay_repeats_the_products},
           {"drawn_branches_are_uniform", drawn_branches_are_uniform})
