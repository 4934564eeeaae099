/* HTML: which texts are blocks, which tags are marks in them, and what is left alone. Truth:
 * written out by hand, after the HTML standard's "translate" attribute and "optional tags". */
#include "identity.h"

/* Pages and fragments with the blocks that they have and, in capitals, what they become. */
typedef struct page {
    const char *in, *blocks, *capitals;
} page;

static void expect_pages(const page *pages, int n)
{
    ramus_buffer blocks = {0}, copy = {0};
    for (int i = 0; i < n; i++) {
        for (size_t step = 1; step < 1000; step += 998) {
            ramus_buffer_clear(&blocks);
            ramus_buffer_clear(&copy);
            read_document("html", NULL, pages[i].in, strlen(pages[i].in), step, IN_CAPITALS,
                          &blocks, &copy);
            EXPECT_TEXT(blocks.data ? blocks.data : "", pages[i].blocks);
            EXPECT_TEXT(copy.data ? copy.data : "", pages[i].capitals);
        }
    }
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void texts_end_at_blocks_and_tags_in_them_are_marks(void)
{
    static const page pages[] = {
        {"Hello <b>world</b>", "Hello {<<b>}world{</b>>}\n", "HELLO <b>WORLD</b>"},
        {"<p>one<p> two <LI>three", "one\ntwo\nthree\n", "<p>ONE<p> TWO <LI>THREE"},
        {"<P><B>all</B></P>", "all\n", "<P><B>ALL</B></P>"},
        {"<p><b>a:</b> b <i> c</i> <p>", "{<<b>}a:{</b>>} b {<<i>}c{</i>>}\n",
         "<p><b>A:</b> B <i>C</i> <p>"},
        {"<p><a name=x></a>text<a name=y></a></p>", "text\n",
         "<p><a name=x></a>TEXT<a name=y></a></p>"},
        {"a<br>b<br/>c<hr>d", "a\nb\nc\nd\n", "A<br>B<br/>C<hr>D"},
        {"a\n b\t<b>c</b>\r\n", "a b {<<b>}c{</b>>}\n", "A B <b>C</b>\r\n"},
        {"<3 is a heart, 1 < 2", "<3 is a heart, 1 < 2\n", "&lt;3 IS A HEART, 1 &lt; 2"},
        {"text <a", "text\n", "TEXT <a"},
        {"a <b>b <i>c</b> d</i> e", "a {<<b>}b {.<i>}c{</b>>} d{.</i>} e\n",
         "A <b>B <i>C</b> D</i> E"},
        {"a <b>b<p>c</b> d", "a {.<b>}b\nc{.</b>} d\n", "A <b>B<p>C</b> D"},
        {"see <img src=x> and <!-- y -->z", "see {.<img src=x> }and {.<!-- y -->}z\n",
         "SEE <img src=x> AND <!-- y -->Z"},
        {"an <x-y z>own</x-y> tag", "an {<<x-y z>}own{</x-y>>} tag\n", "AN <x-y z>OWN</x-y> TAG"},
        {"12 - 13", "", "12 - 13"},
        {"<button>Save</button> <button>Leave</button>", "Save\nLeave\n",
         "<button>SAVE</button> <button>LEAVE</button>"},
        {"<table><tr><td>a<td>b<tr><td>c</table>d", "a\nb\nc\nd\n",
         "<table><tr><td>A<td>B<tr><td>C</table>D"},
        {"<a href=1>One</a> | <a href=2>Two</a> <b>three</b>", "One\nTwo\nthree\n",
         "<a href=1>ONE</a> | <a href=2>TWO</a> <b>THREE</b>"},
        {"<nav><a>One</a>, or <a>two</a></nav>", "{<<a>}One{</a>>}, or {<<a>}two{</a>>}\n",
         "<nav><a>ONE</a>, OR <a>TWO</a></nav>"},
    };
    expect_pages(pages, RAMUS_COUNT(pages));
}

static void what_is_not_to_be_translated_is_kept(void)
{
    static const page pages[] = {
        {"use <code>a &lt; b</code> here", "use {=<code>a &lt; b</code>=a < b} here\n",
         "USE <code>a &lt; b</code> HERE"},
        {"<p><kbd>x</kbd></p>", "", "<p><kbd>x</kbd></p>"},
        {"<p>a <code>b<p>c", "a\nc\n", "<p>A <code>b<p>C"},
        {"a <span translate=no>b <i>c</i></span> d",
         "a {=<span translate=no>b <i>c</i></span>=b c} d\n",
         "A <span translate=no>b <i>c</i></span> D"},
        {"a <b class='x NoTranslate'>b</b>", "a {=<b class='x NoTranslate'>b</b>=b}\n",
         "A <b class='x NoTranslate'>b</b>"},
        {"<code translate=yes>a</code> b", "{<<code translate=yes>}a{</code>>} b\n",
         "<code translate=yes>A</code> B"},
        {"<div translate=no>a<div>b</div><p translate=yes>c<i>d</i><p>e</div>f",
         "c{<<i>}d{</i>>}\nf\n",
         "<div translate=no>a<div>b</div><p translate=yes>C<i>D</i><p>e</div>F"},
        {"a <i translate=no>b <b translate=yes>c</b> d</i> e", "a\nc\ne\n",
         "A <i translate=no>b <b translate=yes>C</b> d</i> E"},
        {"<p translate=no>a<p>b", "b\n", "<p translate=no>a<p>B"},
        {"<li translate=no>a<ul><li>b</ul>c<li>d", "d\n", "<li translate=no>a<ul><li>b</ul>c<li>D"},
        {"<pre>a <b translate=yes>b</b></pre>c", "c\n", "<pre>a <b translate=yes>b</b></pre>C"},
        {"<script>a</p>\"<p>b</script>c", "c\n", "<script>a</p>\"<p>b</script>C"},
        {"<style>a</styles></style>b", "b\n", "<style>a</styles></style>B"},
        {"<textarea>a <b></textarea>b", "b\n", "<textarea>a <b></textarea>B"},
        {"a <svg><p>b</p><style/><![CDATA[</svg>]]></svg> c",
         "a {.<svg><p>b</p><style/><![CDATA[</svg>]]></svg> }c\n",
         "A <svg><p>b</p><style/><![CDATA[</svg>]]></svg> C"},
        {"a <math><mi>x</mi><mspace/></math> b", "a {=<math><mi>x</mi><mspace/></math>=x} b\n",
         "A <math><mi>x</mi><mspace/></math> B"},
        {"<!--[if IE]><p>a</p><![endif]-->b", "b\n", "<!--[if IE]><p>a</p><![endif]-->B"},
        {"<title>a <b> &amp; c</title>d", "a <b> & c\nd\n", "<title>A &lt;B&gt; &amp; C</title>D"},
        {"<title>a", "a\n", "<title>A"},
        {"<html translate=no><title>a</title>b", "", "<html translate=no><title>a</title>b"},
        {"<?xml version='1.0'?><title/><p>a<script/>b</p>", "a{.<script/>}b\n",
         "<?xml version='1.0'?><title/><p>A<script/>B</p>"},
    };
    expect_pages(pages, RAMUS_COUNT(pages));
}

static void attributes_are_blocks(void)
{
    static const page pages[] = {
        {"<img alt=\"a &quot;b&quot;\" title='c'>", "a \"b\"\nc\n",
         "<img alt=\"A &quot;B&quot;\" title='C'>"},
        {"<IMG ALT=old src=x>", "old\n", "<IMG ALT=\"OLD\" src=x>"},
        {"a <img alt=b> c <a title='d \"' href=b>e</a>!",
         "b\nd \"\na {.<img alt=b> }c {<<a title='d \"' href=b>}e{</a>>}!\n",
         "A <img alt=\"B\"> C <a title='D \"' href=b>E</a>!"},
        {"a <i title=b>c</i> d <i title='b'>e</i><p title=f>",
         "b\nb\na {<<i title=b>}c{</i>>} d {<<i title='b'>}e{</i>>}\nf\n",
         "A <i title=\"B\">C</i> D <i title='B'>E</i><p title=\"F\">"},
        {"12 <img alt=' a'> 13 <img alt=b>", "a\nb\n", "12 <img alt=' A'> 13 <img alt=\"B\">"},
        {"<input value=a><input type=Submit value=b placeholder=c>", "b\nc\n",
         "<input value=a><input type=Submit value=\"B\" placeholder=\"C\">"},
        {"<meta name=Description content='a b'><meta name=x content=c>", "a b\n",
         "<meta name=Description content='A B'><meta name=x content=c>"},
        {"<option label=a>b<i label=c>d", "a\nb{.<i label=c>}d\n",
         "<option label=\"A\">B<i label=c>D"},
        {"<div translate=no><img alt=a></div><img translate=no alt=b><p alt=c aria-label='d'>",
         "c\nd\n",
         "<div translate=no><img alt=a></div><img translate=no alt=b><p alt=\"C\" aria-label='D'>"},
        {"a <textarea placeholder=b>c</textarea> d",
         "b\na {.<textarea placeholder=b>c</textarea> }d\n",
         "A <textarea placeholder=\"B\">c</textarea> D"},
        {"<p title='one&#10;two'>", "one {|&#10;}two\n", "<p title='ONE&#10;TWO'>"},
        {"<img alt='x?a=1&copy=2'>", "x?a=1&copy=2\n", "<img alt='X?A=1&amp;COPY=2'>"},
    };
    expect_pages(pages, RAMUS_COUNT(pages));
}

static void references_are_decoded_and_written(void)
{
    static const page pages[] = {
        {"a&nbsp;&amp;&eacute;&#x2014;&check;",
         "a\xC2\xA0&\xC3\xA9\xE2\x80\x94{=&check;=&check;}\n",
         "A&nbsp;&amp;\xC3\xA9\xE2\x80\x94&check;"},
        {"<meta charset=us-ascii><p>&auml;b <i title=&uuml;>c</i>d",
         "\xC3\xBC\n\xC3\xA4"
         "b {<<i title=&uuml;>}c{</i>>}d\n",
         "<meta charset=us-ascii><p>&#228;B <i title=\"&#252;\">C</i>D"},
        {"<meta charset=Windows-1252>a&euml;", "a\xC3\xAB\n", "<meta charset=Windows-1252>A&#235;"},
        {"<meta charset=ascii>a\xC3\xA9", "a\xC3\xA9\n",
         "<meta charset=ascii>A\xC3\xA9"}, // it is not
        {"\xEF\xBB\xBF<meta charset=latin1>a", "a\n", "\xEF\xBB\xBF<meta charset=latin1>A"},
    };
    expect_pages(pages, RAMUS_COUNT(pages));
}

static void another_encoding_is_refused(void)
{
    static const char *const pages[] = {
        "<html><meta charset=\"ISO-8859-1\">\xE4",
        "<META http-equiv=Content-Type content='text/html; Charset=iso-8859-1'>\xE4",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\xE4",
    };
    ramus_error err = {0};
    ramus_document *d = NULL;
    for (int i = 0; i < RAMUS_COUNT(pages); i++) {
        const size_t size = strlen(pages[i]);
        const ramus_format *html = ramus_format_of_path("page.XHTML");
        EXPECT_FAILS(ramus_document_open(&d, html, pages[i], size, NULL, &err), err,
                     i == 1 ? "iconv -f iso-8859-1 -t UTF-8" : "iconv -f ISO-8859-1 -t UTF-8");
    }
    static const char fine[] = "<script>'<meta charset=x>'</script><meta charset=UTF-8>";
    REQUIRE_OK(ramus_document_open(&d, ramus_format_find("html"), fine, strlen(fine), NULL, &err),
               err);
    ramus_document_close(d);
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

static void a_page_stays_the_same(void)
{
    size_t size = 0;
    char *data = load("page.html", &size);
    const int passed = expect_identity_of_many("html", NULL, data, size);
    EXPECT(passed > (int)size + 1900, "%d of %zu are not refused", passed, size + 2001);
    free(data);
}

static void a_page_with_few_references_is_translated_to_itself(void)
{
    ramus_buffer blocks = {0}, copy = {0};
    size_t size = 0;
    char *data = load("plain.html", &size);
    for (size_t step = 1; step < 100000; step += 99000) {
        ramus_buffer_clear(&copy);
        read_document("html", NULL, data, size, step, AS_ITSELF, &blocks, &copy);
        EXPECT_TEXT(copy.data, data);
    }
    free(data);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

/* Documents of one thing, again and again, are neither one block nor read again and again. */
static void endless_things_are_cut(void)
{
    static const char *const things[] = {
        "word ",
        "word",
        "<b>",
        "<b>a",
        "</b>",
        "<code>",
        "<code>a</code> ",
        "<i translate=no>a",
        "<!-- a --> ",
        "<a title=b>c</a> d ",
        "<title>",
        "<div>",
        "<div translate=no><i translate=yes>",
        "&lt;",
        "<",
        "<a ",
        "<svg>",
        "<img alt=a> ",
    };
    for (int i = 0; i < RAMUS_COUNT(things); i++) {
        ramus_buffer b = {0};
        while (b.size < 5 * RAMUS_BLOCK_BYTES)
            ramus_buffer_text(&b, things[i]);
        EXPECT(expect_identity("html", NULL, b.data, b.size), "%s", things[i]);
        ramus_buffer_free(&b);
    }
}

CHECK_MAIN({"texts_end_at_blocks_and_tags_in_them_are_marks",
            texts_end_at_blocks_and_tags_in_them_are_marks},
           {"what_is_not_to_be_translated_is_kept", what_is_not_to_be_translated_is_kept},
           {"attributes_are_blocks", attributes_are_blocks},
           {"references_are_decoded_and_written", references_are_decoded_and_written},
           {"another_encoding_is_refused", another_encoding_is_refused},
           {"a_page_stays_the_same", a_page_stays_the_same},
           {"a_page_with_few_references_is_translated_to_itself",
            a_page_with_few_references_is_translated_to_itself},
           {"endless_things_are_cut", endless_things_are_cut})
