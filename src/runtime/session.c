/* A call in four steps: cut texts into parts, sort parts by length into batches, let the threads
 * search, put the texts together (assemble.c). Memory is kept from call to call. */
#include "runtime/session.h"

#include "base/utf8.h"
#include "runtime/sized.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define END_OF(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))
#define SENTENCE_TOKENS     64 // of the sentences that a full batch has room for
#define LEAST_TOKENS        64 // no character has as many: U+FDFA, the longest, is 33 bytes of letters

/* Empties `m` and makes sure that it has `size` bytes. */
static ramus_status prepare(ramus_memory *m, size_t size, ramus_error *err)
{
    if (m->arena && size <= m->size) {
        ramus_arena_reset(m->arena, 0);
        return RAMUS_OK;
    }
    ramus_arena_destroy(m->arena);
    m->arena = NULL;
    m->size = size + size / 2;
    return ramus_arena_create(&m->arena, m->size, err);
}

static ramus_status check_range(const char *name, int value, int least, int most, ramus_error *err)
{
    if (value >= least && value <= most) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is %d, expected %d to %d", name, value, least,
                      most);
}

/* Fills in defaults and what follows from the options. */
static ramus_status choose(ramus_session *s, const ramus_session_options *options, ramus_error *err)
{
    static const ramus_sized is = {"ramus_session_options", "RAMUS_SESSION_DEFAULTS",
                                   sizeof *options, END_OF(ramus_session_options, details)};
    ramus_session_options *o = &s->options;
    ramus_status st = options ? ramus_sized_read(o, options, &is, err) : RAMUS_OK;
    if (st) return st;
    if (o->beam == 0) o->beam = 4;
    if (o->tokens == 0) o->tokens = 256;
    if (o->batch == 0) o->batch = 1;
    if (o->threads == 0) o->threads = 1;
    st = check_range("beam", o->beam, 1, 64, err);
    if (!st) st = check_range("tokens", o->tokens, LEAST_TOKENS, 4096, err);
    if (!st) st = check_range("batch", o->batch, 1, 4096, err);
    if (!st) st = check_range("threads", o->threads, 1, 1024, err);
    if (st) return st;
    const int length = 2 * o->tokens + RAMUS_EXTRA_LENGTH, many = o->batch * SENTENCE_TOKENS;
    s->limits = (ramus_search_limits){
        .beam = o->beam,
        .sentences = o->batch,
        .source_tokens = many > o->tokens ? many : o->tokens,
        .source_length = o->tokens,
        .target_length = length,
        .positions = o->beam * (many > length ? many : length),
        .alignment = o->details,
        .gates = o->details,
    };
    return RAMUS_OK;
}

static ramus_status create_workers(ramus_session *s, ramus_error *err)
{
    const size_t batch = (size_t)s->options.batch, beam = (size_t)s->options.beam;
    const ramus_model *m = s->model;
    s->workers = calloc((size_t)s->options.threads, sizeof *s->workers);
    if (!s->workers) return ramus_fail_memory(err, "a session");
    for (int i = 0; i < s->options.threads; i++) {
        ramus_worker *w = &s->workers[i];
        w->results = calloc(batch * beam, sizeof *w->results);
        w->sources = calloc(batch, sizeof *w->sources);
        w->lengths = calloc(batch, sizeof *w->lengths);
        if (!w->results || !w->sources || !w->lengths) return ramus_fail_memory(err, "a session");
        ramus_status st =
            ramus_search_create(&w->search, &m->arch, m->weights, &s->limits, NULL, err);
        for (const ramus_model *other = m->next; other && !st; other = other->next)
            st = ramus_search_join(w->search, &other->arch, other->weights, err);
        if (st) return st;
    }
    s->n_gates = ramus_search_gates(s->workers[0].search);
    (void)ramus_search_source_gates(s->workers[0].search, &s->n_source_gates);
    return RAMUS_OK;
}

ramus_status ramus_session_create(ramus_session **out, const ramus_model *model,
                                  const ramus_session_options *options, ramus_error *err)
{
    ramus_status st = ramus_check_given(out, "where the session goes", err);
    if (!st) st = ramus_check_given(model, "the model", err);
    if (st) return st;
    if (!model->vocabs[0])
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "the model has no vocabulary: it takes no text");
    ramus_session *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "a session");
    s->model = model;
    (void)pthread_mutex_init(&s->lock, NULL);
    st = choose(s, options, err);
    if (!st) st = ramus_tokenizer_create(&s->tokenizer, model->vocabs[0], err);
    if (!st && s->options.threads > 1) st = ramus_pool_create(&s->pool, s->options.threads, err);
    if (!st) st = create_workers(s, err);
    if (st) {
        ramus_session_destroy(s);
        return st;
    }
    s->parts = (ramus_parts){
        .tokenizer = s->tokenizer,
        .limit = s->options.tokens,
        .eos = ramus_vocab_eos(model->vocabs[0]),
        .language = ramus_model_info(model, "source_language"),
    };
    *out = s;
    return RAMUS_OK;
}

void ramus_session_destroy(ramus_session *s)
{
    if (!s) return;
    for (int i = 0; s->workers && i < s->options.threads; i++) {
        ramus_search_destroy(s->workers[i].search);
        free(s->workers[i].results);
        free(s->workers[i].sources);
        free(s->workers[i].lengths);
    }
    free(s->workers);
    ramus_pool_destroy(s->pool);
    ramus_parts_free(&s->parts);
    ramus_tokenizer_destroy(s->tokenizer);
    ramus_tokenizer_destroy(s->prefix_tokenizer);
    ramus_ids_free(&s->prefix);
    ramus_arena_destroy(s->job_memory.arena);
    ramus_arena_destroy(s->memory.arena);
    ramus_buffer_free(&s->text);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static bool ask_stop(void *arg)
{
    ramus_session *s = arg;
    if (s->how.cancel && s->how.cancel(s->how.arg)) atomic_store(&s->stopped, true);
    return atomic_load(&s->stopped);
}

/* Reads the options of a call; NULL: the defaults. */
static ramus_status read_options(ramus_session *s, const ramus_translate_options *options,
                                 ramus_error *err)
{
    static const ramus_sized is = {"ramus_translate_options", "RAMUS_TRANSLATE_DEFAULTS",
                                   sizeof *options, END_OF(ramus_translate_options, arg)};
    s->how = (ramus_translate_options)RAMUS_TRANSLATE_DEFAULTS;
    return options ? ramus_sized_read(&s->how, options, &is, err) : RAMUS_OK;
}

static ramus_status check_options(ramus_session *s, ramus_error *err)
{
    const ramus_translate_options *o = &s->how;
    const int beam = o->beam ? o->beam : s->options.beam;
    ramus_status st = check_range("beam", beam, 1, s->options.beam, err);
    if (!st) st = check_range("n_best", o->n_best, 1, beam, err);
    if (!st) st = check_range("no_repeat", o->no_repeat, 0, 1000, err);
    if (st) return st;
    if (!(o->length_penalty >= 0 && o->length_penalty <= 10))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "length_penalty is %g, expected 0 to 10",
                          o->length_penalty);
    if (!(o->max_length_ratio > 0 && o->max_length_ratio <= 100))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "max_length_ratio is %g, expected more than 0, at most 100",
                          o->max_length_ratio);
    s->search = (ramus_search_options){
        .beam = beam,
        .greedy = beam == 1,
        .scores = o->scores || beam > 1 || s->options.details,
        .length_penalty = o->length_penalty,
        .length_ratio = o->max_length_ratio,
        .extra_length = RAMUS_EXTRA_LENGTH,
        .no_repeat = o->no_repeat,
        .loops = o->loops,
        .eos = ramus_vocab_eos(s->model->vocabs[1]),
        .stop = ask_stop,
        .stop_arg = s,
    };
    return RAMUS_OK;
}

/* The ids of the prefix are those of the target vocabulary. What a translation may have comes on
 * top of them. */
static ramus_status encode_prefix(ramus_session *s, const char *prefix, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    s->prefix.n = 0;
    if (!prefix) return RAMUS_OK;
    if (!s->prefix_tokenizer)
        st = ramus_tokenizer_create(&s->prefix_tokenizer, s->model->vocabs[1], err);
    if (!st)
        st = ramus_tokenizer_encode(s->prefix_tokenizer, prefix, strlen(prefix), &s->prefix, err);
    s->search.extra_length += s->prefix.n;
    if (!st && s->prefix.n >= s->options.tokens)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "the prefix has %d tokens, a sentence may have %d",
                        s->prefix.n, s->options.tokens - 1);
    return st;
}

static ramus_status cut_texts(ramus_session *s, const ramus_text *texts, int n, ramus_error *err)
{
    ramus_status st =
        prepare(&s->job_memory, ramus_arena_round((size_t)n * sizeof(ramus_job)), err);
    if (st) return st;
    s->jobs = ramus_arena_alloc(s->job_memory.arena, (size_t)n * sizeof(ramus_job));
    ramus_parts_clear(&s->parts);
    for (int i = 0; i < n && !st; i++) {
        ramus_job *j = &s->jobs[i];
        bool split = false;
        *j = (ramus_job){.text = texts[i], .first_part = s->parts.n};
        if (ramus_utf8_check(j->text.data, j->text.size) < j->text.size)
            j->notes |= RAMUS_NOTE_INVALID;
        st = ramus_parts_add(&s->parts, j->text, s->how.document, &split, &j->leading, err);
        j->n_parts = s->parts.n - j->first_part;
        if (split) j->notes |= RAMUS_NOTE_SPLIT;
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
                             (details ? (size_t)s->n_gates * sizeof(int) + sizeof(ramus_token) : 0);
    const size_t per_id =
        details ? (size_t)s->n_source_gates * sizeof(int) + sizeof(ramus_token) : 0;
    const double size = (double)n * sizeof *s->order + ((double)n + 1) * sizeof(int) +
                        (double)n * (double)n_best * sizeof(ramus_outcome) +
                        tokens * (double)per_token + (double)ids * (double)per_id +
                        16 * RAMUS_ALIGNMENT;
    if (size > (double)(PTRDIFF_MAX / 2)) return ramus_fail_memory(err, "the translations");
    const ramus_status st = prepare(&s->memory, (size_t)size, err);
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
        s->tokens = ramus_arena_alloc(a, (found + ids) * sizeof(ramus_token));
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

/* Lists the parts that have ids, longest first, and returns how many there are. Then no long one is
 * left for the end. */
static int sort_parts(ramus_session *s)
{
    int n = 0;
    for (int i = 0; i < s->parts.n; i++)
        if (s->parts.items[i].n > 0)
            s->order[n++] = (ramus_batch_item){.source_length = s->parts.items[i].n, .number = i};
    ramus_batch_sort_longest(s->order, n);
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

static void keep_results(ramus_session *s, const ramus_worker *w, int first, int n)
{
    const int beam = s->search.beam, n_best = s->how.n_best;
    int n_gates = 0;
    const int *gates = ramus_search_source_gates(w->search, &n_gates);
    const size_t row = (size_t)n_gates;
    for (int i = 0; i < n; i++) {
        const size_t number = (size_t)s->order[first + i].number;
        const ramus_part *p = &s->parts.items[number];
        for (int j = 0; j < n_best; j++)
            keep_result(s, &s->outcomes[number * (size_t)n_best + (size_t)j],
                        &w->results[i * beam + j]);
        if (!gates) continue;
        memcpy(s->source_gates + (size_t)p->first * row, gates, (size_t)p->n * row * sizeof *gates);
        gates += (size_t)p->n * row;
    }
}

static void translate_batch(void *arg, int index, int thread)
{
    ramus_session *s = arg;
    const ramus_worker *w = &s->workers[thread];
    const int first = s->batches[index], n = s->batches[index + 1] - first;
    ramus_error err = {0};
    if (atomic_load(&s->stopped)) return;
    for (int i = 0; i < n; i++) {
        const ramus_part *p = &s->parts.items[s->order[first + i].number];
        w->sources[i] = (ramus_source){.ids = s->parts.ids.data + p->first,
                                       .length = p->n,
                                       .prefix = s->prefix.data,
                                       .prefix_length = s->prefix.n};
    }
    const ramus_status st =
        ramus_search_run(w->search, &s->search, w->sources, n, w->results, &err);
    if (!st) keep_results(s, w, first, n);
    (void)pthread_mutex_lock(&s->lock);
    if (st && !s->status) {
        s->status = st;
        s->error = err;
        atomic_store(&s->stopped, true);
    }
    if (!st) s->done += n;
    if (!st && s->how.progress) s->how.progress(s->how.arg, s->done, s->batches[s->n_batches]);
    (void)pthread_mutex_unlock(&s->lock);
}

static ramus_status run_batches(ramus_session *s, ramus_error *err)
{
    s->done = 0;
    s->status = RAMUS_OK;
    atomic_store(&s->stopped, false);
    ramus_pool_for(s->pool, s->n_batches, translate_batch, s);
    if (!s->status) return RAMUS_OK;
    return ramus_fail(err, s->status, "%s", s->error.message);
}

/* Everything but the session itself, which another call may be using. */
static ramus_status check_call(const ramus_session *s, const ramus_text *texts, int n,
                               const ramus_translation *out, ramus_error *err)
{
    ramus_status st = ramus_check_given(s, "the session", err);
    if (!st) st = check_range("n", n, 0, INT_MAX, err);
    if (!st && n) st = ramus_check_given(texts, "the array of texts", err);
    if (!st && n) st = ramus_check_given(out, "the array of translations", err);
    for (int i = 0; i < n && !st; i++)
        if (!texts[i].data && texts[i].size)
            st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "text %d of %d has %zu bytes at NULL", i, n,
                            texts[i].size);
    return st;
}

static ramus_status translate_texts(ramus_session *s, const ramus_text *texts, int n,
                                    const ramus_translate_options *options, ramus_translation *out,
                                    ramus_error *err)
{
    ramus_status st = read_options(s, options, err);
    if (!st) st = check_options(s, err);
    if (!st && (size_t)n > PTRDIFF_MAX / sizeof *out / (size_t)s->how.n_best)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "n is %d and n_best %d: no array has room for that", n, s->how.n_best);
    if (!st) st = encode_prefix(s, s->how.prefix, err);
    if (!st) st = cut_texts(s, texts, n, err);
    if (!st) st = make_room(s, err);
    if (!st) {
        make_batches(s, sort_parts(s));
        st = run_batches(s, err);
    }
    return st ? st : ramus_session_assemble(s, n, out, err);
}

ramus_status ramus_translate_all(ramus_session *s, const ramus_text *texts, int n,
                                 const ramus_translate_options *options, ramus_translation *out,
                                 ramus_error *err)
{
    ramus_status st = check_call(s, texts, n, out, err);
    if (st) return st;
    if (atomic_exchange(&s->busy, true))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "another call is using the session: give each thread one of its own, and "
                          "make no call from a callback");
    st = translate_texts(s, texts, n, options, out, err);
    atomic_store(&s->busy, false);
    return st;
}

ramus_status ramus_translate(ramus_session *s, const char *text,
                             const ramus_translate_options *options, ramus_translation *out,
                             ramus_error *err)
{
    const ramus_status st = ramus_check_given(text, "the text", err);
    if (st) return st;
    const ramus_text one = {text, strlen(text)};
    return ramus_translate_all(s, &one, 1, options, out, err);
}
