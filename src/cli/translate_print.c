/* A translation as text, as lines of an n-best list, or as JSON; and the sentences about notes. */
#include "cli/translate.h"

#include <string.h>

static void print_tokens(ramus_buffer *out, const char *key, const ramus_token *tokens, int n)
{
    ramus_buffer_print(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) ramus_buffer_text(out, ", ");
        ramus_buffer_json(out, tokens[i].piece, strlen(tokens[i].piece));
    }
    ramus_buffer_text(out, "]");
}

/* The fields of one translation. */
static void print_fields(ramus_buffer *out, const ramus_translation *t)
{
    ramus_buffer_text(out, "\"text\": ");
    ramus_buffer_json(out, t->text, t->size);
    ramus_buffer_print(out, ", \"score\": %.9g, \"log_prob\": %.9g", t->score, t->log_prob);
    print_tokens(out, "tokens", t->target, t->n_target);
    ramus_buffer_text(out, ", \"log_probs\": [");
    for (int i = 0; i < t->n_target; i++)
        ramus_buffer_print(out, "%s%.6g", i ? ", " : "", (double)t->target[i].log_prob);
    ramus_buffer_text(out, "], \"alignment\": [");
    for (int i = 0; i < t->n_target; i++)
        ramus_buffer_print(out, "%s%d", i ? ", " : "", t->target[i].source);
    ramus_buffer_text(out, "]");
}

static const struct {
    unsigned bit;
    const char *word, *sentence;
} notes[] = {
    {RAMUS_NOTE_INVALID, "invalid", "is not UTF-8: wrong bytes were read as U+FFFD"},
    {RAMUS_NOTE_SPLIT, "split", "is too long for the model and was translated in parts"},
    {RAMUS_NOTE_LIMIT, "limit", "has a translation of the greatest length allowed"},
    {RAMUS_NOTE_LOOP, "loop", "has a translation that repeats itself"},
    {RAMUS_NOTE_LANGUAGE, "language",
     "does not look like the language of the model: translated all the same"},
    {RAMUS_NOTE_APART, "apart", "was translated in pieces, around what is copied"},
    {RAMUS_NOTE_NUMBER, "number", "has a number that its translation lacks"},
    {RAMUS_NOTE_DOUBT, "doubt", "has a translation that the model finds improbable"},
};

static void print_json(ramus_buffer *out, const ramus_text *source, const ramus_translation *t,
                       int n_best)
{
    ramus_buffer_text(out, "{\"source\": ");
    ramus_buffer_json(out, source->data, source->size);
    ramus_buffer_text(out, ", ");
    print_fields(out, t);
    print_tokens(out, "source_tokens", t->source, t->n_source);
    ramus_buffer_print(out, ", \"sentences\": %d, \"notes\": [", t->sentences);
    const char *comma = "";
    for (int i = 0; i < RAMUS_COUNT(notes); i++)
        if (t->notes & notes[i].bit) {
            ramus_buffer_print(out, "%s\"%s\"", comma, notes[i].word);
            comma = ", ";
        }
    ramus_buffer_text(out, "]");
    if (n_best > 1) {
        ramus_buffer_text(out, ", \"n_best\": [");
        for (int j = 0; j < n_best && t[j].text; j++) {
            ramus_buffer_text(out, j ? ", {" : "{");
            print_fields(out, &t[j]);
            ramus_buffer_text(out, "}");
        }
        ramus_buffer_text(out, "]");
    }
    ramus_buffer_text(out, "}\n");
}

void ramus_translate_print(ramus_buffer *out, const ramus_translate_style *style,
                           const ramus_text *source, const ramus_translation *t, int64_t number)
{
    if (style->json) {
        print_json(out, source, t, style->n_best);
    } else if (style->scores) {
        for (int j = 0; j < style->n_best && t[j].text; j++) {
            ramus_buffer_print(out, "%lld ||| ", (long long)number);
            ramus_buffer_add(out, t[j].text, t[j].size);
            ramus_buffer_print(out, " ||| %.6f\n", t[j].score);
        }
    } else {
        ramus_buffer_add(out, t->text, t->size);
        if (style->feed) ramus_buffer_text(out, "\n");
    }
}

const char *ramus_translate_note(unsigned note)
{
    for (int i = 0; i < RAMUS_COUNT(notes); i++)
        if (note == notes[i].bit) return notes[i].sentence;
    return NULL;
}
