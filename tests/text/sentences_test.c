/* Facts about text/sentences.h: marked cases, the law on any bytes, and pieces within a limit. */
#include "text/sentences.h"

#include "base/rng.h"
#include "base/status.h"
#include "base/utf8.h"
#include "check.h"
#include "text/sentences_cases.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes; fewer with sanitizers, for it is about time. */
#define BIG ((size_t)(CHECK_SANITIZED ? 1 : 10) << 20)

static uint64_t drawn;

/* A random number below n, the same for the same seed. */
static uint32_t draw(uint32_t n)
{
    const ramus_rng rng = {.seed = check_seed(), .op = 4};
    return ramus_rng_bits(&rng, drawn++) % n;
}

/* Checks the law; returns the number of sentences. */
static long expect_law(const char *language, const char *text, size_t size)
{
    ramus_sentences s;
    ramus_sentence one;
    long n = 0;

    ramus_sentences_init(&s, language, text, size);
    size_t at = s.leading;
    while (ramus_sentences_next(&s, &one)) {
        EXPECT(one.start == at && one.size > 0 && one.size <= size - at, "at %zu of %zu", at, size);
        if (one.start != at || one.size == 0) return -1;
        at += one.size + one.separator;
        n++;
    }
    EXPECT(at == size, "ends at %zu of %zu", at, size);
    EXPECT(!ramus_sentences_next(&s, &one), "goes on after the end");
    return n;
}

static void expect_case(const char *language, const char *marked)
{
    char text[1024], got[1024];
    size_t size = 0, out = 0;
    ramus_sentences s;
    ramus_sentence one;

    for (const char *m = marked; *m; m++)
        if (*m != '|') text[size++] = *m;
    ramus_sentences_init(&s, language, text, size);
    memcpy(got, text, out = s.leading);
    while (ramus_sentences_next(&s, &one)) {
        memcpy(got + out, text + one.start, one.size);
        out += one.size;
        if (one.start + one.size + one.separator < size) got[out++] = '|';
        memcpy(got + out, text + one.start + one.size, one.separator);
        out += one.separator;
    }
    got[out] = '\0';
    EXPECT_TEXT(got, marked);
}

static void english_cases(void)
{
    EXPECT(RAMUS_COUNT(cases_en) >= 60, "%d cases", RAMUS_COUNT(cases_en));
    for (int i = 0; i < RAMUS_COUNT(cases_en); i++)
        expect_case("en", cases_en[i]);
}

static void german_cases(void)
{
    EXPECT(RAMUS_COUNT(cases_de) >= 60, "%d cases", RAMUS_COUNT(cases_de));
    for (int i = 0; i < RAMUS_COUNT(cases_de); i++)
        expect_case("de", cases_de[i]);
}

static void chinese_cases(void)
{
    EXPECT(RAMUS_COUNT(cases_zh) >= 60, "%d cases", RAMUS_COUNT(cases_zh));
    for (int i = 0; i < RAMUS_COUNT(cases_zh); i++)
        expect_case("zh", cases_zh[i]);
}

static void cases_of_other_languages(void)
{
    EXPECT(RAMUS_COUNT(cases_other) >= 30, "%d cases", RAMUS_COUNT(cases_other));
    for (int i = 0; i < RAMUS_COUNT(cases_other); i++)
        expect_case(cases_other[i].language, cases_other[i].text);
}

static const char *const languages[] = {"en", "de", "zh", "ja", "ru", NULL};

static void law_holds_on_random_bytes(void)
{
    static char text[400];
    for (int round = 0; round < 20000; round++) {
        const size_t size = draw(sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)draw(256);
        expect_law(languages[draw(RAMUS_COUNT(languages))], text, size);
    }
}

/* Code points that matter, and some of every plane. */
static uint32_t draw_code(void)
{
    static const uint32_t special[] = {
        '.',    '.',    '?',    '!',    ' ',    ' ',    '\n',   '\r',    '\t',    '"',   '\'',
        '(',    ')',    '[',    ']',    '1',    '-',    '#',    'A',     'a',     'I',   ';',
        ':',    ',',    0x2026, 0x3002, 0xFF01, 0xFF1F, 0x201C, 0x201D,  0x201E,  0xBB,  0xAB,
        0x300C, 0x300D, 0xA0,   0x200B, 0x200D, 0x301,  0xFEFF, 0x1F600, 0x1F1E9, 0x94D, 0x37E,
        0x3000, 0x2028, 0x2029, 0x4F60, 0x597D, 0xDC,   0xFC,   0x416,   0x436,   0x964, 0x61F};
    const uint32_t pick = draw(10);
    if (pick < 7) return special[draw(RAMUS_COUNT(special))];
    return pick < 9 ? 0x20 + draw(0x600) : draw(0x110000);
}

static void law_holds_on_random_utf8(void)
{
    static char text[1024];
    for (int round = 0; round < 20000; round++) {
        size_t size = 0;
        for (uint32_t n = draw(250); n > 0; n--)
            size += (size_t)ramus_utf8_encode(text + size, draw_code());
        expect_law(languages[draw(RAMUS_COUNT(languages))], text, size);
    }
}

static const char *draw_case(void)
{
    switch (draw(4)) {
    case 0:
        return cases_en[draw(RAMUS_COUNT(cases_en))];
    case 1:
        return cases_de[draw(RAMUS_COUNT(cases_de))];
    case 2:
        return cases_zh[draw(RAMUS_COUNT(cases_zh))];
    default:
        return cases_other[draw(RAMUS_COUNT(cases_other))].text;
    }
}

/* Two cases after each other with some bytes changed, in a block of exactly their size so that
 * reading behind the end is seen. */
static char *draw_mutation(size_t *size)
{
    const char *first = draw_case(), *second = draw_case();
    const size_t n = strlen(first), m = strlen(second);
    char *text = malloc(n + m);

    if (!text) exit(1);
    memcpy(text, first, n);
    memcpy(text + n, second, m);
    *size = n + m - draw((uint32_t)(n + m));
    for (uint32_t changes = draw(6); changes > 0; changes--) {
        const size_t at = draw((uint32_t)*size), from = draw((uint32_t)*size);
        text[at] = draw(2) ? text[from] : (char)draw(256);
    }
    char *exact = realloc(text, *size);
    return exact ? exact : text;
}

static void law_holds_on_mutations_of_the_cases(void)
{
    for (int round = 0; round < 20000; round++) {
        size_t size = 0;
        char *text = draw_mutation(&size);
        expect_law(languages[draw(RAMUS_COUNT(languages))], text, size);
        free(text);
    }
}

static void sentences_have_no_white_space_around(void)
{
    for (int round = 0; round < 2000; round++) {
        size_t size = 0;
        char *text = draw_mutation(&size);
        ramus_sentences s;
        ramus_sentence one;
        ramus_sentences_init(&s, "en", text, size);
        while (ramus_sentences_next(&s, &one)) {
            const char first = text[one.start], last = text[one.start + one.size - 1];
            EXPECT(!strchr(" \t\n\r\f\v", first) || first == '\0', "starts with %d", first);
            EXPECT(!strchr(" \t\n\r\f\v", last) || last == '\0', "ends with %d", last);
        }
        free(text);
    }
}

static void nothing_and_white_space_have_no_sentence(void)
{
    EXPECT_INT(expect_law("en", "", 0), 0, "sentences of nothing");
    EXPECT_INT(expect_law("en", NULL, 0), 0, "sentences of no text");
    EXPECT_INT(expect_law("de", " \r\n\t\u3000\u200b ", 11), 0, "sentences of white space");
    EXPECT_INT(expect_law("zh", "\xff", 1), 1, "sentences of one bad byte");
}

static void language_codes_with_regions_are_understood(void)
{
    expect_case("de-AT", "Am 3. Oktober.| Danach nicht.");
    expect_case("DE_de", "Am 3. Oktober.| Danach nicht.");
    expect_case("en", "He is 3.| October comes.");
    expect_case("german", "Es sind 3.| Oktober ist es.");
    expect_case("zh-Hans-CN", "“走？”他问。|好。");
}

/* Patterns that make a splitter look far back or ahead again and again: seconds when the time is
 * linear, hours when it is quadratic. */
static void ten_megabytes_are_split_in_linear_time(void)
{
    static const char *const patterns[] = {".",
                                           "a",
                                           "a. ",
                                           "A. ",
                                           "(",
                                           "\"",
                                           ".)",
                                           "\n",
                                           "\n- a",
                                           "a\n",
                                           ". . ",
                                           "z. B. ",
                                           "1. ",
                                           "? \"",
                                           "。”",
                                           "“。”说",
                                           " ",
                                           ".          ",
                                           "((a. ",
                                           "\" said a ",
                                           ".\u200d",
                                           "\U0001F1E9",
                                           "...(",
                                           "a.b?A=c",
                                           "。",
                                           "Dr. ",
                                           "\xe4",
                                           "\n1. A\n2. B",
                                           "他说：“走。”他问",
                                           "U.S. A"};
    const size_t some = BIG / 32;
    char *text = malloc(BIG);
    if (!text) exit(1);
    for (int p = 0; p < RAMUS_COUNT(patterns); p++) {
        const size_t n = strlen(patterns[p]);
        memset(text, '(', some); // a long start
        for (size_t i = 0; i < some; i++)
            text[some + i] = patterns[p][i % n];
        expect_law(languages[p % 3], text + some, some);
        expect_law(languages[p % 3], text, 2 * some);
    }
    for (size_t i = 0; i < BIG; i++)
        text[i] = "The cat sat. Mr. Smith\ndid not. "[i % 33];
    EXPECT(expect_law("en", text, BIG) > (long)(BIG / 33), "too few sentences");
    free(text);
}

// ---- the limit ----

typedef struct counter {
    int bytes;            // of a token, at most; spaces end tokens
    long calls;           //
    size_t seen, longest; // bytes
} counter;

static int count_tokens(void *arg, const char *text, size_t size)
{
    counter *c = arg;
    int tokens = 0, run = 0;

    c->calls++;
    c->seen += size;
    if (size > c->longest) c->longest = size;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ')
            run = 0;
        else if (run++ % c->bytes == 0)
            tokens++;
    }
    return tokens;
}

/* Not monotone: a range that ends inside a word of capitals has a token for each of its letters. */
static int count_unevenly(void *arg, const char *text, size_t size)
{
    counter *c = arg;
    int tokens = 0, run = 0;

    c->calls++;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ')
            run = 0;
        else if (run++ == 0)
            tokens++;
    }
    return tokens + run * 3;
}

static bool starts_code_point(const char *text, size_t size, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at && at < size; back++) {
        uint32_t code = 0;
        if (ramus_utf8_decode(&code, text + at - back, size - at + back) > (int)back) return false;
    }
    return true;
}

static int log2_of(size_t n)
{
    int bits = 0;
    for (; n > 0; n >>= 1)
        bits++;
    return bits;
}

/* The law, the limit, whole code points, and the promise about calls. Returns the pieces. */
static long expect_pieces(const char *text, size_t size, int limit, ramus_sentence_count *count,
                          counter *c)
{
    ramus_sentences s;
    ramus_sentence one;
    long n = 0;

    ramus_sentences_init(&s, "en", text, size);
    ramus_sentences_limit(&s, limit, count, c);
    size_t at = s.leading;
    for (;;) {
        const long before = c->calls;
        if (!ramus_sentences_next(&s, &one)) break;
        EXPECT(c->calls - before <= 4 * log2_of(size) + 8, "%ld calls for %zu bytes",
               c->calls - before, size);
        EXPECT(one.start == at && one.size > 0, "piece at %zu instead of %zu", one.start, at);
        if (one.start != at || one.size == 0) return -1;
        EXPECT(starts_code_point(text, size, at), "cut inside a code point at %zu", at);
        uint32_t code = 0;
        const int first = ramus_utf8_decode(&code, text + at, one.size);
        const int tokens = count(c, text + at, one.size);
        EXPECT(tokens <= limit || one.size == (size_t)(first ? first : 1),
               "%d tokens, limit %d: \"%.*s\"", tokens, limit, (int)one.size, text + at);
        at += one.size + one.separator;
        n++;
    }
    EXPECT(at == size, "ends at %zu of %zu", at, size);
    EXPECT(n == 0 || one.ends, "the last piece does not end a sentence");
    return n;
}

static void pieces_keep_the_law_and_the_limit(void)
{
    for (int round = 0; round < 5000; round++) {
        size_t size = 0;
        char *text = draw_mutation(&size);
        counter c = {.bytes = 1 + (int)draw(6)};
        const int limit = 1 + (int)draw(12);
        expect_pieces(text, size, limit, draw(2) ? count_tokens : count_unevenly, &c);
        free(text);
    }
}

static void pieces_of_random_bytes_keep_the_law_and_the_limit(void)
{
    static char text[300];
    for (int round = 0; round < 5000; round++) {
        const size_t size = draw(sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)(draw(3) ? 'a' + draw(4) : draw(256));
        counter c = {.bytes = 1 + (int)draw(6)};
        expect_pieces(text, size, 1 + (int)draw(12), draw(2) ? count_tokens : count_unevenly, &c);
    }
}

/* Splits with a limit in words and joins the pieces with |. */
static void expect_cut(const char *marked, int limit, int bytes)
{
    char text[1024], got[1024];
    size_t size = 0, out = 0;
    ramus_sentences s;
    ramus_sentence one;
    counter c = {.bytes = bytes};

    for (const char *m = marked; *m; m++)
        if (*m != '|') text[size++] = *m;
    ramus_sentences_init(&s, "en", text, size);
    ramus_sentences_limit(&s, limit, count_tokens, &c);
    while (ramus_sentences_next(&s, &one)) {
        memcpy(got + out, text + one.start, one.size);
        out += one.size;
        if (one.start + one.size + one.separator < size) got[out++] = '|';
        memcpy(got + out, text + one.start + one.size, one.separator);
        out += one.separator;
    }
    got[out] = '\0';
    EXPECT_TEXT(got, marked);
}

static void long_sentences_are_cut_at_the_best_mark(void)
{
    expect_cut("One two three four.| Five six.", 4, 100);
    expect_cut("We came early;| they came late, as always, and left.", 8, 100);
    expect_cut("We came, as we always do,| and they left early as well.", 8, 100);
    expect_cut("He saw it all —| the house by the sea and the old boat.", 9, 100);
    expect_cut("one two three four five| six seven eight nine ten", 6, 100);
    expect_cut("It cost 1,000,000 dollars at 10:30 today,| or so they say.", 9, 100);
    expect_cut("我们今天去公园，|你们明天去学校。", 40, 1);
    expect_cut("他很高；|我很矮，可是我们都很快乐，", 40, 1);
    expect_cut("aaaaaaaaaa|aaaaaaaaaa|aaaaaaaaaa", 10, 1);
}

static void characters_are_not_torn_apart(void)
{
    expect_cut("e\u0301e\u0301e\u0301|e\u0301e\u0301e\u0301", 10, 1);                    // accents
    expect_cut("ab|\U0001F468\u200d\U0001F469\u200d\U0001F467c|d", 19, 1);               // a family
    expect_cut("\U0001F1E9\U0001F1EA|\U0001F1EB\U0001F1F7|\U0001F1EA\U0001F1F8", 14, 1); // flags
    expect_cut("한|국|어|를", 4, 1);
}

static void counting_stays_near_the_size_of_the_text(void)
{
    const size_t size = 1u << 20;
    char *text = malloc(size);
    if (!text) exit(1);
    for (size_t i = 0; i < size; i++)
        text[i] = i % 7 == 6 ? ' ' : 'a';
    counter c = {.bytes = 3};
    const long pieces = expect_pieces(text, size, 100, count_tokens, &c);
    EXPECT(pieces >= (long)(size / 350) && pieces <= (long)(size / 300), "%ld pieces", pieces);
    EXPECT(c.seen < 20 * size, "%zu bytes counted for %zu", c.seen, size);
    EXPECT(c.longest < 1400, "%zu bytes counted at once", c.longest);
    memset(text, 'a', size);
    c = (counter){.bytes = 1};
    expect_pieces(text, size, 64, count_tokens, &c);
    EXPECT(c.seen < 20 * size, "%zu bytes counted for %zu", c.seen, size);
    free(text);
}

CHECK_MAIN({"english_cases", english_cases}, {"german_cases", german_cases},
           {"chinese_cases", chinese_cases}, {"cases_of_other_languages", cases_of_other_languages},
           {"law_holds_on_random_bytes", law_holds_on_random_bytes},
           {"law_holds_on_random_utf8", law_holds_on_random_utf8},
           {"law_holds_on_mutations_of_the_cases", law_holds_on_mutations_of_the_cases},
           {"sentences_have_no_white_space_around", sentences_have_no_white_space_around},
           {"nothing_and_white_space_have_no_sentence", nothing_and_white_space_have_no_sentence},
           {"language_codes_with_regions_are_understood",
            language_codes_with_regions_are_understood},
           {"ten_megabytes_are_split_in_linear_time", ten_megabytes_are_split_in_linear_time},
           {"pieces_keep_the_law_and_the_limit", pieces_keep_the_law_and_the_limit},
           {"pieces_of_random_bytes_keep_the_law_and_the_limit",
            pieces_of_random_bytes_keep_the_law_and_the_limit},
           {"long_sentences_are_cut_at_the_best_mark", long_sentences_are_cut_at_the_best_mark},
           {"characters_are_not_torn_apart", characters_are_not_torn_apart},
           {"counting_stays_near_the_size_of_the_text", counting_stays_near_the_size_of_the_text})
