/* The table of formats, and what all documents have in common. Truth: written out by hand. */
#include "documents.h"

static void names_and_extensions_find_rows(void)
{
    int n = 0;
    const ramus_format *const *rows = ramus_formats(&n);
    EXPECT(n > 0, "no formats");
    for (int i = 0; i < n; i++)
        EXPECT(ramus_format_find(rows[i]->name) == rows[i], "%s", rows[i]->name);
    EXPECT(!ramus_format_find("word"), "there is none");
    const ramus_format *text = ramus_format_find("text");
    EXPECT(ramus_format_of_path("a/b.c/note.TXT") == text, "capitals");
    EXPECT(ramus_format_of_path("note.txt.gz") == text, "packed");
    EXPECT(!ramus_format_of_path("note.gz"), "only packed");
    EXPECT(!ramus_format_of_path("a.txt/note"), "of a folder");
    EXPECT(!ramus_format_of_path(".txt"), "hidden");
    EXPECT(!ramus_format_of_path("note."), "empty");
}

static void lines_are_blocks_and_the_rest_is_copied(void)
{
    static const char text[] = "  One line.\r\n\n\t---\nTwo \n12\nlast";
    ramus_buffer blocks = {0}, copy = {0};
    const ramus_format_options lines = {.wrapped = RAMUS_WRAPPED_NO};
    for (size_t step = 1; step < 99; step += 97) {
        ramus_buffer_clear(&blocks);
        ramus_buffer_clear(&copy);
        read_document("text", &lines, text, strlen(text), step, AS_IT_IS, &blocks, &copy);
        EXPECT_TEXT(blocks.data, "One line.\nTwo\nlast\n");
        EXPECT_TEXT(copy.data, text);
    }
    ramus_buffer_clear(&copy);
    read_document("text", &lines, text, strlen(text), 99, IN_CAPITALS, &blocks, &copy);
    EXPECT_TEXT(copy.data, "  ONE LINE.\r\n\n\t---\nTWO \n12\nLAST");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

CHECK_MAIN({"names_and_extensions_find_rows", names_and_extensions_find_rows},
           {"lines_are_blocks_and_the_rest_is_copied", lines_are_blocks_and_the_rest_is_copied})
