/* The order of training: laws of epochs, batches, updates and places, over many settings. */
#include "data/batches.h"

#include "check.h"
#include "data/corpora.h"

/* Goes through one epoch and counts how often each pair comes; checks the limits on the way. */
static void count_epoch(ramus_batches *b, const ramus_batches_spec *spec,
                        int counts[N_CORPORA][500])
{
    const int64_t epoch = ramus_batches_cursor(b).epoch;
    const int limit =
        spec->micro_tokens < spec->batch_tokens ? spec->micro_tokens : spec->batch_tokens;
    while (ramus_batches_cursor(b).epoch == epoch) {
        const ramus_update u = next(b);
        int64_t source = 0, target = 0;
        EXPECT(u.n >= 1, "an update has %d micro-batches", u.n);
        for (int i = 0; i < u.n; i++) {
            const ramus_batch *batch = &u.batches[i];
            int tokens[2] = {0};
            EXPECT(batch->n >= 1, "a micro-batch has %d pairs", batch->n);
            for (int j = 0; j < batch->n; j++) {
                int c = 0;
                const int at = find(&batch->pairs[j], &c);
                EXPECT(at >= 0, "a pair of no corpus");
                if (at >= 0) counts[c][at]++;
                tokens[0] += batch->pairs[j].source_length;
                tokens[1] += batch->pairs[j].target_length;
            }
            EXPECT(tokens[0] == batch->source_tokens && tokens[1] == batch->target_tokens,
                   "tokens of a micro-batch: %d and %d", tokens[0], tokens[1]);
            EXPECT(tokens[0] <= limit && tokens[1] <= limit, "%d and %d tokens", tokens[0],
                   tokens[1]);
            source += tokens[0];
            target += tokens[1];
        }
        EXPECT(source == u.source_tokens && target == u.target_tokens, "tokens of an update");
    }
}

static void an_epoch_takes_each_pair_as_its_weight_says(void)
{
    begin();
    static const int pools[] = {1, 7, 400, 1161, 1162, 1163, 100000};
    for (int p = 0; p < 7; p++) {
        ramus_batches_spec spec = usual();
        spec.pool_pairs = pools[p];
        ramus_batches *b = make_batches(&spec);
        static int counts[4][N_CORPORA][500];
        memset(counts, 0, sizeof counts);
        for (int epoch = 0; epoch < 4; epoch++) {
            EXPECT_NEAR(ramus_batches_epochs(b), epoch, 0, "epochs done");
            count_epoch(b, &spec, counts[epoch]);
            for (int c = 0; c < N_CORPORA; c++) {
                int sum = 0;
                for (int i = 0; i < sizes[c]; i++)
                    sum += counts[epoch][c][i];
                EXPECT_INT(sum, uses[c], "uses in an epoch");
            }
        }
        for (int e = 0; e < 4; e++) {
            for (int i = 0; i < sizes[0]; i++)
                EXPECT_INT(counts[e][0][i], 1, "weight 1");
            for (int i = 0; i < sizes[1]; i++)
                EXPECT_INT(counts[e][1][i] + counts[e ^ 1][1][i], 1, "weight 0.5 in two epochs");
            for (int i = 0; i < sizes[2]; i++)
                EXPECT_INT(counts[e][2][i], 2, "weight 2");
        }
        EXPECT(memcmp(counts[0][1], counts[2][1], sizeof counts[0][1]) != 0,
               "each pass takes the same half first");
        ramus_batches_destroy(b);
    }
    end();
}

/* What an update is, as one number: lengths, ids and cuts. */
static uint64_t digest(const ramus_update *u)
{
    uint64_t sum = 14695981039346656037u; // FNV-1a over ids
    for (int i = 0; i < u->n; i++)
        for (int j = 0; j <= u->batches[i].n; j++) {
            if (j == u->batches[i].n) {
                sum = (sum ^ 0xFFFFFFFF) * 1099511628211u;
                continue;
            }
            const ramus_pair *p = &u->batches[i].pairs[j];
            const int *const ids[2] = {p->source, p->target};
            const int lengths[2] = {p->source_length, p->target_length};
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < lengths[side]; k++)
                    sum = (sum ^ (uint64_t)ids[side][k]) * 1099511628211u;
        }
    return sum;
}

#define MOST_UPDATES 400

typedef struct record {
    ramus_cursor at[MOST_UPDATES];
    uint64_t digests[MOST_UPDATES];
    double epochs[MOST_UPDATES];
    int n;
} record;

/* The updates of `epochs` epochs. */
static record run(const ramus_batches_spec *spec, int epochs)
{
    static record r;
    r.n = 0;
    ramus_batches *b = make_batches(spec);
    while (ramus_batches_cursor(b).epoch < epochs && r.n < MOST_UPDATES) {
        r.at[r.n] = ramus_batches_cursor(b);
        r.epochs[r.n] = ramus_batches_epochs(b);
        const ramus_update u = next(b);
        r.digests[r.n++] = digest(&u);
    }
    ramus_batches_destroy(b);
    return r;
}

static ramus_batches_spec noisy(void)
{
    ramus_batches_spec spec = usual();
    spec.upper = 0.1;
    spec.title = 0.1;
    spec.typo = 0.2;
    spec.source_sampling = 0.3;
    return spec;
}

static void a_run_goes_on_from_any_place(void)
{
    begin();
    for (int noise = 0; noise < 2; noise++) {
        const ramus_batches_spec spec = noise ? noisy() : usual();
        const record whole = run(&spec, 2);
        EXPECT(whole.n > 20 && whole.n < MOST_UPDATES, "%d updates", whole.n);
        for (int i = 0; i < whole.n; i++) {
            const int from = (int)((unsigned)i * 37u % (unsigned)whole.n);
            ramus_batches *b = make_batches(&spec);
            ramus_batches_seek(b, whole.at[from]);
            for (int j = from; j < whole.n && j < from + 3; j++) {
                const ramus_cursor c = ramus_batches_cursor(b);
                EXPECT(c.epoch == whole.at[j].epoch && c.pool == whole.at[j].pool &&
                           c.update == whole.at[j].update,
                       "%d after %d is another place", j, from);
                if (j > from)
                    EXPECT_NEAR(ramus_batches_epochs(b), whole.epochs[j], 1e-12, "epochs");
                const ramus_update u = next(b);
                EXPECT(digest(&u) == whole.digests[j], "%d after %d differs", j, from);
            }
            ramus_batches_seek(b, whole.at[0]); // backwards, in the same object
            const ramus_update u = next(b);
            EXPECT(digest(&u) == whole.digests[0], "the first one differs");
            ramus_batches_destroy(b);
        }
        for (int i = 1; i < whole.n; i++)
            EXPECT(whole.epochs[i] > whole.epochs[i - 1], "epochs do not grow at %d", i);
    }
    end();
}

static void threads_change_nothing(void)
{
    begin();
    ramus_batches_spec spec = noisy();
    const record alone = run(&spec, 2);
    for (int threads = 1; threads <= 3; threads++) {
        ramus_error err = {0};
        REQUIRE_OK(ramus_pool_create(&spec.pool, threads, &err), err);
        const record r = run(&spec, 2);
        EXPECT_INT(r.n, alone.n, "updates");
        for (int i = 0; i < r.n && i < alone.n; i++)
            EXPECT(r.digests[i] == alone.digests[i], "update %d with %d threads", i, threads);
        ramus_pool_destroy(spec.pool);
    }
    end();
}

static void epochs_and_seeds_differ(void)
{
    begin();
    ramus_batches_spec spec = usual();
    const record one = run(&spec, 2);
    spec.seed++;
    const record two = run(&spec, 2);
    int same = 0;
    for (int i = 0; i < one.n; i++) {
        for (int j = 0; j < i; j++)
            same += one.digests[i] == one.digests[j];
        for (int j = 0; j < two.n; j++)
            same += one.digests[i] == two.digests[j];
    }
    EXPECT_INT(same, 0, "equal updates");
    end();
}

/* Sizes of updates: as many as the tokens need, and close to each other. */
static void updates_are_of_nearly_equal_size(void)
{
    begin();
    ramus_batches_spec spec = usual();
    spec.pool_pairs = 100000; // one pool
    ramus_batches *b = make_batches(&spec);
    int64_t source = 0, target = 0, least = INT64_MAX, most = 0;
    int n = 0, n_batches = 0;
    for (; ramus_batches_cursor(b).epoch == 0; n++) {
        const ramus_update u = next(b);
        source += u.source_tokens;
        target += u.target_tokens;
        if (u.target_tokens < least) least = u.target_tokens;
        if (u.target_tokens > most) most = u.target_tokens;
        n_batches += u.n;
    }
    const int64_t tokens = source > target ? source : target;
    EXPECT_INT(n, (tokens + 999) / 1000, "updates");
    EXPECT(most - least <= 2 * spec.micro_tokens, "target tokens from %lld to %lld",
           (long long)least, (long long)most);
    EXPECT(n_batches <= 1.25 * (double)tokens / spec.micro_tokens, "%d micro-batches for %lld",
           n_batches, (long long)tokens);
    ramus_batches_destroy(b);

    spec.micro_tokens = 5000; // more than an update: each one is a micro-batch
    b = make_batches(&spec);
    while (ramus_batches_cursor(b).epoch == 0) {
        const ramus_update u = next(b);
        EXPECT(u.n == 1 && u.source_tokens <= 1000 && u.target_tokens <= 1000,
               "%d micro-batches, %lld and %lld tokens", u.n, (long long)u.source_tokens,
               (long long)u.target_tokens);
    }
    ramus_batches_destroy(b);

    spec.batch_tokens = 1 << 30;
    b = make_batches(&spec);
    const ramus_update u = next(b);
    EXPECT(u.source_tokens == source && u.target_tokens == target, "all of it in one update");
    EXPECT_INT(ramus_batches_cursor(b).epoch, 1, "epoch after it");
    ramus_batches_destroy(b);
    end();
}

/* Micro-batches come from sorted pairs: little padding, and not in the order of length. */
static void micro_batches_hold_pairs_of_like_length(void)
{
    begin();
    ramus_batches_spec spec = usual();
    spec.pool_pairs = 100000;
    ramus_batches *b = make_batches(&spec);
    int64_t tokens = 0, padded = 0;
    int rising = 0, n = 0, last = 0;
    while (ramus_batches_cursor(b).epoch == 0) {
        const ramus_update u = next(b);
        for (int i = 0; i < u.n; i++, n++) {
            int longest = 0;
            for (int j = 0; j < u.batches[i].n; j++)
                if (u.batches[i].pairs[j].target_length > longest)
                    longest = u.batches[i].pairs[j].target_length;
            tokens += u.batches[i].target_tokens;
            padded += (int64_t)longest * u.batches[i].n;
            rising += longest > last;
            last = longest;
        }
    }
    EXPECT((double)tokens > 0.95 * (double)padded, "%lld tokens, %lld padded", (long long)tokens,
           (long long)padded);
    EXPECT(rising > n / 4 && rising < 3 * n / 4, "%d of %d rise", rising, n);
    ramus_batches_destroy(b);
    end();
}

static void what_cannot_be_asked_for(void)
{
    begin();
    ramus_error err = {0};
    ramus_batches *b = NULL;
    ramus_batches_spec spec = usual();
    spec.micro_tokens = MAX_LENGTH - 1;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "do not fit into a micro-batch of 59");
    spec = usual();
    spec.pool_pairs = 0;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "a pool of 0 pairs");
    static const double bad_weights[][N_CORPORA] = {
        {1, 0, 1}, {1, -1, 1}, {1, NAN, 1}, {1, 2e6, 1}};
    for (int i = 0; i < 4; i++) {
        spec = usual();
        spec.weights = bad_weights[i];
        EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "corpus 2 has weight");
    }
    spec = usual();
    spec.n_corpora = 0;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "no corpus");
    spec = usual();
    spec.upper = 0.6;
    spec.typo = 0.6;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "shares of noise");
    spec.typo = -0.1;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "shares of noise");
    spec = usual();
    spec.source_sampling = -1;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "source sampling with alpha -1");
    spec = usual();
    spec.target_sampling = 0.1;
    spec.target_vocab = texts_vocab("char");
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "type char cannot be sampled");
    ramus_vocab_destroy((ramus_vocab *)spec.target_vocab);
    spec = usual();
    spec.max_length = 5;
    ramus_update u = {0};
    b = make_batches(&spec);
    EXPECT_FAILS(ramus_batches_next(b, &u, &err), err, "expected at most 5");
    ramus_batches_destroy(b);

    spec = usual();
    b = make_batches(&spec);
    static const ramus_cursor nowhere[] = {
        {-1, 0, 0}, {0, 3, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 99}};
    for (int i = 0; i < 5; i++) {
        ramus_batches_seek(b, nowhere[i]);
        EXPECT_FAILS(ramus_batches_next(b, &u, &err), err, "there is no update");
    }
    ramus_batches_destroy(b);

    const ramus_corpus_spec bare = {.source = texts_path("0.tsv"),
                                    .source_column = 1,
                                    .target_column = 2,
                                    .source_vocab = vocab,
                                    .target_vocab = vocab,
                                    .max_length = MAX_LENGTH,
                                    .folder = texts_path("cache")};
    ramus_corpus *c = NULL;
    REQUIRE_OK(ramus_corpus_open(&c, &bare, &err), err);
    const ramus_corpus *const mixed[N_CORPORA] = {corpora[0], corpora[1], c};
    spec = noisy();
    spec.corpora = mixed;
    EXPECT_FAILS(ramus_batches_create(&b, &spec, &err), err, "corpus 3 was made without");
    ramus_corpus_close(c);
    end();
}

CHECK_MAIN({"an_epoch_takes_each_pair_as_its_weight_says",
            an_epoch_takes_each_pair_as_its_weight_says},
           {"a_run_goes_on_from_any_place", a_run_goes_on_from_any_place},
           {"threads_change_nothing", threads_change_nothing},
           {"epochs_and_seeds_differ", epochs_and_seeds_differ},
           {"updates_are_of_nearly_equal_size", updates_are_of_nearly_equal_size},
           {"micro_batches_hold_pairs_of_like_length", micro_batches_hold_pairs_of_like_length},
           {"what_cannot_be_asked_for", what_cannot_be_asked_for})
