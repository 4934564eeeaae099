/* Pairs of sentences: listed for callers who asked for details, and told while the call runs. A
 * sentence may have several parts; the last one says that it ends. */
#include "runtime/assemble.h"

#include "base/list.h"

/* The sentence of parts `first` to `last`, without its translation. */
static ramus_sentence_pair pair_of(const ramus_session *s, const ramus_job *t, int text, int first,
                                   int last)
{
    const size_t at = s->parts.items[first].at, end = s->parts.items[last].end;
    return (ramus_sentence_pair){.text = text, .source = {t->text.text + at, end - at}};
}

ramus_status ramus_session_list_pairs(ramus_session *s, int job, int text, ramus_error *err)
{
    const ramus_job *t = &s->jobs[job];
    const ramus_assembly *a = &s->assembly;
    int stretch = 0, first = -1;
    size_t start = 0;
    double log_prob = 0;
    unsigned notes = 0;
    for (int i = ramus_session_first_part(s, t); i >= 0; i = ramus_session_next_part(s, t, i)) {
        const ramus_outcome *o = ramus_session_outcome(s, i, 0);
        while (stretch < a->n_stretches && a->stretches[stretch].part != i)
            stretch++;
        RAMUS_ASSERT(stretch < a->n_stretches);
        const ramus_stretch *x = &a->stretches[stretch];
        if (first < 0) {
            first = i;
            start = x->at;
            log_prob = 0;
            notes = 0;
        }
        log_prob += o->log_prob;
        notes |= ramus_session_notes(s, i, o);
        if (!s->parts.items[i].ends) continue;
        const size_t n = (size_t)s->n_pairs + 1;
        ramus_status st = RAMUS_LIST_RESERVE(s->pairs, s->pair_room, n, "the sentences", err);
        if (!st) st = RAMUS_LIST_RESERVE(s->pair_places, s->place_room, n, "the sentences", err);
        if (st) return st;
        ramus_sentence_pair *to = &s->pairs[s->n_pairs];
        *to = pair_of(s, t, text, first, i);
        to->target.size = x->at + x->size - start;
        to->log_prob = log_prob;
        to->notes = notes;
        s->pair_places[s->n_pairs++] = a->start + start;
        first = -1;
    }
    return RAMUS_OK;
}

/* Tells of the sentence of parts `first` to `last`. */
static ramus_status tell_one(ramus_session *s, int first, int last, ramus_error *err)
{
    const ramus_job *t = &s->jobs[s->tell.job];
    ramus_translation sums = {0};
    const ramus_part *p = &s->parts.items[last];
    const int end = p->failed ? last + p->n_fragments : last;
    if (s->parts.items[first].failed) first++; // its fragments are there instead
    const ramus_status st = ramus_session_assemble_parts(s, t, first, end, &sums, err);
    if (st) return st;
    ramus_sentence_pair pair = pair_of(s, t, s->tell.text, first, end);
    pair.target = (ramus_text){s->assembly.marked.text, s->assembly.marked.size};
    pair.log_prob = sums.log_prob;
    pair.notes = sums.notes;
    s->how.sentence(s->how.arg, &pair);
    return RAMUS_OK;
}

ramus_status ramus_session_tell(ramus_session *s, int first, int n, ramus_error *err)
{
    ramus_telling *tell = &s->tell;
    const int all = s->batches[s->n_batches];
    ramus_status st = RAMUS_OK;
    for (int i = first; i < first + n; i++)
        s->parts.items[s->order[i].number].done = true;
    while (!st && tell->order < all) {
        const int part = s->order[tell->order].number;
        const ramus_part *p = &s->parts.items[part];
        if (!p->done) break;
        while (part >= s->jobs[tell->job].first_part + s->jobs[tell->job].n_parts)
            tell->job++;
        while (s->ends ? tell->job >= s->ends[tell->text] : tell->job > tell->text)
            tell->text++;
        if (!tell->begun) tell->first = part;
        tell->begun = !p->ends;
        tell->order++;
        if (p->ends) st = tell_one(s, tell->first, part, err);
    }
    return st;
}
