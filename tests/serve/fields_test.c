/* Fields of requests. The truth is written beside each request. */
#include "serve/fields.h"

#include "check.h"

static ramus_error err;

/* "name=value" of all fields, with the letter of their type; lists in brackets. */
static char *described(const ramus_fields *f)
{
    static const char types[] = "tnsNFLO";
    static char out[4096];
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < f->n; i++) {
        const ramus_field *x = &f->items[i];
        const ramus_text value = ramus_field_text(f, x);
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s%c%s:%.*s", i ? " " : "",
                              (int)x->name.size, f->bytes.data + x->name.start, types[x->type],
                              x->listed ? "+" : "", (int)value.size, value.data);
    }
    return out;
}

static void json_gives_its_members(void)
{
    static const char *const cases[][2] = {
        {"{}", ""},
        {" {\"a\" : \"b\"} ", "at:b"},
        {"{\"a\": [\"b\", 1, null, {\"x\": [1]}], \"c\": true}",
         "aL: at+:b an+:1 aN+: aO+: cs:true"},
        {"{\"q\": [], \"n\": -1.5e3, \"o\": {\"q\": 1}}", "qL: nn:-1.5e3 oO:"},
        {"{\"\\u00e4\\n\": \"\\ud83d\\ude00\"}", "\xC3\xA4\nt:\xF0\x9F\x98\x80"},
        {"{\"\": \"\"}", "t:"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_fields f = {0};
        REQUIRE_OK(ramus_fields_json(&f, cases[i][0], strlen(cases[i][0]), &err), err);
        EXPECT_TEXT(described(&f), cases[i][1]);
        ramus_fields_free(&f);
    }
}

static void forms_are_decoded(void)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"a=b", "at:b"},
        {"a=b+c%20d%2B%zz%4", "at:b c d+%zz%4"},
        {"&&a&=b&a=c=d&", "at: t:b at:c=d"},
        {"text=Ja.&text=Nein.", "textt:Ja. textt:Nein."},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_fields f = {0};
        REQUIRE_OK(ramus_fields_form(&f, cases[i][0], strlen(cases[i][0]), &err), err);
        EXPECT_TEXT(described(&f), cases[i][1]);
        ramus_fields_free(&f);
    }
}

static void parts_of_forms_are_found(void)
{
    static const char type[] = "multipart/form-data; charset=x; boundary=\"a b\"";
    static const char body[] =
        "what comes first\r\n--a b  \r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nJa.\r\n"
        "--a b-\r\n\r\n--a b\r\nX: y\r\ncontent-disposition: form-data; name=file; "
        "filename=\"x;y.txt\"\r\n\r\n\r\n--a b--\r\nwhat comes last";
    ramus_fields f = {0};
    REQUIRE_OK(ramus_fields_multipart(&f, type, body, sizeof body - 1, &err), err);
    EXPECT_TEXT(described(&f), "qt:Ja.\r\n--a b-\r\n fileF:");
    EXPECT_TEXT(f.bytes.data + f.items[1].file.start, "x;y.txt");
    ramus_fields_free(&f);
}

/* Every beginning of a good request is an error, and none reads beyond it. */
static void what_is_cut_off_is_refused(void)
{
    static const char type[] = "multipart/form-data; boundary=b";
    static const char body[] =
        "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nJa.\r\n--b--";
    static const char json[] = "{\"a\": [\"b\", {\"c\": 1}], \"d\": null}";
    for (size_t n = 0; n < sizeof body - 1; n++) {
        ramus_fields f = {0};
        char *copy = malloc(n + 1);
        memcpy(copy, body, n);
        EXPECT_FAILS(ramus_fields_multipart(&f, type, copy, n, &err), err, "form");
        ramus_fields_free(&f);
        free(copy);
    }
    for (size_t n = 0; n < sizeof json - 1; n++) {
        ramus_fields f = {0};
        char *copy = malloc(n + 1);
        memcpy(copy, json, n);
        EXPECT_FAILS(ramus_fields_json(&f, copy, n, &err), err, "expected");
        ramus_fields_free(&f);
        free(copy);
    }
}

static void values_are_read_as_what_they_are(void)
{
    static const char json[] = "{\"n\": 7, \"s\": \"7\", \"big\": 1234567890, \"minus\": -1, "
                               "\"on\": true, \"zero\": \"a\\u0000b\", \"null\": null}";
    ramus_fields f = {0};
    int n = 0;
    REQUIRE_OK(ramus_fields_json(&f, json, sizeof json - 1, &err), err);
    EXPECT_INT(ramus_fields_whole(&f, "n", &n, &err), RAMUS_OK, "a number");
    EXPECT_INT(n, 7, "its value");
    EXPECT_FAILS(ramus_fields_whole(&f, "s", &n, &err), err, "whole number"); // as LibreTranslate
    EXPECT_FAILS(ramus_fields_whole(&f, "big", &n, &err), err, "whole number");
    EXPECT_FAILS(ramus_fields_whole(&f, "minus", &n, &err), err, "whole number");
    EXPECT_INT(ramus_fields_whole(&f, "none", &n, &err), RAMUS_NOT_FOUND, "no field");
    EXPECT_INT(ramus_fields_whole(&f, "null", &n, &err), RAMUS_NOT_FOUND, "null");
    EXPECT_INT(ramus_fields_switch(&f, "on", false), 1, "true");
    EXPECT_INT(ramus_fields_switch(&f, "none", true), 1, "the default");
    EXPECT_TEXT(ramus_fields_string(&f, "s"), "7");
    EXPECT(!ramus_fields_string(&f, "zero"), "a text with a zero is no string");
    EXPECT(!ramus_fields_string(&f, "n"), "a number is no string");
    ramus_fields_free(&f);
    REQUIRE_OK(ramus_fields_form(&f, "n=7&on=1", 8, &err), err);
    EXPECT_INT(ramus_fields_whole(&f, "n", &n, &err), RAMUS_OK, "digits of a form");
    EXPECT_INT(ramus_fields_switch(&f, "on", false), 1, "1");
    ramus_fields_free(&f);
}

CHECK_MAIN({"json_gives_its_members", json_gives_its_members},
           {"forms_are_decoded", forms_are_decoded},
           {"parts_of_forms_are_found", parts_of_forms_are_found},
           {"what_is_cut_off_is_refused", what_is_cut_off_is_refused},
           {"values_are_read_as_what_they_are", values_are_read_as_what_they_are})
