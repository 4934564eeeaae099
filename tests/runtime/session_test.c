/* Sessions: one answer at every batch size and thread count, equal to the search underneath;
 * details that fit; errors, cancelling, progress; no allocation. Texts of all kinds:
 * session_text_test.c. */
#include "runtime/search.h"
#include "runtime/sessions.h"

#include "allocations.h"

#define TEXTS 24
#define BEAM  3

static const model_spec specs[] = {
    {"dense", "bpe-4k", NULL, false, 0, false},
    {"dmb", "unigram-8k", "char", true, 0, false},
    {"moe", "symbols", "bpe-4k", false, 0, false},
    {"switch", "bpe-symbols", NULL, true, 0, false},
};
#define SPECS ((int)(sizeof specs / sizeof *specs))

/* Lines of all lengths, some of which are too long for a session of 64 tokens, empty or broken. */
static ramus_file read_texts(ramus_text texts[TEXTS])
{
    const ramus_file file = golden_lines("sample.en-de", texts, TEXTS);
    texts[3] = (ramus_text){texts[4].data, (size_t)(texts[18].data - texts[4].data)};
    texts[5] = text_of("");
    texts[9] = text_of("  \t ");
    texts[11] = text_of("ab\xFF\xFE yes");
    return file;
}

static void one_answer(const model_spec *spec, const ramus_translate_options *how)
{
    ramus_error err = {0};
    ramus_text texts[TEXTS];
    ramus_translation out[TEXTS * BEAM];
    ramus_buffer want = {0}, got = {0};
    ramus_file file = read_texts(texts);
    ramus_model *m = model_create(*spec);
    ramus_session *s = session_create(m, (ramus_session_options){0, BEAM, 64, 1, 1, true});
    for (int i = 0; i < TEXTS; i++) {
        REQUIRE_OK(ramus_translate_all(s, &texts[i], 1, how, out, &err), err);
        for (int j = 0; j < how->n_best; j++)
            describe(&want, &out[j]);
    }
    ramus_session_destroy(s);
    static const int batches[] = {1, 2, 7, 64};
    for (int i = 0; i < 4; i++)
        for (int threads = 1; threads <= 3; threads++) {
            if (CHECK_SANITIZED && (threads == 2 || batches[i] == 2)) continue; // as 3, as 7
            s = session_create(m, (ramus_session_options){0, BEAM, 64, batches[i], threads, true});
            for (int again = 0; again < 2; again++) { // a used session gives the same
                ramus_buffer_clear(&got);
                REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, how, out, &err), err);
                for (int k = 0; k < TEXTS * how->n_best; k++)
                    describe(&got, &out[k]);
                EXPECT(got.size == want.size && memcmp(got.data, want.data, got.size) == 0,
                       "%s, batch %d, %d threads", spec->routing, batches[i], threads);
            }
            ramus_session_destroy(s);
        }
    ramus_buffer_free(&got);
    ramus_buffer_free(&want);
    ramus_model_close(m);
    ramus_file_unmap(&file);
}

static void batches_and_threads_change_no_bit(void)
{
    for (int i = 0; i < SPECS; i++) {
        ramus_translate_options how = defaults();
        how.n_best = 2;
        how.prefix = i == 1 ? "Das" : NULL;
        how.loops = i == 2 ? RAMUS_LOOPS_END : RAMUS_LOOPS_FLAG;
        how.no_repeat = i == 3 ? 3 : 0;
        one_answer(&specs[i], &how);
        how.n_best = how.beam = 1;
        how.document = true;
        one_answer(&specs[i], &how);
    }
}

/* The same sentence through the search alone. */
static void search_alone(const ramus_model *m, ramus_text text, const ramus_translation *got)
{
    ramus_error err = {0};
    counter c = counter_create(m);
    (void)count_tokens(&c, text.data, text.size);
    REQUIRE_OK(ramus_ids_add(&c.ids, ramus_vocab_eos(m->vocabs[0]), &err), err);
    const ramus_source source = {.ids = c.ids.data, .length = c.ids.n};
    const ramus_search_limits limits = {BEAM, 1, c.ids.n, c.ids.n, c.ids.n + 50, 0, false, false};
    const ramus_search_options options = {.beam = BEAM,
                                          .scores = true,
                                          .length_penalty = 0.6,
                                          .length_ratio = 1,
                                          .extra_length = 50,
                                          .loops = RAMUS_LOOPS_FLAG,
                                          .eos = ramus_vocab_eos(m->vocabs[1])};
    ramus_hypothesis best[BEAM];
    ramus_search *search = NULL;
    REQUIRE_OK(ramus_search_create(&search, &m->arch, m->weights, &limits, NULL, &err), err);
    REQUIRE_OK(ramus_search_run(search, &options, &source, 1, best, &err), err);
    for (int j = 0; j < BEAM; j++) {
        const ramus_hypothesis *h = &best[j];
        EXPECT_INT(got[j].text != NULL, h->length > 0, "there is a translation");
        if (h->length == 0) continue;
        EXPECT_INT(got[j].n_target, h->length - h->finished, "tokens");
        EXPECT(got[j].score == h->score && got[j].log_prob == h->log_prob, "score %g, want %g",
               got[j].score, h->score);
        EXPECT_INT((got[j].notes & RAMUS_NOTE_LIMIT) != 0, !h->finished, "limit");
        EXPECT_INT((got[j].notes & RAMUS_NOTE_LOOP) != 0, h->loops, "loop");
        for (int i = 0; i < got[j].n_target; i++) {
            EXPECT_INT(got[j].target[i].id, h->ids[i], "word");
            EXPECT(got[j].target[i].log_prob == (float)h->log_probs[i], "log_prob of word %d", i);
        }
    }
    ramus_search_destroy(search);
    counter_free(&c);
}

static void n_best_is_what_the_search_finds(void)
{
    for (int k = 0; k < SPECS; k++) {
        ramus_error err = {0};
        ramus_text texts[TEXTS];
        ramus_file file = golden_lines("sample.en-de", texts, TEXTS);
        ramus_model *m = model_create(specs[k]);
        ramus_session *s = session_create(m, (ramus_session_options){0, BEAM, 0, 4, 1, true});
        ramus_translate_options how = defaults();
        ramus_translation out[TEXTS * BEAM], one;
        ramus_buffer got = {0}, want = {0};
        how.n_best = BEAM;
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, &how, out, &err), err);
        for (int i = 0; i < TEXTS; i++) {
            search_alone(m, texts[i], &out[i * BEAM]);
            for (int j = 1; j < BEAM && out[i * BEAM + j].text; j++) {
                const ramus_translation *a = &out[i * BEAM + j - 1], *b = a + 1;
                const unsigned cut_a = a->notes & RAMUS_NOTE_LIMIT,
                               cut_b = b->notes & RAMUS_NOTE_LIMIT;
                EXPECT(cut_a < cut_b || (cut_a == cut_b && a->score >= b->score),
                       "translations %d and %d of text %d: %g, %g", j, j + 1, i, a->score,
                       b->score);
            }
            describe(&got, &out[i * BEAM]);
        }
        for (int i = 0; i < TEXTS; i++) { // the best alone
            how.n_best = 1;
            REQUIRE_OK(ramus_translate_all(s, &texts[i], 1, &how, &one, &err), err);
            describe(&want, &one);
        }
        EXPECT(got.size == want.size && memcmp(got.data, want.data, got.size) == 0,
               "the first of several, %s", specs[k].routing);
        ramus_buffer_free(&got);
        ramus_buffer_free(&want);
        ramus_session_destroy(s);
        ramus_model_close(m);
        ramus_file_unmap(&file);
    }
}

/* text = its pieces, with spaces for U+2581 and without the first one */
static void check_pieces(const ramus_model *m, const ramus_translation *t)
{
    ramus_buffer joined = {0};
    ramus_buffer_text(&joined, "");
    for (int i = 0; i < t->n_target; i++) {
        const ramus_token *token = &t->target[i];
        const ramus_piece_kind kind = ramus_vocab_kind(m->vocabs[1], token->id);
        EXPECT_TEXT(token->piece, ramus_vocab_piece(m->vocabs[1], token->id));
        if (kind == RAMUS_PIECE_CONTROL) continue;
        if (kind == RAMUS_PIECE_UNKNOWN) {
            ramus_buffer_text(&joined, " \xE2\x81\x87 ");
            continue;
        }
        for (const char *p = token->piece; *p;) {
            const bool space = strncmp(p, "\xE2\x96\x81", 3) == 0;
            if (!space) ramus_buffer_add(&joined, p, 1);
            if (space && joined.size) ramus_buffer_text(&joined, " ");
            p += space ? 3 : 1;
        }
    }
    EXPECT_TEXT(t->text, joined.data);
    ramus_buffer_free(&joined);
}

static void check_tokens(const ramus_model *m, const ramus_translation *t)
{
    double sum = 0;
    const bool finished = !(t->notes & RAMUS_NOTE_LIMIT), dense = m->arch.routing == RAMUS_DENSE;
    for (int i = 0; i < t->n_target; i++) {
        sum += (double)t->target[i].log_prob;
        EXPECT(t->target[i].log_prob <= 0, "log_prob %g", (double)t->target[i].log_prob);
        EXPECT(t->target[i].source >= -1 && t->target[i].source < t->n_source,
               "token %d comes from %d of %d", i, t->target[i].source, t->n_source);
    }
    if (finished) // the end of the sentence is not among the tokens
        EXPECT(t->log_prob <= sum, "log_prob %.17g of tokens with %.17g", t->log_prob, sum);
    else
        EXPECT(t->log_prob == sum, "log_prob %.17g of tokens with %.17g", t->log_prob, sum);
    EXPECT_NEAR(t->score, t->log_prob / pow((5 + t->n_target + finished) / 6.0, 0.6),
                1e-12 * fabs(t->log_prob), "score");
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? t->n_target : t->n_source); i++) {
            const ramus_token *token = side ? &t->target[i] : &t->source[i];
            EXPECT_INT(token->gates == NULL, dense, "gates");
            EXPECT_INT(token->n_gates > 0, !dense, "number of gates");
            for (int k = 0; token->gates && k < token->n_gates; k++)
                EXPECT(token->gates[k] >= 0 && token->gates[k] < m->arch.branches, "branch %d",
                       token->gates[k]);
        }
}

static void details_fit(void)
{
    int finished = 0, cut = 0;
    for (int k = 0; k < SPECS; k++) {
        ramus_error err = {0};
        ramus_text texts[TEXTS];
        ramus_translation out[TEXTS];
        ramus_file file = golden_lines("sample.en-de", texts, TEXTS);
        ramus_model *m = model_create(specs[k]);
        ramus_session *s = session_create(m, (ramus_session_options){.details = true, .batch = 8});
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, NULL, out, &err), err);
        for (int i = 0; i < TEXTS; i++) {
            check_tokens(m, &out[i]);
            if (k == 0 || k == 2) check_pieces(m, &out[i]); // bpe-4k: neither bytes nor rules
            finished += !(out[i].notes & RAMUS_NOTE_LIMIT);
            cut += (out[i].notes & RAMUS_NOTE_LIMIT) != 0;
        }
        ramus_session_destroy(s);
        ramus_model_close(m);
        ramus_file_unmap(&file);
    }
    EXPECT(finished > 0 && cut > 0, "%d finished, %d cut", finished, cut);
}

static void bad_options_get_a_sentence(void)
{
    ramus_error err = {0};
    ramus_session *s = NULL;
    ramus_translation out[4];
    static char long_prefix[3000];
    static const struct {
        ramus_session_options options;
        const char *part;
    } sessions[] = {
        {{.beam = -1}, "beam is -1, expected 1 to 64"},
        {{.beam = 65}, "beam is 65"},
        {{.tokens = 5}, "tokens is 5"},
        {{.tokens = 100000}, "tokens is 100000"},
        {{.batch = -1}, "batch is -1"},
        {{.threads = -2}, "threads is -2"},
    };
    ramus_model *m = model_create(specs[0]);
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
        ramus_session_options options = sessions[i].options;
        options.size = sizeof options;
        EXPECT_FAILS(ramus_session_create(&s, m, &options, &err), err, sessions[i].part);
    }
    EXPECT(s == NULL, "a result of a call that failed");
    s = session_create(m, (ramus_session_options){.beam = 2});
    memset(long_prefix, 'x', sizeof long_prefix - 1);
    const struct {
        ramus_translate_options options;
        const char *part;
    } calls[] = {
        {{.n_best = 1, .max_length_ratio = 1, .beam = -1}, "beam is -1"},
        {{.n_best = 1, .max_length_ratio = 1, .beam = 3}, "beam is 3, expected 1 to 2"},
        {{.n_best = 0, .max_length_ratio = 1}, "n_best is 0"},
        {{.n_best = 3, .max_length_ratio = 1}, "n_best is 3, expected 1 to 2"},
        {{.n_best = 2, .max_length_ratio = 1, .beam = 1}, "n_best is 2"},
        {{.n_best = 1, .max_length_ratio = 0}, "max_length_ratio is 0"},
        {{.n_best = 1, .max_length_ratio = NAN}, "max_length_ratio is"},
        {{.n_best = 1, .max_length_ratio = 1, .length_penalty = -1}, "length_penalty is -1"},
        {{.n_best = 1, .max_length_ratio = 1, .length_penalty = NAN}, "length_penalty is"},
        {{.n_best = 1, .max_length_ratio = 1, .no_repeat = -1}, "no_repeat is -1"},
        {{.n_best = 1, .max_length_ratio = 1, .prefix = long_prefix}, "the prefix has"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ramus_translate_options how = calls[i].options;
        how.size = sizeof how;
        EXPECT_FAILS(ramus_translate(s, "yes", &how, out, &err), err, calls[i].part);
        EXPECT_INT(ramus_translate(s, "yes", &how, out, NULL), RAMUS_BAD_ARGUMENT,
                   "without an error to fill");
    }
    EXPECT_FAILS(ramus_translate_all(s, NULL, -1, NULL, out, &err), err, "n is -1");
    REQUIRE_OK(ramus_translate_all(s, NULL, 0, NULL, out, &err), err);
    REQUIRE_OK(ramus_translate(s, "yes", NULL, out, &err), err);
    ramus_session_destroy(s);

    ramus_vocab *vocabs[2] = {m->vocabs[0], m->vocabs[1]};
    m->vocabs[0] = m->vocabs[1] = NULL;
    EXPECT_FAILS(ramus_session_create(&s, m, NULL, &err), err, "no vocabulary");
    m->vocabs[0] = vocabs[0];
    m->vocabs[1] = vocabs[1];
    ramus_model_close(m);

    _Alignas(8) static const char bytes[64] = "GGUF";
    EXPECT_FAILS(ramus_model_open_memory(&m, bytes + 1, 40, &err), err, "multiple of 8");
    EXPECT_FAILS(ramus_model_open_memory(&m, bytes, 40, &err), err, "the model in memory");
    EXPECT_FAILS(ramus_model_open(&m, "/nowhere/model.gguf", &err), err, "/nowhere/model.gguf");
    ramus_session_destroy(NULL);
    ramus_model_close(NULL);
}

/* A prefix longer than the translation of a short sentence may be otherwise. */
static void translations_begin_with_the_prefix(void)
{
    ramus_error err = {0};
    ramus_translation out;
    ramus_model *m = model_create((model_spec){"dmb", "bpe-4k", NULL, false, 0, false});
    ramus_session *s = session_create(m, (ramus_session_options){.details = true});
    ramus_translate_options how = defaults();
    char prefix[240];
    for (int i = 0; i < 60; i++)
        memcpy(prefix + 4 * i, i < 59 ? "yes " : "yes", 4);
    const char *const prefixes[] = {"Das ist", prefix, ""};
    for (int i = 0; i < 3; i++) {
        how.prefix = prefixes[i];
        REQUIRE_OK(ramus_translate(s, "No.", &how, &out, &err), err);
        EXPECT(strncmp(out.text, prefixes[i], strlen(prefixes[i])) == 0,
               "\"%s\" begins with \"%s\"", out.text, prefixes[i]);
    }
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* What the callbacks of a call saw; cancels at question `stop_at`. */
typedef struct {
    atomic_int asked;
    int stop_at;
    int told, last, all;
    bool backwards;
} watch;

static bool cancel(void *arg)
{
    watch *w = arg;
    return atomic_fetch_add(&w->asked, 1) + 1 >= w->stop_at;
}

static void progress(void *arg, int done, int all)
{
    watch *w = arg;
    w->backwards |= done <= w->last;
    w->last = done;
    w->all = all;
    w->told++;
}

static void calls_can_be_watched_and_stopped(void)
{
    ramus_text texts[TEXTS];
    ramus_file file = golden_lines("sample.en-de", texts, TEXTS);
    ramus_model *m = model_create(specs[1]);
    for (int threads = 1; threads <= 3; threads += 2) {
        ramus_error err = {0};
        ramus_translation out[TEXTS];
        ramus_buffer before = {0}, after = {0};
        ramus_session *s = session_create(m, (ramus_session_options){0, BEAM, 0, 5, threads, true});
        ramus_translate_options how = defaults();
        watch w = {.stop_at = 1 << 30};
        how.cancel = cancel;
        how.progress = progress;
        how.arg = &w;
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, &how, out, &err), err);
        for (int i = 0; i < TEXTS; i++)
            describe(&before, &out[i]);
        EXPECT(w.last == TEXTS && w.all == TEXTS && w.told >= TEXTS / 5 && !w.backwards,
               "%d of %d done at the end, told %d times", w.last, w.all, w.told);
        const int questions = w.asked;
        EXPECT(questions > TEXTS, "asked %d times", questions);
        const int moments[] = {1, 2, questions / 2, questions - 1};
        for (int i = 0; i < 4; i++) {
            w = (watch){.stop_at = moments[i]};
            EXPECT_INT(ramus_translate_all(s, texts, TEXTS, &how, out, &err), RAMUS_STOPPED,
                       "stopped");
            EXPECT(err.status == RAMUS_STOPPED && strstr(err.message, "stopped"), "\"%s\"",
                   err.message);
            EXPECT(w.last < TEXTS, "%d texts done although it was stopped", w.last);
            EXPECT(atomic_load(&w.asked) <= moments[i] + threads, "asked %d times, stopped at %d",
                   atomic_load(&w.asked), moments[i]);
        }
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, NULL, out, &err), err);
        for (int i = 0; i < TEXTS; i++)
            describe(&after, &out[i]);
        EXPECT(before.size == after.size && memcmp(before.data, after.data, after.size) == 0,
               "a stopped session translates as before");
        ramus_buffer_free(&before);
        ramus_buffer_free(&after);
        ramus_session_destroy(s);
    }
    ramus_model_close(m);
    ramus_file_unmap(&file);
}

static void nothing_is_allocated_after_the_first_call(void)
{
    ramus_text texts[TEXTS];
    ramus_file file = read_texts(texts);
    for (int k = 0; k < SPECS; k++) {
        ramus_error err = {0};
        ramus_translation out[TEXTS * BEAM];
        ramus_model *m = model_create(specs[k]);
        ramus_session *s =
            session_create(m, (ramus_session_options){0, BEAM, 64, 4, 1 + k % 2, k % 2 == 0});
        ramus_translate_options how = defaults();
        how.n_best = BEAM;
        how.prefix = "Das";
        how.no_repeat = 3;
        how.whole_lines = k >= 2;
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, &how, out, &err), err);
        const long before = allocations;
        for (int i = 0; i < 3; i++)
            REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, &how, out, &err), err);
        how.prefix = NULL;
        REQUIRE_OK(ramus_translate_all(s, texts, TEXTS / 2, &how, out, &err), err);
        EXPECT_INT(allocations - before, 0, specs[k].routing);
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
    EXPECT(allocations > 0, "nothing was counted");
    ramus_file_unmap(&file);
}

CHECK_MAIN({"batches_and_threads_change_no_bit", batches_and_threads_change_no_bit},
           {"n_best_is_what_the_search_finds", n_best_is_what_the_search_finds},
           {"details_fit", details_fit}, {"bad_options_get_a_sentence", bad_options_get_a_sentence},
           {"translations_begin_with_the_prefix", translations_begin_with_the_prefix},
           {"calls_can_be_watched_and_stopped", calls_can_be_watched_and_stopped},
           {"nothing_is_allocated_after_the_first_call", nothing_is_allocated_after_the_first_call})
