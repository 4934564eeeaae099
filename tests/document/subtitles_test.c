/* Subtitles: which cues are one block, which marks are in it, and what comes out when the cuts
 * stand elsewhere. Truth: written out by hand. */
#include "identity.h"
#include "translated.h"

#define TIME_1 "00:00:01,000 --> 00:00:02,000\n"
#define TIME_2 "00:00:02,500 --> 00:00:04,000\n"
#define TIME_9 "00:01:09,000 --> 00:01:10,000\n"
#define V_1    "00:01.000 --> 00:02.000 align:start\n"
#define V_2    "x\n00:00:02.500 --> 00:00:04.000\n"

typedef struct sample {
    const char *document, *blocks;
} sample;

static void sentences_that_run_over_cues_are_one_block(void)
{
    static const sample samples[] = {
        {"1\n" TIME_1 "I was\nthere\n\n2\n" TIME_2 "but you\n",
         "I was {|\n}there {|\n\n2\n" TIME_2 "}but you\n"},
        {"1\n" TIME_1 "I was,\n\n2\n" TIME_9 "but late\n",
         "I was, {|\n\n2\n" TIME_9 "}but late\n"}, // a small letter
        {"1\n" TIME_1 "I saw\n\n2\n" TIME_2 "Anna\n", "I saw {|\n\n2\n" TIME_2 "}Anna\n"}, // soon
        {"1\n" TIME_1 "I saw\n\n2\n" TIME_9 "Anna\n", "I saw\nAnna\n"},
        {"1\n" TIME_1 "I was.\n\n2\n" TIME_2 "but late\n", "I was.\nbut late\n"},
        {"1\n" TIME_1 "\"Go!\"\n\n2\n" TIME_2 "he said\n", "\"Go!\"\nhe said\n"},
        {"1\n" TIME_1 "I was...\n\n2\n" TIME_2 "...late\n",
         "I was... {|\n\n2\n" TIME_2 "}...late\n"},
        {"1\n" TIME_1 "I was...\n\n2\n" TIME_2 "Go on\n", "I was...\nGo on\n"},
        {"1\n" TIME_1 "a\n2\n" TIME_2 "b", "a {|\n2\n" TIME_2 "}b\n"}, // no blank line
        {"1\n" TIME_1 "a\n\nb\n\n2\n" TIME_2 "c", "a\nb\nc\n"},        // a blank line in a cue
        {"1\r\n00:00:01,000 --> 00:00:02,000\r\na\r\n\r\n2\r\n00:00:02,500 --> "
         "00:00:03,000\r\nb\r\n",
         "a {|\r\n\r\n2\r\n00:00:02,500 --> 00:00:03,000\r\n}b\n"},
        {"\xEF\xBB\xBF"
         "1\n" TIME_1 "12\n\n2\n" TIME_2 "a",
         "a\n"},
    };
    for (int i = 0; i < RAMUS_COUNT(samples); i++)
        expect_blocks("srt", samples[i].document, samples[i].blocks);
}

static void speakers_and_sounds_are_blocks_of_their_own(void)
{
    static const sample samples[] = {
        {"1\n" TIME_1 "- a\n- b\nc\n\n2\n" TIME_2 "d", "a\nb {|\n}c {|\n\n2\n" TIME_2 "}d\n"},
        {"1\n" TIME_1 "<i>- a</i>\n<i>-b</i>", "a\nb\n"},
        {"1\n" TIME_1 "a\n\xE2\x80\x93 b", "a\nb\n"},
        {"1\n" TIME_1 "-5 a\nb", "-5 a {|\n}b\n"},
        {"1\n" TIME_1 "[a b]\nc\n\n2\n" TIME_2 "(d)\n\n3\n" TIME_2 "[e] f",
         "[a b]\nc\n(d)\n[e] f\n"},
    };
    for (int i = 0; i < RAMUS_COUNT(samples); i++)
        expect_blocks("srt", samples[i].document, samples[i].blocks);
}

static void tags_are_marks(void)
{
    static const sample samples[] = {
        {"1\n" TIME_1 "<i>a</i> b <font color=\"red\">c</font> d",
         "{<<i>}a{</i>>} b "
         "{<<font color=\"red\">}c{</font>>} d\n"},
        {"1\n" TIME_1 "{\\an8}<i>a\nb</i>", "a {|\n}b\n"},
        {"1\n" TIME_1 "<i>a</i>\n<i>b</i>", "a {|</i>\n<i>}b\n"},
        {"1\n" TIME_1 "a\n<i>b</i>", "a\nb\n"},
        {"1\n" TIME_1 "a {\\i1}b <u>c", "a {.{\\i1}}b {.<u>}c\n"},
        {"1\n" TIME_1 "\xE2\x99\xAA a \xE2\x99\xAB b \xE2\x99\xAA", "a {.\xE2\x99\xAB} b\n"},
        {"1\n" TIME_1 "2 < 3 & <a>", "2 < 3 & <a>\n"},
    };
    static const sample vtt[] = {
        {"WEBVTT a\nb: c\n\nNOTE\nd\n\nSTYLE\n::cue(b) {}\n\n" V_1 "e\n", "e\n"},
        {"WEBVTT\n" V_1 "a\n\n" V_2 "b\n", "a {|\n\n" V_2 "}b\n"},
        {"WEBVTT\n\n" V_1 "<v Anna>a <c.x>b</c> <00:01.500>c\n\n" V_2 "<v Bob>d",
         "a {<<c.x>}b{</c>>} {.<00:01.500>}c\nd\n"},
        {"WEBVTT\n\n" V_1 "a &amp; b &lt;c&gt;&nbsp;d &copy; e & f", "a & b <c>\xC2\xA0"
                                                                     "d {=&copy;=&copy;} e & f\n"},
    };
    for (int i = 0; i < RAMUS_COUNT(samples); i++)
        expect_blocks("srt", samples[i].document, samples[i].blocks);
    for (int i = 0; i < RAMUS_COUNT(vtt) - 1; i++)
        expect_blocks("vtt", vtt[i].document, vtt[i].blocks);
    ramus_buffer blocks = {0}, copy = {0}; // not all "&" are written alike: they all become &amp;
    const sample *last = &vtt[RAMUS_COUNT(vtt) - 1];
    read_document("vtt", NULL, last->document, strlen(last->document), 1, AS_ITSELF, &blocks,
                  &copy);
    EXPECT_TEXT(text_of(&blocks), last->blocks);
    EXPECT_TEXT(text_of(&copy), "WEBVTT\n\n" V_1 "a &amp; b &lt;c&gt;&nbsp;d &copy; e &amp; f");
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

static void translations_are_cut_into_the_same_cues(void)
{
    static const struct {
        const char *format, *source, *translation, *want;
    } cases[] = {
        {"srt", "1\n" TIME_1 "a\nb\n\n2\n" TIME_2 "c\n", "d {0} e {1}f",
         "1\n" TIME_1 "d\ne\n\n2\n" TIME_2 "f\n"},
        {"srt", "1\n" TIME_1 "a\nb\n\n2\n" TIME_2 "c\n", "{0}d{1} e", // no empty line in a cue
         "1\n" TIME_1 "d\n\n2\n" TIME_2 "e\n"},
        {"srt", "1\n" TIME_1 "a\nb\n\n2\n" TIME_2 "c\n", "d {0}{1} e",
         "1\n" TIME_1 "d\n\n2\n" TIME_2 "e\n"},
        {"srt", "1\n" TIME_1 "a\nb", "c{0}", "1\n" TIME_1 "c"},
        {"srt", "1\n" TIME_1 "a <i>b\n\n2\n" TIME_2 "c</i> d\n", "A {0}B {1}C{2} D", // a pair, too
         "1\n" TIME_1 "A <i>B</i>\n\n2\n" TIME_2 "<i>C</i> D\n"},
        {"srt", "1\n" TIME_1 "a <i>b</i>\n\n2\n" TIME_2 "c\n", "{0}d {2}e{1} f", // over two cues
         "1\n" TIME_1 "<i>d</i>\n\n2\n" TIME_2 "<i>e</i> f\n"},
        {"srt", "1\n" TIME_1 "a\n", "b --> c", "1\n" TIME_1 "b -- > c\n"},
        {"vtt", "WEBVTT\n\n" V_1 "a\n", "b --> c & &d; <e>",
         "WEBVTT\n\n" V_1 "b --&gt; c & &amp;d; &lt;e>\n"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        const char *const translations[] = {cases[i].translation, NULL};
        expect_translated(cases[i].format, cases[i].source, translations, cases[i].want);
    }
}

/* Times and what stands between texts, in a program of its own: lines with "-->", and the lines
 * before them. */
static void list_times(const char *data, ramus_buffer *out)
{
    const char *before = "", *before_end = before;
    for (const char *line = data; *line;) {
        const char *end = strchr(line, '\n');
        if (!end) end = line + strlen(line);
        if (strstr(line, "-->") && strstr(line, "-->") < end)
            ramus_buffer_print(out, "%.*s|%.*s\n", (int)(before_end - before), before,
                               (int)(end - line), line);
        before = line;
        before_end = end;
        line = *end ? end + 1 : end;
    }
}

static void a_document_keeps_its_cues(void)
{
    static const char *const names[] = {"film.srt", "film.vtt"}, *formats[] = {"srt", "vtt"};
    for (int i = 0; i < 2; i++) {
        ramus_buffer b = load_document(names[i]), blocks = {0}, copy = {0}, times = {0}, same = {0};
        read_document(formats[i], NULL, b.data, b.size, 1, AS_ITSELF, &blocks, &copy);
        EXPECT_TEXT(text_of(&copy), text_of(&b));
        ramus_buffer_clear(&copy);
        read_document(formats[i], NULL, b.data, b.size, 1, IN_CAPITALS, &blocks, &copy);
        list_times(text_of(&b), &times);
        list_times(text_of(&copy), &same);
        EXPECT(times.size > 100, "times");
        EXPECT_TEXT(text_of(&same), text_of(&times));
        EXPECT_INT(expect_identity_of_many(formats[i], NULL, b.data, b.size), b.size + 2001, "all");
        ramus_buffer_free(&b);
        ramus_buffer_free(&blocks);
        ramus_buffer_free(&copy);
        ramus_buffer_free(&times);
        ramus_buffer_free(&same);
    }
}

static void long_texts_are_cut(void)
{
    static const char cue[] = "1\n" TIME_1 "a\n\n";
    static const char *const parts[] = {"a", "a ", "a\n",  "<",  "<i>", "<i>a\n",       "{\\", "&",
                                        "-", cue,  TIME_1, "\n", ")",   "\xE2\x99\xAA", "<i"};
    for (int i = 0; i < 2 * RAMUS_COUNT(parts); i++) {
        ramus_buffer b = {0};
        ramus_buffer_text(&b, TIME_1);
        while (b.size < 200000)
            ramus_buffer_text(&b, parts[i / 2]);
        EXPECT(expect_identity(i % 2 ? "srt" : "vtt", NULL, b.data, b.size), "refused");
        ramus_buffer_free(&b);
    }
}

CHECK_MAIN({"sentences_that_run_over_cues_are_one_block",
            sentences_that_run_over_cues_are_one_block},
           {"speakers_and_sounds_are_blocks_of_their_own",
            speakers_and_sounds_are_blocks_of_their_own},
           {"tags_are_marks", tags_are_marks},
           {"translations_are_cut_into_the_same_cues", translations_are_cut_into_the_same_cues},
           {"a_document_keeps_its_cues", a_document_keeps_its_cues},
           {"long_texts_are_cut", long_texts_are_cut})
