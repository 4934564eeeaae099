/* Markdown: which text is a block, which marks are in it, what is copied, and what a translation
 * gets a backslash for. Truth: written out by hand after the CommonMark specification. Every case
 * is also written with itself for a translation, and must not change. */
#include "identity.h"
#include "translated.h"

typedef struct sample {
    const char *document, *blocks;
} sample;

static void expect_samples(const sample *samples, int n)
{
    for (int i = 0; i < n; i++)
        expect_blocks("markdown", samples[i].document, samples[i].blocks);
}

static void blocks_are_without_what_stands_before_them(void)
{
    static const sample samples[] = {
        {"# A title #\n## Another\nText\n", "A title\nAnother\nText\n"},
        {"One\ntwo\n\nThree\n", "One {|\n}two\nThree\n"},
        {"Title\nover two\n===\nText\n", "Title {|\n}over two\nText\n"},
        {"A  \nb\\\nc\n", "A\nb\nc\n"},
        {"> One\n> two\n> > three\n", "One {|\n> }two\nthree\n"},
        {"> One\nlazy\n", "One {|\n}lazy\n"},
        {"- a\n- b\n  c\n\n  d\n", "a\nb {|\n  }c\nd\n"},
        {"1. a\n   1) b\n10. c\n", "a\nb\nc\n"},
        {"A line\n14. is no list\n", "A line {|\n}14. is no list\n"},
        {"A line\n1. begins a list\n", "A line\nbegins a list\n"},
        {"- [ ] a\n* [x] b\n+ [y] c\n", "a\nb\n[y] c\n"},
        {"a\r\nb\r\n\r\nc\r\n", "a {|\r\n}b\nc\n"},
        {"\xEF\xBB\xBF# a\n", "a\n"},
        {"***\n---\n_ _ _\na\n", "a\n"},
        {"-\ta\n\n\tb\n\n\t\tcode\n", "a\nb\n"},
    };
    expect_samples(samples, RAMUS_COUNT(samples));
}

static void code_html_and_definitions_are_copied(void)
{
    static const sample samples[] = {
        {"a\n```c\nb\n\nc\n````\nd\n", "a\nd\n"},
        {"~~~\na\n```\n~~~\nb", "b\n"},
        {"> ```\n> a\nb\n", "b\n"},
        {"    a\n\n\tb\nc\n", "c\n"},
        {"- a\n\n      code\n", "a\n"},
        {"<!-- a\n\nb -->\nc\n", "c\n"},
        {"<script>\na\n\nb\n</script>\nc\n", "c\n"},
        {"<div>\n<pre>\na\n\nb\n</pre>\n</div>\n\nc\n", "c\n"},
        {"<p align=\"center\">\n  a <b>c</b>\n  d</p>\n", "a {<<b>}c{</b>>} {|\n  }d\n"},
        {"<td>a</td><td>b *c*</td>\n", "a\nb *c*\n"},
        {"[a]: /b \"c\"\n[d]:\n/e\n'f'\ng\n", "g\n"},
        {"> [!NOTE]\n> a\n\n::: tip\nb\n:::\n", "a\nb\n"},
        {"---\ntitle: A: b\ndescription: A b # c\nsummary: 'A b'\n---\nd\n", "A b\nd\n"},
        {"---\ntitle: \"A b\"\nx: c\nd\n---\ne", "A b\ne\n"},
        {"+++\ntitle = \"A\"\n+++\nb", "b\n"},
        {"---\n\na\n", "a\n"},
    };
    expect_samples(samples, RAMUS_COUNT(samples));
}

static void tables_have_cells(void)
{
    static const sample samples[] = {
        {"|a|b|\n|-|:-:|\n|c \\| d||\n| e\nf | g\n\nh", "a\nb\nc | d\ne\nf\ng\nh\n"},
        {"x\na | b\n--|--\nc | d\n> e\n", "x\na\nb\nc\nd\ne\n"},
        {"a | b\n---\nc", "a | b\nc\n"},
        {"a | b\n-|-|-\nc", "a | b {|\n}-|-|- {|\n}c\n"},
    };
    expect_samples(samples, RAMUS_COUNT(samples));
}

static void marks_are_those_of_commonmark(void)
{
    static const sample samples[] = {
        {"a *b* c", "a {<*}b{*>} c\n"},
        {"a ***b** c*", "a {<*}{<**}b{**>} c{*>}\n"},
        {"a_b_c 2 * 3 * 4", "a_b_c 2 * 3 * 4\n"},
        {"a _b_ c ~~d~~ e **", "a {<_}b{_>} c {<~~}d{~~>} e **\n"},
        {"*a*b and * c", "{<*}a{*>}b and * c\n"},
        {"**a**", "a\n"},
        {"a `b*` ``c`d`` `e", "a {=`b*`=`b*`} {=``c`d``=``c`d``} `e\n"},
        {"a [b *c*](d \"e\") f", "a {<[}b {<*}c{*>}{](d \"e\")>} f\n"},
        {"a [b](<c d>) [e] [f](g", "a {<[}b{](<c d>)>} [e] [f](g\n"},
        {"a [b][c] ![d](e_f_)", "a {<[}b{][c]>} {<![}d{](e_f_)>}\n"},
        {"a [b [c](d) e](f)", "a [b {<[}c{](d)>} e](f)\n"},
        {"*a [b*](c) d", "*a {<[}b*{](c)>} d\n"},
        {"![a](b) [![c](d)](e)", "a\nc\n"},
        {"a[^1] b[^c].\n\n[^1]: d\n", "a{.[^1]} b{.[^c]}.\nd\n"},
        {"a <b@c.d> <http://e> https://f.g/_h_i.", "a {=<b@c.d>=<b@c.d>} {=<http://e>=<http://e>} "
                                                   "{=https://f.g/_h_i=https://f.g/_h_i}.\n"},
        {"a <b>c</b> <img src='x'> <i>d", "a {<<b>}c{</b>>} {.<img src='x'>} {.<i>}d\n"},
        {"a <code>b *c*</code> d<br>e", "a {=<code>b *c*</code>=<code>b *c*</code>} d\ne\n"},
        {"a *b <i>c* d</i> e", "a {<*}b {.<i>}c{*>} d{.</i>} e\n"},
        {"a &amp; &#38; & b", "a {=&amp;=&amp;} {=&#38;=&#38;} & b\n"},
        {"a $x^2$ costs $5 or $6", "a {=$x^2$=$x^2$} costs $5 or $6\n"},
        {"a \\(x^2\\) {{b}} {% c %} :d_e:",
         "a {=\\(x^2\\)=\\(x^2\\)} {={{b}}={{b}}} {={% c %}={% c %}} {=:d_e:=:d_e:}\n"},
        {"# a {#b}", "a\n"},
        {"a \\*b\\* c\\_d", "a *b* c_d\n"},
        {"**a\nb** c", "{<**}a {|\n}b{**>} c\n"},
        {"**a  \nb** c", "a\nb{.**} c\n"},
    };
    expect_samples(samples, RAMUS_COUNT(samples));
}

static void text_that_is_a_name_of_a_link_stays_one(void)
{
    static const char text[] = "See [the List] and [x][].\n\n[the list]: a\n[X]: b\n";
    static const char *const same[] = {"See {0}the List{1} and {2}x{3}.", NULL};
    static const char *const other[] = {"Siehe {2}y{3} und {0}die Liste{1}.", NULL};
    expect_translated("markdown", text, same, text);
    expect_translated("markdown", text, other,
                      "Siehe [y][x] und [die Liste][the List].\n\n[the list]: a\n[X]: b\n");
}

static void translations_do_not_become_markup(void)
{
    static const struct {
        const char *source, *translation, *want;
    } cases[] = {
        {"a", "*b* c", "\\*b\\* c"},
        {"a", "2 * 3_4_5", "2 * 3_4_5"},
        {"a", "- b", "\\- b"},
        {"a", "# b #", "\\# b #"},
        {"a", "3. b 4. c", "3\\. b 4. c"},
        {"a", "> b > c", "\\> b > c"},
        {"a", "b [c](d)", "b \\[c\\](d)"},
        {"a", "`b` `c", "\\`b\\` `c"},
        {"a", "<b> < c", "\\<b> < c"},
        {"a", "&lt; & b", "\\&lt; & b"},
        {"a", "b \\* \\c", "b \\\\* \\c"},
        {"a", "===", "==="},
        {"# a", "- # b", "# - # b"},
        {"- a", "- b", "- \\- b"},
        {"a\nb", "c {0}- d", "c\n\\- d"},
        {"a\nb", "c {0}14. d", "c\n14. d"},
        {"- a\nb", "c {0}14. d", "- c\n14\\. d"},
        {"a\nb", "c {0}=", "c\n\\="},
        {"a\nb", "c{0} ", "c"},
        {"a\nb", "{0}c", "c"},
        {"a\n> b", "c", "c\n> b"},
        {"a *b* c", "{0} b {1} c", " *b*  c"},
        {"a *b* c", "c {0}{1}", "c "},
        {"a *b* c\nd", "a {0}b{2} c{1}", "a *b\nc*"},
        {"a *b* c\nd", "a {0}{2} b{1}", "a\n*b*"},
        {"a *b* c\nd", "a {0}b{2} {1} c", "a *b*\nc"},
        {"a **b** c", "a{0}, b{1} c", "a, **b** c"},
        {"a _b_ c", "a {0}b-{1}c", "a *b*-c"},
        {"a _b_ c", "{0}b{1}c", "*b*c"},
        {"a **b** c", "a {0}b!{1} c", "a **b!** c"},
        {"a **b** c", "\xE5\xA5\xBD{0}\xE5\xA5\xBD\xE3\x80\x82{1}\xE5\xA5\xBD",
         "\xE5\xA5\xBD**\xE5\xA5\xBD**\xE3\x80\x82\xE5\xA5\xBD"},
        {"a _b_ c", "a {0}?{1}b", "a *?*b"}, // there is no way
        {"|a|\n|-|", "b | c", "|b \\| c|\n|-|"},
        {"<p>a", "b < c <d> *e*", "<p>b < c &lt;d> *e*"},
        {"a \\* b", "* c", "\\* c"},
        {"---\ntitle: a\n---", "b: c", "---\ntitle: \"b: c\"\n---"},
        {"---\ntitle: 'a'\n---", "b's", "---\ntitle: 'b''s'\n---"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        const char *const translations[] = {cases[i].translation, "b", NULL};
        expect_translated("markdown", cases[i].source, translations, cases[i].want);
    }
}

static void a_document_keeps_its_bytes(void)
{
    ramus_buffer b = load_document("guide.md"), blocks = {0}, copy = {0};
    read_document("markdown", NULL, b.data, b.size, 1, AS_ITSELF, &blocks, &copy);
    EXPECT_TEXT(text_of(&copy), text_of(&b));
    const int passed = expect_identity_of_many("markdown", NULL, b.data, b.size);
    EXPECT_INT(passed, b.size + 1 + 2000, "documents");
    ramus_buffer_free(&b);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

/* Long lines and paragraphs without an end come in blocks of a bounded size, in linear time. */
static void long_texts_are_cut(void)
{
    static const char *const parts[] = {"a",    "a ",  "a\n", "> ", "[",        "*a ",
                                        "`a``", "<b ", "](a", "|a", "<!--",     "- ",
                                        "{{",   "\\",  "&",   "$a", "\xC3\xA4", "a|\n-|\n"};
    for (int i = 0; i < RAMUS_COUNT(parts); i++) {
        ramus_buffer b = {0};
        while (b.size < 200000)
            ramus_buffer_text(&b, parts[i]);
        EXPECT(expect_identity("markdown", NULL, b.data, b.size), "refused");
        ramus_buffer_free(&b);
    }
}

CHECK_MAIN({"blocks_are_without_what_stands_before_them",
            blocks_are_without_what_stands_before_them},
           {"code_html_and_definitions_are_copied", code_html_and_definitions_are_copied},
           {"tables_have_cells", tables_have_cells},
           {"marks_are_those_of_commonmark", marks_are_those_of_commonmark},
           {"text_that_is_a_name_of_a_link_stays_one", text_that_is_a_name_of_a_link_stays_one},
           {"translations_do_not_become_markup", translations_do_not_become_markup},
           {"a_document_keeps_its_bytes", a_document_keeps_its_bytes},
           {"long_texts_are_cut", long_texts_are_cut})
