/* Tables with separators: which fields are blocks, and how they are quoted. Truth: written out by
 * hand after RFC 4180; the law of identity. */
#include "identity.h"

static void expect_table(const char *format, const char *columns, const char *in,
                         const char *blocks, const char *out)
{
    const ramus_format_options options = {.columns = columns};
    ramus_buffer b = {0}, copy = {0};
    read_document(format, &options, in, strlen(in), 1, IN_CAPITALS, &b, &copy);
    EXPECT_TEXT(b.data ? b.data : "", blocks);
    EXPECT_TEXT(copy.data, out);
    ramus_buffer_free(&b);
    ramus_buffer_free(&copy);
}

static const char table[] = "\xEF\xBB\xBFid,name,text\r\n"
                            "1,a dog,\"He said \"\"no\"\",\r\nand left.\"\r\n"
                            "2, b ,\"\"\r\n"
                            "3,\" \"\"x\"\" \",5\" disk\r\n"
                            "\r\n"
                            "4,\"open";

static void fields_are_blocks(void)
{
    expect_table("csv", NULL, table,
                 "id\nname\ntext\na dog\nHe said \"no\", {|\r\n}and left.\nb\n\"x\"\n5\" disk\n"
                 "\"open\n",
                 "\xEF\xBB\xBFID,NAME,TEXT\r\n"
                 "1,A DOG,\"HE SAID \"\"NO\"\",\r\nAND LEFT.\"\r\n"
                 "2, B ,\"\"\r\n"
                 "3,\" \"\"X\"\" \",\"5\"\" DISK\"\r\n"
                 "\r\n"
                 "4,\"\"\"OPEN\"");
    expect_table("tsv", NULL, "a \"b\"\tc,d\n\"e\"\t\"f\tg\"\n\"h\" i\n",
                 "a \"b\"\nc,d\ne\n\"f\ng\"\n\"h\" i\n",
                 "A \"B\"\tC,D\n\"E\"\t\"F\tG\"\n\"H\" I\n");
}

static void separators_are_found(void)
{
    expect_table("csv", "2", "a;b, c;d\n", "b, c\n", "a;B, C;d\n");
    expect_table("csv", "2", "a\tb, c\td\n", "b, c\n", "a\tB, C\td\n");
    expect_table("csv", "1", "\"a;b;c\",d\n", "a;b;c\n", "\"A;B;C\",d\n");
    expect_table("csv", NULL, "one\n", "one\n", "ONE\n");
}

static void columns_are_chosen(void)
{
    static const char in[] = "id,\"the name\",text\na,b,c\nd,e\nf,g,h,i\n";
    expect_table("csv", "3", in, "text\nc\nh\n", "id,\"the name\",TEXT\na,b,C\nd,e\nf,g,H,i\n");
    expect_table("csv", "3,1", in, "id\ntext\na\nc\nd\nf\nh\n",
                 "ID,\"the name\",TEXT\nA,b,C\nD,e\nF,g,H,i\n");
    expect_table("csv", "the name,3", in, "b\nc\ne\ng\nh\n",
                 "id,\"the name\",text\na,B,C\nd,E\nf,G,H,i\n");
    static const char *const wrong[] = {"4", "0", "Text", "1,,2", "99999999", ","};
    for (int i = 0; i < RAMUS_COUNT(wrong); i++) {
        const ramus_format_options options = {.columns = wrong[i]};
        ramus_document *d = NULL;
        ramus_error err = {0};
        EXPECT_FAILS(
            ramus_document_open(&d, ramus_format_find("csv"), in, strlen(in), &options, &err), err,
            "expected a number from 1 to 3 or a name of the first line: id,");
    }
}

/* Writes one block as a given text. */
static void expect_written(const char *format, const char *in, const char *translation,
                           const char *want)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_error err = {0};
    const ramus_marked m = {.text = translation, .size = strlen(translation)};
    REQUIRE_OK(ramus_document_open(&d, ramus_format_find(format), in, strlen(in), NULL, &err), err);
    REQUIRE_OK(ramus_document_read(d, &b, 999, &err), err);
    EXPECT_INT(b.n, 1, "blocks");
    ramus_document_write(d, &b.items[0], &m, &out);
    ramus_document_write_rest(d, &out);
    EXPECT_TEXT(out.data, want);
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&out);
}

static void quotes_come_where_they_are_needed(void)
{
    expect_written("csv", "1,two\n", "a, \"b\"", "1,\"a, \"\"b\"\"\"\n");
    expect_written("csv", "1, two \n", "a, b", "1,\" a, b \"\n");
    expect_written("csv", "1;two\n", "a, b", "1;a, b\n");
    expect_written("csv", "1,\"two\"\n", "drei", "1,\"drei\"\n");
    expect_written("tsv", "1\ttwo\n", "a\tb\nc", "1\ta b c\n");
}

static void tables_stay_the_same(void)
{
    const int all = (int)sizeof table + 2000;
    EXPECT_INT(expect_identity_of_many("csv", NULL, table, strlen(table)), all, "passed");
    EXPECT_INT(expect_identity_of_many("tsv", NULL, table, strlen(table)), all, "passed");
}

/* A field of `n` pieces; long ones in quotes come in several blocks. */
static void long_fields_come_in_parts(void)
{
    static const char *const pieces[] = {"word ", "word", "\"\"", "\xC3\xA4", "a\"\"", "\n"};
    for (int i = 0; i < RAMUS_COUNT(pieces); i++) {
        ramus_buffer b = {0}, blocks = {0}, copy = {0};
        ramus_buffer_text(&b, "1,\"x");
        while (b.size < 4 * RAMUS_BLOCK_BYTES)
            ramus_buffer_text(&b, pieces[i]);
        ramus_buffer_text(&b, "y\",2\n");
        EXPECT(expect_identity("csv", NULL, b.data, b.size), "refused");
        read_document("csv", NULL, b.data, b.size, 1, AS_ITSELF, &blocks, &copy);
        EXPECT(copy.size == b.size && memcmp(copy.data, b.data, b.size) == 0, "%s", pieces[i]);
        EXPECT(blocks.size > 0, "no blocks");
        ramus_buffer_free(&b);
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&copy);
    }
}

CHECK_MAIN({"fields_are_blocks", fields_are_blocks}, {"separators_are_found", separators_are_found},
           {"columns_are_chosen", columns_are_chosen},
           {"quotes_come_where_they_are_needed", quotes_come_where_they_are_needed},
           {"tables_stay_the_same", tables_stay_the_same},
           {"long_fields_come_in_parts", long_fields_come_in_parts})
