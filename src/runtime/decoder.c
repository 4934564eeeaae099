/* Sentences are sorted by length and cut into batches that fit the limits of a search; each
 * thread takes the next batch. */
#include "runtime/decoder.h"

#include "runtime/batcher.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 64 // hypotheses that are decoded together

struct ramus_decoder {
    ramus_decoder_spec spec;
    int sentences; // of a batch, at most
    ramus_search **searches;
    ramus_hypothesis *results; // [threads, sentences * beam]
    int n_searches;
};

ramus_status ramus_decoder_create(ramus_decoder **out, const ramus_decoder_spec *spec,
                                  ramus_error *err)
{
    ramus_decoder *d = calloc(1, sizeof *d);
    if (!d) return ramus_fail_memory(err, "a decoder");
    const int threads = ramus_pool_threads(spec->pool);
    d->spec = *spec;
    d->sentences = spec->search.beam < ROWS ? ROWS / spec->search.beam : 1;
    const ramus_search_limits limits = {
        .sentences = d->sentences,
        .source_tokens = d->sentences * spec->max_length,
        .source_length = spec->max_length,
        .target_length =
            (int)(spec->max_length * spec->search.length_ratio) + spec->search.extra_length,
        .beam = spec->search.beam,
    };
    ramus_status st = RAMUS_OK;
    d->searches = calloc((size_t)threads, sizeof(ramus_search *));
    d->results =
        calloc((size_t)threads * (size_t)d->sentences * (size_t)limits.beam, sizeof *d->results);
    if (!d->searches || !d->results) st = ramus_fail_memory(err, "a decoder");
    for (int i = 0; i < threads && !st; i++, d->n_searches++)
        st = ramus_search_create(&d->searches[i], spec->arch, spec->weights, &limits, NULL, err);
    if (st)
        ramus_decoder_destroy(d);
    else
        *out = d;
    return st;
}

void ramus_decoder_destroy(ramus_decoder *d)
{
    if (!d) return;
    for (int i = 0; i < d->n_searches; i++)
        ramus_search_destroy(d->searches[i]);
    free(d->searches);
    free(d->results);
    free(d);
}

typedef struct {
    ramus_decoder *d;
    const ramus_source *sentences;
    const ramus_batch_item *order;
    int n;
    ramus_decoded *out;
    ramus_status *status; // of each batch
    ramus_error *errors;
} work;

static ramus_status keep(ramus_decoded *out, const ramus_hypothesis *h, ramus_error *err)
{
    out->length = h->finished ? h->length - 1 : h->length;
    out->score = h->score;
    out->ids = malloc((size_t)out->length * sizeof *out->ids + 1);
    if (!out->ids) return ramus_fail_memory(err, "a translation");
    if (out->length) memcpy(out->ids, h->ids, (size_t)out->length * sizeof *out->ids);
    return RAMUS_OK;
}

static void decode_batch(void *arg, int index, int thread)
{
    const work *w = arg;
    const ramus_decoder *d = w->d;
    const int beam = d->spec.search.beam, first = index * d->sentences;
    const int n = w->n - first < d->sentences ? w->n - first : d->sentences;
    ramus_hypothesis *results = d->results + (size_t)thread * (size_t)(d->sentences * beam);
    ramus_source sources[ROWS] = {{0}};
    for (int i = 0; i < n; i++)
        sources[i] = w->sentences[w->order[first + i].number];
    ramus_error *err = &w->errors[index];
    ramus_status st =
        ramus_search_run(d->searches[thread], &d->spec.search, sources, n, results, err);
    for (int i = 0; i < n && !st; i++)
        st = keep(&w->out[w->order[first + i].number], &results[i * beam], err);
    w->status[index] = st;
}

ramus_status ramus_decoder_run(ramus_decoder *d, const ramus_source *sentences, int n,
                               ramus_decoded *out, ramus_error *err)
{
    const int batches = (n + d->sentences - 1) / d->sentences;
    ramus_batch_item *order = calloc((size_t)n + 1, sizeof *order);
    work w = {.d = d, .sentences = sentences, .order = order, .n = n, .out = out};
    w.status = calloc((size_t)batches + 1, sizeof *w.status);
    w.errors = calloc((size_t)batches + 1, sizeof *w.errors);
    ramus_status st = RAMUS_OK;
    memset(out, 0, (size_t)n * sizeof *out);
    if (!order || !w.status || !w.errors) {
        st = ramus_fail_memory(err, "translations");
    } else {
        for (int i = 0; i < n; i++)
            order[i] = (ramus_batch_item){.source_length = sentences[i].length, .number = i};
        ramus_batch_sort_longest(order, n);
        ramus_pool_for(d->spec.pool, batches, decode_batch, &w);
        for (int i = 0; i < batches && !st; i++) {
            st = w.status[i];
            if (st && err) *err = w.errors[i];
        }
    }
    free(order);
    free(w.status);
    free(w.errors);
    return st;
}
