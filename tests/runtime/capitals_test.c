/* A sentence in capitals is translated as in small letters, and its translation has capitals.
 * Truth: the same text in small letters, translated and put in capitals by plain loops. */
#include "runtime/sessions.h"

#include <ctype.h>

static const model_spec plain = {"dmb", "bpe-4k", NULL, false, 0, false};
static const model_spec symbols = {"dmb", "bpe-4k", NULL, true, 0, true};

static const char *const sentences[] = {"Where is the station?",
                                        "We have 2 or 3 of them: \"no more\".",
                                        "All that we can do is wait here."};
#define SENTENCES ((int)(sizeof sentences / sizeof *sentences))

static ramus_error err;

/* Letters of ASCII in capitals; others stay. */
static void put_in_capitals(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x80) *c = (char)toupper((unsigned char)*c);
}

/* Whether a text is `other` in capitals, letters beyond ASCII aside: their capitals are tested with
 * text/capitals.h. */
static bool is_in_capitals(const char *text, const char *other)
{
    while (*text && *other) {
        if ((unsigned char)*text >= 0x80 || (unsigned char)*other >= 0x80) {
            while ((unsigned char)*text >= 0x80)
                text++;
            while ((unsigned char)*other >= 0x80)
                other++;
            while (isupper((unsigned char)*text) && *text != toupper((unsigned char)*other))
                text++; // of an eszett
        } else if (*text++ != toupper((unsigned char)*other++)) {
            return false;
        }
    }
    return *text == *other;
}

static void capitals_come_from_small_letters(void)
{
    for (int k = 0; k < 2; k++) {
        ramus_model *m = model_create(k ? symbols : plain);
        ramus_session *s = session_create(m, (ramus_session_options){.beam = 2});
        for (int i = 0; i < SENTENCES; i++) {
            char text[100], want[2000];
            ramus_translation out;
            REQUIRE_OK(ramus_translate(s, sentences[i], NULL, &out, &err), err);
            const double score = out.score;
            (void)snprintf(want, sizeof want, "%s", out.text);
            (void)snprintf(text, sizeof text, "%s", sentences[i]);
            put_in_capitals(text);
            REQUIRE_OK(ramus_translate(s, text, NULL, &out, &err), err);
            EXPECT(out.score == score, "score %g of %s, %g before", out.score, text, score);
            EXPECT(is_in_capitals(out.text, want), "%s became %s, in small letters %s", text,
                   out.text, want);
        }
        ramus_session_destroy(s);
        ramus_model_close(m);
    }
}

/* Each sentence of a text for itself; what is kept has its own letters. */
static void sentences_and_keeps(void)
{
    ramus_model *m = model_create(symbols);
    ramus_session *s = session_create(m, (ramus_session_options){.beam = 1});
    ramus_translation out;
    char first[2000], second[2000];
    REQUIRE_OK(ramus_translate(s, "WE ARE HERE.", NULL, &out, &err), err);
    (void)snprintf(first, sizeof first, "%s ", out.text);
    REQUIRE_OK(ramus_translate(s, "We are here.", NULL, &out, &err), err);
    (void)snprintf(second, sizeof second, "%s", out.text);
    REQUIRE_OK(ramus_translate(s, "WE ARE HERE. We are here.", NULL, &out, &err), err);
    EXPECT(strncmp(out.text, first, strlen(first)) == 0 &&
               strcmp(out.text + strlen(first), second) == 0,
           "%s and %s became %s", first, second, out.text);
    REQUIRE_OK(ramus_translate(s, "COME TO http://a.b/c NOW, ALL OF YOU", NULL, &out, &err), err);
    EXPECT(strstr(out.text, "http://a.b/c"), "%s", out.text);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* Tokens are those of the small letters; their places are those of the text as it is. */
static void tokens_have_places(void)
{
    ramus_model *m = model_create(symbols);
    ramus_session *s = session_create(m, (ramus_session_options){.beam = 2, .details = true});
    const char *const text = "  WHERE IS THE STATION?";
    ramus_translation out;
    REQUIRE_OK(ramus_translate(s, text, NULL, &out, &err), err);
    const ramus_range *ranges = ramus_session_ranges(s, out.source);
    size_t end = 2;
    for (int i = 0; i < out.n_source; i++) {
        EXPECT(ranges[i].start >= end && ranges[i].start <= end + 1, "token %d begins at %zu, %zu",
               i, ranges[i].start, end);
        end = ranges[i].start + ranges[i].size;
        for (const char *c = out.source[i].piece; *c && i > 0; c++)
            EXPECT(!isupper((unsigned char)*c), "piece %s", out.source[i].piece);
    }
    EXPECT_INT(end, strlen(text), "the end of the last token");
    ranges = ramus_session_ranges(s, out.target);
    for (int i = 0; i < out.n_target; i++)
        EXPECT(ranges[i].start + ranges[i].size <= out.size, "token %d ends at %zu", i,
               ranges[i].start + ranges[i].size);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* Where all of a text goes through the model, it does so as it is. */
static void not_where_nothing_is_protected(void)
{
    ramus_model *m = model_create(plain);
    ramus_session *s = session_create(m, (ramus_session_options){.beam = 1, .details = true});
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_translation out;
    bool capitals = false;
    how.unprotected = true;
    REQUIRE_OK(ramus_translate(s, "WHERE IS THE STATION?", &how, &out, &err), err);
    for (int i = 1; i < out.n_source; i++)
        for (const char *c = out.source[i].piece; *c; c++)
            capitals |= isupper((unsigned char)*c) != 0;
    EXPECT(capitals, "small letters where nothing is protected");
    ramus_session_destroy(s);
    ramus_model_close(m);
}

CHECK_MAIN({"capitals_come_from_small_letters", capitals_come_from_small_letters},
           {"sentences_and_keeps", sentences_and_keeps}, {"tokens_have_places", tokens_have_places},
           {"not_where_nothing_is_protected", not_where_nothing_is_protected})
