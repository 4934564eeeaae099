/* Tokens of texts and of their translations, with places, alignment and branches: for callers who
 * asked for details. They lie one after the other in memory that is made once a call. */
#include "runtime/assemble.h"

#define EACH_PART(s, t, i)                                                                         \
    for (int i = ramus_session_first_part(s, t); i >= 0; i = ramus_session_next_part(s, t, i))

ramus_status ramus_session_list_begin(ramus_session *s, ramus_error *err)
{
    const size_t n_best = (size_t)s->how.n_best;
    size_t n = 0;
    for (int k = 0; k < s->n_jobs; k++)
        EACH_PART(s, &s->jobs[k], i)
        {
            n += (size_t)s->parts.items[i].n - 1;
            for (size_t j = 0, last = 0; j < n_best; j++) {
                const ramus_outcome *o = &s->outcomes[(size_t)i * n_best + j];
                if (o->length >= 0) last = (size_t)o->length;
                n += last; // one that has no j-th repeats its last
            }
        }
    const ramus_status st = ramus_memory_prepare(&s->token_memory,
                                                 ramus_arena_round(n * sizeof(ramus_token)) +
                                                     ramus_arena_round(n * sizeof(ramus_range)),
                                                 err);
    if (st) return st;
    s->tokens = ramus_arena_alloc(s->token_memory.arena, n * sizeof(ramus_token));
    s->ranges = ramus_arena_alloc(s->token_memory.arena, n * sizeof(ramus_range));
    s->n_tokens = 0;
    return RAMUS_OK;
}

static void add_token(ramus_session *s, const ramus_token *token, ramus_range range)
{
    s->tokens[s->n_tokens] = *token;
    s->ranges[s->n_tokens++] = range;
}

void ramus_session_list_source(ramus_session *s, const ramus_job *t, ramus_translation *out)
{
    const size_t row = (size_t)s->n_source_gates;
    if (!out->source) out->source = s->tokens + s->n_tokens;
    EACH_PART(s, t, i)
    {
        const ramus_part *p = &s->parts.items[i];
        for (int k = 0; k < p->n - 1; k++) {
            const int id = s->parts.ids.data[p->first + k];
            const ramus_token token = {
                .piece = ramus_vocab_piece(s->model->vocabs[0], id),
                .id = id,
                .source = -1,
                .gates = row ? s->source_gates + (size_t)(p->first + k) * row : NULL,
                .n_gates = (int)row,
            };
            add_token(s, &token, ramus_session_source_range(s, t, p, k));
        }
    }
}

/* Bytes of the translation that was assembled last, without white space before them. */
static ramus_range trim(const ramus_assembly *a, size_t at, size_t size)
{
    for (; size && a->marked.text[at] == ' '; size--)
        at++;
    return (ramus_range){at, size};
}

void ramus_session_list_target(ramus_session *s, const ramus_job *t, int j, int before,
                               ramus_translation *out)
{
    const ramus_assembly *a = &s->assembly;
    int stretch = 0;
    if (!out->target) out->target = s->tokens + s->n_tokens;
    EACH_PART(s, t, i)
    {
        const ramus_part *p = &s->parts.items[i];
        const ramus_outcome *o = ramus_session_outcome(s, i, j);
        while (stretch < a->n_stretches && a->stretches[stretch].part != i)
            stretch++;
        for (int k = 0; k < o->length; k++) {
            const ramus_link *l = &a->links[a->stretches[stretch].first_link + k];
            const ramus_token token = {
                .piece = ramus_vocab_piece(s->model->vocabs[1], o->ids[k]),
                .id = o->ids[k],
                .log_prob = (float)o->log_probs[k],
                .source = o->alignment[k] < p->n - 1 ? before + o->alignment[k] : -1,
                .gates = s->n_gates ? o->gates + (size_t)k * (size_t)s->n_gates : NULL,
                .n_gates = s->n_gates,
            };
            add_token(s, &token, trim(a, l->at, l->size));
        }
        before += p->n - 1;
    }
}
