/* Vocabularies by hand: what a .model may say, what it may not, and what broken ones do. */
#include "base/map.h"
#include "base/rng.h"
#include "text/tokenizer.h"

#include "check.h"
#include "text/model.h"

static const char *golden_path(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    return path;
}

static ramus_vocab *load(const char *name)
{
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    REQUIRE_OK(ramus_vocab_load(&v, golden_path(name), &err), err);
    return v;
}

static void special_ids_are_the_model_s_own(void)
{
    static const struct {
        const char *name, *type;
        int count, bos, eos, pad;
    } wanted[] = {{"unigram-8k", "unigram", 8000, 1, 2, -1},
                  {"bpe-4k", "bpe", 4000, 1, 2, 3},
                  {"zh-4k", "unigram", 4000, -1, -1, -1},
                  {"word", "word", 1000, 1, 2, -1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ramus_vocab *v = load(wanted[i].name);
        EXPECT_TEXT(ramus_vocab_type(v), wanted[i].type);
        EXPECT_INT(ramus_vocab_count(v), wanted[i].count, "count");
        EXPECT_INT(ramus_vocab_unk(v), 0, "unknown");
        EXPECT_INT(ramus_vocab_bos(v), wanted[i].bos, "BOS");
        EXPECT_INT(ramus_vocab_eos(v), wanted[i].eos, "EOS");
        EXPECT_INT(ramus_vocab_pad(v), wanted[i].pad, "padding");
        ramus_vocab_destroy(v);
    }
}

static void every_piece_is_found_by_its_text(void)
{
    ramus_vocab *v = load("symbols");
    int n_bytes = 0, n_user = 0, n_control = 0;
    for (int id = 0; id < ramus_vocab_count(v); id++) {
        const char *piece = ramus_vocab_piece(v, id);
        EXPECT_INT(ramus_vocab_find(v, piece, strlen(piece)), id, piece);
        n_bytes += ramus_vocab_kind(v, id) == RAMUS_PIECE_BYTE;
        n_user += ramus_vocab_kind(v, id) == RAMUS_PIECE_USER;
        n_control += ramus_vocab_kind(v, id) == RAMUS_PIECE_CONTROL;
    }
    EXPECT_INT(n_bytes, 256, "byte pieces");
    EXPECT_INT(n_user, 7, "user-defined pieces");
    EXPECT_INT(n_control, 4, "control pieces");
    EXPECT_INT(ramus_vocab_find(v, "no such piece", 13), -1, "absent");
    EXPECT_INT(ramus_vocab_find(v, "", 0), -1, "empty");
    EXPECT(ramus_vocab_score(v, ramus_vocab_count(v) - 1) < 0, "a logarithm");
    ramus_vocab_destroy(v);
}

static void unreadable_files_are_named(void)
{
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    EXPECT_FAILS(ramus_vocab_load(&v, GOLDEN "/text/none.model", &err), err, "none.model");
    EXPECT_FAILS(ramus_vocab_load(&v, GOLDEN "/text", &err), err, "not a regular file");
    EXPECT_FAILS(ramus_vocab_load(&v, GOLDEN "/text/README.md", &err), err, "README.md: ");
    EXPECT_FAILS(ramus_vocab_load(&v, GOLDEN "/text/README.md", &err), err,
                 "not a SentencePiece model");
    EXPECT(v == NULL, "nothing was made");
    ramus_vocab_destroy(NULL);
}

static void an_id_out_of_range_is_an_error_and_adds_nothing(void)
{
    ramus_error err = {0};
    ramus_vocab *v = load("bpe-4k");
    ramus_buffer out = {0};
    ramus_buffer_text(&out, "before");
    static const int bad[2][2] = {{5, 4000}, {5, -1}};
    for (int i = 0; i < 2; i++)
        EXPECT_FAILS(ramus_vocab_decode(v, bad[i], 2, &out, &err), err, "in a vocabulary of 4000");
    EXPECT_TEXT(out.data, "before");
    REQUIRE_OK(ramus_vocab_decode(v, NULL, 0, &out, &err), err);
    REQUIRE_OK(ramus_vocab_decode_pieces(v, NULL, 0, &out, &err), err);
    EXPECT_TEXT(out.data, "before");
    ramus_buffer_free(&out);
    ramus_vocab_destroy(v);
}

static ramus_vocab *parse_free(ramus_buffer *b)
{
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    REQUIRE_OK(ramus_vocab_parse(&v, b->data, b->size, &err), err);
    ramus_buffer_free(b);
    return v;
}

static void expect_refused(ramus_buffer *b, const char *part)
{
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    EXPECT_FAILS(ramus_vocab_parse(&v, b->data, b->size, &err), err, part);
    EXPECT(v == NULL && err.status == RAMUS_BAD_FORMAT, "status %d", err.status);
    ramus_buffer_free(b);
}

static void expect_ids(const ramus_vocab *v, const char *text, const char *wanted)
{
    ramus_error err = {0};
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0};
    ramus_buffer out = {0};
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(t, text, strlen(text), &ids, &err), err);
    for (int i = 0; i < ids.n; i++)
        ramus_buffer_print(&out, "%s%d", i ? " " : "", ids.data[i]);
    EXPECT_TEXT(out.data ? out.data : "", wanted);
    ramus_buffer_free(&out);
    ramus_ids_free(&ids);
    ramus_tokenizer_destroy(t);
}

static void contradictions_are_refused_in_one_sentence(void)
{
    ramus_buffer b = {0};
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    EXPECT_FAILS(ramus_vocab_parse(&v, "", 0, &err), err, "empty");

    ramus_buffer_text(&b, "this is not a model");
    expect_refused(&b, "not a SentencePiece model: no valid field at byte");
    add_piece(&b, "a", -1, 0);
    expect_refused(&b, "no piece of kind unknown");
    b = small_model(), add_piece(&b, "<unknown>", 0, RAMUS_PIECE_UNKNOWN);
    expect_refused(&b, "pieces 0 and 4 are both of kind unknown");
    b = small_model(), add_piece(&b, "", 0, 0);
    expect_refused(&b, "piece 4 is empty");
    b = small_model(), add_piece_bytes(&b, "a\0b", 3, 0, 0);
    expect_refused(&b, "piece 4 contains a zero byte");
    b = small_model(), add_piece(&b, "b", -7, 0);
    expect_refused(&b, "piece 4 has the text of piece 2");
    b = small_model(), add_piece(&b, "c", NAN, 0);
    expect_refused(&b, "the score of piece 4 is not a finite number");
    b = small_model(), add_piece(&b, "c", -INFINITY, 0);
    expect_refused(&b, "the score of piece 4 is not a finite number");
    b = small_model(), add_piece(&b, "<0x41>", 0, RAMUS_PIECE_BYTE);
    expect_refused(&b, "byte piece 4 without byte fallback");
    b = small_model(), add_piece(&b, "<0x4g>", 0, RAMUS_PIECE_BYTE);
    expect_refused(&b, "byte piece 4 is not <0x00> to <0xFF>");
    b = small_model(), add_bytes(&b, 2, "\x98\x02\x01", 3); // trainer_spec.byte_fallback
    expect_refused(&b, "byte fallback with 0 byte pieces, 256 expected");
    b = (ramus_buffer){0}, add_piece(&b, "<unk>", 0, RAMUS_PIECE_UNKNOWN);
    expect_refused(&b, "special pieces only");
    b = small_model(), add_bytes(&b, 1, "\x0A\xFF", 2);
    expect_refused(&b, "piece 4 is not a message");
    b = small_model(), add_bytes(&b, 3, "\x12\x03\x01\x00\x00", 5); // a charsmap of 3 bytes
    expect_refused(&b, "normalisation rules of 3 bytes");
    b = small_model(), add_bytes(&b, 3, "\x12\x08\xFF\xFF\xFF\xFFxxxx", 10);
    expect_refused(&b, "with an index of 4294967295 bytes");

    char *long_piece = malloc(8001);
    memset(long_piece, 'x', 8001);
    b = small_model(), add_piece_bytes(&b, long_piece, 8000, 0, 0);
    expect_refused(&b, "piece 4 has 8000 bytes");
    b = small_model(), add_piece_bytes(&b, long_piece, 7999, 0, 0);
    ramus_vocab_destroy(parse_free(&b));
    free(long_piece);
}

static void what_is_not_known_is_skipped(void)
{
    ramus_buffer b = small_model();
    add_number(&b, 250, 7);                      // an extension
    add_number(&b, 1, 7);                        // pieces, but a number
    ramus_buffer_add(&b, "\x4B\x08\x01\x4C", 4); // a group
    add_bytes(&b, 2, "\x18\x09", 2);             // model_type 9: none, so unigram
    add_bytes(&b, 3, "\x18\x00", 2);             // normalizer_spec in two parts: no dummy prefix
    add_bytes(&b, 3, "\x20\x00", 2);             // keep extra spaces
    ramus_vocab *v = parse_free(&b);
    EXPECT_TEXT(ramus_vocab_type(v), "unigram");
    expect_ids(v, "ab", "3");
    expect_ids(v, "aab  b", "1 3 0 2"); // two spaces, one unknown piece
    ramus_vocab_destroy(v);
}

static void control_pieces_never_come_from_text(void)
{
    static const char *const wanted[] = {"5 0", "5 0", "0", "5 0"}; // unigram, bpe, word, char
    for (int type = 1; type <= 4; type++) {
        ramus_buffer b = small_model();
        add_piece(&b, "c", 0, RAMUS_PIECE_CONTROL);
        add_piece(&b, "\xE2\x96\x81", -1, 0);
        const char spec[2] = {0x18, (char)type};
        add_bytes(&b, 2, spec, 2);
        ramus_vocab *v = parse_free(&b);
        expect_ids(v, "c", wanted[type - 1]);
        ramus_vocab_destroy(v);
    }
}

/* A rule trie whose two units lead to each other for ever: every "a" is the longest rule so far. */
static void rules_that_go_in_circles_end(void)
{
    ramus_buffer b = small_model(), map = {0}, spec = {0};
    uint32_t units[256] = {0};
    const uint32_t size = sizeof units;
    units[0] = 1u << 10;                          // offset 1: 'a' is at 1 ^ 'a'
    units[1 ^ 'a'] = 'a' | 1u << 8 | ('a' << 10); // stays, with a value at 1
    units[1] = 1u << 31;
    ramus_buffer_add(&map, &size, 4);
    ramus_buffer_add(&map, units, sizeof units);
    ramus_buffer_add(&map, "b", 2);
    add_bytes(&spec, 2, map.data, map.size);
    add_bytes(&b, 3, spec.data, spec.size);
    ramus_vocab *v = parse_free(&b);
    char *text = malloc(100001);
    memset(text, 'a', 100000);
    text[100000] = '\0';
    ramus_error err = {0};
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0};
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(t, text, 100000, &ids, &err), err);
    EXPECT(ids.n > 0, "%d ids", ids.n);
    ramus_ids_free(&ids);
    ramus_tokenizer_destroy(t);
    ramus_vocab_destroy(v);
    free(text);
    ramus_buffer_free(&map);
    ramus_buffer_free(&spec);
}

/* A vocabulary whose only rule turns "a" into `size` bytes. */
static ramus_buffer model_that_grows(size_t size)
{
    ramus_buffer b = small_model(), map = {0}, spec = {0};
    uint32_t units[256] = {0};
    const uint32_t bytes = sizeof units;
    units[0] = 1u << 10; // offset 1: 'a' is at 1 ^ 'a'
    ramus_buffer_add(&map, &bytes, 4);
    units[1 ^ 'a'] = 'a' | 1u << 8 | 128u << 10; // at (1 ^ 'a') ^ 128
    units[1 ^ 'a' ^ 128] = 1u << 31;             // the replacement at 0
    ramus_buffer_add(&map, units, sizeof units);
    for (size_t i = 0; i < size; i++)
        ramus_buffer_add(&map, "b", 1);
    ramus_buffer_add(&map, "", 1);
    add_bytes(&spec, 2, map.data, map.size);
    add_bytes(&b, 3, spec.data, spec.size);
    ramus_buffer_free(&map);
    ramus_buffer_free(&spec);
    return b;
}

/* A table of a stranger may turn each byte into many: memory follows the text all the same. */
static void normalisation_grows_text_within_bounds(void)
{
    ramus_error err = {0};
    ramus_buffer b = model_that_grows(1025);
    expect_refused(&b, "a normalisation rule puts 1025 bytes, expected at most 1024");
    b = model_that_grows(1024);
    ramus_vocab *v = parse_free(&b);
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0};
    char text[2000];
    memset(text, 'a', sizeof text);
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(t, text, 4, &ids, &err), err);
    EXPECT_INT(ids.n > 1000, 1, "ids of four letters");
    EXPECT_FAILS(ramus_tokenizer_encode(t, text, sizeof text, &ids, &err), err,
                 "normalisation makes a text more than 16 times as long");
    REQUIRE_OK(ramus_tokenizer_encode(t, "bbb", 3, &ids, &err), err);
    ramus_ids_free(&ids);
    ramus_tokenizer_destroy(t);
    ramus_vocab_destroy(v);
}

/* --- mutations --- */

static uint32_t drawn(uint64_t *n)
{
    const ramus_rng rng = {check_seed(), 1, 0, 0};
    return ramus_rng_bits(&rng, (*n)++);
}

static void mutate(unsigned char *data, size_t *size, uint64_t *n)
{
    for (uint32_t times = 1 + drawn(n) % 4; times > 0 && *size > 1; times--) {
        /* Half of the changes near the end, where the settings and rules are. */
        size_t at = drawn(n) % *size;
        if (drawn(n) % 2) at = *size - 1 - at % (*size < 800 ? *size : 800);
        const size_t rest = *size - at;
        switch (drawn(n) % 5) {
        case 0:
            data[at] ^= (unsigned char)(1 << drawn(n) % 8);
            break;
        case 1:
            data[at] = (unsigned char)drawn(n);
            break;
        case 2: // cut off
            *size = drawn(n) % 4 ? *size : at;
            break;
        case 3: { // leave out
            const size_t gap = drawn(n) % 16 < rest ? drawn(n) % 16 % rest : 0;
            memmove(data + at, data + at + gap, rest - gap);
            *size -= gap;
            break;
        }
        default: { // copy from elsewhere
            const size_t from = drawn(n) % *size, length = 1 + drawn(n) % 8;
            if (from + length <= *size && at + length <= *size)
                memmove(data + at, data + from, length);
            break;
        }
        }
    }
}

static int use(const ramus_vocab *v)
{
    static const char text[] = "The ca\xCC\x80t \xFF sits\xE2\x96\x81 <tag>\xE4\xB8\xAD  on abcdx.";
    ramus_error err = {0};
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0};
    ramus_buffer out = {0};
    const ramus_sampling how = {0.5, {check_seed(), 0, 0, 0}};
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    if (!ramus_tokenizer_encode(t, text, sizeof text, &ids, &err))
        EXPECT(!ramus_vocab_decode(v, ids.data, ids.n, &out, &err), "decode: %s", err.message);
    (void)!ramus_tokenizer_sample(t, text, sizeof text, &how, &ids, &err);
    (void)!ramus_tokenizer_encode_pieces(t, text, sizeof text, &out, &err);
    for (int i = 0; i < ids.n; i++)
        EXPECT(ids.data[i] >= 0 && ids.data[i] < ramus_vocab_count(v), "id %d", ids.data[i]);
    const int n = ids.n;
    ramus_buffer_free(&out);
    ramus_ids_free(&ids);
    ramus_tokenizer_destroy(t);
    return n;
}

static void thousands_of_mutated_models_do_no_harm(void)
{
    static const char *const names[] = {"suffix", "bpe-symbols", "bpe-unused", "char", "word"};
    uint64_t n = 0;
    int accepted = 0, refused = 0;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        ramus_error err = {0};
        ramus_file file = {0};
        REQUIRE_OK(ramus_file_map(&file, golden_path(names[m]), &err), err);
        for (int i = 0; i < 1000; i++) {
            unsigned char *data = malloc(file.size); // exactly: a byte too far is seen
            memcpy(data, file.data, file.size);
            size_t size = file.size;
            mutate(data, &size, &n);
            unsigned char *exact = malloc(size ? size : 1);
            memcpy(exact, data, size);
            ramus_vocab *v = NULL;
            err.message[0] = '\0';
            if (ramus_vocab_parse(&v, exact, size, &err)) {
                EXPECT(err.message[0] != '\0' && v == NULL, "a sentence");
                refused++;
            } else {
                (void)use(v);
                accepted++;
            }
            ramus_vocab_destroy(v);
            free(exact);
            free(data);
        }
        ramus_file_unmap(&file);
    }
    EXPECT(accepted > 500 && refused > 500, "%d accepted, %d refused", accepted, refused);
}

static void a_vocabulary_equals_itself_alone(void)
{
    static const char *const names[] = {
        "unigram-8k", "bpe-4k", "zh-4k",      "word",     "char",      "tied",   "bpe-tied",
        "symbols",    "suffix", "bpe-suffix", "identity", "unescaped", "unused", "bpe-spaces"};
    enum { N = sizeof names / sizeof *names };
    ramus_vocab *first[N], *second[N];
    for (int i = 0; i < N; i++) {
        first[i] = load(names[i]);
        second[i] = load(names[i]);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            EXPECT(ramus_vocab_equal(first[i], second[j]) == (i == j), "%s and %s", names[i],
                   names[j]);
    for (int i = 0; i < N; i++) {
        ramus_vocab_destroy(first[i]);
        ramus_vocab_destroy(second[i]);
    }
}

CHECK_MAIN({"special_ids_are_the_model_s_own", special_ids_are_the_model_s_own},
           {"a_vocabulary_equals_itself_alone", a_vocabulary_equals_itself_alone},
           {"every_piece_is_found_by_its_text", every_piece_is_found_by_its_text},
           {"unreadable_files_are_named", unreadable_files_are_named},
           {"an_id_out_of_range_is_an_error_and_adds_nothing",
            an_id_out_of_range_is_an_error_and_adds_nothing},
           {"contradictions_are_refused_in_one_sentence",
            contradictions_are_refused_in_one_sentence},
           {"what_is_not_known_is_skipped", what_is_not_known_is_skipped},
           {"control_pieces_never_come_from_text", control_pieces_never_come_from_text},
           {"rules_that_go_in_circles_end", rules_that_go_in_circles_end},
           {"normalisation_grows_text_within_bounds", normalisation_grows_text_within_bounds},
           {"thousands_of_mutated_models_do_no_harm", thousands_of_mutated_models_do_no_harm})
