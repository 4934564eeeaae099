/* The guess of a language: sentences written for it, and laws: capitals, spellings, addresses and
 * copies change nothing, any bytes will do. */
#include "base/status.h"
#include "base/utf8.h"
#include "text/case.h"
#include "text/language.h"
#include "text/language_words.h"

#include "text/language_cases.h"

#include "check.h"

#define N_CASES ((int)(sizeof cases / sizeof *cases))
#define ROOM    2000 // bytes of a text

static const char *guess(const char *text, double *certainty)
{
    return ramus_language_guess(text, strlen(text), certainty);
}

/* The code that is expected: NULL for languages that are never named. */
static const char *named(const char *language)
{
    return ramus_language_is_guessed(language, strlen(language)) ? language : NULL;
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void each_sentence(void (*body)(const char *language, const char *sentence))
{
    for (int i = 0; i < N_CASES; i++)
        for (int j = 0; j < RAMUS_COUNT(cases[i].sentences) && cases[i].sentences[j]; j++)
            body(cases[i].language, cases[i].sentences[j]);
}

static void expect_guess(const char *language, const char *sentence)
{
    double certainty = -1;
    const char *found = guess(sentence, &certainty);
    EXPECT(same(found, named(language)), "%s: \"%s\" is taken for %s (%.3f)", language, sentence,
           found ? found : "unknown", certainty);
    EXPECT(certainty >= 0 && certainty <= 1, "certainty of \"%s\" is %g", sentence, certainty);
    EXPECT(same(ramus_language_guess(sentence, strlen(sentence), NULL), found),
           "without certainty");
}

static void sentences_are_guessed(void)
{
    each_sentence(expect_guess);
}

/* Pieces of four words of languages that have no name are not surely English or German. */
static void expect_unsure(const char *language, const char *sentence)
{
    if (named(language)) return;
    for (const char *at = sentence; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        const char *end = at;
        int spaces = 0;
        for (; *end && spaces < 4; end++)
            spaces += *end == ' ';
        if (spaces < 3) return;
        double certainty = 0;
        const char *found = ramus_language_guess(at, (size_t)(end - at), &certainty);
        EXPECT(!found || certainty < RAMUS_LANGUAGE_SURE, "%s: \"%.*s\" is taken for %s (%.3f)",
               language, (int)(end - at), at, found, certainty);
    }
}

static void pieces_of_other_languages_are_not_sure(void)
{
    each_sentence(expect_unsure);
}

static void expect_same(const char *sentence, const char *other)
{
    double a = 0, b = 0;
    const char *first = guess(sentence, &a), *second = guess(other, &b);
    EXPECT(same(first, second) && !(a < b) && !(b < a), "\"%s\": %s %.17g, \"%s\": %s %.17g",
           sentence, first ? first : "unknown", a, other, second ? second : "unknown", b);
}

static void expect_same_in_capitals(const char *language, const char *sentence)
{
    char capitals[ROOM];
    size_t used = 0, size = strlen(sentence);
    (void)language;
    for (size_t at = 0; at < size;) {
        uint32_t code = 0, codes[RAMUS_CASE_MOST];
        at += (size_t)ramus_utf8_decode(&code, sentence + at, size - at);
        const int n = ramus_case_upper(codes, code);
        for (int i = 0; i < n; i++)
            used += (size_t)ramus_utf8_encode(capitals + used, codes[i]);
    }
    capitals[used] = '\0';
    expect_same(sentence, capitals);
}

static void capitals_change_nothing(void)
{
    each_sentence(expect_same_in_capitals);
}

static void expect_same_without_marks(const char *language, const char *sentence)
{
    char bare[ROOM];
    size_t used = 0;
    (void)language;
    for (const char *c = sentence; *c; c++)
        if (!strchr(".,;!?\"", *c)) bare[used++] = *c;
    bare[used] = '\0';
    expect_same(sentence, bare);
}

static void punctuation_changes_nothing(void)
{
    each_sentence(expect_same_without_marks);
}

static void expect_same_with_addresses(const char *language, const char *sentence)
{
    char longer[ROOM];
    (void)language;
    (void)snprintf(longer, sizeof longer,
                   "2026 %s https://www.example.org/the/and/of/with www.die-und-der.de "
                   "the_and@with.com src/the/with.c 3.14 the.and.of §§ 😀 \\the 12th = 90x",
                   sentence);
    expect_same(sentence, longer);
}

static void addresses_and_numbers_change_nothing(void)
{
    each_sentence(expect_same_with_addresses);
}

static void spellings_of_umlauts_are_the_same(void)
{
    expect_same("Größere Äpfel müssen später geöffnet werden, heißt es.",
                "Groessere Aepfel muessen spaeter geoeffnet werden, heisst es.");
    expect_same("Größere Äpfel müssen später geöffnet werden.",
                "Gro\u0308ßere A\u0308pfel mu\u0308ssen spa\u0308ter geo\u0308ffnet werden.");
    expect_same("It's what I don't like", "It’s what I don’t like");
}

static void texts_without_words_have_no_language(void)
{
    static const char *const texts[] = {"",   " \n\t",       "12,345.67",      "...!?",
                                        "😀😀", "a@b.c d/e/f", "\xFF\xFE\x80",   "\u0308\u0301",
                                        "_",  "$x1 = 42;",   "https://the.of/"};
    for (int i = 0; i < RAMUS_COUNT(texts); i++) {
        double certainty = -1;
        EXPECT(!guess(texts[i], &certainty) && fabs(certainty) <= 0, "\"%s\": %g", texts[i],
               certainty);
    }
}

static void expect_words_unsure(const char *language, const char *sentence)
{
    ramus_language_words words = {.text = sentence, .size = strlen(sentence)};
    size_t at = 0;
    (void)language;
    for (ramus_language_word word; ramus_language_next(&words, &word); at = words.at) {
        double certainty = 0;
        (void)ramus_language_guess(sentence + at, words.at - at, &certainty);
        EXPECT(certainty < RAMUS_LANGUAGE_SURE || word.script != RAMUS_SCRIPT_LATIN,
               "\"%.*s\" alone: %g", (int)(words.at - at), sentence + at, certainty);
    }
}

static void single_words_are_not_sure(void)
{
    static const char *const texts[] = {"Berlin", "Anna",   "hotel", "Müller",    "Washington",
                                        "Paris",  "Angela", "the",   "Handschuh", "whatsoever"};
    for (int i = 0; i < RAMUS_COUNT(texts); i++)
        expect_words_unsure(NULL, texts[i]);
    each_sentence(expect_words_unsure);
}

static void foreign_words_in_a_text_do_not_decide(void)
{
    double certainty = 0;
    EXPECT_TEXT(guess("The Greek word λόγος means word, and the Chinese word 中文 means Chinese.",
                      &certainty),
                "en");
    EXPECT_TEXT(guess("在 Linux 上运行这个程序，然后打开 Firefox 浏览器。", &certainty), "zh");
    EXPECT(certainty > RAMUS_LANGUAGE_SURE, "certainty %g", certainty);
    EXPECT_TEXT(guess("この本はPythonの入門書です。", &certainty), "ja");
    (void)guess("Das Wetter ist heute schön. The weather is nice today.", &certainty);
    EXPECT(certainty < RAMUS_LANGUAGE_SURE, "half and half: %g", certainty);
    (void)guess("Das Wetter ist heute schön. Сегодня хорошая погода, и мы идём гулять.",
                &certainty);
    EXPECT(certainty < RAMUS_LANGUAGE_SURE, "two scripts: %g", certainty);
}

static void copies_of_a_text_are_in_its_language(void)
{
    static char text[400000];
    size_t used = 0;
    const char *sentence = "Wir suchen eine Wohnung mit zwei Zimmern und Balkon.\n";
    for (; used + strlen(sentence) < sizeof text; used += strlen(sentence))
        memcpy(text + used, sentence, strlen(sentence));
    double certainty = 0;
    EXPECT_TEXT(ramus_language_guess(text, used, &certainty), "de");
    EXPECT(certainty > 0.999, "certainty %g", certainty);
}

static uint32_t drawn(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* In a block of its own size, so that sanitizers see every step outside. */
static void any_bytes_will_do(void)
{
    uint64_t state = check_seed();
    for (int k = 0; k < 20000; k++) {
        const size_t size = drawn(&state) % 80;
        char *text = malloc(size + !size);
        for (size_t i = 0; i < size; i++) {
            const uint32_t x = drawn(&state);
            const unsigned char kinds[] = {(unsigned char)(x % 256),
                                           (unsigned char)"a \xC3\x84\xCC\x88.'"[x % 8],
                                           (unsigned char)(65 + x % 60)};
            text[i] = (char)kinds[k % 3];
        }
        double certainty = -1;
        const char *found = ramus_language_guess(text, size, &certainty);
        EXPECT(certainty >= 0 && certainty <= 1, "certainty %g", certainty);
        EXPECT(!found || certainty >= 0.5, "%s with certainty %g", found, certainty);
        free(text);
    }
}

/* Four megabytes of one word, of one run, of single letters: quadratic time would take hours. */
static void the_time_is_linear(void)
{
    const size_t size = 4 << 20;
    char *text = malloc(size);
    static const char *const patterns[] = {"x", "x.",       "x'",           "a ",
                                           "'", "\xCC\x88", "\xE4\xB8\xAD", "\xFF"};
    for (int p = 0; p < RAMUS_COUNT(patterns); p++) {
        for (size_t i = 0; i < size; i++)
            text[i] = patterns[p][i % strlen(patterns[p])];
        double certainty = -1;
        (void)ramus_language_guess(text, size, &certainty);
        EXPECT(certainty >= 0 && certainty <= 1, "certainty %g", certainty);
    }
    free(text);
}

static void words_of_a_text(void)
{
    static const char *const want[] = {"DON'T", "AEPFEL", "STRASSE", "END", "AND", "O", "X", "ÉTÉ"};
    const char *text = "Don't a@b 3rd \"Äpfel\" Straße-end. 'and o'' x_y x été";
    ramus_language_words words = {.text = text, .size = strlen(text)};
    int n = 0;
    for (ramus_language_word word; ramus_language_next(&words, &word); n++) {
        char got[ROOM] = "";
        size_t used = 0;
        for (size_t i = 1; i <= word.n; i++)
            used += (size_t)ramus_utf8_encode(got + used, word.latin[i]);
        got[used] = '\0';
        EXPECT(n < RAMUS_COUNT(want) && strcmp(got, want[n]) == 0, "word %d is %s", n, got);
        EXPECT(word.latin[0] == ' ' && word.latin[word.n + 1] == ' ', "spaces around %s", got);
    }
    EXPECT_INT(n, RAMUS_COUNT(want), "words");
}

static void slots_of_long_words_have_room(void)
{
    char text[100];
    uint16_t slots[RAMUS_LANGUAGE_MOST];
    for (int size = 1; size < RAMUS_COUNT(text); size++) {
        memset(text, 'e', (size_t)size);
        ramus_language_words words = {.text = text, .size = (size_t)size};
        ramus_language_word word;
        EXPECT(ramus_language_next(&words, &word), "a word of %d letters", size);
        const int letters = size < RAMUS_LANGUAGE_LETTERS ? size : RAMUS_LANGUAGE_LETTERS;
        const int padded = letters + 2, fours = padded > 3 ? padded - 3 : 0;
        // substrings of 2, 3 and 4 characters, and the word
        EXPECT_INT(ramus_language_slots(slots, &word),
                   padded - 1 + padded - 2 + fours + (padded > 4), "slots");
        EXPECT(!ramus_language_next(&words, &word), "one word of %d letters", size);
    }
    EXPECT_INT(sizeof ramus_language_table, 8192, "bytes of the table");
}

static void languages_that_differ(void)
{
    static const struct {
        const char *language, *text;
        bool differs;
    } rows[] = {
        {"en", "Wo ist denn hier der Bahnhof, bitte?", true},
        {"en-GB", "Wo ist denn hier der Bahnhof, bitte?", true},
        {"de", "Wo ist denn hier der Bahnhof, bitte?", false},
        {"de_AT", "Wo ist denn hier der Bahnhof, bitte?", false},
        {"fr", "Wo ist denn hier der Bahnhof, bitte?", true},
        {"en", "J'ai encore oublié mon parapluie dans le bus.", true},
        {"fr", "J'ai encore oublié mon parapluie dans le bus.", false},
        {"es", "J'ai encore oublié mon parapluie dans le bus.",
         false}, // nothing is known of either
        {"ru", "Где находится вокзал?", false},
        {"en", "Где находится вокзал?", true},
        {"zh", "Where is the station, please?", true},
        {"zh-Hant", "請問火車站在哪裡？我找不到它。", false},
        {"en", "今天天气很好。", true}, // or Japanese, but no English
        {"ja", "今天天气很好。", false},
        {"en", "天气", false},
        {"en", "Berlin", false},
        {"en", "", false},
        {"", "Wo ist denn hier der Bahnhof, bitte?", false},
        {NULL, "Wo ist denn hier der Bahnhof, bitte?", false},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++)
        EXPECT(ramus_language_differs(rows[i].language, rows[i].text, strlen(rows[i].text)) ==
                   rows[i].differs,
               "%s: \"%s\"", rows[i].language ? rows[i].language : "NULL", rows[i].text);
}

CHECK_MAIN({"sentences_are_guessed", sentences_are_guessed},
           {"pieces_of_other_languages_are_not_sure", pieces_of_other_languages_are_not_sure},
           {"capitals_change_nothing", capitals_change_nothing},
           {"punctuation_changes_nothing", punctuation_changes_nothing},
           {"addresses_and_numbers_change_nothing", addresses_and_numbers_change_nothing},
           {"spellings_of_umlauts_are_the_same", spellings_of_umlauts_are_the_same},
           {"texts_without_words_have_no_language", texts_without_words_have_no_language},
           {"single_words_are_not_sure", single_words_are_not_sure},
           {"foreign_words_in_a_text_do_not_decide", foreign_words_in_a_text_do_not_decide},
           {"copies_of_a_text_are_in_its_language", copies_of_a_text_are_in_its_language},
           {"any_bytes_will_do", any_bytes_will_do}, {"the_time_is_linear", the_time_is_linear},
           {"words_of_a_text", words_of_a_text},
           {"slots_of_long_words_have_room", slots_of_long_words_have_room},
           {"languages_that_differ", languages_that_differ})
