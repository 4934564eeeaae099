/* Blocks as a reader makes them: pairs are nested, what cannot be translated is taken back, and a
 * marked text is written with its marks. Truth: written out by hand. */
#include "documents.h"

static void put(ramus_blocks *b, const char *text)
{
    ramus_blocks_text(b, text, strlen(text));
}

static void mark(ramus_blocks *b, ramus_mark_kind kind, const char *raw)
{
    ramus_blocks_mark(b, kind, raw, strlen(raw));
}

static void escape(ramus_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ramus_buffer_print(out, text[i] == '&' ? "&amp;" : "%c", text[i]);
}

static void pairs_are_nested_and_written(void)
{
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_blocks_begin(&b, 3);
    put(&b, "a ");
    mark(&b, RAMUS_MARK_OPEN, "<i>");
    mark(&b, RAMUS_MARK_OPEN, "<b>");
    put(&b, "B&C");
    mark(&b, RAMUS_MARK_CLOSE, "</b>");
    ramus_blocks_keep(&b, "x<y", 3, "<code>x&lt;y</code>", 19);
    mark(&b, RAMUS_MARK_CLOSE, "</i>");
    mark(&b, RAMUS_MARK_CLOSE, "</u>");
    mark(&b, RAMUS_MARK_OPEN, "<s>");
    EXPECT(ramus_blocks_end(&b, 70, 5), "it has letters");
    EXPECT_INT(b.n, 1, "blocks");
    EXPECT_INT(b.items[0].form, 5, "form");
    const ramus_mark *m = b.marks;
    EXPECT_INT(m[0].pair, 4, "the end of <i>");
    EXPECT_INT(m[4].pair, 0, "the beginning of </i>");
    EXPECT_INT(m[1].pair, 2, "the end of <b>");
    EXPECT_INT(m[5].kind, RAMUS_MARK_POINT, "</u> without a beginning");
    show_block(&b, 0, &out);
    EXPECT_TEXT(out.data,
                "a {<<i>}{<<b>}B&C{</b>>}{=<code>x&lt;y</code>=x<y}{</i>>}{.</u>}{.<s>}\n");
    ramus_buffer_clear(&out);
    const ramus_marked text = ramus_blocks_marked(&b, 0);
    ramus_marked_write(&text, escape, &out);
    EXPECT_TEXT(out.data, "a <i><b>B&amp;C</b><code>x&lt;y</code></i></u><s>");
    ramus_buffer_free(&out);
    ramus_blocks_free(&b);
}

static void a_block_without_words_is_taken_back(void)
{
    static const struct {
        const char *before, *kept, *after;
        bool words;
    } cases[] = {
        {"12:30 ", "x", " - !", false},
        {"", "abc", "", false},
        {"a", "", "", true},
        {"", "abc", " b", true},
        {"\xC3\xA4", "", "", true},
        {"\xE2\x80\x94", "", "", false},
        {"\xF0\x9F\x98\x80", "", "", false},
        {"\xE5\xA5\xBD", "", "", true},
        {"\xC3\x97 2", "", "", false},
    };
    ramus_blocks b = {0};
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_blocks_clear(&b);
        ramus_blocks_begin(&b, 0);
        put(&b, cases[i].before);
        mark(&b, RAMUS_MARK_POINT, "<br>");
        ramus_blocks_keep(&b, cases[i].kept, strlen(cases[i].kept), "raw", 3);
        put(&b, cases[i].after);
        EXPECT_INT(ramus_blocks_end(&b, 9, 0), cases[i].words, cases[i].before);
        EXPECT_INT(b.n, cases[i].words, "blocks");
        EXPECT_INT(b.n_marks, cases[i].words ? 2 : 0, "marks");
        EXPECT(b.n || (!b.texts.size && !b.raws.size), "bytes of case %d are left", i);
    }
    ramus_blocks_free(&b);
}

CHECK_MAIN({"pairs_are_nested_and_written", pairs_are_nested_and_written},
           {"a_block_without_words_is_taken_back", a_block_without_words_is_taken_back})
