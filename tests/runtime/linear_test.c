/* The time of a text follows its size, whatever its bytes: tokenizers, the cutting into parts, and
 * the formats of documents take four times as long for four times as much of each pattern. Time is
 * that of the processor; the seconds of a megabyte are printed. */
#include "document/format.h"
#include "runtime/parts.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL  (CHECK_SANITIZED ? 8192 : 65536)
#define BIG    (4 * SMALL)
#define MOST   9.0  // times as long; 16 is quadratic
#define LITTLE 0.04 // seconds that say nothing

static const char *const patterns[] = {
    "a",
    "aaaaaaaaa ",
    "ab",
    "abcdefghij",
    "é",
    "\xFF",
    "a.",
    "a. ",
    "A. ",
    "a, ",
    "(",
    ")",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<a>",
    "</a>",
    "<a ",
    "<!--",
    "<![CDATA[",
    "&",
    "&amp;",
    "*",
    "**",
    "*a",
    "_a",
    "~~",
    "`",
    "``",
    "` ",
    "![",
    "[a](",
    "[a]: ",
    "[a]",
    "> ",
    "- ",
    "1. ",
    "#",
    "|",
    "|-",
    "\n",
    "a\n",
    "a\n\n",
    "\t",
    " ",
    "  \n",
    "    a\n",
    "\\",
    "\\\\",
    "$",
    "${",
    "%s",
    "1",
    "1 ",
    "1,",
    "-",
    "--",
    "a-",
    "a@",
    "http://",
    "\u4E2D",
    "\u3002",
    "😀",
    "\u200D",
    "\uE000",
    "\u0301",
    "a\u0301",
    "msgid ",
    "\"\n",
    ",",
    "\",\"",
    "[[",
    "{\"a\":",
    "\r\n",
    "<p><b>",
    "<li>",
    "<table><tr><td>",
    "*a _b ",
    "[*",
    "<b><i></b>",
    "```\n",
    "---\n",
    ":::",
    "\n1\n00:00:01,000 --> 00:00:02,000\na\n",
    "<ph id=\"1\"/>",
    "<trans-unit><source>",
};

static ramus_error err;

typedef struct {
    const char *name;
    void (*run)(const void *arg, const char *text, size_t size);
    const void *arg;
} work;

static double seconds(const work *w, const char *text, size_t size)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) { // what disturbs makes it longer, never shorter
        const clock_t start = clock();
        w->run(w->arg, text, size);
        const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = took < best ? took : best;
        if (best > 0.5) break;
    }
    return best;
}

/* Each pattern over and over, and the same behind one letter. */
static void expect_linear(const work *w)
{
    static char text[BIG];
    double worst = 0;
    int at_worst = 0;
    for (int p = 0; p < RAMUS_COUNT(patterns); p++) {
        const size_t n = strlen(patterns[p]);
        for (size_t i = 0; i < BIG; i++)
            text[i] = patterns[p][i % n];
        const double big = seconds(w, text, BIG);
        const double small = big > LITTLE ? seconds(w, text, SMALL) : 0;
        EXPECT(big <= LITTLE || big <= MOST * small, "%s, \"%s\": %g s for %d bytes, %g s for %d",
               w->name, patterns[p], small, SMALL, big, BIG);
        if (big > worst) at_worst = p;
        worst = big > worst ? big : worst;
    }
    const char *named = patterns[at_worst];
    printf("     %-12s at most %6.2f s per MB (\"%.*s\")\n", w->name, worst * 1048576 / BIG,
           (int)strcspn(named, "\n"), named);
}

static void encode(const void *arg, const char *text, size_t size)
{
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0};
    REQUIRE_OK(ramus_tokenizer_create(&t, arg, &err), err);
    REQUIRE_OK(ramus_tokenizer_encode(t, text, size, &ids, &err), err);
    ramus_ids_free(&ids);
    ramus_tokenizer_destroy(t);
}

static void cut(const void *arg, const char *text, size_t size)
{
    const ramus_vocab *v = arg;
    const ramus_cutting how = {.ends = true};
    const ramus_marked marked = {.text = text, .size = size};
    ramus_parts p = {.limit = 200, .eos = ramus_vocab_eos(v), .language = "en"};
    bool split = false, apart = false;
    REQUIRE_OK(ramus_tokenizer_create(&p.tokenizer, v, &err), err);
    REQUIRE_OK(ramus_parts_add(&p, &marked, &how, &split, &apart, &err), err);
    ramus_tokenizer_destroy(p.tokenizer);
    ramus_parts_free(&p);
}

/* Reads a document to its end; what is none is refused. */
static void read_all(const void *arg, const char *text, size_t size)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer copy = {0};
    ramus_status st = ramus_document_open(&d, arg, text, size, NULL, &err);
    while (!st && !ramus_document_ended(d)) {
        ramus_blocks_clear(&b);
        ramus_buffer_clear(&copy);
        st = ramus_document_read(d, &b, 1 << 16, &err);
        for (int i = 0; i < b.n && !st; i++)
            ramus_document_write(d, &b.items[i], NULL, &copy);
        if (!st) ramus_document_write_rest(d, &copy);
    }
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&copy);
}

static ramus_vocab *load(const char *name)
{
    char path[512];
    ramus_vocab *v = NULL;
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    REQUIRE_OK(ramus_vocab_load(&v, path, &err), err);
    return v;
}

static void tokenizers_are_linear(void)
{
    static const char *const names[] = {"unigram-8k", "bpe-4k", "bpe-unused", "bpe-symbols",
                                        "char",       "word",   "zh-4k"};
    for (int i = 0; i < RAMUS_COUNT(names); i++) {
        ramus_vocab *v = load(names[i]);
        expect_linear(&(work){names[i], encode, v});
        ramus_vocab_destroy(v);
    }
}

static void parts_are_linear(void)
{
    ramus_vocab *v = load("unigram-8k");
    expect_linear(&(work){"parts", cut, v});
    ramus_vocab_destroy(v);
}

static void documents_are_linear(void)
{
    static const char *const names[] = {"text", "html",  "markdown", "srt", "vtt",
                                        "po",   "xliff", "csv",      "tsv", "json"};
    for (int i = 0; i < RAMUS_COUNT(names); i++)
        expect_linear(&(work){names[i], read_all, ramus_format_find(names[i])});
}

CHECK_MAIN({"tokenizers_are_linear", tokenizers_are_linear}, {"parts_are_linear", parts_are_linear},
           {"documents_are_linear", documents_are_linear})
