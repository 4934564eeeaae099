/* Numbers have as many digits as floats need; members come in the order in which they were added to
 * the program. */
#include "data/translation_json.h"

#include <string.h>

static const struct {
    unsigned bit;
    const char *word, *sentence;
} notes[] = {
    {RAMUS_NOTE_INVALID, "invalid", "is not UTF-8: wrong bytes were read as U+FFFD"},
    {RAMUS_NOTE_SPLIT, "split", "is too long for the model and was translated in parts"},
    {RAMUS_NOTE_LIMIT, "limit",
     "has a translation that was cut at its greatest length, --max-length-ratio: compare its end"},
    {RAMUS_NOTE_LOOP, "loop", "has a translation that repeats itself: compare it"},
    {RAMUS_NOTE_LANGUAGE, "language",
     "does not look like the language of the model: translated all the same"},
    {RAMUS_NOTE_APART, "apart", "was translated in pieces, around what is copied"},
    {RAMUS_NOTE_NUMBER, "number", "has a number that its translation lacks"},
    {RAMUS_NOTE_DOUBT, "doubt", "has a translation that the model finds improbable"},
};

static int find_note(unsigned bit)
{
    for (int i = 0; i < RAMUS_COUNT(notes); i++)
        if (notes[i].bit == bit) return i;
    return -1;
}

unsigned ramus_note_bit(int i)
{
    return i < RAMUS_COUNT(notes) ? notes[i].bit : 0;
}

const char *ramus_note_word(unsigned bit)
{
    const int i = find_note(bit);
    return i < 0 ? NULL : notes[i].word;
}

const char *ramus_note_sentence(unsigned bit)
{
    const int i = find_note(bit);
    return i < 0 ? NULL : notes[i].sentence;
}

void ramus_notes_json(ramus_buffer *out, unsigned set)
{
    const char *comma = "";
    ramus_buffer_text(out, "[");
    for (int i = 0; i < RAMUS_COUNT(notes); i++)
        if (set & notes[i].bit) {
            ramus_buffer_print(out, "%s\"%s\"", comma, notes[i].word);
            comma = ", ";
        }
    ramus_buffer_text(out, "]");
}

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

void ramus_translation_json(ramus_buffer *out, const ramus_translation *t, int n_best)
{
    print_fields(out, t);
    print_tokens(out, "source_tokens", t->source, t->n_source);
    ramus_buffer_print(out, ", \"sentences\": %d, \"notes\": ", t->sentences);
    ramus_notes_json(out, t->notes);
    if (n_best <= 1) return;
    ramus_buffer_text(out, ", \"n_best\": [");
    for (int j = 0; j < n_best && t[j].text; j++) {
        ramus_buffer_text(out, j ? ", {" : "{");
        print_fields(out, &t[j]);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]");
}
