/* Results of parts become texts: tokens are decoded, joined with the white space of the source,
 * and listed with alignment and branches where details are asked for. */
#include "runtime/session.h"

#include <string.h>

/* The j-th translation of a part, or the last one that it has; NULL: it has none. */
static const ramus_outcome *outcome_of(const ramus_session *s, int part, int j)
{
    const ramus_outcome *o = &s->outcomes[(size_t)part * (size_t)s->how.n_best];
    while (j > 0 && o[j].length < 0)
        j--;
    return o[j].length < 0 ? NULL : &o[j];
}

static bool has_translation(const ramus_session *s, const ramus_job *t, int j)
{
    const size_t n_best = (size_t)s->how.n_best;
    if (j == 0) return true;
    for (int i = t->first_part; i < t->first_part + t->n_parts; i++)
        if (s->outcomes[(size_t)i * n_best + (size_t)j].length >= 0) return true;
    return false;
}

/* A line stays one line, whatever stands in it and whatever the vocabulary has. */
static void join_lines(ramus_buffer *text, size_t start)
{
    for (size_t i = start; i < text->size; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r') text->data[i] = ' ';
}

/* Languages whose sentences follow each other without a space. */
static bool has_spaces(const char *language)
{
    static const char *const without[] = {"zh", "ja", "th", "lo", "km", "my"};
    for (int i = 0; language && i < RAMUS_COUNT(without); i++)
        if (strncmp(language, without[i], 2) == 0 && !(language[2] >= 'a' && language[2] <= 'z'))
            return false;
    return true;
}

static ramus_status add_text(ramus_session *s, const ramus_job *t, int j, ramus_translation *out,
                             ramus_error *err)
{
    const size_t start = s->text.size;
    const int last = t->first_part + t->n_parts - 1;
    const bool spaces = has_spaces(ramus_model_info(s->model, "target_language"));
    ramus_status st = RAMUS_OK;
    ramus_buffer_add(&s->text, t->text.data, t->leading);
    for (int i = t->first_part; i <= last && !st; i++) {
        const ramus_part *p = &s->parts.items[i];
        const ramus_outcome *o = p->n ? outcome_of(s, i, j) : NULL;
        if (o) {
            st = ramus_vocab_decode(s->model->vocabs[1], o->ids, o->length, &s->text, err);
            out->score += o->score;
            out->log_prob += o->log_prob;
            out->notes |= o->notes;
            out->n_target += o->length;
            out->sentences++;
        }
        ramus_buffer_add(&s->text, p->behind, p->behind_size);
        if (p->behind_size == 0 && i < last && spaces) ramus_buffer_text(&s->text, " ");
    }
    if (!s->how.document) join_lines(&s->text, start);
    out->size = s->text.size - start;
    ramus_buffer_add(&s->text, "", 1);
    return st ? st : ramus_buffer_check(&s->text, err);
}

/* Source tokens of a text, without EOS. */
static int count_source(const ramus_session *s, const ramus_job *t)
{
    int n = 0;
    for (int i = t->first_part; i < t->first_part + t->n_parts; i++)
        if (s->parts.items[i].n) n += s->parts.items[i].n - 1;
    return n;
}

static ramus_token *take_tokens(ramus_session *s, int n)
{
    ramus_token *first = s->tokens;
    s->tokens += n;
    return first;
}

static void add_source_tokens(ramus_session *s, const ramus_job *t, ramus_translation *out)
{
    ramus_token *at = take_tokens(s, out->n_source);
    const size_t row = (size_t)s->n_source_gates;
    out->source = at;
    for (int i = t->first_part; i < t->first_part + t->n_parts; i++) {
        const ramus_part *p = &s->parts.items[i];
        for (int k = 0; k < p->n - 1; k++, at++) {
            const int id = s->parts.ids.data[p->first + k];
            *at = (ramus_token){
                .piece = ramus_vocab_piece(s->model->vocabs[0], id),
                .id = id,
                .source = -1,
                .gates = row ? s->source_gates + (size_t)(p->first + k) * row : NULL,
                .n_gates = (int)row,
            };
        }
    }
}

static void add_target_tokens(ramus_session *s, const ramus_job *t, int j, ramus_translation *out)
{
    ramus_token *at = take_tokens(s, out->n_target);
    int before = 0; // source tokens of the parts before
    out->target = at;
    for (int i = t->first_part; i < t->first_part + t->n_parts; i++) {
        const ramus_part *p = &s->parts.items[i];
        if (p->n == 0) continue;
        const ramus_outcome *o = outcome_of(s, i, j);
        for (int k = 0; o && k < o->length; k++, at++)
            *at = (ramus_token){
                .piece = ramus_vocab_piece(s->model->vocabs[1], o->ids[k]),
                .id = o->ids[k],
                .log_prob = (float)o->log_probs[k],
                .source = o->alignment[k] < p->n - 1 ? before + o->alignment[k] : -1,
                .gates = s->n_gates ? o->gates + (size_t)k * (size_t)s->n_gates : NULL,
                .n_gates = s->n_gates,
            };
        before += p->n - 1;
    }
}

ramus_status ramus_session_assemble(ramus_session *s, int n, ramus_translation *out,
                                    ramus_error *err)
{
    const size_t n_best = (size_t)s->how.n_best;
    ramus_buffer_clear(&s->text);
    for (int i = 0; i < n; i++) {
        const ramus_job *t = &s->jobs[i];
        ramus_translation shared = {.notes = t->notes, .n_source = count_source(s, t)};
        if (s->options.details) add_source_tokens(s, t, &shared);
        for (int j = 0; j < s->how.n_best; j++) {
            ramus_translation *to = &out[(size_t)i * n_best + (size_t)j];
            *to = shared;
            if (!has_translation(s, t, j)) continue;
            to->text = ""; // its place is known when the buffer grows no more
            const ramus_status st = add_text(s, t, j, to, err);
            if (st) return st;
            if (s->options.details) add_target_tokens(s, t, j, to);
        }
    }
    const char *text = s->text.data;
    for (size_t i = 0; i < (size_t)n * n_best; i++)
        if (out[i].text) {
            out[i].text = text;
            text += out[i].size + 1;
        }
    return RAMUS_OK;
}
