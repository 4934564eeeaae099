/* A text is what its parts became, and what stands between them in the source. Symbols give way to
 * what they stand for. Where it is wanted, links note which bytes come from which. */
#include "runtime/assemble.h"

#include "base/list.h"
#include "text/capitals.h"
#include "text/spans.h"

#include <stdlib.h>
#include <string.h>

void ramus_assembly_free(ramus_assembly *a)
{
    ramus_buffer_free(&a->text);
    ramus_buffer_free(&a->decoded);
    ramus_ids_free(&a->ends);
    ramus_placing_free(&a->placing);
    free(a->stretches);
    free(a->links);
    free(a->kept);
    *a = (ramus_assembly){0};
}

int ramus_session_next_part(const ramus_session *s, const ramus_job *t, int part)
{
    const int last = t->first_part + t->n_parts;
    part += s->parts.items[part].failed ? 1 : 1 + s->parts.items[part].n_fragments;
    while (part < last && s->parts.items[part].failed)
        part++;
    return part < last ? part : -1;
}

int ramus_session_first_part(const ramus_session *s, const ramus_job *t)
{
    if (t->n_parts == 0) return -1;
    return s->parts.items[t->first_part].failed ? ramus_session_next_part(s, t, t->first_part)
                                                : t->first_part;
}

const ramus_outcome *ramus_session_outcome(const ramus_session *s, int part, int j)
{
    const ramus_outcome *o = &s->outcomes[(size_t)part * (size_t)s->how.n_best];
    while (j > 0 && o[j].length < 0)
        j--;
    return &o[j];
}

bool ramus_session_has(const ramus_session *s, const ramus_job *t, int j)
{
    if (j == 0) return true;
    for (int i = ramus_session_first_part(s, t); i >= 0; i = ramus_session_next_part(s, t, i))
        if (s->outcomes[(size_t)i * (size_t)s->how.n_best + (size_t)j].length >= 0) return true;
    return false;
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

/* Where the next byte of the translation goes. */
static size_t here(const ramus_assembly *a)
{
    return a->text.size - a->start;
}

static ramus_status add_link(ramus_assembly *a, ramus_link link, ramus_error *err)
{
    const ramus_status st =
        RAMUS_LIST_RESERVE(a->links, a->link_room, (size_t)a->n_links + 1, "the alignment", err);
    if (!st) a->links[a->n_links++] = link;
    return st;
}

static ramus_status begin_stretch(ramus_assembly *a, size_t from, size_t length, int part,
                                  ramus_error *err)
{
    const ramus_status st = RAMUS_LIST_RESERVE(a->stretches, a->stretch_room,
                                               (size_t)a->n_stretches + 1, "the alignment", err);
    if (!st)
        a->stretches[a->n_stretches++] = (ramus_stretch){
            .at = here(a), .from = from, .length = length, .first_link = a->n_links, .part = part};
    return st;
}

static void end_stretch(ramus_assembly *a)
{
    ramus_stretch *s = &a->stretches[a->n_stretches - 1];
    s->size = here(a) - s->at;
    s->n_links = a->n_links - s->first_link;
}

/* Adds what a keep becomes; one that is a mark of the text is a mark of the translation, too. */
static ramus_status add_keep(ramus_assembly *a, const ramus_job *t, const ramus_kept *k,
                             ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    if (k->mark >= 0) {
        st = RAMUS_LIST_RESERVE(a->kept, a->kept_room, (size_t)a->n_kept + 1, "marks", err);
        if (st) return st;
        ramus_mark *m = &a->kept[a->n_kept++];
        *m = t->text.marks[k->mark];
        m->at = here(a);
        m->size = k->put_size;
    }
    ramus_buffer_add(&a->text, k->put, k->put_size);
    return st;
}

/* Copies source bytes [from, to), in which keeps are replaced. */
static ramus_status copy(ramus_session *s, const ramus_job *t, size_t from, size_t to,
                         ramus_error *err)
{
    ramus_assembly *a = &s->assembly;
    const ramus_kept *k = s->parts.keeps.items;
    const int last = t->first_keep + t->n_keeps;
    const bool links = s->cutting.ends;
    ramus_status st = links && to > from ? begin_stretch(a, from, to - from, -1, err) : RAMUS_OK;
    const bool stretch = links && to > from;
    while (from < to && !st) {
        while (a->keep < last && k[a->keep].at < from)
            a->keep++;
        const bool kept = a->keep < last && k[a->keep].at == from;
        size_t end = a->keep < last && k[a->keep].at < to && !kept ? k[a->keep].at : to;
        const size_t at = here(a);
        if (kept) {
            end = from + k[a->keep].size;
            st = add_keep(a, t, &k[a->keep], err);
            a->keep++;
        } else if (links) { // word by word
            size_t word = from;
            while (word < end && t->text.text[word] == ' ')
                word++;
            while (word < end && t->text.text[word] != ' ')
                word++;
            end = word;
            ramus_buffer_add(&a->text, t->text.text + from, end - from);
        } else {
            ramus_buffer_add(&a->text, t->text.text + from, end - from);
        }
        if (links && !st) st = add_link(a, (ramus_link){at, here(a) - at, from, end - from}, err);
        from = end;
    }
    if (stretch && !st) end_stretch(a);
    return st;
}

ramus_range ramus_session_source_range(const ramus_session *s, const ramus_job *t,
                                       const ramus_part *p, int k)
{
    const int *ends = s->parts.ends.data + p->first;
    size_t from = k ? (size_t)ends[k - 1] : p->at;
    const size_t end = (size_t)ends[k];
    while (from < end && (t->text.text[from] == ' ' || t->text.text[from] == '\n'))
        from++;
    return (ramus_range){from, end - from};
}

static void add_decoded(ramus_buffer *out, const char *text, size_t size, bool capitals)
{
    if (capitals)
        ramus_capitals_add(out, text, size);
    else
        ramus_buffer_add(out, text, size);
}

/* Adds what the model wrote, with what the symbols in it stand for. */
static ramus_status add_words(ramus_session *s, const ramus_job *t, const ramus_part *p,
                              const ramus_outcome *o, ramus_error *err)
{
    ramus_assembly *a = &s->assembly;
    const bool links = s->cutting.ends, symbols = s->parts.symbols && !s->cutting.bare;
    const ramus_vocab *v = s->model->vocabs[1];
    ramus_buffer_clear(&a->decoded);
    a->ends.n = 0;
    ramus_status st =
        links ? ramus_vocab_decode_ends(v, o->ids, o->length, &a->decoded, &a->ends, err)
              : ramus_vocab_decode(v, o->ids, o->length, &a->decoded, err);
    const char *text = a->decoded.data;
    size_t from = 0;
    int token = 0;
    size_t begin = here(a); // of the token
    for (size_t i = 0; i <= a->decoded.size && !st; i++) {
        const bool end = i == a->decoded.size;
        const int symbol = symbols && !end ? ramus_symbol_read(text + i, a->decoded.size - i) : -1;
        const bool borders = links && token < o->length && (size_t)a->ends.data[token] == i;
        if (end || symbol >= 0 || borders) {
            add_decoded(&a->text, text + from, i - from, p->capitals);
            from = i;
        }
        while (links && token < o->length && (size_t)a->ends.data[token] == i && !st) {
            const int source = o->alignment[token];
            const ramus_range range = source < p->n - 1
                                          ? ramus_session_source_range(s, t, p, source)
                                          : (ramus_range){0, 0};
            st = add_link(a, (ramus_link){begin, here(a) - begin, range.start, range.size}, err);
            begin = here(a);
            token++;
        }
        if (symbol < 0 || st) continue;
        if (symbol < p->n_keeps)
            st = add_keep(a, t, &s->parts.keeps.items[p->first_keep + symbol], err);
        i += RAMUS_SYMBOL_SIZE - 1;
        from = i + 1;
    }
    return st;
}

unsigned ramus_session_notes(const ramus_session *s, int part, const ramus_outcome *o)
{
    const bool apart = s->parts.items[part].fragment;
    /* Of 400 lines of newstest2014 and 400 of Tatoeba, one had a lower mean. Few words say little.
     */
    const bool doubt = s->search.scores && o->length >= 4 && o->log_prob < -1.7 * (o->length + 1);
    return o->notes | (apart ? RAMUS_NOTE_APART : 0) | (doubt ? RAMUS_NOTE_DOUBT : 0);
}

static ramus_status add_part(ramus_session *s, const ramus_job *t, int part, int j,
                             ramus_translation *out, ramus_error *err)
{
    const ramus_part *p = &s->parts.items[part];
    const ramus_outcome *o = ramus_session_outcome(s, part, j);
    ramus_status st = RAMUS_OK;
    if (o->length < 0) return st;
    if (s->cutting.ends) st = begin_stretch(&s->assembly, p->at, p->end - p->at, part, err);
    if (!st) st = add_words(s, t, p, o, err);
    if (!st && s->cutting.ends) end_stretch(&s->assembly);
    out->score += o->score;
    out->log_prob += o->log_prob;
    out->notes |= ramus_session_notes(s, part, o);
    out->n_source += p->n - 1;
    out->n_target += o->length;
    out->sentences++;
    return st;
}

/* Adds the parts from number `first` to `last` with what stands between *from and them. */
static ramus_status add_parts(ramus_session *s, const ramus_job *t, int first, int last, int j,
                              size_t *from, ramus_translation *out, ramus_error *err)
{
    const bool spaces = has_spaces(ramus_model_info(s->model, "target_language"));
    ramus_status st = RAMUS_OK;
    for (int i = first; i >= 0 && i <= last && !st; i = ramus_session_next_part(s, t, i)) {
        const ramus_part *p = &s->parts.items[i];
        st = copy(s, t, *from, p->at, err);
        if (i > first && *from == p->at && spaces) ramus_buffer_text(&s->assembly.text, " ");
        if (!st) st = add_part(s, t, i, j, out, err);
        *from = p->end;
    }
    return st;
}

static void begin(ramus_assembly *a, const ramus_job *t)
{
    a->start = a->text.size;
    a->n_stretches = a->n_links = a->n_kept = 0;
    a->keep = t->first_keep;
}

/* The text is whole: puts a zero behind it. */
static ramus_status finish(ramus_assembly *a, const ramus_job *t, ramus_error *err)
{
    const size_t size = a->text.size - a->start;
    ramus_buffer_add(&a->text, "", 1);
    const ramus_status st = ramus_buffer_check(&a->text, err);
    if (!st)
        a->marked =
            (ramus_marked){.text = a->text.data + a->start, .size = size, .raws = t->text.raws};
    return st;
}

ramus_status ramus_session_assemble(ramus_session *s, const ramus_job *t, int j,
                                    ramus_translation *out, ramus_error *err)
{
    ramus_assembly *a = &s->assembly;
    const int first = ramus_session_first_part(s, t);
    const bool whole = s->cutting.whole; // has nothing around it
    size_t from = whole && first >= 0 ? s->parts.items[first].at : 0;
    begin(a, t);
    ramus_status st = add_parts(s, t, first, t->first_part + t->n_parts, j, &from, out, err);
    if (!st && !whole) st = copy(s, t, from, t->text.size, err);
    if (!st) st = finish(a, t, err);
    if (st) return st;
    out->notes |= t->notes;
    out->size += a->marked.size;
    if (!s->cutting.bare &&
        !ramus_numbers_kept(t->text.text, t->text.size, a->marked.text, a->marked.size))
        out->notes |= RAMUS_NOTE_NUMBER;
    return RAMUS_OK;
}

ramus_status ramus_session_assemble_parts(ramus_session *s, const ramus_job *t, int first, int last,
                                          ramus_translation *out, ramus_error *err)
{
    size_t from = s->parts.items[first].at;
    ramus_buffer_clear(&s->assembly.text);
    begin(&s->assembly, t);
    const ramus_status st = add_parts(s, t, first, last, 0, &from, out, err);
    return st ? st : finish(&s->assembly, t, err);
}

ramus_status ramus_session_place(ramus_session *s, const ramus_job *t, ramus_error *err)
{
    ramus_assembly *a = &s->assembly;
    const ramus_status st =
        ramus_place_marks(&a->placing, &t->text, a->marked.text, a->marked.size, a->stretches,
                          a->n_stretches, a->links, a->kept, a->n_kept, err);
    a->marked.marks = a->placing.marks;
    a->marked.n_marks = st ? 0 : a->placing.n_marks;
    return st;
}
