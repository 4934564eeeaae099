/* Sessions are made and ended, options are read and checked, and calls of the public interface keep
 * each other out. The work is done in translate.c. Memory is kept from call to call. */
#include "runtime/assemble.h"
#include "runtime/documents.h"

#include "base/list.h"
#include "runtime/sized.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_OF(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))
#define SENTENCE_TOKENS     64 // of the sentences that a full batch has room for
#define LEAST_TOKENS        64 // no character has as many: U+FDFA, the longest, is 33 bytes of letters

ramus_status ramus_memory_prepare(ramus_memory *m, size_t size, ramus_error *err)
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
        .alignment = true, // marks need it; it costs 0.3 %
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
        w->numbers = calloc(batch, sizeof *w->numbers);
        if (!w->results || !w->sources || !w->lengths || !w->numbers)
            return ramus_fail_memory(err, "a session");
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

/* How many symbols both vocabularies have, as pieces of their own; their ids are noted. */
static int count_symbols(ramus_session *s)
{
    int n = 0;
    for (; n < RAMUS_SYMBOLS; n++) {
        char symbol[RAMUS_SYMBOL_SIZE];
        ramus_symbol_write(symbol, n);
        for (int side = 0; side < 2; side++) {
            const ramus_vocab *v = s->model->vocabs[side];
            const int id = ramus_vocab_find(v, symbol, sizeof symbol);
            if (id < 0 || ramus_vocab_kind(v, id) != RAMUS_PIECE_USER) return n;
            s->symbol_ids[n] = id; // at last that of the target
        }
    }
    return n;
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
    ramus_lock_init(&s->lock);
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
        .symbols = count_symbols(s),
        .reader = model->vocabs[0],
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
        free(s->workers[i].numbers);
    }
    free(s->workers);
    ramus_pool_destroy(s->pool);
    ramus_parts_free(&s->parts);
    ramus_tokenizer_destroy(s->tokenizer);
    ramus_tokenizer_destroy(s->prefix_tokenizer);
    ramus_ids_free(&s->prefix);
    ramus_arena_destroy(s->job_memory.arena);
    ramus_arena_destroy(s->memory.arena);
    ramus_arena_destroy(s->token_memory.arena);
    ramus_assembly_free(&s->assembly);
    ramus_blocks_free(&s->blocks);
    free(s->marked);
    ramus_buffer_free(&s->documents);
    free(s->pairs);
    free(s->pair_places);
    ramus_lock_destroy(&s->lock);
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
    if (!st) st = check_range("search", (int)o->search, 0, RAMUS_SEARCH_MARIAN, err);
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
        .rules = o->search,
        .scores = o->scores || beam > 1 || s->options.details,
        .length_penalty = o->length_penalty,
        .length_ratio = o->max_length_ratio,
        .extra_length = RAMUS_EXTRA_LENGTH,
        .no_repeat = o->no_repeat,
        .loops = o->loops,
        .eos = ramus_vocab_eos(s->model->vocabs[1]),
        .unk = ramus_vocab_unk(s->model->vocabs[1]),
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

/* The word of the target language goes before every source. */
static ramus_status choose_language(ramus_session *s, const char *to, ramus_error *err)
{
    const ramus_vocab *v = s->model->vocabs[0];
    const char *only = ramus_model_info(s->model, "target_language");
    ramus_tokenizer_lead(s->tokenizer, -1);
    if (!to) return RAMUS_OK;
    char word[64];
    const int size = snprintf(word, sizeof word, ">>%s<<", to);
    const int id = size < (int)sizeof word ? ramus_vocab_find(v, word, (size_t)size) : -1;
    if (id < 0 && (!only || strcmp(only, to) != 0))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the model has no word >>%.40s<< for the language to translate to", to);
    ramus_tokenizer_lead(s->tokenizer, id);
    return RAMUS_OK;
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

/* Reads and checks the options, and finds the rows and lists that they ask for. */
static ramus_status prepare_call(ramus_session *s, const ramus_translate_options *options,
                                 ramus_error *err)
{
    ramus_status st = read_options(s, options, err);
    if (!st) st = check_options(s, err);
    if (!st) st = encode_prefix(s, s->how.prefix, err);
    if (!st) st = choose_language(s, s->how.to, err);
    const char *format = s->how.format ? s->how.format : s->how.document ? "text" : NULL;
    s->format = format ? ramus_format_find(format) : NULL;
    if (!st && format && !s->format)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "the format %s is unknown", format);
    s->cutting = (ramus_cutting){.whole = s->how.whole_lines,
                                 .bare = s->how.unprotected,
                                 .terms = s->how.terms,
                                 .ends = s->options.details || s->format || s->how.sentence};
    s->format_options =
        (ramus_format_options){.wrapped = s->how.wrapped, .columns = s->how.columns};
    s->n_pairs = 0;
    s->ends = NULL;
    ramus_buffer_clear(&s->assembly.text);
    return st;
}

ramus_status ramus_session_begin(ramus_session *s, const ramus_translate_options *options,
                                 ramus_error *err)
{
    if (atomic_exchange(&s->busy, true))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "another call is using the session: give each thread one of its own, and "
                          "make no call from a callback");
    const ramus_status st = prepare_call(s, options, err);
    if (st) ramus_session_end(s);
    return st;
}

void ramus_session_end(ramus_session *s)
{
    for (int i = 0; i < s->n_pairs; i++)
        s->pairs[i].target.data = s->assembly.text.data + s->pair_places[i];
    atomic_store(&s->busy, false);
}

/* A line stays one line, whatever stands in it and whatever the vocabulary has. */
static void join_lines(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n' || text[i] == '\r') text[i] = ' ';
}

/* The translations of text `i`, which is a job. */
static ramus_status write_text(ramus_session *s, int i, ramus_translation *out, ramus_error *err)
{
    const ramus_job *t = &s->jobs[i];
    const bool details = s->options.details;
    ramus_translation shared = {.notes = t->notes};
    if (details) ramus_session_list_source(s, t, &shared);
    for (int j = 0; j < s->how.n_best; j++) {
        out[j] = shared;
        if (!ramus_session_has(s, t, j)) continue;
        ramus_status st = ramus_session_assemble(s, t, j, &out[j], err);
        if (st) return st;
        join_lines(s->assembly.text.data + s->assembly.start, out[j].size);
        out[j].text = ""; // its place is known when the buffer grows no more
        if (!details) continue;
        ramus_session_list_target(s, t, j, 0, &out[j]);
        if (j == 0 && (st = ramus_session_list_pairs(s, i, i, err))) return st;
    }
    return RAMUS_OK;
}

static ramus_status translate_texts(ramus_session *s, const ramus_text *texts, int n,
                                    ramus_translation *out, ramus_error *err)
{
    const size_t n_best = (size_t)s->how.n_best;
    ramus_status st = RAMUS_LIST_RESERVE(s->marked, s->marked_room, (size_t)n, "the texts", err);
    for (int i = 0; i < n && !st; i++)
        s->marked[i] =
            (ramus_marked){.text = texts[i].data ? texts[i].data : "", .size = texts[i].size};
    if (!st) st = ramus_session_run(s, s->marked, n, err);
    if (!st && s->options.details) st = ramus_session_list_begin(s, err);
    for (int i = 0; i < n && !st; i++)
        st = write_text(s, i, out + (size_t)i * n_best, err);
    if (st) return st;
    const char *text = s->assembly.text.data;
    for (size_t i = 0; i < (size_t)n * n_best; i++)
        if (out[i].text) {
            out[i].text = text;
            text += out[i].size + 1;
        }
    return RAMUS_OK;
}

ramus_status ramus_translate_all(ramus_session *s, const ramus_text *texts, int n,
                                 const ramus_translate_options *options, ramus_translation *out,
                                 ramus_error *err)
{
    ramus_status st = check_call(s, texts, n, out, err);
    if (st) return st;
    st = ramus_session_begin(s, options, err);
    if (st) return st;
    if ((size_t)n > PTRDIFF_MAX / sizeof *out / (size_t)s->how.n_best)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "n is %d and n_best %d: no array has room for that", n, s->how.n_best);
    if (!st)
        st = s->format ? ramus_session_documents(s, texts, n, out, err)
                       : translate_texts(s, texts, n, out, err);
    ramus_session_end(s);
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

const char *ramus_format_name(int i)
{
    int n = 0;
    const ramus_format *const *rows = ramus_formats(&n);
    return i >= 0 && i < n ? rows[i]->name : NULL;
}

int ramus_session_sentences(const ramus_session *s, int text, const ramus_sentence_pair **out)
{
    int first = 0;
    if (!s || !out || text < 0) return 0;
    while (first < s->n_pairs && s->pairs[first].text < text)
        first++;
    int last = first;
    while (last < s->n_pairs && s->pairs[last].text == text)
        last++;
    *out = s->pairs + first;
    return last - first;
}

const ramus_range *ramus_session_ranges(const ramus_session *s, const ramus_token *tokens)
{
    if (!s || !tokens || tokens < s->tokens || tokens >= s->tokens + s->n_tokens) return NULL;
    return s->ranges + (tokens - s->tokens);
}
