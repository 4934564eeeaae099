/* Vocabularies by a piece table: ids of the list, what stands in text as itself, where ids end, and
 * tables that are broken. Real ones are compared in laws/opus_mt.c. */
#include "text/piece_table.h"

#include "base/rng.h"
#include "text/tokenizer.h"

#include "check.h"
#include "text/model.h"

static ramus_error err;

#define SPACE "\xE2\x96\x81"

/* Numbers 0 .. 8; the model below also cuts "b", which has none. */
static const char *const words[] = {"ab",    "</s>", SPACE "a", "x", "<unk>",
                                    "<pad>", SPACE,  ">>de<<",  ""};

/* Pieces _a, _, ab, b and a with scores; x is a letter that it does not know. */
static ramus_buffer cutting_model(void)
{
    ramus_buffer b = {0};
    add_piece(&b, "<unk>", 0, RAMUS_PIECE_UNKNOWN);
    add_piece(&b, "</s>", 0, RAMUS_PIECE_CONTROL);
    add_piece(&b, SPACE "a", -1, 0);
    add_piece(&b, SPACE, -3, 0);
    add_piece(&b, "ab", -1, 0);
    add_piece(&b, "b", -2, 0);
    add_piece(&b, "a", -4, 0);
    return b;
}

static const ramus_piece_table good = {words, RAMUS_COUNT(words), 1, 4, 5};

static ramus_status make(ramus_vocab **out, const ramus_piece_table *t)
{
    ramus_buffer model = cutting_model(), file = {0};
    *out = NULL;
    REQUIRE_OK(ramus_piece_table_write(t, model.data, model.size, &file, &err), err);
    const ramus_status st = ramus_vocab_parse(out, file.data, file.size, &err);
    ramus_buffer_free(&file);
    ramus_buffer_free(&model);
    return st;
}

static void words_have_the_numbers_of_the_list(void)
{
    ramus_vocab *v = NULL, *same = NULL, *plain = NULL;
    REQUIRE_OK(make(&v, &good), err);
    EXPECT_INT(ramus_vocab_count(v), RAMUS_COUNT(words), "count");
    EXPECT_TEXT(ramus_vocab_type(v), "unigram");
    EXPECT_INT(ramus_vocab_eos(v), 1, "</s>");
    EXPECT_INT(ramus_vocab_unk(v), 4, "<unk>");
    EXPECT_INT(ramus_vocab_pad(v), 5, "<pad>");
    EXPECT_INT(ramus_vocab_bos(v), -1, "no <s>");
    for (int i = 0; i < RAMUS_COUNT(words); i++) {
        EXPECT_TEXT(ramus_vocab_piece(v, i), words[i]);
        EXPECT_INT(ramus_vocab_find(v, words[i], strlen(words[i])), *words[i] ? i : -1, words[i]);
    }
    REQUIRE_OK(make(&same, &good), err);
    EXPECT(ramus_vocab_equal(v, same), "the same table");
    ramus_vocab_destroy(same);
    ramus_piece_table other = good;
    other.eos = 5;
    other.pad = 1;
    REQUIRE_OK(make(&same, &other), err);
    EXPECT(!ramus_vocab_equal(v, same), "another end");
    ramus_vocab_destroy(same);
    ramus_buffer model = cutting_model();
    REQUIRE_OK(ramus_vocab_parse(&plain, model.data, model.size, &err), err);
    EXPECT(!ramus_vocab_equal(v, plain) && !ramus_vocab_equal(plain, v), "no table");
    ramus_buffer_free(&model);
    ramus_vocab_destroy(plain);
    ramus_vocab_destroy(v);
}

/* Ids and where they end, with a word before them or none (-1). */
static void expect_ids(const ramus_vocab *v, int lead, const char *text, int n, const int *want,
                       const int *want_ends)
{
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0}, ends = {0}, plain = {0};
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    ramus_tokenizer_lead(t, lead);
    REQUIRE_OK(ramus_tokenizer_encode_ranges(t, text, strlen(text), &ids, &ends, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(t, text, strlen(text), &plain, &err), err);
    EXPECT(ids.n == n && ends.n == n && plain.n == n, "'%s': %d ids, %d ends, %d ids, want %d",
           text, ids.n, ends.n, plain.n, n);
    for (int i = 0; i < n && ids.n == n && ends.n == n && plain.n == n; i++)
        EXPECT(ids.data[i] == want[i] && plain.data[i] == want[i] && ends.data[i] == want_ends[i],
               "'%s': id %d is %d, ends at %d; want %d, %d", text, i, ids.data[i], ends.data[i],
               want[i], want_ends[i]);
    ramus_tokenizer_destroy(t);
    ramus_ids_free(&ids);
    ramus_ids_free(&ends);
    ramus_ids_free(&plain);
}

static void text_becomes_ids_of_the_list(void)
{
    static const struct {
        const char *text;
        int lead, n;
        int ids[8], ends[8];
    } cases[] = {
        {"", -1, 0, {0}, {0}},
        {" ", -1, 0, {0}, {0}},
        {"a", -1, 1, {2}, {1}},
        {"a b", -1, 3, {2, 6, 4}, {1, 2, 3}},    // b has no number
        {"x", -1, 2, {6, 3}, {0, 1}},            // looked up as it stands
        {"xx", -1, 2, {6, 4}, {0, 2}},           // as one piece, which there is not
        {"a</s>a", -1, 3, {2, 1, 2}, {1, 5, 6}}, // special words
        {"</s>", -1, 1, {1}, {4}},
        {"x<unk>", -1, 3, {6, 3, 4}, {0, 1, 6}},
        {"<pad>a", -1, 2, {5, 2}, {5, 6}},
        {">>de<<a", -1, 2, {7, 2}, {6, 7}},     // a language
        {">>fr<< a", -1, 2, {4, 2}, {6, 8}},    // one that is not there
        {"a >>de<< a", -1, 2, {2, 2}, {1, 10}}, // dropped
        {"a", 7, 2, {7, 2}, {0, 1}},            // a word before all
        {">>fr<<a", 7, 2, {4, 2}, {6, 7}},      // but not before a language
        {" ", 7, 0, {0}, {0}},
    };
    ramus_vocab *v = NULL;
    REQUIRE_OK(make(&v, &good), err);
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        expect_ids(v, cases[i].lead, cases[i].text, cases[i].n, cases[i].ids, cases[i].ends);
    ramus_vocab_destroy(v);
}

/* Ends are in order, whatever stands in a text. */
static void ends_of_any_text_are_in_order(void)
{
    static const char *const parts[] = {"a",      "b",    "x",     " ",  ">>",   "<<",
                                        ">>de<<", "</s>", "<unk>", "\n", "\xC3", "\xE2\x96\x81",
                                        "<",      ">"};
    ramus_vocab *v = NULL;
    ramus_tokenizer *t = NULL;
    REQUIRE_OK(make(&v, &good), err);
    REQUIRE_OK(ramus_tokenizer_create(&t, v, &err), err);
    const ramus_rng rng = {check_seed(), 1, 2, 3};
    uint64_t drawn = 0;
    for (int i = 0; i < 3000; i++) {
        char text[128] = "";
        ramus_ids ids = {0}, ends = {0};
        for (uint32_t n = ramus_rng_bits(&rng, drawn++) % 12; n > 0; n--)
            strcat(text, parts[ramus_rng_bits(&rng, drawn++) % RAMUS_COUNT(parts)]);
        ramus_tokenizer_lead(t, i % 2 ? 7 : -1);
        REQUIRE_OK(ramus_tokenizer_encode_ranges(t, text, strlen(text), &ids, &ends, &err), err);
        EXPECT_INT(ends.n, ids.n, "ends");
        for (int k = 0; k < ends.n; k++)
            EXPECT(ends.data[k] >= (k ? ends.data[k - 1] : 0) && ends.data[k] <= (int)strlen(text),
                   "'%s': end %d is %d", text, k, ends.data[k]);
        ramus_ids_free(&ids);
        ramus_ids_free(&ends);
    }
    ramus_tokenizer_destroy(t);
    ramus_vocab_destroy(v);
}

static void ids_become_text_without_special_words(void)
{
    static const struct {
        int n, ids[6];
        const char *text;
    } cases[] = {
        {3, {2, 0, 1}, "aab"}, {4, {5, 2, 4, 2}, "a a"}, // <unk> is nothing
        {3, {6, 6, 0}, "ab"},                            // no spaces at the ends
        {3, {0, 6, 6}, "ab"},  {2, {8, 3}, "x"},         {1, {1}, ""}, {2, {6, 6}, ""},
    };
    ramus_vocab *v = NULL;
    REQUIRE_OK(make(&v, &good), err);
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_buffer text = {0};
        ramus_ids ends = {0};
        REQUIRE_OK(ramus_vocab_decode_ends(v, cases[i].ids, cases[i].n, &text, &ends, &err), err);
        EXPECT_TEXT(text.data ? text.data : "", cases[i].text);
        for (int k = 0; k < cases[i].n; k++)
            EXPECT(ends.data[k] >= (k ? ends.data[k - 1] : 0) && (size_t)ends.data[k] <= text.size,
                   "end %d of case %d", k, i);
        ramus_buffer_free(&text);
        ramus_ids_free(&ends);
    }
    ramus_vocab_destroy(v);
}

static void broken_tables_are_refused(void)
{
    ramus_vocab *v = NULL;
    ramus_piece_table t = good;
    t.eos = 9;
    EXPECT_FAILS(make(&v, &t), err, "number 9 is </s>");
    t = good;
    t.pad = 12;
    EXPECT_FAILS(make(&v, &t), err, "12 <pad>");
    t = good;
    t.unk = 1;
    EXPECT_FAILS(make(&v, &t), err, "number 1 is </s>, 1 <unk>");
    t = good;
    t.unk = 8;
    EXPECT_FAILS(make(&v, &t), err, "special piece 8 of its table is empty");
    const char *twice[] = {"ab", "</s>", "<unk>", "ab"};
    t = (ramus_piece_table){twice, 4, 1, 2, -1};
    EXPECT(make(&v, &t) && !v, "a piece twice: %s", err.message);
    static const struct {
        const char *bytes;
        size_t size;
        const char *part;
    } cases[] = {
        {"", 0, "has 0 pieces"},
        {"\x0a\x7f", 2, "not a message"},
        {"\x0a\x01"
         "a\x10\x00",
         5, "is </s>"},
        {"\x0a\x02"
         "a\x00\x0a\x01"
         "b\x10\x00\x18\x01",
         11, "zero byte"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_buffer model = cutting_model();
        add_bytes(&model, 200, cases[i].bytes, cases[i].size);
        EXPECT_FAILS(ramus_vocab_parse(&v, model.data, model.size, &err), err, cases[i].part);
        ramus_buffer_free(&model);
    }
    ramus_buffer model = cutting_model();
    add_piece(&model, "q", 0, RAMUS_PIECE_USER);
    ramus_buffer file = {0};
    REQUIRE_OK(ramus_piece_table_write(&good, model.data, model.size, &file, &err), err);
    EXPECT_FAILS(ramus_vocab_parse(&v, file.data, file.size, &err), err, "user-defined pieces");
    ramus_buffer_free(&file);
    ramus_buffer_free(&model);
}

CHECK_MAIN({"words_have_the_numbers_of_the_list", words_have_the_numbers_of_the_list},
           {"text_becomes_ids_of_the_list", text_becomes_ids_of_the_list},
           {"ends_of_any_text_are_in_order", ends_of_any_text_are_in_order},
           {"ids_become_text_without_special_words", ids_become_text_without_special_words},
           {"broken_tables_are_refused", broken_tables_are_refused})
