/* Facts about text/spans.h: marked cases, the laws on any bytes, time, markers, numbers. */
#include "text/spans.h"

#include "base/rng.h"
#include "base/status.h"
#include "base/utf8.h"
#include "check.h"
#include "text/spans_cases.h"

#include <stdint.h>
#include <time.h>

#define OPEN  "⟦"
#define CLOSE "⟧"

/* Bytes, and the seconds that a processor has for them: a linear scanner takes a twentieth. */
#define BIG         ((size_t)(CHECK_SANITIZED ? 32 : 256) << 10)
#define MAX_SECONDS 5

static uint64_t drawn;

/* A random number below n, the same for the same seed. */
static uint32_t draw(uint32_t n)
{
    const ramus_rng rng = {.seed = check_seed(), .op = 5};
    return ramus_rng_bits(&rng, drawn++) % n;
}

/* Takes the marks out of a case; returns the size of the text. */
static size_t unmarked(char *text, const char *marked)
{
    size_t size = 0;
    while (*marked) {
        if (strncmp(marked, OPEN, 3) == 0 || strncmp(marked, CLOSE, 3) == 0)
            marked += 3;
        else
            text[size++] = *marked++;
    }
    return size;
}

static void expect_case(ramus_span_kind kind, const char *marked)
{
    char text[512], got[1024];
    const size_t size = unmarked(text, marked);
    size_t at = 0, out = 0;

    for (ramus_span s = {0}; ramus_span_next(text, size, at, &s); at = s.at + s.size) {
        memcpy(got + out, text + at, s.at - at);
        out += s.at - at;
        memcpy(got + out, OPEN, 3);
        memcpy(got + out + 3, text + s.at, s.size);
        memcpy(got + out + 3 + s.size, CLOSE, 3);
        out += s.size + 6;
        EXPECT(kind == ANY || s.kind == kind, "a span of kind %s in \"%s\"",
               ramus_span_name(s.kind), marked);
    }
    memcpy(got + out, text + at, size - at);
    got[out + size - at] = '\0';
    EXPECT_TEXT(got, marked);
}

static void spans_of_cases_are_found(void)
{
    long spans = 0;
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        expect_case(cases[i].kind, cases[i].marked);
        for (const char *at = strstr(cases[i].marked, OPEN); at; at = strstr(at + 3, OPEN))
            spans++;
    }
    EXPECT(spans >= 250, "only %ld spans", spans);
}

static void plain_text_has_none(void)
{
    for (int i = 0; i < RAMUS_COUNT(plain); i++)
        expect_case(ANY, plain[i]);
}

/* Everyday sentences, which the search must bring through whole: each has one to five spans. */
static void everyday_sentences_have_spans(void)
{
    static const char *const files[] = {"spans.en.txt", "spans.de.txt"};

    for (int f = 0; f < RAMUS_COUNT(files); f++) {
        char path[512], line[512];
        long lines = 0;
        snprintf(path, sizeof path, "%s/../text/%s", GOLDEN, files[f]);
        FILE *file = fopen(path, "r");
        EXPECT(file != NULL, "%s", path);
        while (file && fgets(line, sizeof line, file)) {
            const size_t size = strcspn(line, "\n");
            size_t at = 0;
            int n = 0;
            for (ramus_span s = {0}; ramus_span_next(line, size, at, &s); at = s.at + s.size)
                n++;
            EXPECT(n >= 1 && n <= 5, "%d spans in %s", n, line);
            lines++;
        }
        EXPECT_INT(lines, 150, files[f]);
        if (file) fclose(file);
    }
}

// ---- laws ----

#define MAX_SPANS 4096

static bool is_border(const char *text, size_t size, size_t at)
{
    return at == size || (text[at] & 0xC0) != 0x80;
}

/* Spans are in range, in order, apart, not empty and of whole code points. From any byte that is
 * not inside a span, the scanner finds the same ones. */
static void expect_law(const char *text, size_t size)
{
    static ramus_span spans[MAX_SPANS];
    const bool valid = size == 0 || ramus_utf8_check(text, size) == size;
    int n = 0;

    for (size_t at = 0; n < MAX_SPANS && ramus_span_next(text, size, at, &spans[n]); n++) {
        const ramus_span *s = &spans[n];
        const bool within = s->at >= at && s->size > 0 && s->at < size && s->size <= size - s->at;
        EXPECT(within, "span %zu + %zu of %zu bytes, from %zu", s->at, s->size, size, at);
        if (!within) return;
        at = s->at + s->size;
        EXPECT(s->kind < RAMUS_SPAN_KINDS, "kind %d", (int)s->kind);
        EXPECT(!valid || (is_border(text, size, s->at) && is_border(text, size, at)),
               "a code point is cut: \"%.*s\"", (int)size, text);
    }
    int next = 0;
    for (size_t from = 0; from <= size; from++) {
        while (next < n && spans[next].at < from)
            next++;
        if (next > 0 && from < spans[next - 1].at + spans[next - 1].size) continue;
        ramus_span got = {0};
        const bool found = ramus_span_next(text, size, from, &got);
        EXPECT(found == (next < n), "from %zu: found is %d in \"%.*s\"", from, found, (int)size,
               text);
        if (found && next < n)
            EXPECT(got.at == spans[next].at && got.size == spans[next].size &&
                       got.kind == spans[next].kind,
                   "from %zu: %zu + %zu, not %zu + %zu, in \"%.*s\"", from, got.at, got.size,
                   spans[next].at, spans[next].size, (int)size, text);
    }
}

/* On a copy in memory of its own, so that sanitizers see what is read behind the end. */
static void expect_law_alone(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) exit(1);
    memcpy(copy + 1, text, size); // not aligned, and nothing behind
    expect_law(copy + 1, size);
    free(copy);
}

static void law_holds_on_prefixes_and_suffixes_of_cases(void)
{
    char text[512];
    for (int i = 0; i < RAMUS_COUNT(cases) + RAMUS_COUNT(plain); i++) {
        const bool is_case = i < RAMUS_COUNT(cases);
        const size_t size =
            unmarked(text, is_case ? cases[i].marked : plain[i - RAMUS_COUNT(cases)]);
        for (size_t n = 0; n <= size; n++) {
            expect_law_alone(text, n);
            expect_law_alone(text + n, size - n);
        }
    }
}

static void law_holds_on_random_bytes(void)
{
    static const char signs[] =
        "%{}$@#<>/\\.,:;-_`'\"()[]&*+=~ \n0123456789aAeExXmMkKzZ\xE2\x80\xC3";
    char text[256];

    for (int i = 0; i < (CHECK_SANITIZED ? 4000 : 20000); i++) {
        const size_t size = draw(i % 10 == 0 ? 256 : 48);
        const bool any = i % 4 == 0;
        for (size_t k = 0; k < size; k++)
            text[k] = any ? (char)draw(256) : signs[draw(sizeof signs - 1)];
        expect_law_alone(text, size);
    }
}

/* Pieces of cases, cut and put together anywhere. */
static void law_holds_on_mixed_cases(void)
{
    char one[512], text[1024];

    for (int i = 0; i < (CHECK_SANITIZED ? 1000 : 6000); i++) {
        size_t size = 0;
        for (int part = 0; part < 4; part++) {
            const size_t n = unmarked(one, cases[draw((uint32_t)RAMUS_COUNT(cases))].marked);
            const size_t from = draw((uint32_t)n + 1), to = from + draw((uint32_t)(n - from) + 1);
            memcpy(text + size, one + from, to - from);
            size += to - from;
        }
        expect_law_alone(text, size);
    }
}

/* Whatever stands around them. */
static void private_and_control_characters_are_always_in_a_span(void)
{
    static const char *const inserted[] = {"\uE000", "\uF8FF", "\U000F0000", "\U0010FFFD", "\uFFFC",
                                           "\001",   "\177",   "\xC2\x80",   "\033"};
    char one[512], text[600];

    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        const size_t size = unmarked(one, cases[i].marked);
        for (size_t at = 0; at <= size; at++) {
            if (!is_border(one, size, at)) continue;
            const char *c = inserted[draw((uint32_t)RAMUS_COUNT(inserted))];
            const size_t n = strlen(c);
            memcpy(text, one, at);
            memcpy(text + at, c, n);
            memcpy(text + at + n, one + at, size - at);
            bool inside = false;
            size_t from = 0;
            for (ramus_span s = {0}; ramus_span_next(text, size + n, from, &s);
                 from = s.at + s.size)
                inside |= s.at <= at && at + n <= s.at + s.size;
            EXPECT(inside, "byte 0x%02x at %zu in case %d", (unsigned char)c[0], at, i);
        }
    }
}

/* The second time, a letter at the end spoils what would have been a long span. */
static void time_is_linear(void)
{
    static const char *const patterns[] = {
        "(",    "%",        "{",         "}",       "<",    "`",      "a@",        "aaaa@aaaa@",
        "a.",   "a/",       "/a",        "-",       "--a",  "--a-",   "_",         "a_",
        "1",    "1.",       "1,",        "1-",      "1 ",   "1:",     "1/",        "0 1 ",
        "+1 ",  "(0",       "$",         "${",      "$(",   "{{",     "{a,plural", "http://",
        "www.", "www.a",    "http://a(", "a.com/(", "<a",   "<a b=",  "<!--",      "<%",
        "&a",   "&#",       "#",         "#a",      "@",    "@a",     ":",         "a::",
        "a->",  "a.a(",     "\\\\",      "\\\\a",   "C:\\", "~/",     "./",        "../",
        "*.a",  "😀",        "\u200D",    "\uE000",  "\001", "\033[",  "a:",        "a-",
        "a1",   "abcdef1-", "12:34:",    "1.2.3.",  "EUR ", "1 000 ", "1x",        "5-5-5-",
        "%a",   "%(",       "%1",        "``",      "` ",   "`a",     "\xFF",      "http://a.",
        "a@b.", "1 km ",    "/a,",       ".A,",     " 000", "-v1",    "/usr/a,",   "00:00 --> ",
        "{ a",  "[",        "a'",        "é",
    };
    char *text = malloc(BIG);
    if (!text) exit(1);
    for (int i = 0; i < 2 * RAMUS_COUNT(patterns); i++) {
        const int p = i / 2, tail = i % 2;
        const size_t n = strlen(patterns[p]), size = BIG;
        const clock_t start = clock();
        size_t at = 0, covered = 0;
        for (size_t k = 0; k < size; k++)
            text[k] = patterns[p][k % n];
        if (tail) memcpy(text + size - 2, "é", 2); // the rest of a word
        for (ramus_span s = {0}; ramus_span_next(text, size, at, &s); at = s.at + s.size)
            covered += s.size;
        EXPECT(covered <= size, "%zu of %zu bytes", covered, size);
        ramus_numbers_kept(text, size, text, size);
        ramus_span_marker(text, size);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        EXPECT(seconds < MAX_SECONDS, "%.1f s for \"%s\"", seconds, patterns[p]);
    }
    free(text);
}

static void long_spans_are_whole(void)
{
    static char text[100000];

    memset(text, 'a', sizeof text);
    memcpy(text, "https://", 8);
    ramus_span s = {0};
    EXPECT(ramus_span_next(text, sizeof text, 0, &s), "no span");
    EXPECT_INT(s.size, sizeof text, "bytes of a long address");
    memset(text, '7', sizeof text);
    EXPECT(ramus_span_next(text, sizeof text, 0, &s), "no span");
    EXPECT_INT(s.size, sizeof text, "bytes of a long number");
}

static void kinds_have_names(void)
{
    EXPECT(ramus_span_is_loose(RAMUS_SPAN_EMOJI), "an emoji is part of the sentence");
    EXPECT(!ramus_span_is_loose(RAMUS_SPAN_URL), "an address is no part of the sentence");
    for (int a = 0; a < RAMUS_SPAN_KINDS; a++)
        for (int b = 0; b < a; b++)
            EXPECT(strcmp(ramus_span_name((ramus_span_kind)a), ramus_span_name((ramus_span_kind)b)),
                   "%d and %d", a, b);
}

// ---- markers and numbers ----

static void markers_are_measured(void)
{
    for (int i = 0; i < RAMUS_COUNT(markers); i++) {
        char text[128];
        const char *bar = strchr(markers[i], '|');
        const size_t n = (size_t)(bar - markers[i]), rest = strlen(bar + 1);
        memcpy(text, markers[i], n);
        memcpy(text + n, bar + 1, rest);
        EXPECT(ramus_span_marker(text, n + rest) == n, "\"%s\": %zu bytes", markers[i],
               ramus_span_marker(text, n + rest));
    }
}

static void numbers_are_compared(void)
{
    for (int i = 0; i < RAMUS_COUNT(number_pairs); i++) {
        const char *from = number_pairs[i].source, *to = number_pairs[i].target;
        const bool got = ramus_numbers_kept(from, strlen(from), to, strlen(to));
        EXPECT(got == number_pairs[i].kept, "\"%s\" and \"%s\"", from, to);
    }
}

/* Any text keeps its own numbers, and none of another digit. */
static void numbers_of_any_text_are_its_own(void)
{
    static const char signs[] = "0123456789,.' ab\xC3\xBC\xE2";
    char text[128];

    for (int i = 0; i < 5000; i++) {
        const size_t size = draw(sizeof text - 2);
        for (size_t k = 0; k < size; k++)
            text[k] = signs[draw(sizeof signs - 1)];
        EXPECT(ramus_numbers_kept(text, size, text, size), "\"%.*s\"", (int)size, text);
    }
}

CHECK_MAIN({"spans_of_cases_are_found", spans_of_cases_are_found},
           {"plain_text_has_none", plain_text_has_none},
           {"everyday_sentences_have_spans", everyday_sentences_have_spans},
           {"law_holds_on_prefixes_and_suffixes_of_cases",
            law_holds_on_prefixes_and_suffixes_of_cases},
           {"law_holds_on_random_bytes", law_holds_on_random_bytes},
           {"law_holds_on_mixed_cases", law_holds_on_mixed_cases},
           {"private_and_control_characters_are_always_in_a_span",
            private_and_control_characters_are_always_in_a_span},
           {"time_is_linear", time_is_linear}, {"long_spans_are_whole", long_spans_are_whole},
           {"kinds_have_names", kinds_have_names}, {"markers_are_measured", markers_are_measured},
           {"numbers_are_compared", numbers_are_compared},
           {"numbers_of_any_text_are_its_own", numbers_of_any_text_are_its_own})
