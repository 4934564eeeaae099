/* Sessions and texts of all kinds: texts of several sentences, documents, lines too long for the
 * model, lines that are no language. The truth is put together from sentences.h and translations of
 * single sentences. */
#include "runtime/sessions.h"

#include "base/utf8.h"

#define TOKENS   64 // of the sessions here
#define MEGABYTE (1 << 20)

// any byte may come out of the first
static const model_spec bytes_spec = {"dmb", "unigram-8k", "char", false, 0, false};
static const model_spec bpe_spec = {"dmb", "bpe-4k", NULL, true, 0, false};

static bool has_break(const char *text, size_t size)
{
    return memchr(text, '\n', size) || memchr(text, '\r', size);
}

/* What the text should become: its sentences, cut to fit, each translated alone, with the white
 * space around them, which has spaces for line breaks. A whole line has nothing around it. */
typedef struct {
    ramus_buffer text;
    int sentences, tokens;
    double score;
    bool split;
} wanted;

static wanted put_together(ramus_session *s, const ramus_model *m, ramus_text text,
                           const ramus_translate_options *how)
{
    ramus_error err = {0};
    wanted w = {0};
    counter c = counter_create(m);
    ramus_sentences all;
    ramus_sentence one;
    ramus_translate_options alone = *how;
    size_t separator = 0, behind = 0;
    alone.whole_lines = true;
    ramus_sentences_init(&all, NULL, text.data, text.size);
    ramus_sentences_limit(&all, TOKENS - 1, count_tokens, &c);
    ramus_buffer_add(&w.text, text.data, how->whole_lines ? 0 : all.leading);
    while (ramus_sentences_next(&all, &one)) {
        ramus_translation t;
        if (behind) { // of the sentence before
            ramus_buffer_add(&w.text, text.data + behind, separator);
            if (separator == 0) ramus_buffer_text(&w.text, " ");
        }
        const int n = count_tokens(&c, text.data + one.start, one.size);
        const ramus_text sentence = {text.data + one.start, one.size};
        REQUIRE_OK(ramus_translate_all(s, &sentence, 1, &alone, &t, &err), err);
        EXPECT(n < TOKENS && !(t.notes & RAMUS_NOTE_SPLIT), "a sentence of %d tokens", n);
        ramus_buffer_add(&w.text, t.text, t.size);
        w.tokens += n;
        w.sentences += n > 0;
        w.score += t.score;
        w.split |= !one.ends;
        behind = one.start + one.size;
        separator = one.separator;
    }
    if (!how->whole_lines) ramus_buffer_add(&w.text, text.data + behind, separator);
    for (size_t i = 0; i < w.text.size; i++)
        if (w.text.data[i] == '\n' || w.text.data[i] == '\r') w.text.data[i] = ' ';
    counter_free(&c);
    return w;
}

static void compare(const ramus_translation *got, wanted *want, const char *what)
{
    EXPECT(got->size == want->text.size && memcmp(got->text, want->text.data, got->size) == 0,
           "%s: got %zu bytes \"%s\", want %zu \"%s\"", what, got->size, got->text, want->text.size,
           want->text.data);
    EXPECT_INT(got->sentences, want->sentences, what);
    EXPECT_INT(got->n_source, want->tokens, what);
    EXPECT(got->score == want->score, "%s: score %g, want %g", what, got->score, want->score);
    ramus_buffer_free(&want->text);
}

/* A text of the golden lines from `first` on, n of them, with `separator` between. */
static ramus_buffer join(int first, int n, const char *separator)
{
    ramus_text lines[200];
    ramus_buffer out = {0};
    ramus_file file = golden_lines("sample.en-de", lines, first + n);
    for (int i = first; i < first + n; i++) {
        if (i > first) ramus_buffer_text(&out, separator);
        ramus_buffer_add(&out, lines[i].data, lines[i].size);
    }
    ramus_file_unmap(&file);
    return out;
}

static void sentences_are_found_and_joined(void)
{
    ramus_buffer commas = join(0, 40, ", "), paragraphs = join(40, 12, "\r\n\r\n \t");
    const ramus_text texts[] = {
        text_of(""),
        text_of(" \n\t\n"),
        text_of("Yes. No."),
        text_of("\n\n  Yes.  No?\tMaybe!\n\n\n- One thing.\n- Another\n  thing.\n"),
        text_of("\xE5\xA5\xBD\xE3\x80\x82\xE8\xB5\xB0\xE5\x90\xA7\xE3\x80\x82"),
        {"a\0b. C\0.\n", 9},
        {commas.data, commas.size},
        {paragraphs.data, paragraphs.size},
    };
    ramus_model *m = model_create(bpe_spec); // it has no line breaks among its words
    ramus_session *s =
        session_create(m, (ramus_session_options){.tokens = TOKENS, .batch = 3, .beam = 2});
    ramus_session *other = session_create(m, (ramus_session_options){.tokens = TOKENS});
    ramus_translate_options how = defaults();
    how.beam = 2;
    how.unprotected = true;
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
        ramus_error err = {0};
        ramus_translation got;
        wanted want = put_together(other, m, texts[i], &how);
        REQUIRE_OK(ramus_translate_all(s, &texts[i], 1, &how, &got, &err), err);
        EXPECT_INT((got.notes & RAMUS_NOTE_SPLIT) != 0, want.split, "split");
        compare(&got, &want, "sentences");
    }
    ramus_session_destroy(s);
    ramus_session_destroy(other);
    ramus_model_close(m);
    ramus_buffer_free(&commas);
    ramus_buffer_free(&paragraphs);
}

/* Each line of a document becomes what it becomes alone. */
static void documents_keep_their_lines(void)
{
    static const char *const lines[] = {"",       "Dear Tom,", "  It rains. It pours.  ", "12:30",
                                        "- Eggs", "Yes! No?",  "Best regards,",           "Mary"};
    static const char *const breaks[] = {"\n", "\r\n"};
    ramus_model *m = model_create(bpe_spec);
    ramus_session *s = session_create(m, (ramus_session_options){.tokens = TOKENS, .batch = 3});
    ramus_translate_options how = defaults();
    for (int k = 0; k < 2; k++) {
        ramus_error err = {0};
        ramus_translation got;
        ramus_buffer text = {0}, want = {0};
        for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++) {
            REQUIRE_OK(ramus_translate(s, lines[i], NULL, &got, &err), err);
            ramus_buffer_add(&want, got.text, got.size);
            ramus_buffer_text(&want, breaks[k]);
            ramus_buffer_print(&text, "%s%s", lines[i], breaks[k]);
        }
        how.document = k == 0;
        how.format = k == 0 ? NULL : "text";
        REQUIRE_OK(ramus_translate(s, text.data, &how, &got, &err), err);
        EXPECT_TEXT(got.text, want.data);
        EXPECT_INT(got.size, want.size, "bytes");
        ramus_buffer_free(&text);
        ramus_buffer_free(&want);
    }
    how.format = "word";
    ramus_error err = {0};
    ramus_translation got;
    EXPECT_FAILS(ramus_translate(s, "yes", &how, &got, &err), err, "the format word is unknown");
    ramus_session_destroy(s);
    ramus_model_close(m);
}

static void long_lines_are_split_and_rejoined(void)
{
    ramus_buffer texts[] = {join(0, 60, " "), join(60, 60, "; "), join(0, 30, " \r \n "),
                            join(0, 30, "")};
    const model_spec specs[] = {bpe_spec, bytes_spec};
    for (int k = 0; k < 2; k++) {
        ramus_model *m = model_create(specs[k]);
        ramus_session *s = session_create(m, (ramus_session_options){.tokens = TOKENS, .batch = 5});
        for (int i = 0; i < 4; i++) {
            ramus_error err = {0};
            ramus_translation got;
            ramus_translate_options how = defaults();
            const ramus_text text = {texts[i].data, texts[i].size};
            how.whole_lines = how.unprotected = true;
            wanted want = put_together(s, m, text, &how);
            REQUIRE_OK(ramus_translate_all(s, &text, 1, &how, &got, &err), err);
            EXPECT(got.notes & RAMUS_NOTE_SPLIT && want.sentences > 4, "%d sentences, notes %u",
                   want.sentences, got.notes);
            EXPECT(!has_break(got.text, got.size), "a line break in a line");
            compare(&got, &want, "long line");
        }
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
    for (int i = 0; i < 4; i++)
        ramus_buffer_free(&texts[i]);
}

static void fill_letters(char *text)
{
    for (int i = 0; i < MEGABYTE; i++)
        text[i] = (char)('a' + i % 7);
}

static void fill_spaces(char *text)
{
    memset(text, ' ', MEGABYTE);
}

static void fill_emoji(char *text)
{
    for (int i = 0; i < MEGABYTE; i += 4)
        memcpy(text + i, "\xF0\x9F\x98\x80", 4);
}

static void fill_random(char *text)
{
    const ramus_rng rng = {check_seed(), 7, 7, 7};
    for (int i = 0; i < MEGABYTE; i++)
        text[i] = (char)(ramus_rng_bits(&rng, (uint64_t)i) % 256);
}

static void lines_of_a_megabyte(void)
{
    static const struct {
        const char *name;
        void (*fill)(char *text);
        unsigned notes;
    } lines[] = {
        {"letters", fill_letters, RAMUS_NOTE_SPLIT},
        {"spaces", fill_spaces, 0},
        {"emoji", fill_emoji, RAMUS_NOTE_SPLIT},
        {"random bytes", fill_random, RAMUS_NOTE_SPLIT | RAMUS_NOTE_INVALID},
    };
    char *text = malloc(MEGABYTE);
    if (!text) exit(1);
    ramus_model *m = model_create((model_spec){"dense", "unigram-8k", "char", true, 1, false});
    ramus_session *s =
        session_create(m, (ramus_session_options){.beam = 1, .batch = 64, .tokens = TOKENS});
    ramus_translate_options how = defaults();
    how.max_length_ratio = 0.01; // most of the work would be in words that nobody reads
    how.loops = RAMUS_LOOPS_END;
    how.scores = false;
    how.unprotected = true;
    for (int i = 0; i < 4; i++) {
        ramus_error err = {0};
        ramus_translation got;
        lines[i].fill(text);
        const ramus_text line = {text, MEGABYTE};
        REQUIRE_OK(ramus_translate_all(s, &line, 1, &how, &got, &err), err);
        EXPECT(got.text && got.text[got.size] == '\0', "%s: no text", lines[i].name);
        EXPECT(!has_break(got.text, got.size), "%s: a line break", lines[i].name);
        EXPECT_INT(got.notes & (RAMUS_NOTE_SPLIT | RAMUS_NOTE_INVALID), lines[i].notes,
                   lines[i].name);
        /* Nothing was cut off: the parts have about as many tokens as the whole. */
        counter c = counter_create(m);
        const int whole = count_tokens(&c, text, MEGABYTE);
        EXPECT(got.n_source >= whole, "%s: %d tokens were translated of %d", lines[i].name,
               got.n_source, whole);
        EXPECT(got.sentences * (TOKENS - 1LL) >= got.n_source, "%s: %d sentences for %d tokens",
               lines[i].name, got.sentences, got.n_source);
        counter_free(&c);
    }
    ramus_session_destroy(s);
    ramus_model_close(m);
    free(text);
}

static void every_text_gets_one_line(void)
{
    static const struct {
        ramus_text text;
        bool empty, invalid;
    } cases[] = {
        {{"", 0}, true, false},
        {{NULL, 0}, true, false},
        {{" ", 1}, true, false},
        {{" \t \xC2\xA0 ", 6}, true, false},
        {{"\n", 1}, true, false},
        {{"\r\n", 2}, true, false},
        {{"a\nb\r\nc", 6}, false, false},
        {{"\x01\x02\x1B[0m\x7F", 7}, false, false},
        {{"a\0b", 3}, false, false},
        {{"\xFF", 1}, false, true},
        {{"ok \xC3", 4}, false, true},
        {{"\xED\xA0\x80", 3}, false, true},
        {{"\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 8}, false, false},
        {{"\xEF\xB7\xBA", 3}, false, false}, // U+FDFA: one character, 18 letters
        {{"</s>", 4}, false, false},
    };
    const int n = (int)(sizeof cases / sizeof *cases);
    const model_spec specs[] = {bpe_spec, bytes_spec};
    for (int k = 0; k < 2; k++) {
        ramus_error err = {0};
        ramus_text texts[sizeof cases / sizeof *cases];
        ramus_translation out[sizeof cases / sizeof *cases];
        ramus_translate_options how = defaults();
        ramus_model *m = model_create(specs[k]);
        ramus_session *s = session_create(
            m, (ramus_session_options){.tokens = TOKENS, .batch = 4, .details = true});
        for (int i = 0; i < n; i++)
            texts[i] = cases[i].text;
        how.whole_lines = how.unprotected = true;
        REQUIRE_OK(ramus_translate_all(s, texts, n, &how, out, &err), err);
        for (int i = 0; i < n; i++) {
            EXPECT(out[i].text && out[i].text[out[i].size] == '\0', "case %d has no text", i);
            EXPECT(!has_break(out[i].text, out[i].size), "case %d has a line break", i);
            EXPECT_INT((out[i].notes & RAMUS_NOTE_INVALID) != 0, cases[i].invalid, "invalid");
            EXPECT(!cases[i].empty || (out[i].size == 0 && out[i].n_source == 0), "case %d: \"%s\"",
                   i, out[i].text);
            EXPECT(cases[i].empty || out[i].sentences == 1, "case %d: %d sentences", i,
                   out[i].sentences);
        }
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* No character is too long for the shortest sentences that a session may be created with. */
static void every_character_fits(void)
{
    ramus_model *m = model_create(bytes_spec);
    counter c = counter_create(m);
    int most = 0;
    for (uint32_t code = 1; code < 0x30000; code++) {
        char text[4];
        const int n = count_tokens(&c, text, (size_t)ramus_utf8_encode(text, code));
        most = n > most ? n : most;
    }
    EXPECT(most > 30 && most < TOKENS, "the longest character has %d tokens", most);
    counter_free(&c);
    ramus_model_close(m);
}

/* The memory for sorting goes with the longest sentence, the rest with the text. */
static void the_longest_sentences_need_little_text(void)
{
    ramus_error err = {0};
    ramus_translation out;
    ramus_model *m = model_create(bpe_spec);
    ramus_session *s = session_create(m, (ramus_session_options){.tokens = 4096, .beam = 1});
    REQUIRE_OK(ramus_translate(s, "yes", NULL, &out, &err), err);
    REQUIRE_OK(ramus_translate(s, "", NULL, &out, &err), err);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

CHECK_MAIN({"sentences_are_found_and_joined", sentences_are_found_and_joined},
           {"documents_keep_their_lines", documents_keep_their_lines},
           {"long_lines_are_split_and_rejoined", long_lines_are_split_and_rejoined},
           {"lines_of_a_megabyte", lines_of_a_megabyte},
           {"every_text_gets_one_line", every_text_gets_one_line},
           {"every_character_fits", every_character_fits},
           {"the_longest_sentences_need_little_text", the_longest_sentences_need_little_text})
