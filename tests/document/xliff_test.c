/* XLIFF: which units are blocks, what their targets become, and what is left alone. Truth: written
 * out by hand, after the XLIFF 1.2 and 2.0 specifications. */
#include "identity.h"

#define V1(units) "<xliff version='1.2'><body>" units "</body></xliff>"
#define V2(units) "<xliff version='2.1'><unit>" units "</unit></xliff>"

typedef struct document {
    const char *in, *blocks, *capitals;
} document;

static void expect_documents(const document *documents, int n)
{
    ramus_buffer blocks = {0}, copy = {0};
    for (int i = 0; i < n; i++) {
        for (size_t step = 1; step < 1000; step += 998) {
            ramus_buffer_clear(&blocks);
            ramus_buffer_clear(&copy);
            const char *in = documents[i].in;
            read_document("xliff", NULL, in, strlen(in), step, IN_CAPITALS, &blocks, &copy);
            EXPECT_TEXT(blocks.data ? blocks.data : "", documents[i].blocks);
            EXPECT_TEXT(copy.data ? copy.data : "",
                        documents[i].capitals ? documents[i].capitals : in);
        }
    }
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void targets_are_made_and_filled(void)
{
    static const document documents[] = {
        {V1("<trans-unit><source>a</source></trans-unit>"), "a\n",
         V1("<trans-unit><source>a</source><target state=\"translated\">A</target></trans-unit>")},
        {V1("<trans-unit>\r\n  <source>a</source>\r\n</trans-unit>"), "a\n",
         V1("<trans-unit>\r\n  <source>a</source>\r\n  <target state=\"translated\">A</target>\r\n"
            "</trans-unit>")},
        {V1("<trans-unit><source> a\n</source><target/></trans-unit>"), "a\n",
         V1("<trans-unit><source> a\n</source><target> A\n</target></trans-unit>")},
        {V1("<trans-unit><source>a</source><note>b</note><target> </target></trans-unit>"), "a\n",
         V1("<trans-unit><source>a</source><note>b</note><target>A</target></trans-unit>")},
        {V1("<trans-unit><source>a</source><target state='new' x='y'>b</target></trans-unit>"),
         "a\n",
         V1("<trans-unit><source>a</source><target state='translated' x='y'>A</target>"
            "</trans-unit>")},
        {V1("<trans-unit><source>a</source><target state='needs-translation'/></trans-unit>"),
         "a\n",
         V1("<trans-unit><source>a</source><target state='translated'>A</target></trans-unit>")},
        {V1("<trans-unit><source>a</source><seg-source>a</seg-source> <note/></trans-unit>"), "a\n",
         V1("<trans-unit><source>a</source><seg-source>a</seg-source>"
            "<target state=\"translated\">A</target> <note/></trans-unit>")},
        {"<y:xliff version='1.2'><y:trans-unit><y:source>a</y:source></y:trans-unit></y:xliff>",
         "a\n",
         "<y:xliff version='1.2'><y:trans-unit><y:source>a</y:source>"
         "<y:target state=\"translated\">A</y:target></y:trans-unit></y:xliff>"},
        {V2("<segment><source>a</source></segment><segment><source>b</source><target/></segment>"),
         "a\nb\n",
         V2("<segment><source>a</source><target>A</target></segment>"
            "<segment><source>b</source><target>B</target></segment>")},
        {V2("<segment state='initial'><source>a</source><target>b</target></segment>"), "a\n",
         V2("<segment state='initial'><source>a</source><target>A</target></segment>")},
        {"<?xml version='1.0' encoding='US-ASCII'?>" V2(
             "<segment><source>a&#228;</source></segment>"),
         "a\xC3\xA4\n",
         "<?xml version='1.0' encoding='US-ASCII'?>" V2(
             "<segment><source>a&#228;</source><target>A&#228;</target></segment>")},
    };
    expect_documents(documents, RAMUS_COUNT(documents));
}

static void what_is_done_or_not_for_translation_is_left_alone(void)
{
    static const document documents[] = {
        {V1("<trans-unit><source>a</source><target>b</target></trans-unit>"), "", NULL},
        {V1("<trans-unit><source>a</source><note/><target>b</target></trans-unit>"), "", NULL},
        {V1("<trans-unit translate='no'><source>a</source></trans-unit>"), "", NULL},
        {V1("<trans-unit approved='yes'><source>a</source><target/></trans-unit>"), "", NULL},
        {V1("<trans-unit><source>12</source></trans-unit>"), "", NULL},
        {V1("<trans-unit><alt-trans><source>a</source></alt-trans></trans-unit>"), "", NULL},
        {V1("<bin-unit><bin-source>a</bin-source></bin-unit><source>b</source>"), "", NULL},
        {V2("<ignorable><source>a</source></ignorable>"), "", NULL},
        {V2("<segment><source>a</source><target>b</target></segment>"), "", NULL},
        {"<trans-unit><source>a</source>", "", NULL},
        {"<trans-unit><source>a", "", NULL},
    };
    expect_documents(documents, RAMUS_COUNT(documents));
}

/* The block of a source, and its target in capitals, without the tags of the unit. */
static void inline_elements_are_marks(void)
{
    static const struct {
        const char *source, *block, *target;
    } cases[] = {
        {"a <g id='1'>b</g> c", "a {<<g id='1'>}b{</g>>} c\n", "A <g id='1'>B</g> C"},
        {"<pc id='1'>a</pc> ", "a\n", "<pc id='1'>A</pc> "},
        {"a<ph id='1'/>b", "a{.<ph id='1'/>}b\n", "A<ph id='1'/>B"},
        {"a <x id='1'/> b", "a {.<x id='1'/> }b\n", "A <x id='1'/> B"},
        {"a <x id='1' equiv-text='{n}'/> b", "a {=<x id='1' equiv-text='{n}'/>={n}} b\n",
         "A <x id='1' equiv-text='{n}'/> B"},
        {"a <ph>&lt;b&gt;</ph> b", "a {=<ph>&lt;b&gt;</ph>=<b>} b\n", "A <ph>&lt;b&gt;</ph> B"},
        {"a <bx id='1'/><bx id='2'/>b<ex id='2'/> c<ex id='1'/>.",
         "a {<<bx id='1'/>}{<<bx id='2'/>}b{<ex id='2'/>>} c{<ex id='1'/>>}.\n",
         "A <bx id='1'/><bx id='2'/>B<ex id='2'/> C<ex id='1'/>."},
        {"a <sc id='1'/>b <pc id='2'>c<ec startRef='1'/> d</pc> e",
         "a {.<sc id='1'/>}b {<<pc id='2'>}c{.<ec startRef='1'/>} d{</pc>>} e\n",
         "A <sc id='1'/>B <pc id='2'>C<ec startRef='1'/> D</pc> E"},
        {"a <sc id='1'/>b <sc id='2'/>c<ec startRef='1'/> d<ec startRef='2'/> e",
         "a {<<sc id='1'/>}b {.<sc id='2'/>}c{<ec startRef='1'/>>} d{.<ec startRef='2'/>} e\n",
         "A <sc id='1'/>B <sc id='2'/>C<ec startRef='1'/> D<ec startRef='2'/> E"},
        {"a <bpt id='7' rid='1'>[</bpt>b<ept id='8' rid='1'>]</ept>!",
         "a {<<bpt id='7' rid='1'>[</bpt>}b{<ept id='8' rid='1'>]</ept>>}!\n",
         "A <bpt id='7' rid='1'>[</bpt>B<ept id='8' rid='1'>]</ept>!"},
        {"a <x id='START_B'/>b<x id='CLOSE_B'/> <x id='CLOSE_I'/>c",
         "a {<<x id='START_B'/>}b{<x id='CLOSE_B'/>>} {.<x id='CLOSE_I'/>}c\n",
         "A <x id='START_B'/>B<x id='CLOSE_B'/> <x id='CLOSE_I'/>C"},
        {"a <mrk translate='no'>b <g>c</g></mrk>",
         "a {=<mrk translate='no'>b <g>c</g></mrk>=b c}\n",
         "A <mrk translate='no'>b <g>c</g></mrk>"},
        {"a &lt;b> &amp; c &#x26;", "a <b> & c &\n", "A &lt;B&gt; &amp; C &amp;"},
        {"<![CDATA[a <b>]]> c", "a <b> c\n", "A &lt;B&gt; C"},
        {"one \n two\n\nthree", "one {| \n }two {|\n\n}three\n", "ONE \n TWO\n\nTHREE"},
        {"a<!-- b -->c", "a{.<!-- b -->}c\n", "A<!-- b -->C"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_buffer in = {0}, want = {0};
        ramus_buffer_print(&in, V2("<segment><source>%s</source></segment>"), cases[i].source);
        ramus_buffer_print(&want, V2("<segment><source>%s</source><target>%s</target></segment>"),
                           cases[i].source, cases[i].target);
        const document one = {in.data, cases[i].block, want.data};
        expect_documents(&one, 1);
        ramus_buffer_free(&in);
        ramus_buffer_free(&want);
    }
}

static char *load(const char *name, size_t *size)
{
    char path[1000], *data = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "%s/documents/%s", GOLDEN, name);
    FILE *f = fopen(path, "rb");
    EXPECT(f && data, "%s", path);
    *size = f && data ? fread(data, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    EXPECT(*size > 0, "%s", path);
    return data;
}

static void documents_stay_the_same(void)
{
    static const char *const names[] = {"units.xlf", "segments.xlf"};
    for (int i = 0; i < RAMUS_COUNT(names); i++) {
        size_t size = 0;
        char *data = load(names[i], &size);
        const int passed = expect_identity_of_many("xliff", NULL, data, size);
        EXPECT(passed > (int)size + 1900, "%d of %zu are not refused", passed, size + 2001);
        free(data);
    }
}

static void a_document_that_is_translated_has_no_more_blocks(void)
{
    ramus_buffer blocks = {0}, copy = {0}, none = {0}, again = {0};
    size_t size = 0;
    char *data = load("units.xlf", &size);
    read_document("xliff", NULL, data, size, 99999, AS_ITSELF, &blocks, &copy);
    EXPECT(blocks.size > 0, "blocks");
    read_document("xliff", NULL, copy.data, copy.size, 99999, AS_ITSELF, &none, &again);
    EXPECT_INT(none.size, 0, "blocks of the result");
    EXPECT_TEXT(again.data, copy.data);
    free(data);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
    ramus_buffer_free(&none);
    ramus_buffer_free(&again);
}

static void another_encoding_is_refused(void)
{
    static const char text[] = "<?xml version='1.0' encoding='UTF-16'?><xliff/>";
    ramus_error err = {0};
    ramus_document *d = NULL;
    EXPECT_FAILS(
        ramus_document_open(&d, ramus_format_of_path("a.XLF"), text, strlen(text), NULL, &err), err,
        "iconv -f UTF-16 -t UTF-8");
}

static void endless_things_are_passed_over(void)
{
    static const char *const things[] = {
        "<source>",
        "<trans-unit>",
        "<trans-unit><source>",
        "a ",
        "<g>",
        "<x/>",
        "<bpt>",
        "<target>",
        "<source>a</source>",
        "<trans-unit><source>a</source></trans-unit>",
        "<![CDATA[",
        "</g>",
    };
    for (int i = 0; i < RAMUS_COUNT(things); i++) {
        ramus_buffer b = {0};
        ramus_buffer_text(&b, "<xliff version='2.0'><trans-unit><source>");
        while (b.size < 5 * RAMUS_BLOCK_BYTES)
            ramus_buffer_text(&b, things[i]);
        EXPECT(expect_identity("xliff", NULL, b.data, b.size), "%s", things[i]);
        ramus_buffer_free(&b);
    }
}

CHECK_MAIN({"targets_are_made_and_filled", targets_are_made_and_filled},
           {"what_is_done_or_not_for_translation_is_left_alone",
            what_is_done_or_not_for_translation_is_left_alone},
           {"inline_elements_are_marks", inline_elements_are_marks},
           {"documents_stay_the_same", documents_stay_the_same},
           {"a_document_that_is_translated_has_no_more_blocks",
            a_document_that_is_translated_has_no_more_blocks},
           {"another_encoding_is_refused", another_encoding_is_refused},
           {"endless_things_are_passed_over", endless_things_are_passed_over})
