/* BLEU by hand where a line is short enough, else by a plain loop over n-grams; SacreBLEU's own
 * numbers are in scores_test.c. */
#include "base/buffer.h"
#include "base/rng.h"
#include "eval/bleu.h"
#include "eval/chrf.h"

#include "check.h"

static const ramus_line nothing = {"", 0};

static ramus_bleu *create_bleu(ramus_bleu_options options, const char *tokenization)
{
    ramus_error err = {0};
    ramus_bleu *b = NULL;
    options.tokenization = ramus_tokenization_find(tokenization);
    REQUIRE_OK(ramus_bleu_create(&b, &options, &err), err);
    return b;
}

static ramus_chrf *create_chrf(ramus_chrf_options options)
{
    ramus_error err = {0};
    ramus_chrf *c = NULL;
    REQUIRE_OK(ramus_chrf_create(&c, &options, &err), err);
    return c;
}

static void add_bleu(ramus_bleu *b, const char *hyp, const char *ref)
{
    ramus_error err = {0};
    const ramus_line reference = ramus_line_of(ref);
    REQUIRE_OK(ramus_bleu_add(b, ramus_line_of(hyp), &reference, 1, &err), err);
}

static void add_chrf(ramus_chrf *c, const char *hyp, const char *ref)
{
    ramus_error err = {0};
    const ramus_line reference = ramus_line_of(ref);
    REQUIRE_OK(ramus_chrf_add(c, ramus_line_of(hyp), &reference, 1, &err), err);
}

static void identical_texts_score_100(void)
{
    static const char *const lines[] = {
        "A b c d e.", "\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xB8\x96\xE7\x95\x8C", "", "x"};
    for (int t = 0; ramus_tokenization_at(t); t++) {
        ramus_bleu *b =
            create_bleu((ramus_bleu_options){0}, ramus_tokenization_name(ramus_tokenization_at(t)));
        for (int i = 0; i < 4; i++)
            add_bleu(b, lines[i], lines[i]);
        EXPECT_NEAR(ramus_bleu_corpus(b).score, 100, 1e-9, "BLEU");
        EXPECT_NEAR(ramus_bleu_sentence(b, 0).score, 100, 1e-9, "sentence BLEU");
        EXPECT_NEAR(ramus_bleu_sentence(b, 3).score, 100, 1e-9, "sentence BLEU of one word");
        ramus_bleu_destroy(b);
    }
    for (int word_order = 0; word_order <= 2; word_order += 2) {
        ramus_chrf *c = create_chrf((ramus_chrf_options){.word_order = word_order});
        for (int i = 0; i < 4; i++)
            add_chrf(c, lines[i], lines[i]);
        EXPECT_NEAR(ramus_chrf_corpus(c), 100, 1e-9, "chrF");
        ramus_chrf_destroy(c);
    }
}

static void empty_texts_score_0(void)
{
    ramus_bleu *b = create_bleu((ramus_bleu_options){0}, "13a");
    ramus_chrf *c = create_chrf((ramus_chrf_options){.word_order = 2});
    EXPECT_NEAR(ramus_bleu_corpus(b).score, 0, 0, "BLEU of no lines");
    EXPECT_NEAR(ramus_chrf_corpus(c), 0, 0, "chrF of no lines");
    for (int i = 0; i < 3; i++) {
        add_bleu(b, "", "one two three");
        add_chrf(c, "", "one two three");
    }
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    EXPECT_NEAR(s.score, 0, 0, "BLEU of an empty hypothesis file");
    EXPECT_NEAR(s.bp, 0, 0, "brevity penalty");
    EXPECT_INT(s.sys_len, 0, "hypothesis length");
    EXPECT_INT(s.ref_len, 9, "reference length");
    EXPECT_NEAR(ramus_chrf_corpus(c), 0, 0, "chrF of an empty hypothesis file");
    add_bleu(b, "one", "");
    add_chrf(c, "one", " \t ");
    EXPECT_INT(ramus_bleu_corpus(b).sys_len, 1, "words against an empty reference");
    EXPECT_NEAR(ramus_bleu_corpus(b).score, 0, 0, "BLEU");
    EXPECT_NEAR(ramus_chrf_corpus(c), 0, 0, "chrF");
    const ramus_stats *stats = ramus_chrf_stats(c);
    EXPECT_INT(stats->rows[3 * stats->width], 0, "characters without a reference do not count");
    ramus_bleu_destroy(b);
    ramus_chrf_destroy(c);
}

/* "the cat sat on mat" against "the cat sat on the mat": 5/5, 3/4, 2/3, 1/2, bp exp(1 - 6/5). */
static void one_line_can_be_computed_by_hand(void)
{
    ramus_bleu *b = create_bleu((ramus_bleu_options){0}, "13a");
    add_bleu(b, "the cat sat on mat", "the cat sat on the mat");
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    static const int counts[] = {5, 3, 2, 1}, totals[] = {5, 4, 3, 2};
    for (int n = 0; n < RAMUS_BLEU_ORDER; n++) {
        EXPECT_INT(s.counts[n], counts[n], "matches");
        EXPECT_INT(s.totals[n], totals[n], "n-grams");
    }
    EXPECT_NEAR(s.bp, exp(-0.2), 1e-12, "brevity penalty");
    EXPECT_NEAR(s.score, 100 * exp(-0.2) * pow(1 * 0.75 * 2 / 3 * 0.5, 0.25), 1e-9, "score");
    ramus_bleu_destroy(b);
}

/* Two words of four match, no pair: precisions 50 and then what the method puts for 0 of 3, 2, 1.
 */
static void smoothing_replaces_zeros_as_its_method_says(void)
{
    const struct {
        ramus_bleu_options options;
        double want;
        const char *signature;
    } cases[] = {
        {{.smoothing = RAMUS_SMOOTHING_EXP},
         pow(50 * (100. / 2 / 3) * (100. / 4 / 2) * (100. / 8), 0.25),
         "smooth:exp|"},
        {{.smoothing = RAMUS_SMOOTHING_NONE}, 0, "smooth:none|"},
        {{.smoothing = RAMUS_SMOOTHING_FLOOR},
         pow(50 * (10. / 3) * (10. / 2) * 10, 0.25),
         "smooth:floor[0.10]|"},
        {{.smoothing = RAMUS_SMOOTHING_FLOOR, .smoothing_value = 0.5},
         pow(50 * (50. / 3) * (50. / 2) * 50, 0.25),
         "smooth:floor[0.50]|"},
        {{.smoothing = RAMUS_SMOOTHING_ADD_K},
         pow(50 * (100. / 4) * (100. / 3) * (100. / 2), 0.25),
         "smooth:add-k[1.00]|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ramus_bleu *b = create_bleu(cases[i].options, "none");
        char signature[RAMUS_SIGNATURE_SIZE];
        add_bleu(b, "a x b y", "b p a q");
        EXPECT_NEAR(ramus_bleu_corpus(b).score, cases[i].want, 1e-9, cases[i].signature);
        ramus_bleu_signature(signature, b, NULL);
        EXPECT(strstr(signature, cases[i].signature), "signature \"%s\"", signature);
        ramus_bleu_destroy(b);
    }
}

static void effective_order_leaves_out_what_is_too_short(void)
{
    ramus_bleu *b = create_bleu((ramus_bleu_options){.effective_order = true}, "13a");
    add_bleu(b, "two words", "two words");
    EXPECT_NEAR(ramus_bleu_corpus(b).score, 100, 1e-9, "with it");
    char signature[RAMUS_SIGNATURE_SIZE];
    ramus_bleu_signature(signature, b, &(ramus_bootstrap){.n_resamples = 1000, .seed = 12345});
    EXPECT_TEXT(signature, "nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|tok:13a|smooth:exp|"
                           "version:ramus-" RAMUS_VERSION);
    ramus_bleu_destroy(b);
    b = create_bleu((ramus_bleu_options){0}, "13a");
    add_bleu(b, "two words", "two words");
    EXPECT_NEAR(ramus_bleu_corpus(b).score, 0, 1e-9, "without it");
    EXPECT_NEAR(ramus_bleu_sentence(b, 0).score, 100, 1e-9, "sentence");
    ramus_bleu_destroy(b);
}

static void several_references_share_their_matches_and_the_closest_length(void)
{
    ramus_error err = {0};
    ramus_bleu *b = create_bleu((ramus_bleu_options){0}, "none");
    const ramus_line refs[] = {
        ramus_line_of("a a b c d e f"), {NULL, 0}, ramus_line_of("a c a"), ramus_line_of("x")};
    REQUIRE_OK(ramus_bleu_add(b, ramus_line_of("a a a c a"), refs, 4, &err), err);
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    EXPECT_INT(s.ref_len, 3, "of 7 and 3 at the same distance from 5, the shorter");
    EXPECT_INT(s.counts[0], 3, "a twice, c once");
    EXPECT_INT(s.counts[1], 3, "a a once, a c, c a");
    EXPECT_INT(s.counts[2], 1, "a c a");
    char signature[RAMUS_SIGNATURE_SIZE];
    ramus_bleu_signature(signature, b, NULL);
    EXPECT(strncmp(signature, "nrefs:3|", 8) == 0, "signature \"%s\"", signature);
    REQUIRE_OK(ramus_bleu_add(b, ramus_line_of("a"), refs + 1, 2, &err), err);
    ramus_bleu_signature(signature, b, NULL);
    EXPECT(strncmp(signature, "nrefs:var|", 10) == 0, "signature \"%s\"", signature);
    ramus_bleu_destroy(b);

    ramus_chrf *c = create_chrf((ramus_chrf_options){0}),
               *best = create_chrf((ramus_chrf_options){0});
    REQUIRE_OK(ramus_chrf_add(c, ramus_line_of("a a a c a"), refs, 4, &err), err);
    REQUIRE_OK(ramus_chrf_add(best, ramus_line_of("a a a c a"), refs + 2, 1, &err), err);
    EXPECT_NEAR(ramus_chrf_corpus(c), ramus_chrf_corpus(best), 0, "chrF takes the best one");
    ramus_chrf_signature(signature, c, NULL);
    EXPECT_TEXT(signature,
                "nrefs:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:ramus-" RAMUS_VERSION);
    ramus_chrf_destroy(c);
    ramus_chrf_destroy(best);
}

/* Matches by comparing every n-gram with every other one: of those equal to the n-gram at `at`,
 * counted at the first of them, the smaller number of both sides. */
static int matches_of(const char *hyp, int n_hyp, const char *const *refs, const int *n_refs,
                      int n_references, int order)
{
    int sum = 0;
    for (int at = 0; at + order <= n_hyp; at++) {
        int in_hyp = 0, most = 0, first = 1;
        for (int i = 0; i + order <= n_hyp; i++)
            if (memcmp(hyp + i, hyp + at, (size_t)order) == 0) {
                in_hyp++;
                first = first && i >= at;
            }
        for (int r = 0; r < n_references; r++) {
            int in_ref = 0;
            for (int i = 0; i + order <= n_refs[r]; i++)
                in_ref += memcmp(refs[r] + i, hyp + at, (size_t)order) == 0;
            if (in_ref > most) most = in_ref;
        }
        if (first) sum += in_hyp < most ? in_hyp : most;
    }
    return sum;
}

/* Letters as words (char) and as characters (chrF): both count the same n-grams. */
static void counts_equal_those_of_a_plain_loop(void)
{
    ramus_bleu *b = create_bleu((ramus_bleu_options){0}, "char");
    ramus_chrf *c = create_chrf((ramus_chrf_options){0});
    for (int round = 0; round < 600; round++) {
        const ramus_rng rng = {check_seed(), (uint32_t)round, 0, 0};
        char text[4][64];
        const char *refs[3] = {text[1], text[2], text[3]};
        int n[4];
        ramus_line lines[4];
        ramus_error err = {0};
        const uint32_t letters = 1 + ramus_rng_bits(&rng, 0) % 8;
        const int n_refs = round % 3 == 0 ? 3 : 1;
        for (int t = 0; t < 4; t++) {
            n[t] = (int)(ramus_rng_bits(&rng, (uint64_t)t + 1) % 60);
            for (int i = 0; i < n[t]; i++)
                text[t][i] =
                    (char)('a' +
                           ramus_rng_bits(&rng, 100 * (uint64_t)t + (uint64_t)i + 10) % letters);
            if (t > 0 && round % 4) memcpy(text[t], text[0], (size_t)(n[t] < n[0] ? n[t] : n[0]));
            lines[t] = (ramus_line){text[t], (size_t)n[t]};
        }
        REQUIRE_OK(ramus_bleu_add(b, lines[0], lines + 1, n_refs, &err), err);
        REQUIRE_OK(ramus_chrf_add(c, lines[0], lines + 1, 1, &err), err);
        const int32_t *bleu = ramus_bleu_stats(b)->rows + round * ramus_bleu_stats(b)->width;
        const int32_t *chrf = ramus_chrf_stats(c)->rows + round * ramus_chrf_stats(c)->width;
        for (int k = 0; k < 4; k++)
            EXPECT_INT(bleu[2 + k], matches_of(text[0], n[0], refs, n + 1, n_refs, k + 1), "BLEU");
        for (int k = 0; k < 6; k++)
            EXPECT_INT(chrf[3 * k + 2], matches_of(text[0], n[0], refs, n + 1, 1, k + 1), "chrF");
    }
    ramus_bleu_destroy(b);
    ramus_chrf_destroy(c);
}

static void chrf_words_lose_one_mark(void)
{
    ramus_chrf *c = create_chrf((ramus_chrf_options){.word_order = 2});
    add_chrf(c, "(hi) there", "hi (there");
    const int32_t *row = ramus_chrf_stats(c)->rows + 18;
    static const int32_t want[] = {3, 3, 1, 2, 2, 0}; // "(hi" ")" "there" against "hi" "(" "there"
    EXPECT_BYTES(row, want, sizeof want, "words %d %d %d, pairs %d %d %d", row[0], row[1], row[2],
                 row[3], row[4], row[5]);
    char signature[RAMUS_SIGNATURE_SIZE];
    ramus_chrf_signature(signature, c, NULL);
    EXPECT(strstr(signature, "|nw:2|"), "signature \"%s\"", signature);
    ramus_chrf_destroy(c);
}

static void white_space_counts_for_chrf_only_on_request(void)
{
    ramus_chrf *without = create_chrf((ramus_chrf_options){0}),
               *with = create_chrf((ramus_chrf_options){.whitespace = true, .lowercase = true});
    add_chrf(without,
             "a b\xC2\xA0"
             "c",
             " abc ");
    add_chrf(with, "A b", "a b");
    EXPECT_NEAR(ramus_chrf_corpus(without), 100, 1e-9, "without");
    EXPECT_NEAR(ramus_chrf_corpus(with), 100, 1e-9, "with, lower case");
    EXPECT_INT(ramus_chrf_stats(with)->rows[0], 3, "characters");
    char signature[RAMUS_SIGNATURE_SIZE];
    ramus_chrf_signature(signature, with, NULL);
    EXPECT_TEXT(signature,
                "nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:yes|version:ramus-" RAMUS_VERSION);
    ramus_chrf_destroy(without);
    ramus_chrf_destroy(with);
}

static void a_line_of_a_megabyte_is_scored(void)
{
    ramus_error err = {0};
    ramus_buffer hyp = {0}, ref = {0};
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    for (uint64_t i = 0; hyp.size < 1 << 20; i++) {
        const uint32_t word = ramus_rng_bits(&rng, i);
        ramus_buffer_print(&hyp, "%x ", (unsigned)(word % 5000));
        ramus_buffer_print(&ref, "%x ", (unsigned)(i % 10 ? word % 5000 : 1));
    }
    ramus_bleu *b = create_bleu((ramus_bleu_options){0}, "13a");
    ramus_chrf *c = create_chrf((ramus_chrf_options){.word_order = 2});
    const ramus_line reference = {ref.data, ref.size};
    REQUIRE_OK(ramus_bleu_add(b, (ramus_line){hyp.data, hyp.size}, &reference, 1, &err), err);
    REQUIRE_OK(ramus_chrf_add(c, (ramus_line){hyp.data, hyp.size}, &reference, 1, &err), err);
    // every tenth word differs, so 9 of 10 words, 8 of 10 pairs ... match, and few by chance
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    EXPECT_NEAR(s.precisions[3], 60, 1, "precision of four words");
    EXPECT(ramus_chrf_corpus(c) > 80 && ramus_chrf_corpus(c) < 97, "chrF %g", ramus_chrf_corpus(c));
    add_bleu(b, "a b c d", "a b c d");
    EXPECT_NEAR(ramus_bleu_sentence(b, 1).score, 100, 1e-9, "a short line after it");
    REQUIRE_OK(ramus_bleu_add(b, nothing, &reference, 1, &err), err);
    REQUIRE_OK(ramus_bleu_add(b, reference, &nothing, 1, &err), err);
    EXPECT_NEAR(ramus_bleu_sentence(b, 2).score, 0, 0, "nothing against it");
    EXPECT_NEAR(ramus_bleu_sentence(b, 3).score, 0, 0, "it against nothing");
    ramus_bleu_destroy(b);
    ramus_chrf_destroy(c);
    ramus_buffer_free(&hyp);
    ramus_buffer_free(&ref);
}

CHECK_MAIN(
    {"identical_texts_score_100", identical_texts_score_100},
    {"empty_texts_score_0", empty_texts_score_0},
    {"one_line_can_be_computed_by_hand", one_line_can_be_computed_by_hand},
    {"smoothing_replaces_zeros_as_its_method_says", smoothing_replaces_zeros_as_its_method_says},
    {"effective_order_leaves_out_what_is_too_short", effective_order_leaves_out_what_is_too_short},
    {"several_references_share_their_matches_and_the_closest_length",
     several_references_share_their_matches_and_the_closest_length},
    {"counts_equal_those_of_a_plain_loop", counts_equal_those_of_a_plain_loop},
    {"chrf_words_lose_one_mark", chrf_words_lose_one_mark},
    {"white_space_counts_for_chrf_only_on_request", white_space_counts_for_chrf_only_on_request},
    {"a_line_of_a_megabyte_is_scored", a_line_of_a_megabyte_is_scored})
