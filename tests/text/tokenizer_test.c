/* Laws of encoding, and random segmentation against all segmentations one by one. */
#include "base/utf8.h"
#include "text/tokenizer.h"

#include "check.h"
#include "text/model.h"

typedef struct setup {
    ramus_vocab *vocab;
    ramus_tokenizer *tok;
    ramus_ids ids, ends;
    ramus_buffer out;
} setup;

static setup open_model(const char *name)
{
    ramus_error err = {0};
    setup s = {0};
    char path[4096];
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    REQUIRE_OK(ramus_vocab_load(&s.vocab, path, &err), err);
    REQUIRE_OK(ramus_tokenizer_create(&s.tok, s.vocab, &err), err);
    return s;
}

static setup parse_model(const ramus_buffer *b)
{
    ramus_error err = {0};
    setup s = {0};
    REQUIRE_OK(ramus_vocab_parse(&s.vocab, b->data, b->size, &err), err);
    REQUIRE_OK(ramus_tokenizer_create(&s.tok, s.vocab, &err), err);
    return s;
}

static void close_model(setup *s)
{
    ramus_buffer_free(&s->out);
    ramus_ids_free(&s->ids);
    ramus_ids_free(&s->ends);
    ramus_tokenizer_destroy(s->tok);
    ramus_vocab_destroy(s->vocab);
}

static void encode(setup *s, const char *text, size_t size)
{
    ramus_error err = {0};
    s->ids.n = 0;
    REQUIRE_OK(ramus_tokenizer_encode(s->tok, text, size, &s->ids, &err), err);
}

static void sample(setup *s, const char *text, double alpha, uint32_t key)
{
    ramus_error err = {0};
    const ramus_sampling how = {alpha, {check_seed(), 0, 0, key}};
    s->ids.n = 0;
    REQUIRE_OK(ramus_tokenizer_sample(s->tok, text, strlen(text), &how, &s->ids, &err), err);
}

static const char *decoded(setup *s)
{
    ramus_error err = {0};
    ramus_buffer_clear(&s->out);
    REQUIRE_OK(ramus_vocab_decode(s->vocab, s->ids.data, s->ids.n, &s->out, &err), err);
    return s->out.data ? s->out.data : "";
}

static uint32_t drawn(uint64_t *n)
{
    const ramus_rng rng = {check_seed(), 2, 0, 0};
    return ramus_rng_bits(&rng, (*n)++);
}

static const char german[] = "Die Katze sitzt auf der Fensterbank und schaut in den Garten hinaus.";

static void ids_are_added_behind_those_there(void)
{
    ramus_error err = {0};
    setup s = open_model("unigram-8k");
    encode(&s, "Hello world.", 12);
    const int n = s.ids.n;
    REQUIRE_OK(ramus_tokenizer_encode(s.tok, "", 0, &s.ids, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(s.tok, "   ", 3, &s.ids, &err), err);
    EXPECT_INT(s.ids.n, n, "nothing from nothing");
    REQUIRE_OK(ramus_tokenizer_encode(s.tok, "Hello world.", 12, &s.ids, &err), err);
    EXPECT_INT(s.ids.n, 2 * n, "twice");
    EXPECT_BYTES(s.ids.data, s.ids.data + n, (size_t)n * sizeof(int), "the same again");
    close_model(&s);
    ramus_tokenizer_destroy(NULL);
}

/* Byte fallback without rules loses nothing but spaces at the ends and in a row. */
static void byte_fallback_gives_any_text_back(void)
{
    setup s = open_model("bpe-suffix");
    uint64_t n = 0;
    for (int round = 0; round < 3000; round++) {
        char text[400];
        size_t size = 0;
        for (uint32_t length = 1 + drawn(&n) % 60; length > 0; length--) {
            const uint32_t range = drawn(&n) % 4;
            uint32_t code = range == 0   ? drawn(&n) % 0x80
                            : range == 1 ? drawn(&n) % 0x800
                            : range == 2 ? drawn(&n) % 0x10000
                                         : drawn(&n) % 0x110000;
            if (code == ' ' || code == 0x2581) code = 'e';
            size += (size_t)ramus_utf8_encode(text + size, code);
            if (length > 1 && drawn(&n) % 5 == 0) text[size++] = ' ';
        }
        for (size_t i = 1; i < size; i++)
            if (text[i] == ' ' && text[i - 1] == ' ') text[i] = 'x';
        encode(&s, text, size);
        (void)decoded(&s);
        text[size++] = ' '; // the space behind the last word
        EXPECT(s.out.size == size && memcmp(s.out.data, text, size) == 0, "round %d", round);
    }
    close_model(&s);
}

static void pieces_and_ids_decode_to_the_same_text(void)
{
    static const char *const names[] = {"unigram-8k", "symbols", "bpe-suffix", "char"};
    uint64_t n = 0;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        setup s = open_model(names[m]);
        for (int round = 0; round < 1000; round++) {
            char text[200];
            const size_t size = drawn(&n) % sizeof text;
            for (size_t i = 0; i < size; i++) // any bytes, half of them letters
                text[i] = (char)(drawn(&n) % 2 ? 'a' + drawn(&n) % 26 : drawn(&n) % 256);
            encode(&s, text, size);
            char *want = strdup(decoded(&s));
            ramus_error err = {0};
            ramus_buffer pieces = {0}, back = {0};
            REQUIRE_OK(ramus_tokenizer_encode_pieces(s.tok, text, size, &pieces, &err), err);
            REQUIRE_OK(ramus_vocab_decode_pieces(s.vocab, pieces.data, pieces.size, &back, &err),
                       err);
            EXPECT_TEXT(back.data ? back.data : "", want);
            free(want);
            ramus_buffer_free(&pieces);
            ramus_buffer_free(&back);
        }
        close_model(&s);
    }
}

static void unknown_pieces_decode_as_they_stand(void)
{
    ramus_error err = {0};
    setup s = open_model("zh-4k");
    static const char text[] = "a \xF0\xA0\x80\x80\xF0\xA0\x80\x81 b";
    ramus_buffer pieces = {0};
    REQUIRE_OK(ramus_tokenizer_encode_pieces(s.tok, text, sizeof text - 1, &pieces, &err), err);
    EXPECT(strstr(pieces.data, " \xF0\xA0\x80\x80\xF0\xA0\x80\x81 "), "one unknown: %s",
           pieces.data);
    REQUIRE_OK(ramus_vocab_decode_pieces(s.vocab, pieces.data, pieces.size, &s.out, &err), err);
    EXPECT_TEXT(s.out.data, text);
    encode(&s, text, sizeof text - 1);
    EXPECT_TEXT(decoded(&s), "a  \xE2\x81\x87  b");
    ramus_buffer_free(&pieces);
    close_model(&s);
}

/* --- where ids end --- */

/* Encodes `text`, and writes it with a bar behind each id. */
static void expect_cuts(setup *s, const char *text, const char *want)
{
    ramus_error err = {0};
    s->ids.n = s->ends.n = 0;
    REQUIRE_OK(ramus_tokenizer_encode_ranges(s->tok, text, strlen(text), &s->ids, &s->ends, &err),
               err);
    ramus_buffer cuts = {0};
    for (int i = 0, from = 0; i < s->ends.n; from = s->ends.data[i++]) {
        ramus_buffer_add(&cuts, text + from, (size_t)(s->ends.data[i] - from));
        ramus_buffer_text(&cuts, "|");
    }
    const int end = s->ends.n > 0 ? s->ends.data[s->ends.n - 1] : 0;
    ramus_buffer_text(&cuts, text + end); // white space that no id has
    EXPECT_TEXT(cuts.data ? cuts.data : "", want);
    ramus_buffer_free(&cuts);
}

/* Decodes the ids that are there, and writes their text with a bar behind each. */
static void expect_decoded_cuts(setup *s, const char *want)
{
    ramus_error err = {0};
    s->ends.n = 0;
    ramus_buffer_clear(&s->out);
    ramus_buffer_text(&s->out, "before");
    REQUIRE_OK(ramus_vocab_decode_ends(s->vocab, s->ids.data, s->ids.n, &s->out, &s->ends, &err),
               err);
    ramus_buffer cuts = {0};
    for (int i = 0, from = 0; i < s->ends.n; from = s->ends.data[i++]) {
        ramus_buffer_add(&cuts, s->out.data + strlen("before") + from,
                         (size_t)(s->ends.data[i] - from));
        ramus_buffer_text(&cuts, "|");
    }
    EXPECT_TEXT(cuts.data ? cuts.data : "", want);
    ramus_buffer_free(&cuts);
}

static void ends_are_those_of_the_text_as_it_was_given(void)
{
    setup s = open_model("char"); // its rules: U+FB01 to fi, U+3000 to two spaces, U+201C to "
    expect_cuts(&s, "", "");
    expect_cuts(&s, "  ", "  ");
    expect_cuts(&s, "ab", "|a|b|"); // the dummy prefix is empty
    expect_cuts(&s, "  a  b \t ", "  |a|  |b| \t ");
    expect_cuts(&s, "\uFB01n", "||\uFB01|n|");
    expect_cuts(&s, "a\u3000b", "|a||\u3000|b|");
    expect_cuts(&s, "\u201Ca\u200Bb", "|\u201C|a\u200B|b|");
    expect_cuts(&s, "\u00C4h", "||\u00C4|h|"); // A, e
    expect_cuts(&s, "\U0001F600!", "||||\U0001F600|!|");
    close_model(&s);
}

static void ends_of_decoded_text_are_those_of_what_is_written(void)
{
    setup s = open_model("char");
    encode(&s, " a \U0001F600 b", 9);
    expect_decoded_cuts(&s, "|a| ||||\U0001F600| |b|");
    s.ids.n -= 4; // half of the bytes of the character: each is a U+FFFD
    expect_decoded_cuts(&s, "|a| |\uFFFD|\uFFFD|");
    s.ids.n = 0;
    expect_decoded_cuts(&s, "");
    close_model(&s);

    s = open_model("suffix"); // ' to U+2019, ... to U+2026, baz to foo
    const int spelled[] = {ramus_vocab_find(s.vocab, "b", 1), ramus_vocab_find(s.vocab, "a", 1),
                           ramus_vocab_find(s.vocab, "z", 1), ramus_vocab_find(s.vocab, ".", 1)};
    for (int i = 0; i < 7; i++) {
        ramus_error err = {0};
        REQUIRE_OK(ramus_ids_add(&s.ids, spelled[i < 3 ? i : 3], &err), err);
    }
    expect_decoded_cuts(&s, "foo|||\u2026|||.|");
    close_model(&s);
}

/* Any bytes: as many ends as ids, in order, inside the text; the ids are those without ends. */
static void ends_keep_their_laws_on_any_bytes(void)
{
    static const char *const names[] = {"unigram-8k", "bpe-4k", "symbols", "suffix", "identity",
                                        "char",       "word",   "unused",  "zh-4k"};
    uint64_t n = 0;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        setup s = open_model(names[m]);
        for (int round = 0; round < 1000; round++) {
            char text[120];
            const size_t size = drawn(&n) % sizeof text;
            for (size_t i = 0; i < size; i++)
                text[i] = " a.\t\xC3\xA4\xE2\x80\x8B"[drawn(&n) % 9];
            for (size_t i = 0; i < size; i += 1 + drawn(&n) % 20)
                text[i] = (char)drawn(&n);
            ramus_error err = {0};
            ramus_ids ids = {0};
            s.ends.n = 0;
            REQUIRE_OK(ramus_tokenizer_encode_ranges(s.tok, text, size, &ids, &s.ends, &err), err);
            encode(&s, text, size);
            EXPECT_INT(ids.n, s.ids.n, "ids");
            EXPECT_INT(s.ends.n, s.ids.n, "ends");
            if (ids.n > 0)
                EXPECT_BYTES(ids.data, s.ids.data, (size_t)ids.n * sizeof(int), "the same ids");
            for (int i = 0; i < s.ends.n; i++)
                EXPECT(s.ends.data[i] >= (i > 0 ? s.ends.data[i - 1] : 0) &&
                           s.ends.data[i] <= (int)size,
                       "end %d of %zu bytes", s.ends.data[i], size);
            ramus_ids_free(&ids);
        }
        close_model(&s);
    }
}

/* --- random segmentation --- */

/* Pieces of the alphabet a, b with scores, and how to cut by hand. */
static const struct {
    const char *text;
    float score;
    int kind;
} alphabet[] = {{"<unk>", 0, RAMUS_PIECE_UNKNOWN},
                {"a", -1.5f, 1},
                {"b", -2, 1},
                {"ab", -2.5f, 1},
                {"ba", -4, 1},
                {"aba", -3, 1},
                {"bb", -1, RAMUS_PIECE_UNUSED},
                {"bab", -6.5f, 1}};

#define MAX_CUTS 200

typedef struct cut {
    int ids[16], n;
    double weight;
} cut;

static cut cuts[MAX_CUTS];
static int n_cuts;

/* Lists all ways to cut `rest`; "c" is in no piece and costs least score - 10. */
static void list_cuts(const char *rest, cut so_far, double alpha)
{
    if (!*rest) {
        so_far.weight = exp(so_far.weight);
        cuts[n_cuts++] = so_far;
        return;
    }
    for (int i = 1; i < (int)(sizeof alphabet / sizeof *alphabet); i++) {
        const size_t size = strlen(alphabet[i].text);
        if (alphabet[i].kind != 1 || strncmp(rest, alphabet[i].text, size) != 0) continue;
        cut next = so_far;
        next.ids[next.n++] = i;
        next.weight += alpha * (double)alphabet[i].score;
        list_cuts(rest + size, next, alpha);
    }
    if (*rest == 'c') {
        so_far.ids[so_far.n++] = 0;
        so_far.weight += alpha * (-6.5 - 10);
        list_cuts(rest + 1, so_far, alpha);
    }
}

static setup alphabet_model(void)
{
    ramus_buffer b = {0};
    for (size_t i = 0; i < sizeof alphabet / sizeof *alphabet; i++)
        add_piece(&b, alphabet[i].text, alphabet[i].score, alphabet[i].kind);
    add_bytes(&b, 3, "\x18\x00", 2); // no dummy prefix
    setup s = parse_model(&b);
    ramus_buffer_free(&b);
    return s;
}

static void unigram_samples_follow_the_probabilities(void)
{
    static const double alphas[] = {0, 0.5, 1, 3};
    enum { N = 20000 };
    setup s = alphabet_model();
    for (int a = 0; a < 4; a++) {
        n_cuts = 0;
        list_cuts("ababbacbab", (cut){.n = 0}, alphas[a]);
        double total = 0;
        for (int i = 0; i < n_cuts; i++)
            total += cuts[i].weight;
        int seen[MAX_CUTS] = {0}, found = 0;
        for (uint32_t k = 0; k < N; k++) {
            sample(&s, "ababbacbab", alphas[a], k);
            for (int i = 0; i < n_cuts; i++)
                if (cuts[i].n == s.ids.n &&
                    memcmp(cuts[i].ids, s.ids.data, (size_t)s.ids.n * sizeof(int)) == 0)
                    seen[i]++, found++;
        }
        EXPECT_INT(found, N, "samples that are cuts");
        for (int i = 0; i < n_cuts; i++) {
            const double p = cuts[i].weight / total;
            EXPECT_NEAR(seen[i], N * p, 5 * sqrt(N * p * (1 - p)) + 3, "times, 5 deviations");
        }
    }
    close_model(&s);
}

/* Found by fuzzing: a user's piece scores size times the largest score, which overflows. */
static void absurd_scores_do_no_harm(void)
{
    static const float scores[] = {3e38f, -3e38f, 1e30f, -1e-38f};
    for (int i = 0; i < 4; i++) {
        ramus_buffer b = {0};
        add_piece(&b, "<unk>", 0, RAMUS_PIECE_UNKNOWN);
        add_piece(&b, "a", scores[i], RAMUS_PIECE_NORMAL);
        add_piece(&b, "ab", -scores[i], RAMUS_PIECE_NORMAL);
        add_piece(&b, "abab", 0, RAMUS_PIECE_USER);
        setup s = parse_model(&b);
        for (uint32_t k = 0; k < 20; k++) {
            sample(&s, "abababaababb ab", 0.5 * k, k);
            EXPECT(s.ids.n > 0, "%d ids", s.ids.n);
        }
        encode(&s, "abababaababb ab", 15);
        EXPECT(s.ids.n > 0, "%d ids", s.ids.n);
        ramus_buffer_free(&b);
        close_model(&s);
    }
}

static void a_large_alpha_samples_the_best(void)
{
    setup s = open_model("unigram-8k");
    encode(&s, german, strlen(german));
    const ramus_ids best = s.ids;
    s.ids = (ramus_ids){0};
    for (uint32_t k = 0; k < 20; k++) {
        sample(&s, german, 500, k);
        EXPECT(s.ids.n == best.n &&
                   memcmp(s.ids.data, best.data, (size_t)best.n * sizeof(int)) == 0,
               "key %u", k);
    }
    free(best.data);
    close_model(&s);
}

static void samples_differ_by_key_and_mean_the_same(void)
{
    static const char *const names[] = {"unigram-8k", "bpe-4k", "bpe-unused", "bpe-symbols"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        setup s = open_model(names[m]);
        encode(&s, german, strlen(german));
        char *want = strdup(decoded(&s));
        int lengths[64] = {0}, different = 0;
        for (int twice = 0; twice < 2; twice++)
            for (uint32_t k = 0; k < 64; k++) {
                sample(&s, german, 0.2, k);
                EXPECT_TEXT(decoded(&s), want);
                if (twice) EXPECT_INT(s.ids.n, lengths[k], "the same key gives the same");
                lengths[k] = s.ids.n;
                different += lengths[k] != lengths[0];
            }
        EXPECT(different > 40, "%s: %d of 128 differ from the first", names[m], different);
        free(want);
        close_model(&s);
    }
}

static void dropout_goes_from_all_merges_to_none(void)
{
    setup s = open_model("bpe-4k");
    encode(&s, german, strlen(german));
    const ramus_ids best = s.ids;
    s.ids = (ramus_ids){0};
    sample(&s, german, 0, 1);
    EXPECT(s.ids.n == best.n && memcmp(s.ids.data, best.data, (size_t)best.n * sizeof(int)) == 0,
           "no dropout");
    sample(&s, german, 1, 1);
    EXPECT_INT(s.ids.n, strlen(german) + 1, "all characters and the dummy prefix");
    free(best.data);
    close_model(&s);
}

static void words_and_characters_cannot_be_sampled(void)
{
    ramus_error err = {0};
    const ramus_sampling how = {1, {0}};
    setup s = open_model("word");
    EXPECT_FAILS(ramus_tokenizer_sample(s.tok, "a", 1, &how, &s.ids, &err), err,
                 "type word cannot");
    close_model(&s);
}

CHECK_MAIN({"ids_are_added_behind_those_there", ids_are_added_behind_those_there},
           {"byte_fallback_gives_any_text_back", byte_fallback_gives_any_text_back},
           {"pieces_and_ids_decode_to_the_same_text", pieces_and_ids_decode_to_the_same_text},
           {"unknown_pieces_decode_as_they_stand", unknown_pieces_decode_as_they_stand},
           {"ends_are_those_of_the_text_as_it_was_given",
            ends_are_those_of_the_text_as_it_was_given},
           {"ends_of_decoded_text_are_those_of_what_is_written",
            ends_of_decoded_text_are_those_of_what_is_written},
           {"ends_keep_their_laws_on_any_bytes", ends_keep_their_laws_on_any_bytes},
           {"unigram_samples_follow_the_probabilities", unigram_samples_follow_the_probabilities},
           {"absurd_scores_do_no_harm", absurd_scores_do_no_harm},
           {"a_large_alpha_samples_the_best", a_large_alpha_samples_the_best},
           {"samples_differ_by_key_and_mean_the_same", samples_differ_by_key_and_mean_the_same},
           {"dropout_goes_from_all_merges_to_none", dropout_goes_from_all_merges_to_none},
           {"words_and_characters_cannot_be_sampled", words_and_characters_cannot_be_sampled})
