/* Strings of JSON: which are blocks, how they are escaped, what is refused. Truth: written out by
 * hand after RFC 8259; the law of identity. */
#include "identity.h"

static const char document[] = "{\n  \"title\": \"A \\\"big\\\" dog\",\n"
                               "  \"list\": [\"one\", 2, true, null, {\"a\": \" b\\u00e4r\\n \"}, "
                               "[], {}],\n"
                               "  \"smile\": \"so \\uD83D\\uDE00 \\/ \\\\ \\u0001\",\n"
                               "  \"zero\": \"a\\u0000b\", \"\": \"\",\n"
                               "  \"lines\": \"one\\n\\n two\\r\\nthree\\t4\", \"n\": -1.5e+3\n}\n";

static void values_are_blocks(void)
{
    ramus_buffer blocks = {0}, copy = {0};
    read_document("json", NULL, document, strlen(document), 1, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(blocks.data, "A \"big\" dog\none\nb\xC3\xA4r\nso \xF0\x9F\x98\x80 / \\ \x01\n"
                             "one\n\n{|\\n\\n }two {|\\r\\n}three\t4\n");
    EXPECT_TEXT(copy.data, "{\n  \"title\": \"A \\\"BIG\\\" DOG\",\n"
                           "  \"list\": [\"ONE\", 2, true, null, {\"a\": \" B\xC3\xA4R\\n \"}, "
                           "[], {}],\n"
                           "  \"smile\": \"SO \xF0\x9F\x98\x80 / \\\\ \\u0001\",\n"
                           "  \"zero\": \"a\\u0000b\", \"\": \"\",\n"
                           "  \"lines\": \"ONE\\n\\n TWO\\r\\nTHREE\\t4\", \"n\": -1.5e+3\n}\n");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void several_documents_are_read(void)
{
    static const char in[] = "\xEF\xBB\xBF{\"a\":\"b\"}\n\n[\"c\"] \"d\"\n1 null  ";
    ramus_buffer blocks = {0}, copy = {0};
    read_document("json", NULL, in, strlen(in), 9, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(blocks.data, "b\nc\nd\n");
    EXPECT_TEXT(copy.data, "\xEF\xBB\xBF{\"a\":\"B\"}\n\n[\"C\"] \"D\"\n1 null  ");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void a_string_alone_is_a_document(void)
{
    ramus_buffer blocks = {0}, copy = {0};
    read_document("json", NULL, "\"a\"", 3, 9, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(blocks.data ? blocks.data : "", "a\n");
    EXPECT_TEXT(copy.data, "\"A\"");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void what_is_no_json_is_refused(void)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{\"a\": \"b\",\n \"c\" 1}", "not JSON in line 2, column 6: byte 16: found '1'"},
        {"[\"a\",]", "line 1, column 6"},
        {"[\"a\"", "found the end"},
        {"\"a\nb\"", "line 1, column 3"},
        {"{\"a\": \"\\ud800\"}", "half a surrogate pair"},
        {"\"\xFF\"", "expected UTF-8"},
        {"no", "true, false or null"},
        {"]", "expected a value"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_document *d = NULL;
        ramus_error err = {0};
        EXPECT_FAILS(ramus_document_open(&d, ramus_format_find("json"), cases[i].text,
                                         strlen(cases[i].text), NULL, &err),
                     err, cases[i].part);
    }
}

static void documents_stay_the_same(void)
{
    const int passed = expect_identity_of_many("json", NULL, document, strlen(document));
    EXPECT(passed > 200, "%d", passed);
}

static void long_strings_come_in_parts(void)
{
    static const char *const pieces[] = {
        "word ", "word", "\\\"", "\xC3\xA4", "a\\\\", "\\u00e4", "\\uD83D\\uDE00a", "\\n", "a\\t"};
    for (int i = 0; i < RAMUS_COUNT(pieces); i++) {
        ramus_buffer b = {0}, blocks = {0}, copy = {0}, again = {0}, same = {0};
        ramus_buffer_text(&b, "[1, \"x");
        while (b.size < 4 * RAMUS_BLOCK_BYTES)
            ramus_buffer_text(&b, pieces[i]);
        ramus_buffer_text(&b, "y\", \"end\"]\n");
        EXPECT(expect_identity("json", NULL, b.data, b.size), "refused");
        read_document("json", NULL, b.data, b.size, 1, AS_ITSELF, &blocks, &copy);
        EXPECT(blocks.size > 0 && strstr(blocks.data, "\nend\n"), "no blocks");
        EXPECT(expect_identity("json", NULL, copy.data, copy.size), "what was written is refused");
        read_document("json", NULL, copy.data, copy.size, 1, AS_ITSELF, &again, &same);
        EXPECT(same.size == copy.size && memcmp(same.data, copy.data, copy.size) == 0,
               "written again: %s", pieces[i]);
        ramus_buffer_free(&b);
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&copy);
        ramus_buffer_free(&again);
        ramus_buffer_free(&same);
    }
}

static void depth_is_bounded(void)
{
    static char deep[2 * 4097];
    const int levels[] = {64, 4096, 4097};
    for (int i = 0; i < RAMUS_COUNT(levels); i++) {
        const size_t n = (size_t)levels[i];
        memset(deep, '[', n);
        memset(deep + n, ']', n);
        EXPECT_INT(expect_identity("json", NULL, deep, 2 * n), n <= 4096, "levels");
    }
}

CHECK_MAIN({"values_are_blocks", values_are_blocks},
           {"several_documents_are_read", several_documents_are_read},
           {"a_string_alone_is_a_document", a_string_alone_is_a_document},
           {"what_is_no_json_is_refused", what_is_no_json_is_refused},
           {"documents_stay_the_same", documents_stay_the_same},
           {"long_strings_come_in_parts", long_strings_come_in_parts},
           {"depth_is_bounded", depth_is_bounded})
