/* Normalises, lets the type of the vocabulary cut the text into segments, then turns segments
 * into ids or pieces; unknown text becomes bytes or one unknown piece. */
#include "text/tokenizer.h"

#include "text/literals.h"
#include "text/segment.h"

#include <stdlib.h>
#include <string.h>

void *ramus_scratch_reserve(ramus_scratch *s, size_t n, size_t item)
{
    if (n > (size_t)-1 / 2 / item) return NULL;
    if (n * item > s->size) {
        const size_t size = n * item + n * item / 2;
        void *data = realloc(s->data, size);
        if (!data) return NULL;
        s->data = data;
        s->size = size;
    }
    return s->data;
}

ramus_status ramus_tokenizer_create(ramus_tokenizer **out, const ramus_vocab *vocab,
                                    ramus_error *err)
{
    ramus_tokenizer *t = calloc(1, sizeof *t);
    if (!t) return ramus_fail_memory(err, "a tokenizer");
    t->vocab = vocab->cuts ? vocab->cuts : vocab;
    t->words = vocab->cuts ? vocab : NULL;
    t->lead = -1;
    *out = t;
    return RAMUS_OK;
}

void ramus_tokenizer_destroy(ramus_tokenizer *t)
{
    if (!t) return;
    ramus_buffer_free(&t->plain);
    ramus_buffer_free(&t->text);
    ramus_ids_free(&t->origins);
    free(t->segment_memory.data);
    free(t->paths.data);
    free(t->nodes.data);
    free(t->symbols.data);
    free(t->heap.data);
    free(t->splits.data);
    free(t);
}

/* Puts the normalised text into t->text; without any there is nothing to cut. */
static ramus_status normalise(ramus_tokenizer *t, const char *text, size_t size, ramus_ids *origins,
                              ramus_error *err)
{
    t->n_segments = 0;
    const ramus_status st =
        ramus_normaliser_run(&t->vocab->normaliser, text, size, &t->text, origins, err);
    t->text_size = st ? 0 : (int)t->text.size;
    return st;
}

/* What segment *i becomes: bytes, or one id of it and, where it is unknown, of all unknown ones
 * behind it, which *i passes. Returns whether it is bytes. */
static bool take_segment(const ramus_tokenizer *t, int *i)
{
    const ramus_vocab *v = t->vocab;
    if (t->segments[*i].id != v->unk) return false;
    if (v->byte_fallback) return true;
    while (*i + 1 < t->n_segments && t->segments[*i + 1].id == v->unk)
        ++*i;
    return false;
}

/* The id of a piece, which is text[begin .. end). */
static int word_of(const ramus_tokenizer *t, int piece, int begin, int end)
{
    if (!t->words) return piece;
    if (piece != t->vocab->unk) return t->words->words[piece];
    return ramus_vocab_lookup(t->words, t->text.data + begin, (size_t)(end - begin));
}

/* Adds the ids of the segments. Unknown text becomes bytes or, in a row, one unknown piece. */
static ramus_status add_ids(const ramus_tokenizer *t, ramus_ids *ids, ramus_error *err)
{
    const ramus_status st = ramus_ids_reserve(ids, (size_t)t->text_size, err);
    if (st) return st;
    int *to = ids->data + ids->n;
    for (int i = 0, begin = 0; i < t->n_segments; i++) {
        const int piece = t->segments[i].id;
        const bool bytes = take_segment(t, &i);
        const int end = t->segments[i].end;
        for (int at = begin; bytes && at < end; at++)
            *to++ = t->vocab->byte_ids[(unsigned char)t->text.data[at]];
        if (!bytes) *to++ = word_of(t, piece, begin, end);
        begin = end;
    }
    ids->n = (int)(to - ids->data);
    return RAMUS_OK;
}

/* Adds where in the original each id ends that add_ids() adds. */
static ramus_status add_ends(const ramus_tokenizer *t, ramus_ids *ends, ramus_error *err)
{
    const int *origins = t->origins.data;
    const ramus_status st = ramus_ids_reserve(ends, (size_t)t->text_size, err);
    if (st) return st;
    int *to = ends->data + ends->n;
    for (int i = 0, begin = 0; i < t->n_segments; i++) {
        const bool bytes = take_segment(t, &i);
        const int end = t->segments[i].end;
        for (int at = begin; bytes && at + 1 < end; at++)
            *to++ = origins[begin];
        *to++ = origins[end];
        begin = end;
    }
    ends->n = (int)(to - ends->data);
    return RAMUS_OK;
}

ramus_status ramus_tokenizer_stretch(ramus_tokenizer *t, const char *text, size_t size,
                                     const ramus_sampling *how, ramus_ids *ids, ramus_ids *ends,
                                     ramus_error *err)
{
    ramus_status st = normalise(t, text, size, ends ? &t->origins : NULL, err);
    if (st || t->text_size == 0) return st;
    st = how ? t->vocab->type->sample(t, how, err) : t->vocab->type->segment(t, err);
    if (!st) st = add_ids(t, ids, err);
    return !st && ends ? add_ends(t, ends, err) : st;
}

/* Everything that gives ids. */
static ramus_status encode(ramus_tokenizer *t, const char *text, size_t size,
                           const ramus_sampling *how, ramus_ids *ids, ramus_ids *ends,
                           ramus_error *err)
{
    const int n = ids->n, n_ends = ends ? ends->n : 0;
    const ramus_status st = t->words ? ramus_literals_encode(t, text, size, how, ids, ends, err)
                                     : ramus_tokenizer_stretch(t, text, size, how, ids, ends, err);
    if (st) ids->n = n;
    if (st && ends) ends->n = n_ends;
    return st;
}

ramus_status ramus_tokenizer_encode(ramus_tokenizer *t, const char *text, size_t size,
                                    ramus_ids *ids, ramus_error *err)
{
    return encode(t, text, size, NULL, ids, NULL, err);
}

ramus_status ramus_tokenizer_encode_ranges(ramus_tokenizer *t, const char *text, size_t size,
                                           ramus_ids *ids, ramus_ids *ends, ramus_error *err)
{
    return encode(t, text, size, NULL, ids, ends, err);
}

ramus_status ramus_tokenizer_sample(ramus_tokenizer *t, const char *text, size_t size,
                                    const ramus_sampling *how, ramus_ids *ids, ramus_error *err)
{
    RAMUS_ASSERT(how->alpha >= 0 && how->alpha <= 1e6);
    if (!t->vocab->type->sample)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "a vocabulary of type %s cannot be sampled from, unigram and bpe can",
                          t->vocab->type->name);
    return encode(t, text, size, how, ids, NULL, err);
}

static void add_bytes_as_pieces(const ramus_vocab *v, const char *text, int size, ramus_buffer *out)
{
    for (int i = 0; i < size; i++) {
        if (i > 0) ramus_buffer_text(out, " ");
        ramus_buffer_text(out, v->pieces[v->byte_ids[(unsigned char)text[i]]].text);
    }
}

ramus_status ramus_tokenizer_encode_pieces(ramus_tokenizer *t, const char *text, size_t size,
                                           ramus_buffer *out, ramus_error *err)
{
    const ramus_vocab *v = t->vocab;
    ramus_status st = normalise(t, text, size, NULL, err);
    if (st || t->text_size == 0) return st;
    st = v->type->segment(t, err);
    if (st) return st;
    bool after_unknown = false;
    for (int i = 0, begin = 0; i < t->n_segments; i++) {
        const ramus_segment s = t->segments[i];
        const bool unknown = s.id == v->unk;
        const char *piece = t->text.data + begin;
        if (i > 0 && !(unknown && after_unknown)) ramus_buffer_text(out, " ");
        if (unknown && v->byte_fallback)
            add_bytes_as_pieces(v, piece, s.end - begin, out);
        else
            ramus_buffer_add(out, piece, (size_t)(s.end - begin));
        after_unknown = unknown && !v->byte_fallback;
        begin = s.end;
    }
    return ramus_buffer_check(out, err);
}
