/* The model and its batches are made once and translated once for the record; then whole
 * translations and their products alone can be repeated. */
#include "bench/search.h"

#include "base/rng.h"
#include "convert/load.h"
#include "data/lines.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LENGTH   256 // tokens of a sentence from a file: longer ones are cut
#define EXTRA_LENGTH 50  // of its translation

/* Random weights, as they are deployed. */
static ramus_status make_weights(ramus_bench_search *s, ramus_quantize_spec how, uint64_t seed,
                                 ramus_error *err)
{
    const ramus_limits one = {1, 1, 1};
    const ramus_build build = {.head = RAMUS_HEAD_LOSS, .source = one, .target = one};
    ramus_graph *g = NULL;
    ramus_weights *w = NULL;
    ramus_status st = ramus_transformer_create(&g, &s->is.arch, &build, err);
    if (!st) st = ramus_weights_create(&w, g, err);
    if (!st) ramus_weights_init(w, g, seed);
    if (!st) st = ramus_quantize(&s->own, w, how, err);
    s->weights = s->own;
    ramus_weights_destroy(w);
    ramus_graph_destroy(g);
    return st;
}

static ramus_status load_model(ramus_bench_search *s, const char *path, ramus_error *err)
{
    const ramus_status st = ramus_model_load(&s->model, path, err);
    if (st) return st;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t size = strlen(name), room = sizeof s->is.name - 1;
    memcpy(s->is.name, name, size < room ? size : room);
    s->is.arch = s->model->arch;
    s->weights = s->model->weights;
    return RAMUS_OK;
}

static ramus_status add_random(ramus_bench_search *s, int length, uint64_t seed, ramus_error *err)
{
    const ramus_rng rng = {.seed = seed, .op = 1};
    for (int i = 0; i < length; i++) {
        const double word =
            ramus_rng_uniform(&rng, (uint64_t)s->ids.n) * (double)s->is.arch.source_vocab;
        const ramus_status st = ramus_ids_add(&s->ids, (int)word, err);
        if (st) return st;
    }
    return RAMUS_OK;
}

static ramus_status add_line(ramus_bench_search *s, ramus_tokenizer *tok, ramus_lines *lines,
                             const char *path, ramus_error *err)
{
    const int first = s->ids.n;
    char *line = NULL;
    size_t size = 0;
    ramus_status st = ramus_lines_next(lines, &line, &size, err);
    if (st) return st;
    if (!line)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: ends after %d lines, %d are to be translated",
                          path, s->n_sentences, s->n_batches * s->batch);
    st = ramus_tokenizer_encode(tok, line, size, &s->ids, err);
    if (st) return st;
    if (s->ids.n - first > MAX_LENGTH - 1) s->ids.n = first + MAX_LENGTH - 1;
    return ramus_ids_add(&s->ids, ramus_vocab_eos(s->model->vocabs[0]), err);
}

/* The sentences of all batches: from the file, or random ids. */
static ramus_status add_sentences(ramus_bench_search *s, const ramus_bench_translate *bench,
                                  uint64_t seed, ramus_error *err)
{
    const int n = s->n_batches * s->batch;
    ramus_lines *lines = NULL;
    ramus_tokenizer *tok = NULL;
    ramus_status st = RAMUS_OK;
    s->first = calloc((size_t)n, sizeof *s->first);
    s->lengths = calloc((size_t)n, sizeof *s->lengths);
    if (!s->first || !s->lengths) return ramus_fail_memory(err, "a benchmark");
    if (bench->input) st = ramus_tokenizer_create(&tok, s->model->vocabs[0], err);
    if (bench->input && !st) st = ramus_lines_open(&lines, bench->input, err);
    for (; s->n_sentences < n && !st; s->n_sentences++) {
        const int first = s->ids.n;
        st = bench->input ? add_line(s, tok, lines, bench->input, err)
                          : add_random(s, bench->source_length, seed, err);
        s->first[s->n_sentences] = first;
        s->lengths[s->n_sentences] = s->ids.n - first;
    }
    ramus_lines_close(lines);
    ramus_tokenizer_destroy(tok);
    return st;
}

/* Random sentences are translated to exactly target_length tokens: no token ends them. Those of a
 * file end as they do for a user. */
static ramus_search_options search_options(const ramus_bench_search *s,
                                           const ramus_bench_translate *bench)
{
    return (ramus_search_options){
        .beam = bench->beam,
        .greedy = bench->beam == 1,
        .length_penalty = 0.6,
        .scores = bench->beam > 1,
        .length_ratio = bench->input ? 1 : 0,
        .extra_length = bench->input ? EXTRA_LENGTH : bench->target_length,
        .eos = bench->input ? ramus_vocab_eos(s->model->vocabs[1]) : -1,
    };
}

static ramus_status create_searches(ramus_bench_search *s, const ramus_bench_translate *bench,
                                    uint64_t seed, ramus_error *err)
{
    int longest = 1;
    for (int i = 0; i < s->n_sentences; i++)
        if (s->lengths[i] > longest) longest = s->lengths[i];
    const ramus_search_limits limits = {
        .sentences = s->batch,
        .source_tokens = s->batch * longest,
        .source_length = longest,
        .target_length = bench->input ? longest + EXTRA_LENGTH : bench->target_length,
        .beam = bench->beam,
    };
    const size_t threads = (size_t)s->threads, batches = (size_t)s->n_batches;
    s->searches = calloc(threads, sizeof(ramus_search *));
    s->routes = calloc(threads, sizeof(ramus_random_routes *));
    s->results = calloc(threads * (size_t)(s->batch * bench->beam), sizeof *s->results);
    s->records = calloc(batches, sizeof *s->records);
    s->tokens = calloc(batches, sizeof *s->tokens);
    s->status = calloc(threads, sizeof *s->status);
    s->errors = calloc(threads, sizeof *s->errors);
    if (!s->searches || !s->routes || !s->results || !s->records || !s->tokens || !s->status ||
        !s->errors)
        return ramus_fail_memory(err, "a benchmark");
    for (int i = 0; i < s->threads; i++) {
        ramus_status st =
            ramus_search_create(&s->searches[i], &s->is.arch, s->weights, &limits, NULL, err);
        if (st) return st;
        if (s->model) continue;
        const ramus_rng key = {.seed = seed, .batch = (uint32_t)i};
        st = ramus_random_routes_create(&s->routes[i], ramus_search_get_run(s->searches[i])->graph,
                                        &key, err);
        if (st) return st;
    }
    return RAMUS_OK;
}

static ramus_status translate_batch(ramus_bench_search *s, int batch, int thread)
{
    ramus_search *search = s->searches[thread];
    ramus_hypothesis *results = s->results + (size_t)(thread * s->batch * s->options.beam);
    const int first = batch * s->batch;
    ramus_source sources[RAMUS_BENCH_BATCH] = {{0}};
    for (int i = 0; i < s->batch; i++)
        sources[i] = (ramus_source){.ids = s->ids.data + s->first[first + i],
                                    .length = s->lengths[first + i]};
    ramus_run *run = ramus_search_get_run(search);
    const ramus_probe record = ramus_record_probe(&s->records[batch]), *before = run->probe;
    if (s->recording) run->probe = &record;
    const ramus_status st =
        ramus_search_run(search, &s->options, sources, s->batch, results, &s->errors[thread]);
    run->probe = before;
    s->tokens[batch] = 0;
    for (int i = 0; i < s->batch && !st; i++)
        s->tokens[batch] += results[i * s->options.beam].length;
    return st;
}

/* Thread t has the batches t, t + threads, .. */
static void translate_lane(void *arg, int lane, int thread)
{
    (void)thread;
    ramus_bench_search *s = arg;
    s->status[lane] = RAMUS_OK;
    for (int i = lane; i < s->n_batches && !s->status[lane]; i += s->threads)
        s->status[lane] = translate_batch(s, i, lane);
}

ramus_status ramus_bench_search_translate(ramus_bench_search *s, ramus_pool *pool, ramus_error *err)
{
    ramus_pool_for(pool, s->threads, translate_lane, s);
    for (int i = 0; i < s->threads; i++) {
        if (!s->status[i]) continue;
        *err = s->errors[i];
        return s->status[i];
    }
    return RAMUS_OK;
}

static void multiply_lane(void *arg, int lane, int thread)
{
    (void)thread;
    const ramus_bench_search *s = arg;
    const ramus_run *run = ramus_search_get_run(s->searches[lane]);
    for (int i = lane; i < s->n_batches; i += s->threads)
        ramus_record_replay(&s->records[i], run->kernels, NULL);
}

void ramus_bench_search_multiply(ramus_bench_search *s, ramus_pool *pool)
{
    ramus_pool_for(pool, s->threads, multiply_lane, s);
}

ramus_status ramus_bench_search_init(ramus_bench_search *s, const ramus_bench_translate *bench,
                                     const char *path, uint64_t seed, ramus_pool *pool,
                                     ramus_error *err)
{
    s->threads = ramus_pool_threads(pool);
    s->batch = bench->batch ? bench->batch : 1;
    s->n_batches = bench->batch ? s->threads : bench->input ? bench->sentences : 1;
    ramus_status st = path ? load_model(s, path, err) : make_weights(s, s->dtypes, seed, err);
    if (!st) st = add_sentences(s, bench, seed, err);
    if (st) return st;
    s->options = search_options(s, bench);
    st = create_searches(s, bench, seed, err);
    s->recording = true;
    if (!st) st = ramus_bench_search_translate(s, pool, err);
    s->recording = false;
    for (int i = 0; i < s->n_batches && !st; i++)
        st = ramus_record_finish(&s->records[i], err);
    return st;
}

void ramus_bench_search_free(ramus_bench_search *s)
{
    for (int i = 0; i < s->threads && s->searches; i++)
        ramus_search_destroy(s->searches[i]);
    for (int i = 0; i < s->threads && s->routes; i++)
        ramus_random_routes_destroy(s->routes[i]);
    for (int i = 0; i < s->n_batches && s->records; i++)
        ramus_record_free(&s->records[i]);
    ramus_ids_free(&s->ids);
    free(s->first);
    free(s->lengths);
    free(s->searches);
    free(s->routes);
    free(s->results);
    free(s->records);
    free(s->tokens);
    free(s->status);
    free(s->errors);
    ramus_weights_destroy(s->own);
    ramus_model_close(s->model);
    *s = (ramus_bench_search){0};
}
