/* The XML of Word: which paragraphs are blocks, with which marks, and how translations are written.
 * Truth: written out by hand after ECMA-376, part 1, section 17; the law of identity. */
#include "moved_marks.h"

#define RUN(text)       "<w:r><w:t>" text "</w:t></w:r>"
#define BOLD(text)      "<w:r><w:rPr><w:b/></w:rPr><w:t>" text "</w:t></w:r>"
#define KEPT(text)      "<w:r><w:t xml:space=\"preserve\">" text "</w:t></w:r>"
#define KEPT_BOLD(text) "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">" text "</w:t></w:r>"
#define CHAR(type)      "<w:r><w:fldChar w:fldCharType=\"" type "\"/></w:r>"
#define CODE            "<w:r><w:instrText> PAGE </w:instrText></w:r>"
#define P(content)      "<w:p w:rsidR=\"1\"><w:pPr><w:jc w:val=\"left\"/></w:pPr>" content "</w:p>"

static void expect(const char *format, const char *in, const char *blocks, const char *out)
{
    ramus_buffer b = {0}, copy = {0};
    read_document(format, NULL, in, strlen(in), 1, IN_CAPITALS, &b, &copy);
    EXPECT_TEXT(b.data ? b.data : "", blocks);
    EXPECT_TEXT(copy.data, out);
    ramus_buffer_free(&b);
    ramus_buffer_free(&copy);
}

static void runs_of_one_format_are_one_text(void)
{
    expect("docx", P(RUN("Hel") "<w:proofErr w:type=\"spellStart\"/>" RUN("lo &amp; all")),
           "Hello & all\n", P(KEPT("HELLO &amp; ALL")));
    expect("docx",
           P("<w:r w:rsidR=\"7\"><w:rPr><w:lang w:val=\"de\"/></w:rPr><w:t> one </w:t></w:r>"
             "<w:r><w:rPr><w:noProof/></w:rPr><w:t>two </w:t></w:r>"),
           "one two\n",
           P("<w:r w:rsidR=\"7\"><w:rPr><w:lang w:val=\"de\"/></w:rPr><w:t xml:space=\"preserve\">"
             " ONE TWO </w:t></w:r>"));
    expect("docx", P(RUN("a ") BOLD("b") RUN(" ") BOLD("c") RUN(" d")),
           "a {<<w:rPr><w:b/></w:rPr>}b c{>} d\n", P(KEPT("A ") KEPT_BOLD("B C") KEPT(" D")));
    expect("docx", P(BOLD("a") RUN(" b")), "a{<} b{>}\n", P(KEPT_BOLD("A") KEPT(" B")));
    expect("docx", P("<w:r/>" RUN("12") RUN(" ")), "", P("<w:r/>" RUN("12") RUN(" ")));
}

static void what_stands_in_runs_is_kept(void)
{
    expect("docx", P("<w:r><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/></w:r>"),
           "a {|<w:r><w:br/></w:r>}b\n",
           P("<w:r><w:tab/><w:t xml:space=\"preserve\">A</w:t></w:r><w:r><w:br/></w:r>"
             "<w:r><w:t xml:space=\"preserve\">B</w:t><w:tab/></w:r>"));
    expect(
        "docx",
        P(RUN("a") "<w:r><w:rPr><w:i/></w:rPr><w:footnoteReference w:id=\"2\"/></w:r>" RUN(" b")),
        "a{.<w:r><w:rPr><w:i/></w:rPr><w:footnoteReference w:id=\"2\"/></w:r>} b\n",
        P(KEPT("A") "<w:r><w:rPr><w:i/></w:rPr><w:footnoteReference w:id=\"2\"/></w:r>" KEPT(
            " B")));
    expect("docx", P("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/></w:r>"),
           "a\xE2\x80\x91"
           "b\n",
           P("<w:r><w:t xml:space=\"preserve\">A\xE2\x80\x91"
             "B</w:t><w:softHyphen/></w:r>"));
    expect("docx", P(RUN("a ") "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>" RUN("b")),
           "a {.<w:del><w:r><w:delText>x</w:delText></w:r></w:del>}b\n",
           P(KEPT("A ") "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>" KEPT("B")));
}

static void unknown_references_stay_in_the_text(void)
{
    expect("docx", P(RUN("a &b; c")), "a {=&b;=&b;} c\n", P(KEPT("A &b; C")));
}

static void links_and_controls_are_pairs(void)
{
    expect("docx",
           P("<w:hyperlink r:id=\"1\">" BOLD("a ") RUN("b") BOLD(" c") "</w:hyperlink>" RUN(" d")),
           "{<<w:hyperlink r:id=\"1\">}a {<}b{>} c{</w:hyperlink>>}{<} d{>}\n",
           P("<w:hyperlink r:id=\"1\">" KEPT_BOLD("A ") KEPT("B")
                 KEPT_BOLD(" C") "</w:hyperlink>" KEPT(" D")));
    expect("docx", P(RUN("a ") "<w:ins w:id=\"1\">" BOLD("b ") RUN("c") BOLD(" d") "</w:ins>"),
           "a {<<w:ins w:id=\"1\">}{<<w:rPr><w:b/></w:rPr>}b {<}c{>} d{>}{</w:ins>>}\n",
           P(KEPT("A ") "<w:ins w:id=\"1\">" KEPT_BOLD("B ") KEPT("C") KEPT_BOLD(" D") "</w:ins>"));
    expect("docx", P("<w:ins>" RUN("a") "</w:ins>"), "a\n", P("<w:ins>" KEPT("A") "</w:ins>"));
    expect("docx",
           P(RUN("a ") "<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent>" RUN("b") "</w:sdtContent>"
                                                                                  "</w:sdt>" RUN(
                                                                                      " c")),
           "a {<<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent>}b{</w:sdtContent></w:sdt>>} c\n",
           P(KEPT("A ") "<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent>" KEPT(
               "B") "</w:sdtContent>"
                    "</w:sdt>" KEPT(" C")));
}

static void fields_are_pairs_around_their_result(void)
{
    expect("docx",
           P(RUN("see ") CHAR("begin") CODE CHAR("separate") RUN("x 5") CHAR("end") RUN(" b")),
           "see {<" CHAR("begin") CODE CHAR("separate") "}x 5{" CHAR("end") ">} b\n",
           P(KEPT("SEE ") CHAR("begin") CODE CHAR("separate") KEPT("X 5") CHAR("end") KEPT(" B")));
    expect("docx", P(RUN("see ") CHAR("begin") CODE CHAR("end") RUN("b")),
           "see {." CHAR("begin") CODE CHAR("end") "}b\n",
           P(KEPT("SEE ") CHAR("begin") CODE CHAR("end") KEPT("B")));
    // a table of contents goes over several paragraphs
    expect("docx", P(CHAR("begin") CODE CHAR("separate") RUN("one")) P(RUN("two") CHAR("end")),
           "one\ntwo\n",
           P(CHAR("begin") CODE CHAR("separate") KEPT("ONE")) P(KEPT("TWO") CHAR("end")));
    // all in one run
    expect("docx",
           P("<w:r><w:tab/><w:fldChar w:fldCharType=\"begin\"/><w:instrText> PAGE </w:instrText>"
             "<w:fldChar w:fldCharType=\"separate\"/><w:t>one</w:t>"
             "<w:fldChar w:fldCharType=\"end\"/></w:r>" RUN(" two")),
           "\n\n{|<w:r><w:tab/></w:r>}{<" CHAR("begin")
               CODE CHAR("separate") "}one{" CHAR("end") ">} two\n",
           P("<w:r><w:tab/></w:r>" CHAR("begin") CODE CHAR("separate") KEPT("ONE") CHAR("end")
                 KEPT(" TWO")));
}

static void paragraphs_in_others_come_first(void)
{
#define BOX(text) "<w:r><w:pict><w:p>" text "</w:p></w:pict></w:r>"
    expect("docx", P(RUN("a ") BOX(RUN("in")) RUN("b")) P(RUN("c")), "in\nc\n",
           P(RUN("a ") BOX(KEPT("IN")) RUN("b")) P(KEPT("C")));
    expect("docx-outer", P(RUN("a ") BOX(RUN("in")) RUN("b")) P(RUN("c")),
           "a {." BOX(RUN("in")) "}b\n", P(KEPT("A ") BOX(RUN("in")) KEPT("B")) P(RUN("c")));
}

#define ALL                                                                                        \
    "<w:body>" P(RUN("a ") BOLD("b") "<w:hyperlink>" BOLD("c ") RUN("d")                           \
                     BOX(RUN("in") "<w:bookmarkStart/>" BOLD("x")) "</w:hyperlink>" CHAR("begin")  \
                         CODE CHAR("separate") RUN("e &lt;") CHAR("end"))                          \
        P("<w:r><w:tab/><w:t>f</w:t><w:br/><w:t xml:space=\"preserve\">g </w:t></w:r>"             \
          "<w:sdt><w:sdtPr/><w:sdtContent>" RUN("h") "</w:sdtContent></w:sdt>") "</w:body>"

static void parts_stay_the_same(void)
{
    const int all = (int)sizeof ALL + 2000;
    EXPECT_INT(expect_identity_of_many("docx", NULL, ALL, strlen(ALL)), all, "passed");
    EXPECT_INT(expect_identity_of_many("docx-outer", NULL, ALL, strlen(ALL)), all, "passed");
}

static void moved_marks_leave_it_well_formed(void)
{
    for (unsigned seed = 0; seed < 500; seed++) {
        expect_well_formed("docx", ALL, seed);
        expect_well_formed("docx-outer", ALL, seed);
    }
}

static void archives_are_refused(void)
{
    ramus_document *d = NULL;
    ramus_error err = {0};
    EXPECT_FAILS(ramus_document_open(&d, ramus_format_find("docx"), "PK\3\4...", 7, NULL, &err),
                 err, "found an archive");
}

CHECK_MAIN({"runs_of_one_format_are_one_text", runs_of_one_format_are_one_text},
           {"what_stands_in_runs_is_kept", what_stands_in_runs_is_kept},
           {"unknown_references_stay_in_the_text", unknown_references_stay_in_the_text},
           {"links_and_controls_are_pairs", links_and_controls_are_pairs},
           {"fields_are_pairs_around_their_result", fields_are_pairs_around_their_result},
           {"paragraphs_in_others_come_first", paragraphs_in_others_come_first},
           {"parts_stay_the_same", parts_stay_the_same},
           {"moved_marks_leave_it_well_formed", moved_marks_leave_it_well_formed},
           {"archives_are_refused", archives_are_refused})
