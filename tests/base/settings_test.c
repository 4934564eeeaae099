/* One small table of every type of setting is filled, printed, parsed back and given wrong values;
 * each refusal must say what was expected. */
#include "base/settings.h"

#include "check.h"

typedef struct {
    int size;
    double rate;
    bool loud;
    int colour;
    const char *name;
    ramus_numbers sizes;
} things;

static const char *const colours[] = {"red", "green", NULL};

static void green_is_big(void *target)
{
    things *t = target;
    t->size = t->colour == 1 ? 50 : 5;
}

static const ramus_setting rows[] = {
    {"size-of-it", RAMUS_SETTING_INT, offsetof(things, size), "how big", NULL, 1, 100, NULL, NULL},
    {"rate", RAMUS_SETTING_REAL, offsetof(things, rate), "how fast", "0.1", 0, 1, NULL, NULL},
    {"loud", RAMUS_SETTING_SWITCH, offsetof(things, loud), "how loud", "on", 0, 0, NULL, NULL},
    {"colour", RAMUS_SETTING_CHOICE, offsetof(things, colour), "which", "green", 0, 0, colours,
     green_is_big},
    {"name", RAMUS_SETTING_TEXT, offsetof(things, name), "who", NULL, 0, 0, NULL, NULL},
    {"sizes", RAMUS_SETTING_NUMBERS, offsetof(things, sizes), "of each", "3", 1, 9, NULL, NULL},
};

static void fields_take_defaults_values_and_refuse_others(void)
{
    things t = {0};
    const ramus_settings s = {rows, RAMUS_COUNT(rows), &t};
    ramus_error err = {0};
    ramus_settings_default(&s);
    EXPECT(t.size == 50 && t.rate == 0.1 && t.loud && t.colour == 1, "defaults, preset first");

    const ramus_setting *size = ramus_setting_find(&s, "size_of_it");
    EXPECT(size == &rows[0] && ramus_setting_find(&s, "size-of-it") == size, "both spellings");
    EXPECT(!ramus_setting_find(&s, "size") && !ramus_setting_find(&s, "size-of-its"),
           "no prefixes");
    REQUIRE_OK(ramus_setting_set(&s, size, "7", &err), err);
    EXPECT_INT(t.size, 7, "size");
    EXPECT_FAILS(ramus_setting_set(&s, size, "7.5", &err), err,
                 "size-of-it is '7.5', expected a whole");
    EXPECT_FAILS(ramus_setting_set(&s, size, "", &err), err, "expected a whole number");
    EXPECT_FAILS(ramus_setting_set(&s, size, "7x", &err), err, "expected a whole number");
    EXPECT_FAILS(ramus_setting_set(&s, size, "0", &err), err, "expected 1 to 100");
    EXPECT_FAILS(ramus_setting_set(&s, size, "1e99", &err), err, "expected 1 to 100");
    EXPECT_FAILS(ramus_setting_set(&s, &rows[1], "nan", &err), err, "expected a number");
    EXPECT_FAILS(ramus_setting_set(&s, &rows[2], "yes", &err), err, "expected on or off");
    EXPECT_FAILS(ramus_setting_set(&s, &rows[3], "blue", &err), err, "one of red, green");
    EXPECT(t.size == 7 && t.rate == 0.1 && t.loud && t.colour == 1, "nothing changed by failures");
}

static void expect_numbers(const ramus_settings *s, const char *text, int n, const int *want)
{
    ramus_error err = {0};
    const things *t = s->target;
    REQUIRE_OK(ramus_setting_set(s, ramus_setting_find(s, "sizes"), text, &err), err);
    EXPECT_INT(t->sizes.n, n, text);
    for (int i = 0; i < n; i++)
        EXPECT_INT(t->sizes.items[i], want[i], text);
}

static void numbers_stand_between_commas(void)
{
    static const char *const wrong[][2] = {{"", "is '', expected a whole number"},
                                           {"4,", "is '4,', expected a whole number"},
                                           {",4", "expected a whole number"},
                                           {"4,,5", "expected a whole number"},
                                           {"4 5", "expected a whole number"},
                                           {"4.5", "several with commas between them"},
                                           {"4,x", "expected a whole number"},
                                           {"4,10", "sizes is 4,10, expected 1 to 9"},
                                           {"0", "sizes is 0, expected 1 to 9"},
                                           {"99999999999999999999", "expected a whole number"}};
    things t = {0};
    const ramus_settings s = {rows, RAMUS_COUNT(rows), &t};
    ramus_error err = {0};
    char many[2 * RAMUS_MAX_NUMBERS + 2] = "";
    ramus_settings_default(&s);
    expect_numbers(&s, "3", 1, (const int[]){3});
    expect_numbers(&s, "9,1,4", 3, (const int[]){9, 1, 4});
    EXPECT_INT(ramus_numbers_at(&t.sizes, 1), 1, "the second");
    EXPECT_INT(ramus_numbers_at(&t.sizes, 7), 4, "the last one for all that follow");
    EXPECT_INT(ramus_numbers_at(&(ramus_numbers){0}, 0), 0, "none");
    for (int i = 0; i < RAMUS_COUNT(wrong); i++)
        EXPECT_FAILS(ramus_setting_set(&s, ramus_setting_find(&s, "sizes"), wrong[i][0], &err), err,
                     wrong[i][1]);
    for (int i = 0; i <= RAMUS_MAX_NUMBERS; i++)
        memcpy(many + 2 * i, "5,", 2);
    many[2 * RAMUS_MAX_NUMBERS + 1] = '\0';
    EXPECT_FAILS(ramus_setting_set(&s, ramus_setting_find(&s, "sizes"), many, &err), err,
                 "more than 200 numbers");
    EXPECT(t.sizes.n == 3 && t.sizes.items[0] == 9, "nothing changed by failures");
}

static void fields_print_as_typed_and_help_lists_all(void)
{
    things t = {7, 1.0 / 3, false, 0, "x", {3, {4, 9, 1}}};
    const ramus_settings s = {rows, RAMUS_COUNT(rows), &t};
    ramus_buffer out = {0};
    for (int i = 0; i < s.n; i++) {
        ramus_setting_key(&rows[i], &out);
        ramus_buffer_text(&out, "=");
        ramus_setting_print(&s, &rows[i], &out);
        ramus_buffer_text(&out, " ");
    }
    EXPECT_TEXT(out.data,
                "size_of_it=7 rate=0.3333333333333333 loud=off colour=red name=x sizes=4,9,1 ");
    ramus_buffer_clear(&out);
    ramus_settings_help(&s, 120, &out);
    EXPECT(strstr(out.data, "  --size-of-it N                    how big\n"), "%s", out.data);
    EXPECT(strstr(out.data, "--colour red|green"), "%s", out.data);
    EXPECT(strstr(out.data, "--sizes N,... "), "%s", out.data);
    EXPECT(strstr(out.data, "how fast (default 0.1)\n"), "%s", out.data);
    ramus_buffer_free(&out);
}

static void expect_width(const char *text, size_t width)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        EXPECT(strcspn(line, "\n") <= width, "%zu columns: %.*s", width, (int)strcspn(line, "\n"),
               line);
}

static void help_fits_the_terminal(void)
{
    static const ramus_setting row = {
        "weight",
        RAMUS_SETTING_REAL,
        offsetof(things, rate),
        "how much of it, seen as a part of all that there is and was and may yet come to be",
        "0.5",
        0,
        1,
        NULL,
        NULL};
    things t = {0};
    const ramus_settings s = {&row, 1, &t};
    for (int width = 40; width <= 120; width++) {
        ramus_buffer out = {0};
        ramus_settings_help(&s, width, &out);
        expect_width(out.data, (size_t)width);
        ramus_buffer joined = {0};
        for (const char *c = out.data; *c; c++) // any white space is one space
            if (!strchr(" \n", *c) || (joined.size && joined.data[joined.size - 1] != ' '))
                ramus_buffer_add(&joined, *c == '\n' ? " " : c, 1);
        EXPECT_TEXT(joined.data, "--weight X how much of it, seen as a part of all that there is "
                                 "and was and may yet come to be (default 0.5) ");
        ramus_buffer_free(&joined);
        ramus_buffer_free(&out);
    }
    ramus_buffer out = {0};
    ramus_buffer_text(&out, "first\nUsage: ");
    ramus_buffer_wrap(&out, "one two extraordinary", 4, 12);
    EXPECT_TEXT(out.data, "first\nUsage: one\n    two\n    extraordinary");
    ramus_buffer_free(&out);
}

static void nearest_word_is_near(void)
{
    static const char *const words[] = {"width", "filter", "heads", "routing"};
    EXPECT_TEXT(ramus_nearest_word("witdh", words, 4), "width");
    EXPECT_TEXT(ramus_nearest_word("routin", words, 4), "routing");
    EXPECT(!ramus_nearest_word("zzzzzz", words, 4), "nothing near");
    EXPECT_TEXT(ramus_nearest_word("kind-of-routing", words, 4), "routing");
    EXPECT(!ramus_nearest_word("kindofarouting", words, 4), "a part, not an end");
}

static void buffer_writes_json_strings(void)
{
    ramus_buffer b = {0};
    ramus_error err = {0};
    const char text[] = "a\"\\\n\x01\xC3\xA4\xFF\0z";
    ramus_buffer_json(&b, text, sizeof text - 1);
    EXPECT_TEXT(b.data, "\"a\\\"\\\\\\n\\u0001\xC3\xA4\xEF\xBF\xBD\\u0000z\"");
    ramus_buffer_clear(&b);
    for (int i = 0; i < 1000; i++)
        ramus_buffer_print(&b, "%d,", i);
    EXPECT_INT(b.size, 3890, "size");
    REQUIRE_OK(ramus_buffer_check(&b, &err), err);
    ramus_buffer_free(&b);
}

CHECK_MAIN({"fields_take_defaults_values_and_refuse_others",
            fields_take_defaults_values_and_refuse_others},
           {"numbers_stand_between_commas", numbers_stand_between_commas},
           {"fields_print_as_typed_and_help_lists_all", fields_print_as_typed_and_help_lists_all},
           {"help_fits_the_terminal", help_fits_the_terminal},
           {"nearest_word_is_near", nearest_word_is_near},
           {"buffer_writes_json_strings", buffer_writes_json_strings})
