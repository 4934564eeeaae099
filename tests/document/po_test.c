/* Messages of gettext: which are blocks, and how translations are written. Truth: written out by
 * hand after the manual of gettext; the law of identity. With msgfmt installed, its check too. */
#include "identity.h"

static const char document[] = "# A header.\n"
                               "msgid \"\"\n"
                               "msgstr \"\"\n"
                               "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                               "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n"
                               "\n"
                               "#: a.c:1\n"
                               "msgid \"Save \\\"all\\\"\\t%s\"\n"
                               "msgstr \"\"\n"
                               "\n"
                               "msgctxt \"menu\"\n"
                               "msgid \"_Open\"\n"
                               "msgstr \"\"\n"
                               "\n"
                               "#, fuzzy\n"
                               "msgid \"done\"\n"
                               "msgstr \"fertig\"\n"
                               "\n"
                               "#, c-format\n"
                               "#| msgid \"old\"\n"
                               "msgid \"%d file\"\n"
                               "msgid_plural \"%d files\"\n"
                               "msgstr[0] \"\"\n"
                               "msgstr[1] \"\"\n"
                               "\n"
                               "msgid \"\"\n"
                               "\"\\n\"\n"
                               "\"  one line,\\n\"\n"
                               "\"  and \"\n"
                               "\"another\\n\"\n"
                               "msgstr \"\"\n"
                               "\n"
                               "msgid \"12\"\n"
                               "msgstr \"\"\n"
                               "\n"
                               "#~ msgid \"gone\"\n"
                               "#~ msgstr \"\"\n";

/* The document "translated" by capitals. */
static const char capitals[] = "# A header.\n"
                               "msgid \"\"\n"
                               "msgstr \"\"\n"
                               "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                               "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n"
                               "\n"
                               "#: a.c:1\n"
                               "msgid \"Save \\\"all\\\"\\t%s\"\n"
                               "msgstr \"SAVE \\\"ALL\\\"\\t%S\"\n"
                               "\n"
                               "msgctxt \"menu\"\n"
                               "msgid \"_Open\"\n"
                               "msgstr \"_OPEN\"\n"
                               "\n"
                               "#, fuzzy\n"
                               "msgid \"done\"\n"
                               "msgstr \"fertig\"\n"
                               "\n"
                               "#, c-format\n"
                               "#| msgid \"old\"\n"
                               "msgid \"%d file\"\n"
                               "msgid_plural \"%d files\"\n"
                               "msgstr[0] \"%D FILE\"\n"
                               "msgstr[1] \"%D FILES\"\n"
                               "\n"
                               "msgid \"\"\n"
                               "\"\\n\"\n"
                               "\"  one line,\\n\"\n"
                               "\"  and \"\n"
                               "\"another\\n\"\n"
                               "msgstr \"\"\n"
                               "\"\\n\"\n"
                               "\"  ONE LINE,\\n\"\n"
                               "\"  AND ANOTHER\\n\"\n"
                               "\n"
                               "msgid \"12\"\n"
                               "msgstr \"\"\n"
                               "\n"
                               "#~ msgid \"gone\"\n"
                               "#~ msgstr \"\"\n";

static void empty_messages_are_blocks(void)
{
    ramus_buffer blocks = {0}, copy = {0};
    read_document("po", NULL, document, strlen(document), 1, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(blocks.data, "Save \"all\"\t%s\nOpen\n%d file\n%d files\n"
                             "one line, {|\\n  }and another\n");
    EXPECT_TEXT(copy.data, capitals);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

/* Expects the text of the block of one message, and what is written for it in capitals. */
static void expect_message(const char *id, const char *text, const char *str)
{
    ramus_buffer in = {0}, want = {0}, blocks = {0}, copy = {0};
    ramus_buffer_print(&in, "msgid %s\nmsgstr \"\"\n", id);
    ramus_buffer_print(&want, "msgid %s\nmsgstr %s\n", id, str);
    ramus_buffer_text(&blocks, "");
    read_document("po", NULL, in.data, in.size, 99, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(blocks.data ? blocks.data : "", text);
    EXPECT_TEXT(copy.data, want.data);
    ramus_buffer_free(&in);
    ramus_buffer_free(&want);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void escapes_are_read_and_written(void)
{
    expect_message("\"a\\\\b \\303\\244 \\x41\\001\"", "a\\b \xC3\xA4 A\x01\n",
                   "\"A\\\\B \xC3\xA4 A\\001\"");
    expect_message("\" a\\n\"", "a\n", "\" A\\n\"");
    expect_message("\"a\\0b\"", "", "\"\""); // a zero byte
    expect_message("\"a\\qb\"", "", "\"\""); // no escape
    expect_message("\"a\" \"b\"", "ab\n", "\"AB\"");
    expect_message("\"a\" b", "", "\"\""); // no string
    expect_message("\"a", "", "\"\"");     // no end
    expect_message("\"a\"\r\n\"b\\nc\"", "ab {|\\n}c\n", "\"\"\r\n\"AB\\n\"\r\n\"C\"");
}

static void sentences_go_on_over_some_line_breaks(void)
{
    expect_message("\"Usage: a\\n  or: b\"", "Usage: a {|\\n  }or: b\n", "\"USAGE: A\\n  OR: B\"");
    expect_message("\"a\\n B\"", "a\n\n{|\\n }B\n", "\"A\\n B\"");
    expect_message("\"a\\n\\nb\"", "a\n\n{|\\n\\n}b\n", "\"A\\n\\nB\"");
    expect_message("\"a\\n\303\244\"", "a {|\\n}\xC3\xA4\n", "\"A\\n\xC3\xA4\"");
#define LONG     "this line is so long that it may have been wrapped"
#define CAPITALS "THIS LINE IS SO LONG THAT IT MAY HAVE BEEN WRAPPED"
    expect_message("\"" LONG "\\nB\"", LONG " {|\\n}B\n", "\"" CAPITALS "\\nB\"");
    expect_message("\"" LONG ".\\nB\"", LONG ".\n\n{|\\n}B\n", "\"" CAPITALS ".\\nB\"");
}

static void the_mark_of_a_key_stands_before_the_first_letter(void)
{
    expect_message("\"E_xit\"", "Exit\n", "\"_EXIT\"");
    expect_message("\"Save &as...\"", "Save as...\n", "\"&SAVE AS...\"");
    expect_message("\"\\\"_Open\\\"\\n\"", "\"Open\"\n", "\"\\\"_OPEN\\\"\\n\"");
    static const char *const none[] = {"AT&T",  "Q&A",     "a & b", "__init__",
                                       "&amp;", "my_file", "_%s_",  "_Open %s"};
    for (int i = 0; i < RAMUS_COUNT(none); i++) {
        char id[40], text[40], str[40];
        (void)snprintf(id, sizeof id, "\"%s\"", none[i]);
        (void)snprintf(text, sizeof text, "%s\n", none[i]);
        (void)snprintf(str, sizeof str, "\"%s\"", none[i]);
        for (char *c = str; *c; c++)
            if (*c >= 'a' && *c <= 'z') *c -= 32;
        expect_message(id, text, str);
    }
}

static void other_charsets_are_refused(void)
{
    static const char old[] = "msgid \"\"\nmsgstr \"\"\n"
                              "\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n";
    ramus_document *d = NULL;
    ramus_error err = {0};
    EXPECT_FAILS(ramus_document_open(&d, ramus_format_find("po"), old, strlen(old), NULL, &err),
                 err, "found messages in ISO-8859-1, expected UTF-8: msgconv -t UTF-8");
    EXPECT(!d, "it is not open");
}

static void documents_stay_the_same(void)
{
    const int all = (int)sizeof document + 2000;
    EXPECT(expect_identity_of_many("po", NULL, document, strlen(document)) > all - 100, "refused");
}

static void long_messages_stay_without_a_translation(void)
{
    ramus_buffer b = {0}, blocks = {0}, copy = {0};
    ramus_buffer_text(&b, "msgid \"");
    for (int i = 0; i < RAMUS_BLOCK_BYTES; i++)
        ramus_buffer_text(&b, i % 2 ? " " : "a");
    ramus_buffer_text(&b, "\"\nmsgstr \"\"\n");
    read_document("po", NULL, b.data, b.size, 99, IN_CAPITALS, &blocks, &copy);
    EXPECT_INT(blocks.size, 0, "blocks");
    EXPECT_TEXT(copy.data, b.data);
    ramus_buffer_free(&b);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

/* The check of gettext itself; left out where it is not installed. */
static void msgfmt_accepts_what_is_written(void)
{
    ramus_buffer blocks = {0}, copy = {0};
    if (system("command -v msgfmt >/dev/null") != 0) return;
    read_document("po", NULL, document, strlen(document), 99, AS_ITSELF, &blocks, &copy);
    FILE *f = popen("msgfmt -c -o /dev/null - 2>/dev/null", "w");
    EXPECT(f != NULL, "no pipe");
    if (!f) return;
    fwrite(copy.data, 1, copy.size, f);
    const int code = pclose(f);
    EXPECT_INT(code, 0, "msgfmt -c");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

CHECK_MAIN({"empty_messages_are_blocks", empty_messages_are_blocks},
           {"escapes_are_read_and_written", escapes_are_read_and_written},
           {"sentences_go_on_over_some_line_breaks", sentences_go_on_over_some_line_breaks},
           {"the_mark_of_a_key_stands_before_the_first_letter",
            the_mark_of_a_key_stands_before_the_first_letter},
           {"other_charsets_are_refused", other_charsets_are_refused},
           {"documents_stay_the_same", documents_stay_the_same},
           {"long_messages_stay_without_a_translation", long_messages_stay_without_a_translation},
           {"msgfmt_accepts_what_is_written", msgfmt_accepts_what_is_written})
