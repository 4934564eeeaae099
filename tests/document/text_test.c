/* Plain text: which lines share a block, and how its translation is wrapped. Truth: the blocks of
 * tests/document/wrapped as a reader finds them, results written out by hand, and laws. */
#include "identity.h"

#include "base/map.h"
#include "base/rng.h"
#include "base/status.h"

static const char *const names[] = {
    "addresses", "changelog", "chinese",  "crlf",     "german", "letter", "mail",  "manual",
    "minutes",   "poem",      "readme72", "readme80", "recipe", "song",   "table", "values"};
#define N_NAMES (int)(sizeof names / sizeof *names)

static const ramus_format_options by_itself = {.wrapped = RAMUS_WRAPPED_AUTO},
                                  wrapped = {.wrapped = RAMUS_WRAPPED_YES},
                                  lines = {.wrapped = RAMUS_WRAPPED_NO};
static const ramus_format_options *const modes[] = {&by_itself, &wrapped, &lines};

static ramus_file map_file(const char *name, const char *ending)
{
    char path[4096];
    ramus_error err = {0};
    ramus_file file = {0};
    (void)snprintf(path, sizeof path, GOLDEN "/../document/wrapped/%s%s", name, ending);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    return file;
}

static void blocks_are_those_that_a_reader_finds(void)
{
    for (int i = 0; i < N_NAMES; i++) {
        ramus_file text = map_file(names[i], ".txt"), want = map_file(names[i], ".blocks");
        ramus_buffer blocks = {0}, copy = {0};
        read_document("text", &by_itself, (const char *)text.data, text.size, 1, AS_IT_IS, &blocks,
                      &copy);
        EXPECT(blocks.data && blocks.size == want.size &&
                   memcmp(blocks.data, want.data, want.size) == 0,
               "%s: got\n%s", names[i], blocks.data ? blocks.data : "");
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&copy);
        ramus_file_unmap(&text);
        ramus_file_unmap(&want);
    }
}

static void expect_blocks(const ramus_format_options *options, const char *text, const char *want)
{
    ramus_buffer blocks = {0}, copy = {0};
    read_document("text", options, text, strlen(text), 1, AS_IT_IS, &blocks, &copy);
    EXPECT_TEXT(blocks.data ? blocks.data : "", want);
    EXPECT_TEXT(copy.data ? copy.data : "", text);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

#define FIRST  "This line is long enough to show that somebody has wrapped it\n"
#define SECOND "somewhere, and this is the next one.\n"

static void what_is_no_prose_is_never_joined(void)
{
    expect_blocks(&by_itself, FIRST SECOND,
                  "This line is long enough to show that somebody has wrapped it somewhere, and "
                  "this is the next one.\n");
    static const char *const others[] = {
        "Title Without Full Stop\nThis is the first sentence.\nThis is the second.\n",
        "Name,Age,City\nTom,35,Berlin\nMary,28,Hamburg\n",
        "Best regards,\nJohn\n",
        "roses are red\nviolets are blue\nsugar is sweet\nand so are you\n",
        FIRST "\n" SECOND,    // a blank line
        FIRST "> " SECOND,    // quoted
        FIRST "---\n" SECOND, // a rule
        FIRST "* " SECOND,    // an item
        "# " FIRST SECOND,    // a heading
        "This line is long enough but it announces something as you can see:\nSomething.\n",
        "cc -O2 -o tidepool tidepool.c harbours.c moon.c tables.c arithmetic.c \\\nwindow.c\n",
        "src/harbours/north/oakford_and_all_places_near_it/tables/march.txt\nsrc/moon/phase\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ramus_buffer blocks = {0}, one_by_one = {0}, copy = {0};
        const size_t size = strlen(others[i]);
        read_document("text", &by_itself, others[i], size, 1, AS_IT_IS, &blocks, &copy);
        read_document("text", &lines, others[i], size, 1, AS_IT_IS, &one_by_one, &copy);
        EXPECT_TEXT(blocks.data ? blocks.data : "none", one_by_one.data ? one_by_one.data : "");
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&one_by_one);
        ramus_buffer_free(&copy);
    }
}

static void wrapped_text_joins_whatever_stands_together(void)
{
    expect_blocks(&wrapped, "One\ntwo.\nThree\n\n> four\n> five\nsix\n",
                  "One two. Three\nfour five\nsix\n");
    expect_blocks(&wrapped, "- one\n  two\n- three\nfour\n\n# Five\nsix\n",
                  "one two\nthree four\nFive\nsix\n");
    expect_blocks(&wrapped, "   one\ntwo\n   three\nfour\n", "one two\nthree four\n");
    expect_blocks(&lines, "One\ntwo.\n> four\n> five\n", "One\ntwo.\nfour\nfive\n");
}

static void words_are_joined_as_they_were_parted(void)
{
    expect_blocks(&wrapped, "a hard-\nwrapped line\n", "a hard-wrapped line\n");
    expect_blocks(&wrapped, "Haus- \nund Garten\n", "Haus- und Garten\n");
    expect_blocks(&wrapped, "trans\u2010\nlated\n", "translated\n");
    expect_blocks(&wrapped, "trans\u00AD\nlated\n", "translated\n");
    expect_blocks(&wrapped, "in 1990-\n1991\n", "in 1990- 1991\n");
    expect_blocks(&wrapped, "他等了\n很久。\n", "他等了很久。\n");
    expect_blocks(&wrapped, "他用\nLinux\n", "他用 Linux\n");
    expect_blocks(&wrapped, "two  spaces   and\nmore\n", "two spaces and more\n");
}

static void markers_and_cells_stay_where_they_are(void)
{
    expect_blocks(&by_itself, " 1) one\n(b) two\n## three\n\u2022 four\n",
                  "one\ntwo\nthree\nfour\n");
    expect_blocks(&by_itself, "1. one\n2. two\n\n3. three\n", "one\ntwo\nthree\n");
    expect_blocks(&by_itself, "3. Oktober\n", "3. Oktober\n");
    expect_blocks(&by_itself, "3. Oktober\n4. November\n", "Oktober\nNovember\n");
    expect_blocks(&by_itself, "a\tb c\td\n", "a\nb c\nd\n");
    expect_blocks(&by_itself, "a b    c  d\n", "a b\nc\nd\n"); // a row: two spaces divide it
    expect_blocks(&by_itself, "Tom   35  Bonn\n", "Tom\nBonn\n");
    expect_blocks(&by_itself, "a\tb  c\n", "a\nb  c\n");
    expect_blocks(&by_itself, "It  is.   Well.  (So.)   Go.\n", "It  is.   Well.  (So.)   Go.\n");
    expect_blocks(&by_itself, "\xEF\xBB\xBFone\ftwo\rthree\u2028four\x0B\n",
                  "one\ntwo\nthree\nfour\n");
}

/* Writes the document with `translation` for its only block. */
static void expect_written(const char *text, const char *translation, const char *want)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_error err = {0};
    REQUIRE_OK(
        ramus_document_open(&d, ramus_format_find("text"), text, strlen(text), &wrapped, &err),
        err);
    REQUIRE_OK(ramus_document_read(d, &b, 1000, &err), err);
    EXPECT_INT(b.n, 1, "blocks");
    const ramus_marked m = {.text = translation, .size = strlen(translation)};
    ramus_document_write(d, &b.items[0], &m, &out);
    ramus_document_write_rest(d, &out);
    EXPECT_TEXT(out.data, want);
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&out);
}

static void translations_are_wrapped_as_the_source_was(void)
{
    expect_written("one two three\nfour\n", "eins zwei drei vier f\u00FCnf",
                   "eins zwei\ndrei vier\nf\u00FCnf\n");
    expect_written("one two three\nfour\n", "eins", "eins\n");
    expect_written("one two three\r\nfour\r\n\r\n", "eins zwei drei vier",
                   "eins zwei\r\ndrei vier\r\n\r\n");
    expect_written("> > one two\n> > three", "eins zwei drei", "> > eins\n> > zwei\n> > drei");
    expect_written(" - one two\n   three\n", "eins zwei drei", " - eins\n   zwei\n   drei\n");
    expect_written("    one two\nthree\n", "eins zwei drei", "    eins\nzwei drei\n");
    expect_written("one two\nthree\n", "Donaudampfschiff ja", "Donaudampfschiff\nja\n");
    expect_written("one two\nthree\n", "eins\u00A0zwei", "eins\u00A0zwei\n"); // stays together
    expect_written("one two\nthree\n", "\u4E00\u4E8C\u4E09\u56DB\u3002\u4E94\u516D",
                   "\u4E00\u4E8C\u4E09\n\u56DB\u3002\u4E94\n\u516D\n"); // 7 columns hold 3
    expect_written("one two\nthree\n", "\u4E00\u4E8C\u4E09\u3002", // no full stop begins a line
                   "\u4E00\u4E8C\n\u4E09\u3002\n");
    expect_written("\u4E00\u4E8C\u4E09\u56DB\n\u4E94\n", "one two six", "one two\nsix\n");
}

/* --- laws --- */

/* The next byte that is neither white space nor a sign of quotation or hyphenation. */
static size_t next_word_byte(const ramus_buffer *b, size_t at)
{
    static const char *const skipped[] = {" ", "\t",     "\r",     "\n",     "\v",    "\f",
                                          ">", "\u2010", "\u00AD", "\u3000", "\u2028"};
    for (bool more = true; more && at < b->size;) {
        more = false;
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped && !more; i++) {
            const size_t size = strlen(skipped[i]);
            more = b->size - at >= size && memcmp(b->data + at, skipped[i], size) == 0;
            if (more) at += size;
        }
    }
    return at;
}

static bool same_words(const ramus_buffer *a, const ramus_buffer *b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        i = next_word_byte(a, i);
        k = next_word_byte(b, k);
        if (i >= a->size || k >= b->size) return i >= a->size && k >= b->size;
        if (a->data[i] != b->data[k]) return false;
    }
}

/* As it is: the same bytes at every step. By itself: the same bytes line by line, and the same
 * words where lines are joined. */
static void expect_laws(const char *data, size_t size)
{
    for (int m = 0; m < 3; m++) {
        ramus_buffer blocks = {0}, itself = {0};
        const ramus_buffer text = {.data = (char *)data, .size = size};
        EXPECT(expect_identity("text", modes[m], data, size), "refused");
        read_document("text", modes[m], data, size, 1, AS_ITSELF, &blocks, &itself);
        if (modes[m] == &lines)
            EXPECT(itself.size == size && (size == 0 || memcmp(itself.data, data, size) == 0),
                   "lines: %.*s", (int)size, data);
        else
            EXPECT(same_words(&text, &itself), "mode %d: %.*s\n--- became\n%s", m, (int)size, data,
                   itself.data ? itself.data : "");
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&itself);
    }
}

static void every_beginning_of_a_document_keeps_the_laws(void)
{
    for (int i = 0; i < N_NAMES; i++) {
        ramus_file text = map_file(names[i], ".txt");
        for (size_t size = 0; size <= text.size; size++) {
            char *exact = malloc(size ? size : 1); // exactly: a byte too far is seen
            memcpy(exact, text.data, size);
            expect_laws(exact, size);
            free(exact);
            if (CHECK_SANITIZED) size += 10;
        }
        ramus_file_unmap(&text);
    }
}

static void two_thousand_mutations_keep_the_laws(void)
{
    static const char *const bits[] = {"\n",  "\r\n", "\r",     "\n\n",   "> ",     "- ",
                                       "1. ", "    ", "\t",     "\u3000", "\u4E00", "\u2010\n",
                                       "\f",  "\xFF", "\u2028", "-\nx",   "\n  ",   ", a,b,c"};
    const ramus_rng rng = {check_seed(), 5, 0, 0};
    uint64_t n = 0;
    for (int round = 0; round < 2000; round++) {
        ramus_file text = map_file(names[round % N_NAMES], ".txt");
        ramus_buffer b = {0};
        for (size_t at = 0; at < text.size;) {
            const size_t some = ramus_rng_bits(&rng, n++) % 200, rest = text.size - at;
            ramus_buffer_add(&b, text.data + at, some < rest ? some : rest);
            at += some + ramus_rng_bits(&rng, n++) % 8;
            ramus_buffer_text(&b, bits[ramus_rng_bits(&rng, n++) % (sizeof bits / sizeof *bits)]);
        }
        expect_laws(b.data ? b.data : "", b.size);
        ramus_buffer_free(&b);
        ramus_file_unmap(&text);
    }
}

/* Neither a line without an end nor a paragraph without one is held whole. */
static void blocks_end_in_documents_without_structure(void)
{
    static const char *const parts[] = {"a", "word ", "\u4E00", "word word word\n", "a\n"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        ramus_buffer b = {0}, out = {0};
        ramus_blocks blocks = {0};
        ramus_document *d = NULL;
        ramus_error err = {0};
        while (b.size < 1 << 20)
            ramus_buffer_text(&b, parts[p]);
        REQUIRE_OK(
            ramus_document_open(&d, ramus_format_find("text"), b.data, b.size, &wrapped, &err),
            err);
        for (int calls = 0; !ramus_document_ended(d); calls++) {
            ramus_blocks_clear(&blocks);
            REQUIRE_OK(ramus_document_read(d, &blocks, 1, &err), err);
            EXPECT(blocks.n >= 1 && blocks.texts.size <= RAMUS_BLOCK_BYTES + 100, "%zu bytes",
                   blocks.texts.size);
            ramus_document_write_rest(d, &out);
            EXPECT(calls < 40, "%d calls", calls);
        }
        EXPECT(out.size == b.size && memcmp(out.data, b.data, b.size) == 0, "the same bytes");
        ramus_document_close(d);
        ramus_blocks_free(&blocks);
        ramus_buffer_free(&b);
        ramus_buffer_free(&out);
    }
}

CHECK_MAIN(
    {"blocks_are_those_that_a_reader_finds", blocks_are_those_that_a_reader_finds},
    {"what_is_no_prose_is_never_joined", what_is_no_prose_is_never_joined},
    {"wrapped_text_joins_whatever_stands_together", wrapped_text_joins_whatever_stands_together},
    {"words_are_joined_as_they_were_parted", words_are_joined_as_they_were_parted},
    {"markers_and_cells_stay_where_they_are", markers_and_cells_stay_where_they_are},
    {"translations_are_wrapped_as_the_source_was", translations_are_wrapped_as_the_source_was},
    {"every_beginning_of_a_document_keeps_the_laws", every_beginning_of_a_document_keeps_the_laws},
    {"two_thousand_mutations_keep_the_laws", two_thousand_mutations_keep_the_laws},
    {"blocks_end_in_documents_without_structure", blocks_end_in_documents_without_structure})
