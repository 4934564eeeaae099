/* What is no text is refused with its kind; text of any language is not. The beginnings of files
 * are written by hand, after the formats' descriptions. */
#include "data/text_check.h"

#include "check.h"

#include <stdbool.h>

/* Checks bytes given as a literal, whose final zero does not count. */
#define REFUSED(bytes, part)                                                                       \
    do {                                                                                           \
        ramus_error err = {0};                                                                     \
        EXPECT_FAILS(ramus_text_check("x", bytes, sizeof(bytes) - 1, &err), err, part);            \
    } while (0)
#define TAKEN(bytes)                                                                               \
    do {                                                                                           \
        ramus_error err = {0};                                                                     \
        REQUIRE_OK(ramus_text_check("x", bytes, sizeof(bytes) - 1, &err), err);                    \
    } while (0)

static void other_kinds_are_named(void)
{
    REFUSED("\xFF\xFE"
            "a\0b\0",
            "x: is text in UTF-16, expected text in UTF-8");
    REFUSED("\xFF\xFE"
            "a\0b\0",
            "iconv -f UTF-16 -t UTF-8");
    REFUSED("\xFE\xFF\0a\0b", "UTF-16");
    REFUSED("\xFF\xFE\0\0a\0\0\0", "UTF-32");
    REFUSED("\0\0\xFE\xFF\0\0\0a", "UTF-32");
    REFUSED("BZh91AY&SY\x01\x02", "packed with bzip2, expected text in UTF-8");
    REFUSED("\x28\xB5\x2F\xFD\x24", "unzstd");
    REFUSED("7z\xBC\xAF\x27\x1C", "7z archive");
    REFUSED("PK\x03\x04\x14", "zip archive, as .docx");
    REFUSED("%PDF-1.7\n", "pdftotext");
    REFUSED("\x7F"
            "ELF\x02",
            "a program");
}

static void zero_bytes_tell_utf_16_and_binary_files(void)
{
    REFUSED("a\0b\0c\0\n\0", "is text in UTF-16");     // without a mark, the low byte first
    REFUSED("\0a\0b\0c\0\n", "is text in UTF-16");     // and the high byte first
    REFUSED("\0M\x00\xFC\0l\0l", "is text in UTF-16"); // a letter of Latin-1
    REFUSED("abc\0def", "binary: it has zero bytes");
    REFUSED("GGUF\x03\0\0\0\x10\0\0\0", "binary");
    REFUSED("\0", "x: is ");
}

static void text_is_taken(void)
{
    TAKEN("");
    TAKEN("a");
    TAKEN("\xEF\xBB\xBF"
          "a byte order mark in UTF-8\n");
    TAKEN("BZh is no word, %PDF is none either, PK\n");
    TAKEN("%PDF");
    TAKEN("Gr\xFC\xDF"
          "e in Latin-1\n"); // bad for every line, but lines are told one by one
    TAKEN("\xFF alone\n");
    TAKEN("\xE4\xBB\x8A\xE5\xA4\xA9\n");
    TAKEN("\x1B[1mcolours\x1B[0m\n");
}

static void the_first_4_kb_count(void)
{
    static char text[8192];
    ramus_error err = {0};
    memset(text, 'a', sizeof text);
    text[4096] = '\0';
    REQUIRE_OK(ramus_text_check("x", text, sizeof text, &err), err);
    text[4095] = '\0';
    EXPECT_FAILS(ramus_text_check("x", text, sizeof text, &err), err, "binary");
}

static void a_long_name_leaves_room_for_the_sentence(void)
{
    char name[2000];
    ramus_error err = {0};
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    EXPECT_FAILS(ramus_text_check(name, "%PDF-", 5, &err), err, "pdftotext");
}

CHECK_MAIN({"other_kinds_are_named", other_kinds_are_named},
           {"zero_bytes_tell_utf_16_and_binary_files", zero_bytes_tell_utf_16_and_binary_files},
           {"text_is_taken", text_is_taken}, {"the_first_4_kb_count", the_first_4_kb_count},
           {"a_long_name_leaves_room_for_the_sentence", a_long_name_leaves_room_for_the_sentence})
