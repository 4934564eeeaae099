/* The search by ids: against a plain one over the full build, and laws that hold for any weights.
 */
#include "runtime/plain_search.h"
#include "runtime/searches.h"

static void expect_plain(const plain_search *p, const ramus_hypothesis *got, const char *what)
{
    EXPECT(p->n_ended > 0, "%s: there is a translation", what);
    for (int j = 0; j < p->o->beam; j++) {
        const plain *want = &p->ended[j];
        const ramus_hypothesis *h = &got[j];
        if (j >= p->n_ended) {
            EXPECT(h->length == 0 && !h->ids, "%s: hypothesis %d is one too many", what, j);
            continue;
        }
        EXPECT(h->length == want->length &&
                   !memcmp(h->ids, want->words, (size_t)want->length * sizeof(int)),
               "%s: hypothesis %d: words (%d, want %d)", what, j, h->length, want->length);
        if (h->length != want->length) continue;
        EXPECT_BYTES(h->log_probs, want->log_probs, (size_t)want->length * sizeof(float),
                     "%s: hypothesis %d: log-probabilities", what, j);
        EXPECT(h->log_prob == want->log_prob && fabs(h->score - want->score) <= 1e-9,
               "%s: hypothesis %d: %.17g, want %.17g", what, j, h->log_prob, want->log_prob);
        EXPECT(h->finished == want->finished && h->loops == want->loops,
               "%s: hypothesis %d: finished %d, want %d; loops %d, want %d", what, j, h->finished,
               want->finished, h->loops, want->loops);
    }
}

static bool count_steps(void *steps)
{
    ++*(int *)steps;
    return false;
}

static void search_equals_a_plain_search(void)
{
    static plain_search p;
    int words[SENTENCES][3], loops = 0, finished = 0;
    ramus_error err = {0};
    for (int k = 0; k < KINDS * 3; k++) {
        const numbers kind = (numbers)(k / KINDS);
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, kind);
        ramus_search *search = make_search(&a, w, NULL);
        const bench full = full_model(&a, w);
        for (int m = 0; m < 2 * MIXTURES; m++) {
            ramus_search_options o = mixture(m / 2);
            int steps = 0, plain_steps = 0;
            o.eos = (5 * m + k) % VOCAB; // likely in some models
            o.stop = count_steps;
            o.stop_arg = &steps;
            ramus_hypothesis got[SENTENCES * BEAM];
            make_sources();
            if (m % 2) add_prefixes(words, o.eos);
            REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
            for (int s = 0; s < SENTENCES; s++) {
                char what[80];
                (void)snprintf(what, sizeof what, "%s, %s, options %d%s, sentence %d",
                               kinds[k % KINDS][1], numbers_names[kind], m / 2,
                               m % 2 ? " with a beginning" : "", s);
                p.full = &full;
                p.source = &sources[s];
                p.o = &o;
                search_plainly(&p);
                expect_plain(&p, &got[s * o.beam], what);
                if (p.steps > plain_steps) plain_steps = p.steps;
                loops += got[s * o.beam].loops;
                finished += got[s * o.beam].finished;
            }
            EXPECT_INT(steps, plain_steps, "steps");
        }
        bench copy = full;
        bench_destroy(&copy);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
    EXPECT(loops > 10 && finished > 10, "%d loops, %d finished", loops, finished);
}

/* Three models of different shapes, one of them in 8 bits. */
static const char *const ensemble_kinds[][9] = {
    {"routing", "dmb", NULL},
    {"routing", "dense", "width", "28", "decoder-layers", "3", "heads", "4", NULL},
    {"routing", "moe", "top-k", "2", "norm", "pre", NULL},
};

static void an_ensemble_equals_a_plain_search(void)
{
    static plain_search p;
    ramus_error err = {0};
    ramus_weights *w[3];
    bench full[3];
    ramus_search *search = NULL;
    int words[SENTENCES][3];
    for (int i = 0; i < 3; i++) {
        const ramus_arch a = make_arch(ensemble_kinds[i]);
        w[i] = make_weights(&a, i == 2 ? BYTES : REALS);
        full[i] = full_model(&a, w[i]);
        if (i == 0)
            search = make_search(&a, w[i], NULL);
        else
            REQUIRE_OK(ramus_search_join(search, &a, w[i], &err), err);
    }
    for (int m = 0; m < 2 * MIXTURES; m++) {
        ramus_search_options o = mixture(m / 2);
        ramus_hypothesis got[SENTENCES * BEAM];
        o.eos = (5 * m + 3) % VOCAB;
        make_sources();
        if (m % 2) add_prefixes(words, o.eos);
        REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
        for (int s = 0; s < SENTENCES; s++) {
            p.full = full;
            p.others = full + 1;
            p.n_others = 2;
            p.source = &sources[s];
            p.o = &o;
            search_plainly(&p);
            expect_plain(&p, &got[s * o.beam], "an ensemble");
        }
    }
    ramus_search_destroy(search);
    for (int i = 0; i < 3; i++) {
        bench_destroy(&full[i]);
        ramus_weights_destroy(w[i]);
    }
}

/* A search whose places are full of finished hypotheses goes on only while a live one may still be
 * better. */
static int early_ends(const ramus_arch *a, double scale)
{
    static plain_search p;
    ramus_weights *w = make_weights(a, REALS);
    for (size_t i = 0; i < w->size; i++)
        w->data[i] *= (ramus_real)scale;
    ramus_search *search = make_search(a, w, NULL);
    bench full = full_model(a, w);
    ramus_error err = {0};
    int early = 0;
    for (int eos = 0; eos < VOCAB; eos++) {
        int steps = 0;
        const ramus_search_options o = {.beam = 2 + eos % 3,
                                        .extra_length = 30,
                                        .eos = eos,
                                        .stop = count_steps,
                                        .stop_arg = &steps};
        ramus_hypothesis got[BEAM];
        REQUIRE_OK(ramus_search_run(search, &o, sources, 1, got, &err), err);
        p.full = &full;
        p.source = sources;
        p.o = &o;
        search_plainly(&p);
        expect_plain(&p, got, "one sentence");
        EXPECT_INT(steps, p.steps, "steps");
        early += steps < 30;
    }
    bench_destroy(&full);
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
    return early;
}

static void search_ends_as_soon_as_it_may(void)
{
    static const double scales[] = {0.3, 0.5, 0.7}; // from unsure to sure
    int early = 0;
    make_sources();
    const ramus_arch a = make_arch(kinds[1]);
    for (int i = 0; i < 3; i++)
        early += early_ends(&a, scales[i]);
    EXPECT(early > 0, "%d searches end before the limit", early);
}

static void expect_same(const ramus_hypothesis *x, const ramus_hypothesis *y, const char *what)
{
    const size_t n = (size_t)x->length;
    EXPECT(x->length == y->length && x->finished == y->finished && x->loops == y->loops &&
               x->score == y->score && x->log_prob == y->log_prob,
           "%s: length %d and %d, score %.17g and %.17g", what, x->length, y->length, x->score,
           y->score);
    if (x->length != y->length || !n) return;
    EXPECT_BYTES(x->ids, y->ids, n * sizeof(int), "%s: words", what);
    EXPECT_BYTES(x->log_probs, y->log_probs, n * sizeof(ramus_real), "%s: scores", what);
    EXPECT_BYTES(x->alignment, y->alignment, n * sizeof(int), "%s: alignment", what);
    EXPECT(x->n_gates == y->n_gates && !x->gates == !y->gates, "%s: gates", what);
    if (x->gates && y->gates)
        EXPECT_BYTES(x->gates, y->gates, n * (size_t)x->n_gates * sizeof(int), "%s: gates", what);
}

/* A batch, with any thread count and in a search of other limits, gives what single sentences
 * give. */
static void search_is_the_same_in_any_company(void)
{
    ramus_error err = {0};
    int words[SENTENCES][3];
    for (int k = 0; k < KINDS * 3; k++) {
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, (numbers)(k / KINDS));
        ramus_hypothesis alone[BEAM], together[BEAM * SENTENCES];
        ramus_search *one = NULL;
        const ramus_search_limits small = {
            .beam = BEAM,
            .sentences = 1,
            .source_tokens = 9,
            .source_length = 9,
            .target_length = LENGTH,
            .positions = BEAM * LENGTH,
            .alignment = true,
            .gates = true,
        };
        REQUIRE_OK(ramus_search_create(&one, &a, w, &small, NULL, &err), err);
        for (int threads = 1; threads <= 3; threads++) {
            ramus_pool *pool = NULL;
            REQUIRE_OK(ramus_pool_create(&pool, threads, &err), err);
            ramus_search *all = make_search(&a, w, pool);
            for (int m = 0; m < MIXTURES; m++) {
                const ramus_search_options o = mixture(m);
                make_sources();
                if (m % 2) add_prefixes(words, o.eos);
                REQUIRE_OK(ramus_search_run(all, &o, sources, SENTENCES, together, &err), err);
                for (int s = 0; s < SENTENCES; s++) {
                    char what[80];
                    (void)snprintf(what, sizeof what,
                                   "kind %d, %d threads, options %d, sentence %d", k, threads, m,
                                   s);
                    REQUIRE_OK(ramus_search_run(one, &o, sources + s, 1, alone, &err), err);
                    for (int j = 0; j < o.beam; j++)
                        expect_same(&together[s * o.beam + j], &alone[j], what);
                }
            }
            ramus_search_destroy(all);
            ramus_pool_destroy(pool);
        }
        ramus_search_destroy(one);
        ramus_weights_destroy(w);
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The first branches of the gates of one side, in the order in which the graph names them. */
static int full_gates(const bench *full, const ramus_axis *axis, int row, int *branches)
{
    int n = 0;
    for (int i = 0; i < full->graph->n_named; i++) {
        const ramus_tensor *t = full->graph->named[i];
        if (t->axis == axis && ends_with(t->name, ".index"))
            branches[n++] = ((const int *)t->data)[row * t->dims[1]];
    }
    return n;
}

/* Alignment and gates of every hypothesis are those of the model over its words all at once. */
static void alignment_and_gates_are_those_of_the_full_build(void)
{
    ramus_error err = {0};
    int seen = 0;
    for (int k = 0; k < KINDS * 2; k++) {
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, (numbers)(k / KINDS));
        ramus_search *search = make_search(&a, w, NULL);
        bench full = full_model(&a, w);
        const ramus_search_options o = mixture(0);
        ramus_hypothesis got[SENTENCES * BEAM];
        make_sources();
        REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
        int n_gates = -1, n_source = -1, token = 0;
        const int *source_gates = ramus_search_source_gates(search, &n_source);
        for (int i = 0; i < SENTENCES * o.beam; i++) {
            const ramus_hypothesis *h = &got[i];
            int branches[64];
            run_full(&full, &sources[i / o.beam], h->ids, h->length - 1);
            EXPECT_BYTES(h->alignment, ramus_graph_find(full.graph, "look")->data,
                         (size_t)h->length * sizeof(int), "kind %d: alignment", k);
            for (int p = 0; p < h->length; p++) {
                n_gates = full_gates(&full, &full.graph->target, p, branches);
                EXPECT(h->n_gates == n_gates && !h->gates == !n_gates, "kind %d: %d gates, want %d",
                       k, h->n_gates, n_gates);
                if (h->gates)
                    EXPECT_BYTES(h->gates + p * n_gates, branches, (size_t)n_gates * sizeof(int),
                                 "kind %d: gates of word %d", k, p);
            }
            for (int p = 0; i % o.beam == 0 && p < sources[i / o.beam].length; p++, token++) {
                const int n = full_gates(&full, &full.graph->source, p, branches);
                EXPECT(n == n_source && !n == !source_gates, "kind %d: %d source gates", k, n);
                if (source_gates)
                    EXPECT_BYTES(source_gates + token * n, branches, (size_t)n * sizeof(int),
                                 "kind %d: gates of source token %d", k, token);
            }
            seen += n_gates;
        }
        bench_destroy(&full);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
    EXPECT(seen > 0, "some models have gates");
}

/* Forcing the first words of the best translation gives that translation and its scores. */
static void its_own_beginning_changes_nothing(void)
{
    ramus_error err = {0};
    for (int k = 0; k < KINDS * 2; k++) {
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, (numbers)(k / KINDS));
        ramus_search *search = make_search(&a, w, NULL), *other = make_search(&a, w, NULL);
        for (int repeat = 0; repeat <= 2; repeat++) {
            ramus_search_options o = mixture(1);
            o.no_repeat = repeat;
            ramus_hypothesis free[SENTENCES], forced[SENTENCES];
            make_sources();
            REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, free, &err), err);
            for (int words = 1; words <= 8; words++) {
                for (int s = 0; s < SENTENCES; s++) {
                    const int most = free[s].length - free[s].finished;
                    sources[s].prefix = free[s].ids;
                    sources[s].prefix_length = words < most ? words : most;
                }
                REQUIRE_OK(ramus_search_run(other, &o, sources, SENTENCES, forced, &err), err);
                for (int s = 0; s < SENTENCES; s++) {
                    char what[80];
                    (void)snprintf(what, sizeof what, "kind %d, %d words of sentence %d", k, words,
                                   s);
                    expect_same(&forced[s], &free[s], what);
                }
            }
        }
        ramus_search_destroy(other);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
}

static void leaving_out_scores_changes_no_word(void)
{
    ramus_error err = {0};
    int words[SENTENCES][3];
    for (int k = 0; k < KINDS * 3; k++) {
        const ramus_arch a = make_arch(kinds[k % KINDS]);
        ramus_weights *w = make_weights(&a, (numbers)(k / KINDS));
        ramus_search *search = make_search(&a, w, NULL), *other = make_search(&a, w, NULL);
        for (int m = 1; m < MIXTURES; m += 2) {
            ramus_search_options o = mixture(m);
            ramus_hypothesis with[SENTENCES], without[SENTENCES];
            make_sources();
            add_prefixes(words, o.eos);
            o.greedy = o.scores = true;
            REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, with, &err), err);
            o.scores = false;
            REQUIRE_OK(ramus_search_run(other, &o, sources, SENTENCES, without, &err), err);
            for (int s = 0; s < SENTENCES; s++) {
                EXPECT(
                    with[s].length == without[s].length &&
                        !memcmp(with[s].ids, without[s].ids, (size_t)with[s].length * sizeof(int)),
                    "kind %d, options %d, sentence %d", k, m, s);
                EXPECT(!without[s].log_probs && without[s].log_prob == 0 && without[s].score == 0,
                       "no scores");
                EXPECT(with[s].log_probs && with[s].log_prob < 0, "scores");
            }
        }
        ramus_search_destroy(other);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
}

/* All words are equally good here, so a translation that may use each word once takes what
 * project_search gives, and ends with EOS when all of these are used up. */
static void a_row_without_words_ends(void)
{
    const ramus_arch a = make_arch(kinds[0]);
    ramus_weights *w = make_weights(&a, ZEROS);
    ramus_search *search = make_search(&a, w, NULL);
    ramus_error err = {0};
    const ramus_search_options o = {.beam = 1,
                                    .greedy = true,
                                    .scores = true,
                                    .extra_length = LENGTH,
                                    .no_repeat = 1,
                                    .eos = VOCAB - 1}; // never among the best
    ramus_hypothesis got[SENTENCES];
    make_sources();
    REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
    for (int s = 0; s < SENTENCES; s++) {
        EXPECT_INT(got[s].length, 12, "11 words and EOS");
        EXPECT(got[s].finished && got[s].ids[11] == o.eos, "EOS comes last");
        for (int i = 0; i < got[s].length; i++)
            EXPECT_NEAR(got[s].log_probs[i], -log(VOCAB), 1e-6, "its probability is the model's");
    }
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
}

/* Every word is the first one here. */
static void a_given_beginning_is_not_cut(void)
{
    const ramus_arch a = make_arch(kinds[0]);
    ramus_weights *w = make_weights(&a, ZEROS);
    ramus_search *search = make_search(&a, w, NULL);
    ramus_error err = {0};
    const ramus_search_options o = {
        .beam = 1, .extra_length = LENGTH, .loops = RAMUS_LOOPS_END, .eos = VOCAB - 1};
    const int same[30] = {0};
    for (int n = 0; n <= 30; n++) {
        ramus_hypothesis got;
        make_sources();
        sources[0].prefix = same;
        sources[0].prefix_length = n;
        REQUIRE_OK(ramus_search_run(search, &o, sources, 1, &got, &err), err);
        EXPECT(got.loops && !got.finished, "%d words: a loop", n);
        EXPECT_INT(got.length, n ? n : 1, "words that stay");
    }
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
}

/* One search serves many short sentences or few long ones, and says what does not fit. */
static void a_budget_is_shared(void)
{
    const ramus_arch a = make_arch(kinds[1]);
    ramus_weights *w = make_weights(&a, REALS);
    ramus_error err = {0};
    ramus_search *search = NULL, *roomy = make_search(&a, w, NULL);
    const ramus_search_limits limits = {
        .beam = 4,
        .sentences = 4,
        .source_tokens = 18,
        .source_length = 9,
        .target_length = 36,
        .positions = 144,
        .alignment = true,
        .gates = true,
    };
    REQUIRE_OK(ramus_search_create(&search, &a, w, &limits, NULL, &err), err);
    make_sources();
    for (int n = 1; n <= 4; n++)
        for (int extra = 1; extra <= 40; extra++)
            for (int beam = 1; beam <= 4; beam++) {
                const ramus_search_options o = {
                    .beam = beam, .length_penalty = 0.6, .extra_length = extra, .eos = EOS};
                const bool fits = n * beam * (extra < 36 ? extra : 36) <= 144;
                EXPECT(ramus_search_fits(search, &o, source_lengths, n) == fits,
                       "%d sentences of %d with beam %d", n, extra, beam);
                ramus_hypothesis got[16], want[16];
                if (!fits) {
                    EXPECT_FAILS(ramus_search_run(search, &o, sources, n, got, &err), err,
                                 "144 positions");
                    continue;
                }
                if (extra > 36 || extra % 3) continue; // a third is enough to compare
                REQUIRE_OK(ramus_search_run(search, &o, sources, n, got, &err), err);
                REQUIRE_OK(ramus_search_run(roomy, &o, sources, n, want, &err), err);
                for (int i = 0; i < n * beam; i++)
                    expect_same(&got[i], &want[i], "within the budget");
            }
    const ramus_search_options o = {.beam = 1, .extra_length = 5, .eos = EOS};
    EXPECT(!ramus_search_fits(search, &o, (int[]){10}, 1), "a source too long");
    EXPECT(!ramus_search_fits(search, &o, (int[]){9, 9, 1}, 3), "sources too long together");
    EXPECT(!ramus_search_fits(search, &o, (int[]){1, 1, 1, 1, 1}, 5), "too many");
    EXPECT(!ramus_search_fits(search, &o, (int[]){0}, 1), "no EOS");
    ramus_search_destroy(roomy);
    ramus_search_destroy(search);
    ramus_weights_destroy(w);
}

static void a_model_with_itself_is_that_model(void)
{
    ramus_error err = {0};
    for (int k = 0; k < KINDS; k++) {
        const ramus_arch a = make_arch(kinds[k]);
        ramus_weights *w = make_weights(&a, BYTES);
        ramus_search *one = make_search(&a, w, NULL), *four = make_search(&a, w, NULL);
        for (int i = 0; i < 3; i++) // a quarter of four times a number is the number
            REQUIRE_OK(ramus_search_join(four, &a, w, &err), err);
        make_sources();
        for (int m = 0; m < MIXTURES; m++) {
            ramus_search_options o = mixture(m);
            ramus_hypothesis want[SENTENCES * BEAM], got[SENTENCES * BEAM];
            o.eos = EOS;
            REQUIRE_OK(ramus_search_run(one, &o, sources, SENTENCES, want, &err), err);
            REQUIRE_OK(ramus_search_run(four, &o, sources, SENTENCES, got, &err), err);
            for (int i = 0; i < SENTENCES * o.beam; i++)
                expect_same(&got[i], &want[i], kinds[k][1]);
        }
        ramus_search_destroy(one);
        ramus_search_destroy(four);
        ramus_weights_destroy(w);
    }
}

CHECK_MAIN({"search_equals_a_plain_search", search_equals_a_plain_search},
           {"an_ensemble_equals_a_plain_search", an_ensemble_equals_a_plain_search},
           {"a_model_with_itself_is_that_model", a_model_with_itself_is_that_model},
           {"search_ends_as_soon_as_it_may", search_ends_as_soon_as_it_may},
           {"search_is_the_same_in_any_company", search_is_the_same_in_any_company},
           {"alignment_and_gates_are_those_of_the_full_build",
            alignment_and_gates_are_those_of_the_full_build},
           {"its_own_beginning_changes_nothing", its_own_beginning_changes_nothing},
           {"leaving_out_scores_changes_no_word", leaving_out_scores_changes_no_word},
           {"a_row_without_words_ends", a_row_without_words_ends},
           {"a_given_beginning_is_not_cut", a_given_beginning_is_not_cut},
           {"a_budget_is_shared", a_budget_is_shared})
