/* Tokens, attributes and references of HTML and XML. Truth: written out by hand, after the HTML
 * standard's chapter "Tokenization" and XML 1.0. */
#include "documents.h"

#include "document/markup.h"

/* Shows tokens as "T[text] O[<b>] ...". */
static void show_tokens(const char *text, size_t size, ramus_markup markup, ramus_buffer *out)
{
    size_t at = 0;
    ramus_buffer_clear(out);
    for (;;) {
        const ramus_markup_token t = ramus_markup_next(text, size, at, markup);
        EXPECT(t.from == at, "token at %zu begins at %zu", at, t.from);
        if (t.kind == RAMUS_MARKUP_END) break;
        EXPECT(t.to > at && t.to <= size, "token at %zu ends at %zu", at, t.to);
        if (t.to <= at) break;
        ramus_buffer_print(out, "%c[%.*s]", " TOECD-"[t.kind], (int)(t.to - at), text + at);
        at = t.to;
    }
    EXPECT_INT(at, size, "all bytes are in tokens");
}

static void documents_are_tokens(void)
{
    static const struct {
        const char *text, *html, *xml;
    } cases[] = {
        {"", NULL, NULL},
        {"a<b>c</b >d<br/>e<br />", "T[a]O[<b>]T[c]C[</b >]T[d]E[<br/>]T[e]E[<br />]", NULL},
        {"<3 is < a heart <", "T[<3 is < a heart <]", NULL},
        {"x<a href=\"a>b\" c='>' d=e>f", "T[x]O[<a href=\"a>b\" c='>' d=e>]T[f]", NULL},
        {"<a href=x/>y", "O[<a href=x/>]T[y]", NULL},
        {"x<a href=\"", "T[x]-[<a href=\"]", NULL},
        {"x<a", "T[x]-[<a]", NULL},
        {"x</", "T[x</]", NULL},
        {"</>x</ b>y", "-[</>]T[x]-[</ b>]T[y]", NULL},
        {"<!-- <b> -- > -->x<!-->y<!--->z<!-- ",
         "-[<!-- <b> -- > -->]T[x]-[<!-->]T[y]-[<!--->]T[z]-[<!-- ]", NULL},
        {"<!--[if IE]><p>x<![endif]-->y", "-[<!--[if IE]><p>x<![endif]-->]T[y]", NULL},
        {"<!DOCTYPE html>x", "-[<!DOCTYPE html>]T[x]", NULL},
        {"<!DOCTYPE a [<!ENTITY b \"]\"> ] >x", "-[<!DOCTYPE a [<!ENTITY b \"]\">]T[ ] >x]",
         "-[<!DOCTYPE a [<!ENTITY b \"]\"> ] >]T[x]"},
        {"<?x a>b?>c", "-[<?x a>]T[b?>c]", "-[<?x a>b?>]T[c]"},
        {"<![CDATA[a>b]]>c", "-[<![CDATA[a>]T[b]]>c]", "D[<![CDATA[a>b]]>]T[c]"},
        {"<_a:b>c", "T[<_a:b>c]", "O[<_a:b>]T[c]"},
        {"<w:p w:x=\"1\"/>", "E[<w:p w:x=\"1\"/>]", NULL},
    };
    ramus_buffer out = {0};
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        show_tokens(cases[i].text, strlen(cases[i].text), RAMUS_HTML, &out);
        EXPECT_TEXT(out.data ? out.data : "", cases[i].html ? cases[i].html : "");
        show_tokens(cases[i].text, strlen(cases[i].text), RAMUS_XML, &out);
        const char *xml = cases[i].xml ? cases[i].xml : cases[i].html;
        EXPECT_TEXT(out.data ? out.data : "", xml ? xml : "");
    }
    ramus_buffer_free(&out);
}

static void attributes_are_read_one_by_one(void)
{
    static const char tag[] = "<IMG Alt='a \"b\"' src=x/y  hidden title = \"\" =z w=>";
    const ramus_markup_token t = ramus_markup_next(tag, strlen(tag), 0, RAMUS_HTML);
    ramus_attribute a = {0};
    ramus_buffer out = {0};
    while (ramus_markup_attribute(&a, tag, &t))
        ramus_buffer_print(&out, "(%.*s|%.*s|%c)", (int)a.name_size, tag + a.name,
                           (int)a.value_size, tag + a.value, a.quote ? a.quote : '0');
    EXPECT_TEXT(out.data ? out.data : "",
                "(Alt|a \"b\"|')(src|x/y| )(hidden||0)(title||\")(=z||0)(w||0)");
    EXPECT(ramus_markup_find(&a, tag, &t, "src") && tag[a.value] == 'x', "src");
    EXPECT(ramus_markup_find(&a, tag, &t, "alt"), "alt");
    EXPECT(!ramus_markup_find(&a, tag, &t, "al"), "al");
    EXPECT(!ramus_markup_find(&a, tag, &t, "img"), "the name of the tag is none");
    EXPECT_INT(t.name_size, 3, "name");
    ramus_buffer_free(&out);
}

static void long_texts_are_cut_between_words(void)
{
    enum { SIZE = 3 * RAMUS_MARKUP_BYTES };
    char *text = malloc(SIZE);
    EXPECT(text != NULL, "memory");
    if (!text) return;
    static const char *const words[] = {"word ", "\xE2\x82\xAC", "&hellip;", "<", "x"};
    for (int w = 0; w < RAMUS_COUNT(words); w++) {
        const size_t n = strlen(words[w]);
        const size_t size = SIZE / n * n;
        for (size_t i = 0; i < size; i++)
            text[i] = words[w][i % n];
        int tokens = 0;
        for (size_t at = 0; at < size; tokens++) {
            const ramus_markup_token t = ramus_markup_next(text, size, at, RAMUS_HTML);
            EXPECT_INT(t.kind, RAMUS_MARKUP_TEXT, words[w]);
            EXPECT(t.to - at <= RAMUS_MARKUP_BYTES &&
                       (t.to == size || t.to - at > RAMUS_MARKUP_BYTES / 2),
                   "%zu bytes", t.to - at);
            EXPECT_INT(t.to % n, 0, "cut between two words");
            at = t.to;
        }
        EXPECT(tokens >= 3 && tokens <= 4, "%d tokens", tokens);
    }
    free(text);
}

/* The text of one block made of `text`. */
static void take(const char *text, ramus_markup markup, bool attribute, bool collapse,
                 ramus_buffer *out)
{
    ramus_blocks b = {0};
    ramus_markup_text t = {
        .blocks = &b, .markup = markup, .attribute = attribute, .collapse = collapse};
    ramus_buffer_clear(out);
    ramus_blocks_begin(&b, 0);
    ramus_markup_text_add(&t, text, strlen(text));
    (void)ramus_blocks_end(&b, 0, 0);
    if (b.n) show_block(&b, 0, out);
    ramus_blocks_free(&b);
}

static void references_are_decoded(void)
{
    static const struct {
        const char *text, *html, *attribute, *xml;
    } cases[] = {
        {"a &lt;&amp;&gt;&quot;&apos;", "a <&>\"'\n", NULL, NULL},
        {"a&#65;&#x42;&#X43;", "aABC\n", NULL, NULL},
        {"a&#66 &#x110000; &#0; &#xD800;", "aB \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD\n", NULL,
         "a&#66 \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD\n"},
        {"a&#150;&#8211;", "a\xE2\x80\x93\xE2\x80\x93\n", NULL, "a\xC2\x96\xE2\x80\x93\n"},
        {"x&eacute;&Eacute;&thetasym;", "x\xC3\xA9\xC3\x89\xCF\x91\n", NULL,
         "x{=&eacute;=&eacute;}{=&Eacute;=&Eacute;}{=&thetasym;=&thetasym;}\n"},
        {"x&copy 1&copyright", "x\xC2\xA9 1\xC2\xA9right\n", "x\xC2\xA9 1&copyright\n",
         "x&copy 1&copyright\n"},
        {"x?a=1&copy=2", "x?a=1\xC2\xA9=2\n", "x?a=1&copy=2\n", "x?a=1&copy=2\n"},
        {"x &check; &e-n.t; y", "x {=&check;=&check;} &e-n.t; y\n", NULL,
         "x {=&check;=&check;} {=&e-n.t;=&e-n.t;} y\n"},
        {"AT&T & Co &; &# &#x; &mdash", "AT&T & Co &; &# &#x; &mdash\n", NULL, NULL},
        {" a\n\t b&#32; &#10;c&nbsp; ", "a b {|&#32;}{|&#10;}c\xC2\xA0\n", NULL,
         "a b {|&#32;}{|&#10;}c{=&nbsp;=&nbsp;}\n"},
        {"a&#32\n;b&#10c", "a {|&#32;};b {|&#10;}c\n", NULL, "a&#32 ;b&#10c\n"},
        {"a&", "a&\n", NULL, NULL},
    };
    ramus_buffer out = {0};
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        const char *html = cases[i].html;
        take(cases[i].text, RAMUS_HTML, false, true, &out);
        EXPECT_TEXT(out.data, html);
        take(cases[i].text, RAMUS_HTML, true, true, &out);
        EXPECT_TEXT(out.data, cases[i].attribute ? cases[i].attribute : html);
        take(cases[i].text, RAMUS_XML, false, true, &out);
        EXPECT_TEXT(out.data, cases[i].xml ? cases[i].xml : html);
    }
    take(" a\n b ", RAMUS_XML, false, false, &out);
    EXPECT_TEXT(out.data, " a\n b \n");
    ramus_buffer_free(&out);
}

static void white_space_stands_once_beside_marks(void)
{
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_markup_text t = {.blocks = &b, .markup = RAMUS_HTML, .collapse = true};
    ramus_blocks_begin(&b, 0);
    ramus_markup_text_mark(&t, RAMUS_MARK_OPEN, "<i>", 3);
    ramus_markup_text_add(&t, " one ", 5);
    ramus_markup_text_mark(&t, RAMUS_MARK_OPEN, "<b>", 3);
    ramus_markup_text_add(&t, " two", 4);
    ramus_markup_text_mark(&t, RAMUS_MARK_CLOSE, "</b>", 4);
    ramus_markup_text_add(&t, " ", 1);
    ramus_markup_text_keep(&t, "x", 1, "<code>x</code>", 14);
    ramus_markup_text_add(&t, " ", 1);
    ramus_markup_text_mark(&t, RAMUS_MARK_CLOSE, "</i>", 4);
    ramus_markup_text_add(&t, " three ", 7);
    EXPECT(ramus_blocks_end(&b, 0, 0), "words");
    show_block(&b, 0, &out);
    EXPECT_TEXT(out.data, "{<<i>}one {<<b>}two{</b>>} {=<code>x</code>=x} {</i>>}three\n");
    ramus_buffer_free(&out);
    ramus_blocks_free(&b);
}

static void text_is_escaped(void)
{
    static const char text[] = "<a & \"b\" 'c'>\xC2\xA0\xC2\xA1";
    ramus_buffer out = {0};
    ramus_markup_escape_html(&out, text, strlen(text));
    EXPECT_TEXT(out.data, "&lt;a &amp; \"b\" 'c'&gt;&nbsp;\xC2\xA1");
    ramus_buffer_clear(&out);
    ramus_markup_escape_xml(&out, text, strlen(text));
    EXPECT_TEXT(out.data, "&lt;a &amp; \"b\" 'c'&gt;\xC2\xA0\xC2\xA1");
    ramus_buffer_clear(&out);
    ramus_markup_escape_double(&out, text, strlen(text));
    EXPECT_TEXT(out.data, "&lt;a &amp; &quot;b&quot; 'c'>\xC2\xA0\xC2\xA1");
    ramus_buffer_clear(&out);
    ramus_markup_escape_single(&out, text, strlen(text));
    EXPECT_TEXT(out.data, "&lt;a &amp; \"b\" &#39;c&#39;>\xC2\xA0\xC2\xA1");
    ramus_buffer_free(&out);
}

CHECK_MAIN({"documents_are_tokens", documents_are_tokens},
           {"attributes_are_read_one_by_one", attributes_are_read_one_by_one},
           {"long_texts_are_cut_between_words", long_texts_are_cut_between_words},
           {"references_are_decoded", references_are_decoded},
           {"white_space_stands_once_beside_marks", white_space_stands_once_beside_marks},
           {"text_is_escaped", text_is_escaped})
