/* Option structs of programs that were compiled with an older, this, or a newer header. */
#include "runtime/sized.h"

#include "runtime/sessions.h"

/* Three versions of a struct; the library of these facts is the second one. */
typedef struct {
    size_t size;
    double a;
} first;

typedef struct {
    size_t size;
    double a;
    const char *b;
} second;

typedef struct {
    size_t size;
    double a;
    const char *b;
    int c, d;
} third;

static const ramus_sized is = {"some_options", "SOME_DEFAULTS", sizeof(second), sizeof(first)};
static ramus_error err;

static void fields_that_both_sides_know_are_read(void)
{
    const second defaults = {sizeof defaults, 1, "b"};
    second got = defaults;
    REQUIRE_OK(ramus_sized_read(&got, &(first){sizeof(first), 7}, &is, &err), err);
    EXPECT(got.a > 6 && got.b == defaults.b, "an older program: %g, %s", got.a, got.b);
    got = defaults;
    REQUIRE_OK(ramus_sized_read(&got, &(second){sizeof(second), 8, "x"}, &is, &err), err);
    EXPECT(got.a > 7 && got.b[0] == 'x', "the same version: %g, %s", got.a, got.b);
    got = defaults;
    REQUIRE_OK(ramus_sized_read(&got, &(third){sizeof(third), 9, "y", 0, 0}, &is, &err), err);
    EXPECT(got.a > 8 && got.b[0] == 'y', "a newer program: %g, %s", got.a, got.b);
}

static void what_cannot_be_meant_gets_a_sentence(void)
{
    second got = {sizeof got, 1, "b"};
    const second before = got;
    EXPECT_FAILS(ramus_sized_read(&got, &(third){sizeof(third), 9, "y", 0, 1}, &is, &err), err,
                 "some_options sets a field at byte");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "a field that is not known");
    static const size_t sizes[] = {0, 1, sizeof(first) - 1, 5000, (size_t)-1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        EXPECT_FAILS(ramus_sized_read(&got, &(second){sizes[i], 9, "y"}, &is, &err), err,
                     "let it start as SOME_DEFAULTS");
    EXPECT_BYTES(&got, &before, sizeof got, "nothing is read then");
}

/* Structs of the public interface with more behind them. */
typedef struct {
    ramus_session_options known;
    long more;
} later_session;

typedef struct {
    ramus_translate_options known;
    long more;
} later_translate;

static void sessions_take_options_of_every_version(void)
{
    ramus_model *m = model_create((model_spec){"dense", "bpe-4k", NULL, false, 0, false});
    ramus_session *s = NULL;
    ramus_translation out[4];
    const ramus_session_options zero = {.batch = 2};
    EXPECT_FAILS(ramus_session_create(&s, m, &zero, &err), err, "RAMUS_SESSION_DEFAULTS");
    later_session session = {RAMUS_SESSION_DEFAULTS, 1};
    session.known.size = sizeof session;
    EXPECT_FAILS(ramus_session_create(&s, m, &session.known, &err), err, "knows");
    session.more = 0;
    session.known.beam = 3;
    REQUIRE_OK(ramus_session_create(&s, m, &session.known, &err), err);

    const ramus_translate_options none = {0};
    EXPECT_FAILS(ramus_translate(s, "yes", &none, out, &err), err, "RAMUS_TRANSLATE_DEFAULTS");
    later_translate how = {RAMUS_TRANSLATE_DEFAULTS, 1};
    how.known.size = sizeof how;
    EXPECT_FAILS(ramus_translate(s, "yes", &how.known, out, &err), err, "sets a field at byte");
    how.more = 0;
    how.known.n_best = 3;
    REQUIRE_OK(ramus_translate(s, "yes", &how.known, out, &err), err);
    how.known.n_best = 4;
    EXPECT_FAILS(ramus_translate(s, "yes", &how.known, out, &err), err,
                 "n_best is 4, expected 1 to 3");
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* NULL and the macro are one. */
static void the_macros_have_the_defaults(void)
{
    ramus_model *m = model_create((model_spec){"dmb", "bpe-4k", NULL, false, 0, false});
    const ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    const ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_buffer text[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        ramus_session *s = NULL;
        ramus_translation out;
        REQUIRE_OK(ramus_session_create(&s, m, k ? &options : NULL, &err), err);
        REQUIRE_OK(ramus_translate(s, "What is it?", k ? &how : NULL, &out, &err), err);
        describe(&text[k], &out);
        ramus_session_destroy(s);
    }
    EXPECT_TEXT(text[1].data, text[0].data);
    EXPECT(how.length_penalty > 0.59 && how.n_best == 1 && how.scores, "as the header says");
    ramus_buffer_free(&text[0]);
    ramus_buffer_free(&text[1]);
    ramus_model_close(m);
}

CHECK_MAIN({"fields_that_both_sides_know_are_read", fields_that_both_sides_know_are_read},
           {"what_cannot_be_meant_gets_a_sentence", what_cannot_be_meant_gets_a_sentence},
           {"sessions_take_options_of_every_version", sessions_take_options_of_every_version},
           {"the_macros_have_the_defaults", the_macros_have_the_defaults})
