/* A call in four steps: cut texts into parts, sort parts by length into batches, let the threads
 * search, put the texts together (assemble.c). */
#include "runtime/assemble.h"

#include "base/utf8.h"
#include "text/language.h"
#include "text/letters.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static ramus_status cut_texts(ramus_session *s, const ramus_marked *texts, int n, ramus_error *err)
{
    const size_t size = ramus_arena_round((size_t)n * sizeof(ramus_job));
    ramus_status st = ramus_memory_prepare(&s->job_memory, size, err);
    if (st) return st;
    s->jobs = ramus_arena_alloc(s->job_memory.arena, (size_t)n * sizeof(ramus_job));
    s->n_jobs = n;
    ramus_parts_clear(&s->parts);
    for (int i = 0; i < n && !st; i++) {
        ramus_job *j = &s->jobs[i];
        bool split = false, apart = false;
        *j =
            (ramus_job){.text = texts[i], .first_part = s->parts.n, .first_keep = s->parts.keeps.n};
        if (ramus_utf8_check(j->text.text, j->text.size) < j->text.size)
            j->notes |= RAMUS_NOTE_INVALID;
        if (!s->cutting.bare && !s->format &&
            ramus_language_differs(s->parts.language, j->text.text, j->text.size))
            j->notes |= RAMUS_NOTE_LANGUAGE;
        st = ramus_parts_add(&s->parts, &j->text, &s->cutting, &split, &apart, err);
        j->n_parts = s->parts.n - j->first_part;
        j->n_keeps = s->parts.keeps.n - j->first_keep;
        if (split) j->notes |= RAMUS_NOTE_SPLIT;
        if (apart) j->notes |= RAMUS_NOTE_APART;
    }
    return st;
}

/* Tokens that the translation of a part may have. */
static size_t most_tokens(const ramus_session *s, const ramus_part *p)
{
    return (size_t)ramus_search_limit(s->workers[0].search, &s->search, p->n);
}

/* Memory for the order of work and for what comes out of it. */
static ramus_status make_room(ramus_session *s, ramus_error *err)
{
    const size_t n = (size_t)s->parts.n, n_best = (size_t)s->how.n_best;
    const size_t ids = (size_t)s->parts.ids.n;
    const bool details = s->options.details;
    double tokens = 0; // of all results
    for (size_t i = 0; i < n; i++)
        tokens += (double)(n_best * most_tokens(s, &s->parts.items[i]));
    const size_t per_token = sizeof(int) + sizeof(ramus_real) + sizeof(int) +
                             (details ? (size_t)s->n_gates * sizeof(int) : 0);
    const size_t per_id = details ? (size_t)s->n_source_gates * sizeof(int) : 0;
    const double size = (double)n * sizeof *s->order + ((double)n + 1) * sizeof(int) +
                        (double)n * (double)n_best * sizeof(ramus_outcome) +
                        tokens * (double)per_token + (double)ids * (double)per_id +
                        16 * RAMUS_ALIGNMENT;
    if (size > (double)(PTRDIFF_MAX / 2)) return ramus_fail_memory(err, "the translations");
    const ramus_status st = ramus_memory_prepare(&s->memory, (size_t)size, err);
    if (st) return st;

    ramus_arena *a = s->memory.arena;
    s->order = ramus_arena_alloc(a, n * sizeof *s->order);
    s->batches = ramus_arena_alloc(a, (n + 1) * sizeof(int));
    s->outcomes = ramus_arena_alloc(a, n * n_best * sizeof(ramus_outcome));
    const size_t found = (size_t)tokens;
    int *words = ramus_arena_alloc(a, found * sizeof(int));
    int *alignment = ramus_arena_alloc(a, found * sizeof(int));
    ramus_real *log_probs = ramus_arena_alloc(a, found * sizeof(ramus_real));
    int *gates = NULL;
    if (details) {
        gates = ramus_arena_alloc(a, found * (size_t)s->n_gates * sizeof(int));
        s->source_gates = ramus_arena_alloc(a, ids * (size_t)s->n_source_gates * sizeof(int));
    }
    size_t at = 0;
    for (size_t i = 0; i < n * n_best; i++) {
        ramus_outcome *o = &s->outcomes[i];
        o->length = -1;
        o->ids = words + at;
        o->alignment = alignment + at;
        o->log_probs = log_probs + at;
        o->gates = gates ? gates + at * (size_t)s->n_gates : NULL;
        at += most_tokens(s, &s->parts.items[i / n_best]);
    }
    return RAMUS_OK;
}

/* Lists the parts that are translated, in the order of the texts, or longest first: then no long
 * one is left for the end. Returns how many there are. */
static int order_parts(ramus_session *s)
{
    int n = 0;
    for (int i = 0; i < s->parts.n; i++)
        if (!s->parts.items[i].fragment)
            s->order[n++] = (ramus_batch_item){.source_length = s->parts.items[i].n, .number = i};
    if (!s->how.sentence) ramus_batch_sort_longest(s->order, n);
    return n;
}

static bool fits(void *arg, const ramus_batch_item *items, int n)
{
    const ramus_session *s = arg;
    const ramus_worker *w = &s->workers[0];
    for (int i = 0; i < n; i++)
        w->lengths[i] = items[i].source_length;
    return ramus_search_fits(w->search, &s->search, w->lengths, n);
}

/* Cuts the order into batches of as many parts as fit. */
static void make_batches(ramus_session *s, int n)
{
    const ramus_batch_limits limits = {.items = s->options.batch, .fits = fits, .arg = s};
    s->n_batches = 0;
    for (int first = 0; first < n;) {
        s->batches[s->n_batches++] = first;
        first += ramus_batch_fill(s->order + first, n - first, &limits);
    }
    s->batches[s->n_batches] = n;
}

static void keep_result(const ramus_session *s, ramus_outcome *to, const ramus_hypothesis *h)
{
    if (h->length == 0) return;
    const int length = h->length - (h->finished ? 1 : 0);
    const size_t n = (size_t)length;
    to->length = length;
    to->score = h->score;
    to->log_prob = h->log_prob;
    to->notes = (h->finished ? 0 : RAMUS_NOTE_LIMIT) | (h->loops ? RAMUS_NOTE_LOOP : 0);
    memcpy(to->ids, h->ids, n * sizeof *to->ids);
    if (h->log_probs) memcpy(to->log_probs, h->log_probs, n * sizeof *to->log_probs);
    if (h->alignment) memcpy(to->alignment, h->alignment, n * sizeof *to->alignment);
    if (h->gates) memcpy(to->gates, h->gates, n * (size_t)s->n_gates * sizeof *to->gates);
}

/* Whether a hypothesis has each symbol of its part once, and a word as its source has. */
static bool has_symbols(const ramus_session *s, const ramus_part *p, const ramus_hypothesis *h)
{
    const ramus_vocab *v = s->model->vocabs[1];
    unsigned seen = 0;
    bool word = false;
    for (int i = 0; i < h->length - h->finished; i++) {
        const char *piece = ramus_vocab_piece(v, h->ids[i]);
        word = word || ramus_has_letter(piece, strlen(piece));
        for (int k = 0; k < s->parts.symbols; k++) {
            if (h->ids[i] != s->symbol_ids[k]) continue;
            if (k >= p->n_keeps || seen & 1u << k) return false;
            seen |= 1u << k;
        }
    }
    return word && seen == (1u << p->n_keeps) - 1;
}

/* Keeps the best results that have all symbols. */
static void keep_results(ramus_session *s, const ramus_worker *w, int n)
{
    const int beam = s->search.beam, n_best = s->how.n_best;
    int n_gates = 0;
    const int *gates = ramus_search_source_gates(w->search, &n_gates);
    const size_t row = (size_t)n_gates;
    for (int i = 0; i < n; i++) {
        const size_t number = (size_t)w->numbers[i];
        ramus_part *p = &s->parts.items[number];
        int kept = 0;
        for (int j = 0; j < beam && kept < n_best; j++) {
            const ramus_hypothesis *h = &w->results[i * beam + j];
            if (p->n_keeps && !has_symbols(s, p, h)) continue;
            keep_result(s, &s->outcomes[number * (size_t)n_best + (size_t)kept++], h);
        }
        p->failed = kept == 0;
        if (!gates) continue;
        memcpy(s->source_gates + (size_t)p->first * row, gates, (size_t)p->n * row * sizeof *gates);
        gates += (size_t)p->n * row;
    }
}

/* Translates the parts w->numbers[0 .. n). */
static ramus_status run_parts(ramus_session *s, const ramus_worker *w, int n, ramus_error *err)
{
    for (int i = 0; i < n; i++) {
        const ramus_part *p = &s->parts.items[w->numbers[i]];
        w->sources[i] = (ramus_source){.ids = s->parts.ids.data + p->first,
                                       .length = p->n,
                                       .prefix = s->prefix.data,
                                       .prefix_length = s->prefix.n};
    }
    const ramus_status st = ramus_search_run(w->search, &s->search, w->sources, n, w->results, err);
    if (!st) keep_results(s, w, n);
    return st;
}

/* Translates a batch, then the fragments of parts that failed, one by one: that is rare. */
static void translate_batch(void *arg, int index, int thread)
{
    ramus_session *s = arg;
    const ramus_worker *w = &s->workers[thread];
    const int first = s->batches[index], n = s->batches[index + 1] - first;
    ramus_error err = {0};
    if (atomic_load(&s->stopped)) return;
    for (int i = 0; i < n; i++)
        w->numbers[i] = s->order[first + i].number;
    ramus_status st = run_parts(s, w, n, &err);
    for (int i = 0; i < n && !st; i++) {
        const int number = s->order[first + i].number;
        const ramus_part *p = &s->parts.items[number];
        for (int k = 1; k <= p->n_fragments && p->failed && !st; k++) {
            w->numbers[0] = number + k;
            st = run_parts(s, w, 1, &err);
        }
    }
    ramus_lock_take(&s->lock);
    if (!st && s->how.sentence) st = ramus_session_tell(s, first, n, &err);
    if (st && !s->status) {
        s->status = st;
        s->error = err;
        atomic_store(&s->stopped, true);
    }
    if (!st) s->done += n;
    if (!st && s->how.progress) s->how.progress(s->how.arg, s->done, s->batches[s->n_batches]);
    ramus_lock_release(&s->lock);
}

static ramus_status run_batches(ramus_session *s, ramus_error *err)
{
    s->done = 0;
    s->tell = (ramus_telling){0};
    s->status = RAMUS_OK;
    atomic_store(&s->stopped, false);
    ramus_pool_for(s->pool, s->n_batches, translate_batch, s);
    if (!s->status) return RAMUS_OK;
    return ramus_fail(err, s->status, "%s", s->error.message);
}

ramus_status ramus_session_run(ramus_session *s, const ramus_marked *texts, int n, ramus_error *err)
{
    ramus_status st = cut_texts(s, texts, n, err);
    if (!st) st = make_room(s, err);
    if (st) return st;
    make_batches(s, order_parts(s));
    st = run_batches(s, err);
    ramus_buffer_clear(&s->assembly.text); // of what was told
    return st;
}
