/* What is not language stands in translations once, byte for byte, with models that know symbols
 * and with others, and where it belongs. Truth: texts are built around what must be kept;
 * translations of single pieces; a prefix that forces symbols into a translation. */
#include "runtime/sessions.h"

#include "runtime/kept.h"

static const model_spec plain = {"dmb", "bpe-4k", NULL, false, 0, false};
static const model_spec symbols = {"dmb", "bpe-4k", NULL, false, 0, true};

static ramus_error err;

static int count(const char *text, size_t size, const char *part)
{
    const size_t n = strlen(part);
    int found = 0;
    for (size_t i = 0; i + n <= size; i++)
        found += memcmp(text + i, part, n) == 0;
    return found;
}

static const char *const kept[] = {"http://example.org/a?b=1&c=%20", "http://x.de",
                                   "http://a.b/c_(d)", "http://localhost:80/#top"};
#define KEPT ((int)(sizeof kept / sizeof *kept))

/* Sentences with up to 20 of the above at all places. */
static void everything_is_kept_once(void)
{
    ramus_text lines[40];
    ramus_file file = golden_lines("sample.en-de", lines, 40);
    for (int k = 0; k < 2; k++) {
        ramus_model *m = model_create(k ? symbols : plain);
        ramus_session *s =
            session_create(m, (ramus_session_options){.batch = 4, .beam = 2, .threads = 2});
        for (int i = 0; i < 40; i++) {
            const ramus_rng rng = {check_seed(), 5, (unsigned)i, 0};
            ramus_buffer text = {0};
            int wanted[KEPT] = {0}, n = 0;
            for (size_t at = 0; at < lines[i].size; at++) {
                ramus_buffer_add(&text, lines[i].data + at, 1);
                if (lines[i].data[at] != ' ' || ramus_rng_bits(&rng, at) % 3) continue;
                const int which = (int)(ramus_rng_bits(&rng, 1000 + at) % KEPT);
                wanted[which]++;
                n++;
                ramus_buffer_print(&text, "%s ", kept[which]);
            }
            ramus_translation out;
            REQUIRE_OK(ramus_translate(s, text.data, NULL, &out, &err), err);
            for (int j = 0; j < KEPT; j++)
                EXPECT(count(out.text, out.size, kept[j]) == wanted[j],
                       "%s is there %d times, not %d: %s became %s", kept[j],
                       count(out.text, out.size, kept[j]), wanted[j], text.data, out.text);
            EXPECT(n == 0 || out.notes & RAMUS_NOTE_APART, "notes %u", out.notes);
            ramus_buffer_free(&text);
        }
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
    ramus_file_unmap(&file);
}

/* A sentence that is cut amid keeps which stand outside of sentences ends there. */
static void keeps_go_on_over_a_cut(void)
{
    enum { PAIRS = 400 };
    for (int k = 0; k < 2; k++) {
        ramus_model *m = model_create(k ? symbols : plain);
        ramus_session *s = session_create(m, (ramus_session_options){.beam = 1});
        ramus_buffer text = {0};
        ramus_buffer_text(&text, "Two men.\n");
        for (int i = 0; i < PAIRS; i++)
            ramus_buffer_text(&text, "\x01\xF0\x9F\x98\x80"); // a control character and a face
        ramus_buffer_text(&text, " dogs\n");
        ramus_translation out;
        REQUIRE_OK(ramus_translate(s, text.data, NULL, &out, &err), err);
        EXPECT_INT(count(out.text, out.size, "\xF0\x9F\x98\x80"), PAIRS, "faces");
        EXPECT_INT(count(out.text, out.size, "\x01"), PAIRS, "control characters");
        ramus_buffer_free(&text);
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* Without symbols, what is around a keep is translated alone, without signs that touch the keep. */
static void fragments_are_translated_alone(void)
{
    static const struct {
        const char *pieces[6]; // translated, copied, translated ..
        int n;
    } cases[] = {
        {{"See", " http://x.de ", "and then", " http://a.b/c_(d) ", "if you like."}, 3},
        {{"", "{name}, ", "welcome back!"}, 1},
        {{"Do you want", " '%s'?"}, 1},
        {{"The file", " \"%s\" - ", "(the old one) is in:", " %s \xE2\x80\x93 ", "and here"}, 3},
        {{"", "%s) ", "\"good\" and", " (%s"}, 1},
        {{"Price,", " $%d \xE2\x80\x9E%s\xE2\x80\x9C, ", "that is all."}, 2},
    };
    ramus_model *m = model_create(plain);
    ramus_session *s = session_create(m, (ramus_session_options){.beam = 2});
    ramus_buffer text = {0}, want = {0};
    ramus_translation out;
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        ramus_buffer_clear(&text);
        ramus_buffer_clear(&want);
        for (int i = 0; i < 6 && cases[k].pieces[i]; i++) {
            const char *piece = cases[k].pieces[i];
            ramus_buffer_text(&text, piece);
            REQUIRE_OK(ramus_translate(s, piece, NULL, &out, &err), err);
            ramus_buffer_add(&want, out.text, out.size);
            EXPECT(i % 2 == 0 || strcmp(out.text, piece) == 0, "%s is not copied", piece);
        }
        REQUIRE_OK(ramus_translate(s, text.data, NULL, &out, &err), err);
        EXPECT_TEXT(out.text, want.data);
        EXPECT_INT(out.sentences, cases[k].n, text.data);
        EXPECT_INT(out.notes & RAMUS_NOTE_APART, RAMUS_NOTE_APART, "notes");
    }
    ramus_buffer_free(&text);
    ramus_buffer_free(&want);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* A translation that has the symbols is taken, with what they stand for in their places. */
static void symbols_give_way_to_what_they_stand_for(void)
{
    static const struct {
        const char *text, *prefix, *begins;
        bool apart;
    } cases[] = {
        {"See http://x.de today.", "Sieh \xEE\x80\x80 heute", "Sieh http://x.de heute", false},
        {"See http://x.de and http://a.b/c!", "\xEE\x80\x81, \xEE\x80\x80",
         "http://a.b/c, http://x.de", false},
        {"See http://x.de today.", "Sieh heute", "Sieh heute", true},
        {"See http://x.de today.", "\xEE\x80\x80 \xEE\x80\x80", "", true},
        {"See http://x.de today.", "\xEE\x80\x80 \xEE\x80\x81", "", true},
    };
    ramus_model *m = model_create(symbols);
    ramus_session *s = session_create(m, (ramus_session_options){.beam = 1, .details = true});
    ramus_translate_options how = defaults();
    how.max_length_ratio = 0.01;
    how.no_repeat = 1; // no symbol comes by chance a second time
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        ramus_translation out;
        how.prefix = cases[i].prefix;
        REQUIRE_OK(ramus_translate(s, cases[i].text, &how, &out, &err), err);
        EXPECT_INT((out.notes & RAMUS_NOTE_APART) != 0, cases[i].apart, cases[i].prefix);
        if (cases[i].apart) continue;
        EXPECT(strncmp(out.text, cases[i].begins, strlen(cases[i].begins)) == 0, "%s became %s",
               cases[i].text, out.text);
        EXPECT_INT(count(out.text, out.size, "http://x.de"), 1, out.text);
    }
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* What the vocabulary has no pieces for is copied, where the model knows symbols for it. */
static void what_cannot_be_read_is_kept_once(void)
{
    static const char *const foreign[] = {"\u0416\u0443\u043A", "\u03B1", "\u6771\u4EAC", "\u2264"};
    static const char text[] =
        "The \u0416\u0443\u043A saw \u03B1 and \u6771\u4EAC, one \u2264 two.";
    for (int k = 0; k < 4; k++) { // the first bit: symbols; the second: unprotected
        ramus_model *m = model_create(k & 1 ? symbols : plain);
        ramus_session *s = session_create(m, (ramus_session_options){.beam = 2, .details = true});
        ramus_translate_options how = defaults();
        ramus_translation out, alone;
        how.unprotected = k & 2;
        REQUIRE_OK(ramus_translate(s, text, &how, &out, &err), err);
        EXPECT_INT((out.notes & RAMUS_NOTE_APART) != 0, k == 1, "random words lose symbols");
        for (int i = 0; i < 4 && k == 1; i++)
            EXPECT_INT(count(out.text, out.size, foreign[i]), 1, out.text);
        REQUIRE_OK(ramus_translate(s, "\u6771\u4EAC \u0416\u0443\u043A.", &how, &alone, &err), err);
        EXPECT_INT(strcmp(alone.text, "\u6771\u4EAC \u0416\u0443\u043A.") == 0, k == 1, alone.text);
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* Places of tokens: those of the source tile it, those of the translation are what it says. */
static void tokens_have_places(void)
{
    static const char text[] = "  See  http://x.de now. It rains.\nYes! ";
    for (int k = 0; k < 2; k++) {
        ramus_model *m = model_create(k ? symbols : plain);
        ramus_session *s = session_create(m, (ramus_session_options){.details = true});
        ramus_translation out;
        REQUIRE_OK(ramus_translate(s, text, NULL, &out, &err), err);
        for (int side = 0; side < 2; side++) {
            const ramus_token *tokens = side ? out.target : out.source;
            const int n = side ? out.n_target : out.n_source;
            const char *of = side ? out.text : text;
            const ramus_range *places = ramus_session_ranges(s, tokens);
            EXPECT(places != NULL && n > 5, "%d tokens", n);
            size_t before = 0;
            for (int i = 0; i < n && places; i++) {
                const char *piece = tokens[i].piece;
                const size_t space = strncmp(piece, "\xE2\x96\x81", 3) == 0 ? 3 : 0;
                const size_t size = strlen(piece + space);
                EXPECT(places[i].start >= before, "token %d begins at %zu", i, places[i].start);
                EXPECT(!places[i].size || of[places[i].start] != ' ', "token %d: a space", i);
                before = places[i].start + places[i].size;
                EXPECT(before <= strlen(of), "token %d ends at %zu", i, before);
                if ((unsigned char)piece[space] >= 0x80) continue; // symbols
                EXPECT(places[i].size >= size &&
                           memcmp(of + before - size, piece + space, size) == 0,
                       "token %d, %s, is at \"%.*s\"", i, piece, (int)places[i].size,
                       of + places[i].start);
            }
        }
        EXPECT(!ramus_session_ranges(s, NULL), "of nothing");
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* Sentences that were told. */
typedef struct {
    ramus_buffer text;
    int n;
} told;

static void tell(void *arg, const ramus_sentence_pair *pair)
{
    told *t = arg;
    t->n++;
    ramus_buffer_print(&t->text, "%d ", pair->text);
    ramus_buffer_add(&t->text, pair->source.data, pair->source.size);
    ramus_buffer_text(&t->text, " = ");
    ramus_buffer_add(&t->text, pair->target.data, pair->target.size);
    ramus_buffer_print(&t->text, " %a %u\n", pair->log_prob, pair->notes);
}

static void sentences_are_told_in_order(void)
{
    const ramus_text texts[] = {
        text_of("Yes. It rains a lot here. See http://x.de now."),
        text_of("12:30"),
        text_of("One long sentence that goes on and on. No! http://a.b/c http://x.de/ "),
        text_of(" - See http://x.de."),
    };
    for (int k = 0; k < 4; k++) {
        ramus_model *m = model_create(k % 2 ? symbols : plain);
        ramus_session *s = session_create(
            m, (ramus_session_options){.details = true, .batch = 1 + k, .threads = 1 + k / 2});
        ramus_translate_options how = defaults();
        ramus_translation silent[8], out[8];
        how.n_best = 1 + k / 2; // pairs are of the best
        ramus_buffer before = {0}, after = {0};
        told t = {0}, listed = {0};
        REQUIRE_OK(ramus_translate_all(s, texts, 4, &how, silent, &err), err);
        for (int i = 0; i < 4; i++)
            describe(&before, &silent[i * how.n_best]);
        how.sentence = tell;
        how.arg = &t;
        REQUIRE_OK(ramus_translate_all(s, texts, 4, &how, out, &err), err);
        for (int i = 0; i < 4; i++) {
            const ramus_sentence_pair *pairs = NULL;
            const ramus_translation *best = &out[i * how.n_best];
            describe(&after, best);
            const int n = ramus_session_sentences(s, i, &pairs);
            for (int j = 0; j < n; j++) {
                EXPECT(pairs[j].target.data >= best->text &&
                           pairs[j].target.data + pairs[j].target.size <= best->text + best->size,
                       "the target of pair %d is not in text %d", j, i);
                tell(&listed, &pairs[j]);
            }
        }
        EXPECT_TEXT(after.data, before.data);
        EXPECT_INT(t.n, 6, "sentences");
        EXPECT_INT(listed.n, 6, "sentences listed");
        EXPECT_TEXT(listed.text.data, t.text.data);
        ramus_buffer_free(&before);
        ramus_buffer_free(&after);
        ramus_buffer_free(&t.text);
        ramus_buffer_free(&listed.text);
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* Of documents, too, the pair has the number of the text. */
static void sentences_of_documents_are_told(void)
{
    const ramus_text texts[] = {text_of("Yes. No!\n\nIt rains.\n"), text_of("12:30\n"),
                                text_of("A car.\nA house.\n")};
    ramus_model *m = model_create(plain);
    ramus_session *s = session_create(m, (ramus_session_options){.details = true, .batch = 2});
    ramus_translate_options how = defaults();
    ramus_translation out[3];
    told t = {0}, listed = {0};
    how.format = "text";
    how.sentence = tell;
    how.arg = &t;
    REQUIRE_OK(ramus_translate_all(s, texts, 3, &how, out, &err), err);
    for (int i = 0; i < 3; i++) {
        const ramus_sentence_pair *pairs = NULL;
        const int n = ramus_session_sentences(s, i, &pairs);
        EXPECT_INT(n, i == 0 ? 3 : i == 1 ? 0 : 2, "sentences of a text");
        for (int j = 0; j < n; j++)
            tell(&listed, &pairs[j]);
    }
    EXPECT_TEXT(t.text.data, listed.text.data);
    ramus_buffer_free(&t.text);
    ramus_buffer_free(&listed.text);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

CHECK_MAIN({"everything_is_kept_once", everything_is_kept_once},
           {"keeps_go_on_over_a_cut", keeps_go_on_over_a_cut},
           {"fragments_are_translated_alone", fragments_are_translated_alone},
           {"symbols_give_way_to_what_they_stand_for", symbols_give_way_to_what_they_stand_for},
           {"what_cannot_be_read_is_kept_once", what_cannot_be_read_is_kept_once},
           {"tokens_have_places", tokens_have_places},
           {"sentences_are_told_in_order", sentences_are_told_in_order},
           {"sentences_of_documents_are_told", sentences_of_documents_are_told})
