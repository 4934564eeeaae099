/* Places are pairs of numbers: the first byte, and the one behind the last. */
#include "serve/details.h"

#include "data/translation_json.h"

static void print_gates(ramus_buffer *out, const char *key, const ramus_token *tokens, int n)
{
    ramus_buffer_print(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, i ? ", [" : "[");
        for (int k = 0; k < tokens[i].n_gates; k++)
            ramus_buffer_print(out, "%s%d", k ? ", " : "", tokens[i].gates[k]);
        ramus_buffer_text(out, "]");
    }
    ramus_buffer_text(out, "]");
}

static void print_place(ramus_buffer *out, size_t start, size_t size)
{
    ramus_buffer_print(out, "[%zu, %zu]", start, start + size);
}

static void print_places(ramus_buffer *out, const char *key, const ramus_session *session,
                         const ramus_token *tokens, int n)
{
    const ramus_range *ranges = ramus_session_ranges(session, tokens);
    ramus_buffer_print(out, ", \"%s\": [", key);
    for (int i = 0; i < n && ranges; i++) {
        if (i) ramus_buffer_text(out, ", ");
        print_place(out, ranges[i].start, ranges[i].size);
    }
    ramus_buffer_text(out, "]");
}

static void print_pairs(ramus_buffer *out, const ramus_session *session, int text,
                        ramus_text source, const ramus_translation *t)
{
    const ramus_sentence_pair *pairs = NULL;
    const int n = ramus_session_sentences(session, text, &pairs);
    ramus_buffer_text(out, ", \"pairs\": [");
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, i ? ", {\"source\": " : "{\"source\": ");
        print_place(out, (size_t)(pairs[i].source.data - source.data), pairs[i].source.size);
        ramus_buffer_text(out, ", \"target\": ");
        print_place(out, (size_t)(pairs[i].target.data - t->text), pairs[i].target.size);
        ramus_buffer_print(out, ", \"log_prob\": %.9g, \"notes\": ", pairs[i].log_prob);
        ramus_notes_json(out, pairs[i].notes);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]");
}

void ramus_details_print(ramus_buffer *out, const ramus_session *session, int text,
                         ramus_text source, const ramus_translation *t, const ramus_how *how)
{
    ramus_translation_json(out, t, how->n_best);
    print_gates(out, "source_gates", t->source, t->n_source);
    print_gates(out, "gates", t->target, t->n_target);
    if (how->format) return;
    print_places(out, "source_places", session, t->source, t->n_source);
    print_places(out, "places", session, t->target, t->n_target);
    print_pairs(out, session, text, source, t);
}
