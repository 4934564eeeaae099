/* Every kind of value of RFC 8259 is passed on as it stands; everything else is refused at the byte
 * where it goes wrong. */
#include "base/json.h"

#include "check.h"

/* Most facts are about a whole text: it is one value with nothing behind it, or it is not. */
static ramus_status check_text(const char *text, size_t size, ramus_error *err)
{
    char *copy = malloc(size ? size : 1); // of this size, so that asan sees a read behind it
    ramus_json j;
    RAMUS_ASSERT(copy);
    memcpy(copy, text, size);
    ramus_json_init(&j, copy, 0, size);
    ramus_status st = ramus_json_skip(&j, err);
    if (!st) st = ramus_json_end(&j, err);
    free(copy);
    return st;
}

static void every_kind_of_value_is_passed(void)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "\"\"",
        "0",
        "-0",
        "-12.5e+3",
        "1E9",
        "0.0",
        "true",
        "false",
        "null",
        " \t\r\n[ 1 , [ ] , { } , \"a\" , null , { \"a\" : { \"b\" : [ 1 ] } } ] \n ",
        "{\"\":0,\"\":1}", // keys may repeat in JSON itself; whoever minds must check
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDE00\"",
        "\"\x7F \xC3\xA4 \xF0\x9F\x98\x80\""};
    for (int i = 0; i < RAMUS_COUNT(texts); i++) {
        ramus_error err = {0};
        EXPECT(check_text(texts[i], strlen(texts[i]), &err) == RAMUS_OK, "%s: %s", texts[i],
               err.message);
    }
}

static void everything_else_is_refused_at_its_byte(void)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"", "byte 0: found the end, expected a value"},
        {" ", "byte 1: found the end, expected a value"},
        {"\xEF\xBB\xBF{}", "byte 0: found 0xEF, expected a value"},
        {"{} x", "byte 3: found 'x', expected the end"},
        {"[1", "byte 2: found the end, expected ',' or ']'"},
        {"[1,]", "byte 3: found ']', expected a value"},
        {"[,1]", "byte 1: found ',', expected a value"},
        {"[1 2]", "byte 3: found '2', expected ',' or ']'"},
        {"[1}", "byte 2: found '}', expected ',' or ']'"},
        {"{", "byte 1: found the end, expected '\"'"},
        {"{1:2}", "byte 1: found '1', expected '\"'"},
        {"{\"a\"}", "byte 4: found '}', expected ':'"},
        {"{\"a\":}", "byte 5: found '}', expected a value"},
        {"{\"a\":1,}", "byte 7: found '}', expected '\"'"},
        {"{\"a\":1 \"b\":2}", "byte 7: found '\"', expected ',' or '}'"},
        {"{\"a\":1]", "byte 6: found ']', expected ',' or '}'"},
        {"01", "byte 1: found '1', expected the end"},
        {"-", "byte 1: found the end, expected a digit"},
        {"+1", "byte 0: found '+', expected a value"},
        {".5", "byte 0: found '.', expected a value"},
        {"1.", "byte 2: found the end, expected a digit"},
        {"1e", "byte 2: found the end, expected a digit"},
        {"1e+x", "byte 3: found 'x', expected a digit"},
        {"0x10", "byte 1: found 'x', expected the end"},
        {"NaN", "byte 0: found 'N', expected a value"},
        {"nul", "byte 3: found the end, expected true, false or null"},
        {"trUe", "byte 2: found 'U', expected true, false or null"},
        {"truefalse", "byte 4: found 'f', expected the end"},
        {"'a'", "byte 0: found ''', expected a value"},
        {"\"a", "byte 2: found the end, expected the rest of a string"},
        {"\"a\\\"", "byte 4: found the end, expected the rest of a string"},
        {"\"a\nb\"", "byte 2: found 0x0A, expected the rest of a string"},
        {"\"a\\x\"", "byte 3: found 'x', expected one of"},
        {"\"\\", "byte 2: found the end, expected one of"},
        {"\"\\u12G4\"", "byte 5: found 'G', expected a hexadecimal digit"},
        {"\"\\u123", "byte 6: found the end, expected a hexadecimal digit"},
        {"\"\\uD83D\"", "byte 3: found half a surrogate pair (U+D83D)"},
        {"\"\\uD83D\\n\"", "byte 3: found half a surrogate pair (U+D83D)"},
        {"\"\\uD83D\\u0041\"", "byte 3: found half a surrogate pair (U+D83D)"},
        {"\"\\uD83D\\uD83D\"", "byte 3: found half a surrogate pair (U+D83D)"},
        {"\"\\uDE00\"", "byte 3: found half a surrogate pair (U+DE00)"},
        {"\"a\xFF\"", "byte 2: found 0xFF, expected UTF-8"},
        {"\"\xC0\xAF\"", "byte 1: found 0xC0, expected UTF-8"},
        {"\"\xED\xA0\x80\"", "byte 1: found 0xED, expected UTF-8"},
        {"\"\xE2\x82", "byte 1: found 0xE2, expected UTF-8"},
        {"/* */ 1", "byte 0: found '/', expected a value"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        ramus_error err = {0};
        EXPECT_FAILS(check_text(rows[i].text, strlen(rows[i].text), &err), err, rows[i].sentence);
    }
    ramus_error err = {0};
    EXPECT_FAILS(check_text("\"a\0b\"", 5, &err), err, "byte 2: found 0x00");
    EXPECT_FAILS(check_text("1\0", 2, &err), err, "byte 1: found 0x00, expected the end");
}

static void strings_become_utf8(void)
{
    static const struct {
        const char *text, *want;
        size_t size;
    } rows[] = {
        {"\"\"", "", 0},
        {" \"a b\"", "a b", 3},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t.\"", "\"\\/\b\f\n\r\t.", 9},
        {"\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"", "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 10},
        {"\"\\uD800\\uDC00\\uDBFF\\uDFFF\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8},
        {"\"a\\u0000b\"", "a\0b", 3},
        {"\"\xC3\xA4\xF0\x9F\x98\x80\"", "\xC3\xA4\xF0\x9F\x98\x80", 6},
    };
    ramus_buffer out = {0};
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        ramus_error err = {0};
        ramus_json j;
        ramus_json_init(&j, rows[i].text, 0, strlen(rows[i].text));
        REQUIRE_OK(ramus_json_string(&j, &out, &err), err);
        EXPECT_INT(out.size, rows[i].size, rows[i].text);
        EXPECT_BYTES(out.data, rows[i].want, rows[i].size + 1, "%s", rows[i].text);
        REQUIRE_OK(ramus_json_end(&j, &err), err);
    }
    ramus_buffer_free(&out);
}

static ramus_status read_whole(const char *text, int64_t *out, ramus_error *err)
{
    ramus_json j;
    ramus_json_init(&j, text, 0, strlen(text));
    return ramus_json_whole(&j, out, err);
}

static void whole_numbers_are_exact_or_refused(void)
{
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = {{"0", 0},
                {"-0", 0},
                {" 42 ", 42},
                {"-7", -7},
                {"9007199254740993", 9007199254740993}, // 2^53 + 1: a double cannot hold it
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775807", -INT64_MAX}};
    ramus_error err = {0};
    int64_t got = 0;
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        REQUIRE_OK(read_whole(rows[i].text, &got, &err), err);
        EXPECT_INT(got, rows[i].want, rows[i].text);
    }
    got = 5;
    EXPECT_FAILS(read_whole("9223372036854775808", &got, &err), err,
                 "byte 0: found 9223372036854775808, expected a whole number below 2^63");
    EXPECT_FAILS(read_whole("99999999999999999999999", &got, &err), err, "expected a whole number");
    EXPECT_FAILS(read_whole("1.0", &got, &err), err, "found 1.0, expected a whole number");
    EXPECT_FAILS(read_whole("1e3", &got, &err), err, "found 1e3, expected a whole number");
    EXPECT_FAILS(read_whole("\"1\"", &got, &err), err, "found '\"', expected a number");
    EXPECT_INT(got, 5, "untouched by failures");
}

/* A walk as a caller does it, over part of a larger text. */
static void values_are_pulled_in_order(void)
{
    static const char text[] = "....{\"rate\": -1.5e2, \"on\": true, \"list\": [[], 3, \"x\"], "
                               "\"no\": null}  ,";
    static const char *const keys[] = {"rate", "on", "list", "no"};
    ramus_error err = {0};
    ramus_buffer word = {0};
    ramus_json j;
    bool more = false, on = false;
    int64_t three = 0;
    ramus_json_init(&j, text, 4, sizeof text - 2);
    EXPECT_INT(ramus_json_peek(&j), RAMUS_JSON_OBJECT, "type");
    REQUIRE_OK(ramus_json_enter(&j, RAMUS_JSON_OBJECT, &err), err);
    for (int i = 0; i < 4; i++) {
        REQUIRE_OK(ramus_json_member(&j, &more, &word, &err), err);
        EXPECT(more, "member %d", i);
        EXPECT_TEXT(word.data, keys[i]);
        if (i == 0) {
            REQUIRE_OK(ramus_json_number(&j, &word, &err), err);
            EXPECT_TEXT(word.data, "-1.5e2");
        } else if (i == 1) {
            REQUIRE_OK(ramus_json_bool(&j, &on, &err), err);
            EXPECT(on, "true");
        } else if (i == 2) {
            REQUIRE_OK(ramus_json_enter(&j, RAMUS_JSON_ARRAY, &err), err);
            REQUIRE_OK(ramus_json_element(&j, &more, &err), err);
            REQUIRE_OK(ramus_json_skip(&j, &err), err);
            REQUIRE_OK(ramus_json_element(&j, &more, &err), err);
            REQUIRE_OK(ramus_json_whole(&j, &three, &err), err);
            REQUIRE_OK(ramus_json_element(&j, &more, &err), err);
            REQUIRE_OK(ramus_json_string(&j, &word, &err), err);
            EXPECT(more && three == 3, "elements");
            EXPECT_TEXT(word.data, "x");
            REQUIRE_OK(ramus_json_element(&j, &more, &err), err);
            EXPECT(!more, "end of the array");
        } else {
            EXPECT_INT(ramus_json_peek(&j), RAMUS_JSON_NULL, "type");
            REQUIRE_OK(ramus_json_skip(&j, &err), err);
        }
    }
    REQUIRE_OK(ramus_json_member(&j, &more, &word, &err), err);
    EXPECT(!more, "end of the object");
    REQUIRE_OK(ramus_json_end(&j, &err), err);
    ramus_buffer_free(&word);
}

static ramus_json at_an_array(void)
{
    ramus_json j;
    ramus_json_init(&j, "..[1]", 2, 5);
    return j;
}

static void other_types_than_asked_are_refused(void)
{
    ramus_error err = {0};
    ramus_json j = at_an_array();
    bool flag = false;
    EXPECT_FAILS(ramus_json_enter(&j, RAMUS_JSON_OBJECT, &err), err,
                 "byte 2: found '[', expected '{'");
    j = at_an_array();
    EXPECT_FAILS(ramus_json_string(&j, NULL, &err), err, "byte 2: found '[', expected '\"'");
    j = at_an_array();
    EXPECT_FAILS(ramus_json_bool(&j, &flag, &err), err, "found '[', expected true or false");
    j = at_an_array();
    EXPECT_FAILS(ramus_json_number(&j, NULL, &err), err, "found '[', expected a number");
    j = at_an_array();
    EXPECT(ramus_json_end(&j, NULL) == RAMUS_BAD_FORMAT, "an error may be NULL");
}

static void depth_is_limited(void)
{
    char text[200000];
    ramus_error err = {0};
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    REQUIRE_OK(check_text(text, 128, &err), err);
    memset(text, '[', sizeof text);
    EXPECT_FAILS(check_text(text, sizeof text, &err), err, "byte 64: more than 64 levels deep");
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "{\"\":"[i % 4];
    EXPECT_FAILS(check_text(text, sizeof text, &err), err, "byte 256: more than 64 levels deep");
}

CHECK_MAIN({"every_kind_of_value_is_passed", every_kind_of_value_is_passed},
           {"everything_else_is_refused_at_its_byte", everything_else_is_refused_at_its_byte},
           {"strings_become_utf8", strings_become_utf8},
           {"whole_numbers_are_exact_or_refused", whole_numbers_are_exact_or_refused},
           {"values_are_pulled_in_order", values_are_pulled_in_order},
           {"other_types_than_asked_are_refused", other_types_than_asked_are_refused},
           {"depth_is_limited", depth_is_limited})
