/* Tokenisations against lines that SacreBLEU cut, and, on random lines, against its regular
 * expressions written out as plain code. */
#include "base/buffer.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "eval/category.h"
#include "eval/words.h"

#include "check.h"

static ramus_words *create_words(const char *name, bool lowercase)
{
    ramus_error err = {0};
    ramus_words *w = NULL;
    REQUIRE_OK(ramus_words_create(&w, ramus_tokenization_find(name), lowercase, &err), err);
    return w;
}

/* The words of `line` with one space between them. */
static const char *words_of(ramus_words *w, ramus_line line, ramus_buffer *out)
{
    ramus_error err = {0};
    ramus_words_clear(w);
    ramus_buffer_clear(out);
    ramus_buffer_text(out, "");
    REQUIRE_OK(ramus_words_add(w, line, &err), err);
    for (int i = 0; i < ramus_words_count(w); i++) {
        const ramus_line word = ramus_words_text(w, ramus_words_numbers(w)[i]);
        if (i > 0) ramus_buffer_text(out, " ");
        ramus_buffer_add(out, word.data, word.size);
    }
    return out->data;
}

/* What the regular expressions of SacreBLEU's own sources make of each line (Python 3.11, regex
 * 2026.5.9, Unicode 17.0). */
static void hard_lines_are_cut_as_sacrebleu_cuts_them(void)
{
    static const struct {
        const char *name, *line, *want;
    } cases[] = {
        {"13a", "", ""},
        {"13a", "  \t ", ""},
        {"13a", "Hello, world.", "Hello , world ."},
        {"13a", "3.14 is not 3,14, nor 3-14.", "3.14 is not 3,14 , nor 3 - 14 ."},
        {"13a", "a..5 a...5 5..6 5...6", "a . .5 a . . . 5 5 . . 6 5 . . .6"},
        {"13a", "5. .5 ,5 5,", "5 . . 5 , 5 5 ,"},
        {"13a", "5--6 -5 x-5", "5 - -6 -5 x-5"},
        {"13a", "don't (a/b) {c} \\ ^_`", "don't ( a / b ) { c } \\ ^ _ `"},
        {"13a", "&quot;a&quot; &amp;lt; &amp;quot; &lt;b&gt;", "\" a \" < & quot ; < b >"},
        {"13a", "a<skipped>b <skip<skipped>ped> &am<skipped>p;", "ab < skipped > &"},
        {"13a", "hyphen-\nated line\nend-\n", "hyphenated line end-"},
        {"13a", "wide\xC2\xA0space\xE3\x80\x80here\x1Cthere\xC2\x85now",
         "wide space here there now"},
        {"13a", "\xE2\x80\x9EJa\xE2\x80\x9C \xE2\x80\x93 nein\xE2\x80\xA6",
         "\xE2\x80\x9EJa\xE2\x80\x9C \xE2\x80\x93 nein\xE2\x80\xA6"},
        {"intl", "3.14, 5. .5", "3.14 , 5 . . 5"},
        {"intl", "the end of 1999.", "the end of 1999."},
        {"intl", ".5", ".5"},
        {"intl", " .5", ". 5"},
        {"intl",
         "x\xC2\xB2,\xC2\xB3 a$b \xE2\x82\xAC"
         "5",
         "x\xC2\xB2,\xC2\xB3 a $ b \xE2\x82\xAC 5"},
        {"intl", "\xE2\x80\x9EJa\xE2\x80\x9C \xF0\x9F\x98\x80\xF0\x9F\x91\x8D",
         "\xE2\x80\x9E Ja \xE2\x80\x9C \xF0\x9F\x98\x80 \xF0\x9F\x91\x8D"},
        {"zh", "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x8Cworld\xEF\xBC\x81 1.5 .5",
         "\xE4\xBD\xA0 \xE5\xA5\xBD \xEF\xBC\x8C world \xEF\xBC\x81 1.5 . 5"},
        {"zh", "  .5 and 5.  ", ".5 and 5."},
        {"zh",
         "-5 a\xE2\x80\x94"
         "b",
         "-5 a \xE2\x80\x94 b"},
        // U+2A6D counts as Chinese, U+20000 (extension B) does not
        {"zh",
         "\xE2\xA9\xAD"
         "a \xF0\xA0\x80\x80"
         "b",
         "\xE2\xA9\xAD a \xF0\xA0\x80\x80"
         "b"},
        {"zh", "&amp;", "& amp ;"},
        {"char", "ab \xC3\xA4", "a b \xC3\xA4"},
        {"char", "e\xCC\x81", "e \xCC\x81"},
        {"none", " a  b.\xC2\xA0 c ", "a b. c"},
    };
    ramus_buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ramus_words *w = create_words(cases[i].name, false);
        const char *got = words_of(w, ramus_line_of(cases[i].line), &out);
        EXPECT(strcmp(got, cases[i].want) == 0, "%s of \"%s\": got \"%s\", want \"%s\"",
               cases[i].name, cases[i].line, got, cases[i].want);
        ramus_words_destroy(w);
    }
    ramus_buffer_free(&out);
}

/* The regular expressions one after the other, on an array of code points. */
typedef struct {
    uint32_t codes[400];
    int n;
} codes;

typedef int code_test(uint32_t code);

static int is_13a_mark(uint32_t c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}
static int is_point(uint32_t c)
{
    return c == '.' || c == ',';
}
static int is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}
static int is_dash(uint32_t c)
{
    return c == '-';
}
static int is_p(uint32_t c)
{
    return ramus_category_of(c) == RAMUS_CATEGORY_PUNCTUATION;
}
static int is_s(uint32_t c)
{
    return ramus_category_of(c) == RAMUS_CATEGORY_SYMBOL;
}
static int is_n(uint32_t c)
{
    return ramus_category_of(c) == RAMUS_CATEGORY_NUMBER;
}
static int is_not_digit(uint32_t c)
{
    return !is_digit(c);
}
static int is_not_n(uint32_t c)
{
    return !is_n(c);
}
static int is_chinese(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
        {0xFA70, 0xFAD9}, {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
        {0x3000, 0x303F}, {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
        {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF},
        {0x3200, 0x32FF}, {0x3300, 0x33FF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1]) return 1;
    return 0;
}

static void put(codes *c, uint32_t code)
{
    c->codes[c->n++] = code;
}

/* sub("(a)", " \1 ") */
static void space_around(codes *c, code_test *a)
{
    codes out = {.n = 0};
    for (int i = 0; i < c->n; i++) {
        const int hit = a(c->codes[i]);
        if (hit) put(&out, ' ');
        put(&out, c->codes[i]);
        if (hit) put(&out, ' ');
    }
    *c = out;
}

/* sub("(a)(b)", "\1 \2 ") or, `before`, sub("(a)(b)", " \1 \2") */
static void space_pairs(codes *c, code_test *a, code_test *b, bool before)
{
    codes out = {.n = 0};
    for (int i = 0; i < c->n; i++) {
        if (i + 1 == c->n || !a(c->codes[i]) || !b(c->codes[i + 1])) {
            put(&out, c->codes[i]);
            continue;
        }
        if (before) put(&out, ' ');
        put(&out, c->codes[i++]);
        put(&out, ' ');
        put(&out, c->codes[i]);
        if (!before) put(&out, ' ');
    }
    *c = out;
}

static void trim(codes *c, bool start)
{
    int from = 0;
    while (c->n > 0 && ramus_category_is_space(c->codes[c->n - 1]))
        c->n--;
    while (start && from < c->n && ramus_category_is_space(c->codes[from]))
        from++;
    c->n -= from;
    memmove(c->codes, c->codes + from, (size_t)c->n * sizeof *c->codes);
}

static void western(codes *c)
{
    space_around(c, is_13a_mark);
    space_pairs(c, is_not_digit, is_point, false);
    space_pairs(c, is_point, is_not_digit, true);
    space_pairs(c, is_digit, is_dash, false);
}

static void plain_13a(codes *c)
{
    trim(c, false);
    memmove(c->codes + 1, c->codes, (size_t)c->n * sizeof *c->codes);
    c->codes[0] = ' ';
    c->n++;
    put(c, ' ');
    western(c);
}

static void plain_intl(codes *c)
{
    trim(c, false);
    space_pairs(c, is_not_n, is_p, false);
    space_pairs(c, is_p, is_not_n, true);
    space_around(c, is_s);
}

static void plain_zh(codes *c)
{
    trim(c, true);
    space_around(c, is_chinese);
    western(c);
}

/* Splits at white space and joins with one space. */
static void join(const codes *c, ramus_buffer *out)
{
    bool space = false;
    ramus_buffer_clear(out);
    ramus_buffer_text(out, "");
    for (int i = 0; i < c->n; i++) {
        char text[4];
        if (ramus_category_is_space(c->codes[i])) {
            space = out->size > 0;
            continue;
        }
        if (space) ramus_buffer_text(out, " ");
        space = false;
        ramus_buffer_add(out, text, (size_t)ramus_utf8_encode(text, c->codes[i]));
    }
}

static void random_lines_are_cut_as_the_expressions_cut_them(void)
{
    static const struct {
        const char *name;
        void (*plain)(codes *);
    } rows[] = {{"13a", plain_13a}, {"intl", plain_intl}, {"zh", plain_zh}};
    static const uint32_t alphabet[] = {
        '0',    '7',    '.',    ',',    '-',    ' ',    'a',    'B',    '\'',   '(',     '/',
        '_',    '$',    0xA0,   0xB2,   0x660,  0x66B,  0x2014, 0x201C, 0x2026, 0x20AC,  0x3000,
        0x3001, 0x4E2D, 0x9FBC, 0xFF0C, 0xFF11, 0xFF0E, 0x2000, 0x2A6D, 0x2A6E, 0x1F600, 0x20000};
    ramus_buffer text = {0}, want = {0}, got = {0};
    for (int r = 0; r < 3; r++) {
        ramus_words *w = create_words(rows[r].name, false);
        for (int round = 0; round < 20000; round++) {
            const ramus_rng rng = {check_seed(), (uint32_t)round, 0, (uint32_t)r};
            codes c = {.n = 0};
            const int n = (int)(ramus_rng_bits(&rng, 0) % 13);
            const uint32_t narrow = ramus_rng_bits(&rng, 1) % 2 ? 7 : RAMUS_COUNT(alphabet);
            ramus_buffer_clear(&text);
            for (int i = 0; i < n; i++) {
                char bytes[4];
                const uint32_t code = alphabet[ramus_rng_bits(&rng, (uint64_t)i + 2) % narrow];
                put(&c, code);
                ramus_buffer_add(&text, bytes, (size_t)ramus_utf8_encode(bytes, code));
            }
            rows[r].plain(&c);
            join(&c, &want);
            words_of(w, (ramus_line){text.data, text.size}, &got);
            EXPECT(strcmp(got.data, want.data) == 0, "%s of \"%.*s\": got \"%s\", want \"%s\"",
                   rows[r].name, (int)text.size, text.data, got.data, want.data);
        }
        ramus_words_destroy(w);
    }
    ramus_buffer_free(&text);
    ramus_buffer_free(&want);
    ramus_buffer_free(&got);
}

/* Sums by Python 3.11 and regex 2026.5.9 over all code points c but surrogates:
 * sum(ord(x) * (c % 1009) for x in chr(c).lower()); how many match \p{P}, and the sum of these. */
static void tables_agree_with_python(void)
{
    static const long long want[4][2] = {
        {0, 0}, {856, 28904343}, {8617, 630688308}, {1924, 111666371}};
    long long lower_sum = 0, changed = 0, n[4] = {0}, sums[4] = {0};
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char text[4], low[RAMUS_LINE_ROOM(4)];
        if (code >= 0xD800 && code < 0xE000) continue;
        const size_t size = (size_t)ramus_utf8_encode(text, code);
        const size_t low_size = ramus_line_lower(low, (ramus_line){text, size});
        changed += low_size != size || memcmp(low, text, size) != 0;
        for (size_t at = 0; at < low_size;) {
            uint32_t back = 0;
            at += (size_t)ramus_utf8_decode(&back, low + at, low_size - at);
            lower_sum += (long long)back * (code % 1009);
        }
        const ramus_category category = ramus_category_of(code);
        n[category]++;
        sums[category] += code;
    }
    EXPECT_INT(changed, 1433, "code points with a lower case");
    EXPECT_INT(lower_sum, 312748374140943, "sum of lower cases");
    for (int i = RAMUS_CATEGORY_PUNCTUATION; i <= RAMUS_CATEGORY_NUMBER; i++) {
        EXPECT_INT(n[i], want[i][0], "size of a category");
        EXPECT_INT(sums[i], want[i][1], "sum of a category");
    }
}

static void lower_case_follows_python(void)
{
    static const char *const cases[][2] = {
        {"ABC xyz 1", "abc xyz 1"},
        {"\xC3\x84\xC3\x96\xC3\x9C\xE1\xBA\x9E", "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F"},
        {"\xC4\xB0", "i\xCC\x87"},    // I with dot above
        {"\xC8\xBA", "\xE2\xB1\xA5"}, // longer in UTF-8
        {"\xE2\x84\xAA", "k"},        // Kelvin sign
        {"\xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3", "\xCE\xBF\xCE\xB4\xCE\xBF\xCF\x82"}, // final sigma
        {"\xCE\xA3", "\xCF\x83"},                                 // alone: not final
        {"\xCE\x91\xCE\xA3\xCC\x81", "\xCE\xB1\xCF\x82\xCC\x81"}, // accents are ignored
        {"\xCE\x91\xCE\xA3\xCC\x81\xCE\x92", "\xCE\xB1\xCF\x83\xCC\x81\xCE\xB2"},
        {"\xCE\x91'\xCE\xA3.", "\xCE\xB1'\xCF\x82."},
        {"1\xCE\xA3", "1\xCF\x83"},
        {"\xCE\xA3\xCE\xA3", "\xCF\x83\xCF\x82"},
        {"\xF0\x90\x90\x80", "\xF0\x90\x90\xA8"}, // Deseret
        {"\xE4\xB8\xAD\xEF\xBC\xA1", "\xE4\xB8\xAD\xEF\xBD\x81"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        const size_t n = ramus_line_lower(out, ramus_line_of(cases[i][0]));
        out[n] = '\0';
        EXPECT_TEXT(out, cases[i][1]);
    }
}

static void bytes_that_are_not_utf8_become_replacement_characters(void)
{
    static const char line[] = "a\xFF\xC3 b\xE2\x82 \xCE\xA3\xED\xA0\x80";
    char out[RAMUS_LINE_ROOM(sizeof line)];
    ramus_buffer words = {0};
    const size_t n = ramus_line_copy(out, ramus_line_of(line));
    out[n] = '\0';
#define BAD "\xEF\xBF\xBD"
    EXPECT_TEXT(out, "a" BAD BAD " b" BAD BAD " \xCE\xA3" BAD BAD BAD);
    ramus_words *w = create_words("intl", true);
    EXPECT_TEXT(words_of(w, ramus_line_of(line), &words),
                "a " BAD " " BAD " b " BAD " " BAD " \xCF\x83 " BAD " " BAD " " BAD);
    ramus_words_destroy(w);
    ramus_buffer_free(&words);
}

static void equal_words_have_equal_numbers_across_lines(void)
{
    ramus_error err = {0};
    ramus_words *w = create_words("13a", true);
    REQUIRE_OK(ramus_words_add(w, ramus_line_of("The cat, the dog"), &err), err);
    REQUIRE_OK(ramus_words_add(w, (ramus_line){"", 0}, &err), err);
    REQUIRE_OK(ramus_words_add(w, ramus_line_of("dog , bird"), &err), err);
    static const uint32_t want[] = {0, 1, 2, 0, 3, 3, 2, 4};
    EXPECT_INT(ramus_words_count(w), RAMUS_COUNT(want), "words");
    EXPECT_BYTES(ramus_words_numbers(w), want, sizeof want, "numbers");
    ramus_words_clear(w);
    EXPECT_INT(ramus_words_count(w), 0, "words after clear");
    const char zero[] = {'a', 0, 'b', ' ', 'a', 0, 'c'};
    REQUIRE_OK(ramus_words_add(w, (ramus_line){zero, sizeof zero}, &err), err);
    EXPECT_INT(ramus_words_count(w), 2, "words with a zero byte inside");
    EXPECT_INT(ramus_words_numbers(w)[1], 1, "number of the second");
    ramus_words_destroy(w);
}

static void a_line_of_a_megabyte_has_all_its_words(void)
{
    ramus_error err = {0};
    ramus_buffer line = {0};
    ramus_words *w = create_words("13a", false);
    for (int i = 0; i < 150000; i++)
        ramus_buffer_print(&line, "w%d ", i % 100000);
    for (int round = 0; round < 2; round++) {
        ramus_words_clear(w);
        REQUIRE_OK(ramus_words_add(w, (ramus_line){line.data, line.size}, &err), err);
        EXPECT_INT(ramus_words_count(w), 150000, "words");
        EXPECT_INT(ramus_words_numbers(w)[149999], 49999, "number of the last");
    }
    ramus_words_clear(w);
    REQUIRE_OK(ramus_words_add(w, ramus_line_of("a b a"), &err), err);
    EXPECT_INT(ramus_words_numbers(w)[2], 0, "a short line after the long one");
    EXPECT_FAILS(ramus_words_add(w, (ramus_line){line.data, (size_t)RAMUS_LINE_LIMIT + 1}, &err),
                 err, "at most 536870912");
    ramus_words_destroy(w);
    ramus_buffer_free(&line);
}

static void tokenizations_are_found_by_name(void)
{
    int n = 0;
    for (; ramus_tokenization_at(n); n++) {
        const ramus_tokenization *t = ramus_tokenization_at(n);
        EXPECT(ramus_tokenization_find(ramus_tokenization_name(t)) == t, "row %d", n);
        EXPECT_TEXT(ramus_tokenization_names[n], ramus_tokenization_name(t));
    }
    EXPECT_INT(n, 5, "rows");
    EXPECT(!ramus_tokenization_names[n], "the list of names ends");
    EXPECT(!ramus_tokenization_find("14a") && !ramus_tokenization_find("chrf"), "unknown names");
}

CHECK_MAIN({"hard_lines_are_cut_as_sacrebleu_cuts_them", hard_lines_are_cut_as_sacrebleu_cuts_them},
           {"random_lines_are_cut_as_the_expressions_cut_them",
            random_lines_are_cut_as_the_expressions_cut_them},
           {"tables_agree_with_python", tables_agree_with_python},
           {"lower_case_follows_python", lower_case_follows_python},
           {"bytes_that_are_not_utf8_become_replacement_characters",
            bytes_that_are_not_utf8_become_replacement_characters},
           {"equal_words_have_equal_numbers_across_lines",
            equal_words_have_equal_numbers_across_lines},
           {"a_line_of_a_megabyte_has_all_its_words", a_line_of_a_megabyte_has_all_its_words},
           {"tokenizations_are_found_by_name", tokenizations_are_found_by_name})
