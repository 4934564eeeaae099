/* The XML of OpenDocument: which paragraphs are blocks, with which marks, and how translations are
 * written. Truth: written out by hand after OpenDocument 1.3, part 3, chapter 6; the law of
 * identity. */
#include "moved_marks.h"

#define P(content) "<text:p text:style-name=\"S\">" content "</text:p>"
#define B(content) "<text:span text:style-name=\"B\">" content "</text:span>"

static void expect(const char *format, const char *in, const char *blocks, const char *out)
{
    ramus_buffer b = {0}, copy = {0};
    read_document(format, NULL, in, strlen(in), 1, IN_CAPITALS, &b, &copy);
    EXPECT_TEXT(b.data ? b.data : "", blocks);
    EXPECT_TEXT(copy.data, out);
    ramus_buffer_free(&b);
    ramus_buffer_free(&copy);
}

static void spans_and_links_are_pairs(void)
{
    expect("odt", "<text:h>One &amp; <!-- x -->\n two</text:h>" P("12") "<text:p/>",
           "One & {.<!-- x -->}two\n",
           "<text:h>ONE &amp; <!-- x -->TWO</text:h>" P("12") "<text:p/>");
    expect("odt", P(B("a ") "b " B("c")),
           "{<<text:span text:style-name=\"B\">}a {</text:span>>}b "
           "{<<text:span text:style-name=\"B\">}c{</text:span>>}\n",
           P(B("A ") "B " B("C")));
    expect("odt", P(B(" all of it ")), "all of it\n", P(B(" ALL OF IT ")));
    expect("odt", P("a <text:a xlink:href=\"x\">" B("b") "</text:a>"),
           "a {<<text:a xlink:href=\"x\">}{<<text:span text:style-name=\"B\">}b{</text:span>>}"
           "{</text:a>>}\n",
           P("A <text:a xlink:href=\"x\">" B("B") "</text:a>"));
}

static void spaces_tabs_and_fields_are_kept(void)
{
    expect("odt", P("<text:tab/>a<text:tab/>b<text:line-break/>c<text:s/>"),
           "a\n\n{|<text:tab/>}b {|<text:line-break/>}c\n",
           P("<text:tab/>A<text:tab/>B<text:line-break/>C<text:s/>"));
    expect("odt", P("a <text:s text:c=\"2\"/>b<text:s/>c"), "a {.<text:s text:c=\"2\"/>}b c\n",
           P("A <text:s text:c=\"2\"/>B C"));
    expect("odt", P("Page <text:page-number>1</text:page-number> of it"),
           "Page {=<text:page-number>1</text:page-number>=1} of it\n",
           P("PAGE <text:page-number>1</text:page-number> OF IT"));
    expect("odt", P("a<text:bookmark text:name=\"m\"/> b"),
           "a{.<text:bookmark text:name=\"m\"/>} b\n", P("A<text:bookmark text:name=\"m\"/> B"));
}

#define NOTE(content)                                                                              \
    "<text:note><text:note-citation>1</text:note-citation><text:note-body>" content                \
    "</text:note-body></text:note>"

static void notes_are_paragraphs_of_their_own(void)
{
    expect("odt", P("a" NOTE(P("in " B("it"))) " b") P("c"),
           "in {<<text:span text:style-name=\"B\">}it{</text:span>>}\nc\n",
           P("a" NOTE(P("IN " B("IT"))) " b") P("C"));
    expect("odt-outer", P("a" NOTE(P("IN")) " b") P("c"), "a{." NOTE(P("IN")) "} b\n",
           P("A" NOTE(P("IN")) " B") P("c"));
    expect("odt-outer", P("a" NOTE(P("IN") P("IN")) " b" NOTE(P("X"))),
           "a{." NOTE(P("IN") P("IN")) "} b\n", P("A" NOTE(P("IN") P("IN")) " B" NOTE(P("X"))));
}

static void pictures_have_words(void)
{
#define PICTURE(title) "<draw:frame><draw:image/><svg:title>" title "</svg:title></draw:frame>"
    expect("odt", P("a " PICTURE("logo")), "logo\n", P("a " PICTURE("LOGO")));
    expect("odt-outer", P("a" PICTURE("LOGO") " b"), "a{." PICTURE("LOGO") "} b\n",
           P("A" PICTURE("LOGO") " B"));
}

static void what_was_deleted_stays(void)
{
    static const char in[] = "<text:tracked-changes>" P("a") "</text:tracked-changes>" P("b");
    expect("odt", in, "b\n", "<text:tracked-changes>" P("a") "</text:tracked-changes>" P("B"));
}

static void long_paragraphs_stay(void)
{
    ramus_buffer b = {0}, blocks = {0}, copy = {0};
    for (int k = 0; k < 2; k++) {
        ramus_buffer_text(&b, "<text:p>");
        for (int i = 0; i < RAMUS_BLOCK_BYTES / 2 + k; i++)
            ramus_buffer_text(&b, "a ");
        ramus_buffer_text(&b, "</text:p>");
    }
    read_document("odt", NULL, b.data, b.size, 1, AS_ITSELF, &blocks, &copy);
    EXPECT_INT(blocks.size, RAMUS_BLOCK_BYTES, "one block, a line feed for its last space");
    EXPECT(strstr(copy.data, " </text:p><"), "the first one");
    EXPECT_INT(copy.size, b.size, "the second one");
    ramus_buffer_free(&b);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

#define ALL                                                                                        \
    "<?xml version=\"1.0\"?><office:text>" P("a " B("b" NOTE(P("n " B("x")))) "<text:a>c " B(      \
        "d") "</text:a><text:tab/>e<text:bookmark/>")                                              \
        P(B("f") "<text:date>12</text:date> &lt;g&gt; "                                            \
                 "<text:s/>h<![CDATA[i]]>") "</office:text>"

static void parts_stay_the_same(void)
{
    const int all = (int)sizeof ALL + 2000;
    EXPECT_INT(expect_identity_of_many("odt", NULL, ALL, strlen(ALL)), all, "passed");
    EXPECT_INT(expect_identity_of_many("odt-outer", NULL, ALL, strlen(ALL)), all, "passed");
}

static void moved_marks_leave_it_well_formed(void)
{
    for (unsigned seed = 0; seed < 500; seed++) {
        expect_well_formed("odt", ALL, seed);
        expect_well_formed("odt-outer", ALL, seed);
    }
}

CHECK_MAIN({"spans_and_links_are_pairs", spans_and_links_are_pairs},
           {"spaces_tabs_and_fields_are_kept", spaces_tabs_and_fields_are_kept},
           {"notes_are_paragraphs_of_their_own", notes_are_paragraphs_of_their_own},
           {"pictures_have_words", pictures_have_words},
           {"what_was_deleted_stays", what_was_deleted_stays},
           {"long_paragraphs_stay", long_paragraphs_stay},
           {"parts_stay_the_same", parts_stay_the_same},
           {"moved_marks_leave_it_well_formed", moved_marks_leave_it_well_formed})
