/* Glossaries by hand: files and their errors, word borders, capitals, expressions, many terms, and
 * the sentences for measuring. */
#include "base/buffer.h"
#include "base/utf8.h"
#include "text/terms.h"

#include "check.h"

static ramus_error err;

/* A copy without a zero behind it: sanitizers see a byte too many that is read. */
static char *bare(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    return copy;
}

static ramus_terms *terms_of(const char *file)
{
    ramus_terms *t = NULL;
    char *copy = bare(file, strlen(file));
    REQUIRE_OK(ramus_terms_open_memory(&t, copy, strlen(file), &err), err);
    free(copy);
    return t;
}

/* The text with <source=target> for each term, <source> for those that stay. */
static const char *marked_by(const ramus_terms *t, const char *text)
{
    static ramus_buffer out;
    const size_t size = strlen(text);
    char *copy = bare(text, size);
    ramus_term term = {0};
    size_t from = 0;
    ramus_buffer_clear(&out);
    while (ramus_terms_next(t, copy, size, from, &term)) {
        ramus_buffer_print(&out, "%.*s<%.*s", (int)(term.at - from), text + from, (int)term.size,
                           text + term.at);
        if (term.put) ramus_buffer_print(&out, "=%.*s", (int)term.put_size, term.put);
        ramus_buffer_text(&out, ">");
        from = term.at + term.size;
    }
    ramus_buffer_text(&out, text + from);
    free(copy);
    return out.data ? out.data : "";
}

static const char *marked(const char *file, const char *text)
{
    ramus_terms *t = terms_of(file);
    const char *result = marked_by(t, text);
    ramus_terms_close(t);
    return result;
}

static void files_with_tabs_and_with_commas_are_read(void)
{
    static const char *const files[] = {
        "heat pump\tWärmepumpe\nAcme\t\n",
        "\xEF\xBB\xBF# ours\r\n\r\nheat pump\tWärmepumpe\r\n  \r\nAcme\tAcme\tany",
        "  heat \xC2\xA0 pump \t Wärmepumpe \n# no\ttarget\nAcme\t\t\n",
        "heat pump,Wärmepumpe\nAcme,",
        "# one, two, three, four\n\"heat pump\", \"Wärmepumpe\"\n\"Acme\",\"\",any\n",
        "heat pump,Wärmepumpe\nheat pump,Wärmepumpe\nHEAT PUMP,Wärmepumpe\nAcme,\n",
    };
    for (int i = 0; i < (int)(sizeof files / sizeof *files); i++)
        EXPECT_TEXT(marked(files[i], "The heat pump of Acme."),
                    "The <heat pump=Wärmepumpe> of <Acme>.");
    EXPECT_TEXT(marked("\"a, b\",\"x\"\"y\"\"\"\nq\"r,z\n", "a, b q\"r"), "<a, b=x\"y\"> <q\"r=z>");
    EXPECT_TEXT(marked("a \"b\"\t\"x\", y", "a \"b\""), "<a \"b\"=\"x\", y>");
    EXPECT_TEXT(marked("", "no terms"), "no terms");
    EXPECT_TEXT(marked("# none\n", "no terms"), "no terms");
    EXPECT_TEXT(marked("a\tb", ""), "");
}

static void a_line_that_cannot_be_read_is_named(void)
{
    static char long_term[1003];
    memset(long_term, 'x', 1001);
    long_term[1001] = '\t';
    static const char *const bad[][2] = {
        {"a\tb\na b c\n", "line 2: one column, expected a source, a tab and a target"},
        {"heat pump;Wärmepumpe\n", "line 1: one column, expected a source, a tab or comma"},
        {"a\tb\n\tc\n", "line 2: the source is empty"},
        {"a,b\n,c\n", "line 2: the source is empty"},
        {"a\tb\tany\td\n", "line 1: more than three columns"},
        {"a\tb\tsome\n", "the third column is 'some', expected any, fixed or exact"},
        {"a\tb\n\n# c\n\xFF\td\n", "line 4: it is not UTF-8"},
        {"\xFF\xFE\x61", "line 1: it is not UTF-8"},
        {"a,\"b\nc\",d\n", "line 1: a quote begins that does not end on its line"},
        {"a\rb\tc\n", "line 1: a control character (U+000D)"},
        {"a\tb\xE2\x80\xA8"
         "c\n",
         "line 1: a control character (U+2028)"},
        {"a\tb\nc\td\nA\te\n", "line 3: its source is on line 1 with another target or rule"},
        {"US\tA\nUS\tB\texact\nUS\tC\n", "line 3: its source is on line 1"},
        {"a  b\tb\na b\tb\tfixed\n", "line 2: its source is on line 1 with another"},
        {"a\tb\tany\nA\tb\texact\na\tc\texact\nA\td\texact\n", "line 4: its source is on line 2"},
        {"stra\xC3\x9F"
         "e\ta\nSTRASSE\tb\n",
         "line 2: its source is on line 1"},
        {long_term, "line 1: a term of 1001 bytes, expected at most 1000"},
    };
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        ramus_terms *t = NULL;
        EXPECT_FAILS(ramus_terms_open_memory(&t, bad[i][0], strlen(bad[i][0]), &err), err,
                     bad[i][1]);
        EXPECT(!t && err.status == RAMUS_BAD_FORMAT, "case %d: status %d", i, (int)err.status);
    }
    ramus_terms *t = NULL;
    EXPECT_FAILS(ramus_terms_open_memory(&t, "a\0b\tc", 5, &err), err, "(U+0000)");
}

static void a_file_is_named(void)
{
    static const char path[] = "terms_test.tsv";
    ramus_terms *t = NULL;
    FILE *f = fopen(path, "wb");
    EXPECT(f && fputs("a\tb\nc\n", f) >= 0 && fclose(f) == 0, "cannot write %s", path);
    EXPECT_FAILS(ramus_terms_open(&t, path, &err), err, "terms_test.tsv: line 2: one column");
    f = fopen(path, "wb");
    EXPECT(f && fputs("a\tb\n", f) >= 0 && fclose(f) == 0, "cannot write %s", path);
    REQUIRE_OK(ramus_terms_open(&t, path, &err), err);
    (void)remove(path);
    EXPECT_TEXT(marked_by(t, "an a"), "an <a=b>");
    ramus_terms_close(t);
    EXPECT_FAILS(ramus_terms_open(&t, path, &err), err, "terms_test.tsv: cannot open");
}

static void null_is_told(void)
{
    ramus_terms *t = NULL;
    EXPECT_FAILS(ramus_terms_open(NULL, "x", &err), err, "where the glossary goes is NULL");
    EXPECT_FAILS(ramus_terms_open(&t, NULL, &err), err, "the path of the glossary is NULL");
    EXPECT_FAILS(ramus_terms_open_memory(NULL, "a,b", 3, &err), err, "where the glossary goes");
    EXPECT_FAILS(ramus_terms_open_memory(&t, NULL, 3, &err), err, "in memory is NULL");
    EXPECT_FAILS(ramus_terms_create(NULL, &err), err, "where the glossary goes is NULL");
    EXPECT_FAILS(ramus_terms_keep(NULL, "x", &err), err, "the glossary is NULL");
    EXPECT(!t, "a glossary of a call that failed");
    REQUIRE_OK(ramus_terms_create(&t, &err), err);
    EXPECT_FAILS(ramus_terms_keep(t, NULL, &err), err, "the expression is NULL");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    ramus_terms_close(t);
    ramus_terms_close(NULL);
}

static void terms_stand_on_word_borders(void)
{
    static const char *const cases[][3] = {
        {"pump\tP", "pump pumps heatpump pump2 _pump pump",
         "<pump=P> pumps heatpump pump2 _pump <pump=P>"},
        {"pump\tP", "(pump)-pump's \"pump\".", "(<pump=P>)-<pump=P>'s \"<pump=P>\"."},
        {"C++\tX", "C++ in C++11, not ABC++", "<C++=X> in <C++=X>11, not ABC++"},
        {"a\tX", "a\xCC\x81 a", "a\xCC\x81 <a=X>"}, // an accent belongs to its letter
        {"a\tX",
         "e\xCC\x81"
         "a a\xC2\xAD"
         "b",
         "e\xCC\x81"
         "a a\xC2\xAD"
         "b"}, // so does a soft hyphen
        {"\xE4\xB8\xAD\tX", "\xE5\x9C\xA8\xE4\xB8\xAD\xE5\x9B\xBD",
         "\xE5\x9C\xA8<\xE4\xB8\xAD=X>\xE5\x9B\xBD"},
        {"heat pump\tX", "heat  pump heat\npump heat\r\npump heat\xC2\xA0pump",
         "<heat  pump=X> <heat\npump=X> <heat\r\npump=X> <heat\xC2\xA0pump=X>"},
        {"heat pump\tX", "heat\n\npump heat\n \npump heatpump",
         "heat\n\npump heat\n \npump heatpump"},
        {"a b\tX",
         "a a b \xFF"
         "a b a b\xFF",
         "a <a b=X> \xFF"
         "a b a b\xFF"}, // a wrong byte is a letter
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        EXPECT_TEXT(marked(cases[i][0], cases[i][1]), cases[i][2]);
}

static void the_longest_term_wins(void)
{
    static const char file[] =
        "heat\tA\nheat pump\tB\nheat pump test stand\tC\npump\tD\nair heat\tE\n";
    EXPECT_TEXT(marked(file, "heat pump test"), "<heat pump=B> test");
    EXPECT_TEXT(marked(file, "heat pump test stand pump heat"),
                "<heat pump test stand=C> <pump=D> <heat=A>");
    EXPECT_TEXT(marked(file, "air heat pump"), "<air heat=E> <pump=D>"); // the first one before
    EXPECT_TEXT(marked("US\tA\texact\nus\tB\n", "us US Us"), "<us=B> <US=A> <Us=B>");
}

static void targets_take_the_capitals_of_the_text(void)
{
    static const char *const cases[][3] = {
        {"sea\tmeer", "sea Sea SEA sEA", "<sea=meer> <Sea=Meer> <SEA=MEER> <sEA=meer>"},
        {"Sea\tmeer", "sea Sea SEA", "<sea=meer> <Sea=meer> <SEA=MEER>"},
        {"SEA\tmeer", "sea Sea SEA", "<sea=meer> <Sea=meer> <SEA=meer>"},
        {"sea\tMeer", "sea Sea SEA", "<sea=Meer> <Sea=Meer> <SEA=MEER>"},
        {"sea\tmeer\tfixed", "sea Sea SEA", "<sea=meer> <Sea=meer> <SEA=meer>"},
        {"Sea\tmeer\texact", "sea Sea SEA", "sea <Sea=meer> SEA"},
        {"sea\t\nlake\tlake\texact", "Sea SEA lake Lake", "<Sea> <SEA> <lake> Lake"},
        {"x\t\xC3\xBC"
         "ber \xC3\x9F",
         "X",
         "<X=\xC3\x9C"
         "ber \xC3\x9F>"}, // one letter is no title in capitals
        {"xy\t\xC3\xBC"
         "ber \xC3\x9F",
         "XY",
         "<XY=\xC3\x9C"
         "BER SS>"},
        {"stra\xC3\x9F"
         "e\troad",
         "STRASSE STRA\xE1\xBA\x9E"
         "E",
         "<STRASSE=ROAD> <STRA\xE1\xBA\x9E"
         "E=ROAD>"},
        {"3d print\tdruck", "3D print 3D PRINT", "<3D print=druck> <3D PRINT=DRUCK>"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        EXPECT_TEXT(marked(cases[i][0], cases[i][1]), cases[i][2]);
}

static void expect_pair(uint32_t lower, uint32_t upper)
{
    char file[16] = "", text[8] = "";
    int n = ramus_utf8_encode(file, lower);
    memcpy(file + n, "\tx", 3);
    n = ramus_utf8_encode(text, upper);
    text[n] = '\0';
    ramus_terms *t = terms_of(file);
    ramus_term term = {0};
    EXPECT(ramus_terms_next(t, text, (size_t)n, 0, &term) && term.size == (size_t)n,
           "U+%04X for U+%04X", upper, lower);
    ramus_terms_close(t);
}

static void both_cases_of_latin_greek_and_cyrillic_match(void)
{
    for (uint32_t c = 'a'; c <= 'z'; c++)
        expect_pair(c, c - 0x20);
    for (uint32_t c = 0xE0; c <= 0xFE; c++)
        if (c != 0xF7) expect_pair(c, c - 0x20);
    for (uint32_t c = 0x100; c < 0x138; c += 2) // upper, lower
        if (c != 0x130) expect_pair(c + 1, c);  // but for the dotless i
    for (uint32_t c = 0x139; c < 0x148; c += 2)
        expect_pair(c + 1, c);
    for (uint32_t c = 0x14A; c < 0x178; c += 2)
        expect_pair(c + 1, c);
    for (uint32_t c = 0x3B1; c <= 0x3C9; c++)
        expect_pair(c, c == 0x3C2 ? 0x3A3 : c - 0x20);
    for (uint32_t c = 0x430; c <= 0x44F; c++)
        expect_pair(c, c - 0x20);
    for (uint32_t c = 0x450; c <= 0x45F; c++)
        expect_pair(c, c - 0x50);
    expect_pair(0x3AC, 0x386); // alpha with tonos
}

static void expressions_are_kept(void)
{
    ramus_terms *t = terms_of("Acme\tA GmbH\nsize\tGröße");
    REQUIRE_OK(ramus_terms_keep(t, "[A-Z]{2,}-[0-9]+", &err), err);
    EXPECT_TEXT(marked_by(t, "size AB-12 xAB-3x ab-1"), "<size=Größe> <AB-12> x<AB-3>x ab-1");
    REQUIRE_OK(ramus_terms_keep(t, "Acme( Inc\\.)?|^[äöü]{2}", &err), err);
    EXPECT_TEXT(marked_by(t, "Acme and Acme Inc. and AB-1."),
                "<Acme=A GmbH> and <Acme Inc.> and <AB-1>.");
    EXPECT_TEXT(marked_by(t, "ööüü öö\näö ö"), "<öö>üü öö\n<äö> ö");
    REQUIRE_OK(ramus_terms_keep(t, "x.y", &err), err);
    EXPECT_TEXT(marked_by(t, "x\xC3\xA4y x\ny xxy"), "<x\xC3\xA4y> x\ny <xxy>");
    ramus_terms_close(t);

    REQUIRE_OK(ramus_terms_create(&t, &err), err);
    EXPECT_TEXT(marked_by(t, "nothing yet"), "nothing yet");
    EXPECT_FAILS(ramus_terms_keep(t, "a(b", &err), err, "the expression 'a(b' cannot be read: ");
    EXPECT_FAILS(ramus_terms_keep(t, "a)|(b", &err), err, "'a)|(b' cannot be read: ");
    EXPECT_FAILS(ramus_terms_keep(t, "a*", &err), err, "'a*' matches the empty text");
    EXPECT_FAILS(ramus_terms_keep(t, "(a)\\1", &err), err, "has a back-reference");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    REQUIRE_OK(ramus_terms_keep(t, "\xA4|\xC3", &err), err); // a byte of a letter keeps the letter
    EXPECT_TEXT(marked_by(t, "x\xC3\xA4y\xC2\xA4z\xC3\xBC"), "x<\xC3\xA4>y<\xC2\xA4>z<\xC3\xBC>");
    REQUIRE_OK(ramus_terms_keep(t, "\\<|q+", &err), err); // what matches nothing is no match
    EXPECT_TEXT(marked_by(t, "aqq"), "a<qq>");
    REQUIRE_OK(ramus_terms_keep(t, "\\\\1|b$", &err), err);
    EXPECT_TEXT(marked_by(t, "\\1 ab\nb b"), "<\\1> a<b>\nb <b>");
    ramus_terms_close(t);
}

static void an_expression_sees_zeros_and_no_byte_too_many(void)
{
    static const char text[] = "a\0bb\0bbb";
    ramus_terms *t = NULL;
    REQUIRE_OK(ramus_terms_create(&t, &err), err);
    REQUIRE_OK(ramus_terms_keep(t, "b+", &err), err);
    char *copy = bare(text, 7);
    ramus_term term = {0};
    EXPECT(ramus_terms_next(t, copy, 7, 0, &term) && term.at == 2 && term.size == 2, "the first");
    EXPECT(ramus_terms_next(t, copy, 7, 3, &term) && term.at == 3 && term.size == 1, "from inside");
    EXPECT(ramus_terms_next(t, copy, 7, 4, &term) && term.at == 5 && term.size == 2, "cut off");
    EXPECT(!ramus_terms_next(t, copy, 7, 7, &term), "one behind the end");
    free(copy);
    ramus_terms_close(t);
}

static void many_terms_are_all_found(void)
{
    enum { N = 100000 };
    ramus_buffer file = {0}, text = {0};
    for (int i = 0; i < N; i++) {
        ramus_buffer_print(&file, "term x%dy%d\tziel %d\n", i % 317, i, i);
        ramus_buffer_print(&text, "Term X%dy%d, ", i % 317, i);
    }
    ramus_terms *t = NULL;
    REQUIRE_OK(ramus_terms_open_memory(&t, file.data, file.size, &err), err);
    ramus_term term = {0};
    size_t from = 0;
    for (int i = 0; i < N; i++) {
        char want[32];
        const int n = snprintf(want, sizeof want, "Ziel %d", i);
        const bool found = ramus_terms_next(t, text.data, text.size, from, &term);
        EXPECT(found && term.put_size == (size_t)n && memcmp(term.put, want, (size_t)n) == 0,
               "term %d is not found", i);
        if (!found) break;
        from = term.at + term.size;
    }
    EXPECT(!ramus_terms_next(t, text.data, text.size, from, &term), "one more");
    ramus_terms_close(t);
    ramus_buffer_free(&file);
    ramus_buffer_free(&text);
}

static size_t read_whole(char *to, size_t room, const char *path)
{
    FILE *f = fopen(path, "rb");
    const size_t size = f ? fread(to, 1, room - 1, f) : 0;
    if (f) (void)fclose(f);
    to[size] = '\0';
    return size;
}

/* The glossaries that translations are measured with: each sentence has a term, each term stands in
 * a sentence. */
static void sentences_for_measuring_use_all_terms(void)
{
    static char file[1 << 14], text[1 << 16];
    static const char *const pairs[][2] = {{"en-de", "en"}, {"de-en", "de"}};
    for (int p = 0; p < 2; p++) {
        char path[4096];
        (void)snprintf(path, sizeof path, GOLDEN "/../models/glossary.%s.tsv", pairs[p][0]);
        EXPECT(read_whole(file, sizeof file, path) > 1000, "%s is missing", path);
        (void)snprintf(path, sizeof path, GOLDEN "/../models/glossary.%s.txt", pairs[p][1]);
        EXPECT(read_whole(text, sizeof text, path) > 5000, "%s is missing", path);
        ramus_terms *t = terms_of(file);
        int n = 0;
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, n++) {
            ramus_term term = {0};
            EXPECT(ramus_terms_next(t, line, (size_t)(end - line), 0, &term), "no term in %.*s",
                   (int)(end - line), line);
        }
        EXPECT_INT(n, 200, "sentences");
        ramus_terms_close(t);

        int n_terms = 0;
        for (char *line = file, *end; (end = strchr(line, '\n')); line = end + 1) {
            if (*line == '#') continue;
            ramus_term term = {0};
            REQUIRE_OK(ramus_terms_open_memory(&t, line, (size_t)(end - line), &err), err);
            EXPECT(ramus_terms_next(t, text, strlen(text), 0, &term), "in no sentence: %.*s",
                   (int)(end - line), line);
            ramus_terms_close(t);
            n_terms++;
        }
        EXPECT(n_terms >= 60, "%d terms of %s", n_terms, pairs[p][0]);
    }
}

CHECK_MAIN({"files_with_tabs_and_with_commas_are_read", files_with_tabs_and_with_commas_are_read},
           {"a_line_that_cannot_be_read_is_named", a_line_that_cannot_be_read_is_named},
           {"a_file_is_named", a_file_is_named}, {"null_is_told", null_is_told},
           {"terms_stand_on_word_borders", terms_stand_on_word_borders},
           {"the_longest_term_wins", the_longest_term_wins},
           {"targets_take_the_capitals_of_the_text", targets_take_the_capitals_of_the_text},
           {"both_cases_of_latin_greek_and_cyrillic_match",
            both_cases_of_latin_greek_and_cyrillic_match},
           {"expressions_are_kept", expressions_are_kept},
           {"an_expression_sees_zeros_and_no_byte_too_many",
            an_expression_sees_zeros_and_no_byte_too_many},
           {"many_terms_are_all_found", many_terms_are_all_found},
           {"sentences_for_measuring_use_all_terms", sentences_for_measuring_use_all_terms})
