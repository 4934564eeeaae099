/* search.h - one system of a benchmark of translation: its model, its sentences, a search for
 * each thread, and a record of the products of each batch. */
#ifndef RAMUS_BENCH_SEARCH_H
#define RAMUS_BENCH_SEARCH_H

#include "bench/random_routes.h"
#include "bench/systems.h"
#include "bench/translate.h"

#include "base/pool.h"
#include "bench/record.h"
#include "convert/quantize.h"
#include "runtime/model.h"
#include "runtime/search.h"
#include "text/tokenizer.h"

typedef struct ramus_bench_search {
    ramus_bench_system is;
    ramus_quantize_spec dtypes;   // of random weights
    bool recording;               // the next translations go to `records`
    ramus_model *model;           // of a file; else NULL
    ramus_weights *own;           // random ones; else NULL
    const ramus_weights *weights; // of either
    ramus_search_options options;
    int threads, batch; // a thread translates batches of so many sentences, one after the other

    ramus_ids ids;
    int *first, *lengths; // of each sentence, in `ids`
    int n_sentences, n_batches;
    ramus_search **searches;      // [threads]
    ramus_random_routes **routes; // [threads] of random weights
    ramus_hypothesis *results;
    ramus_record *records; // [n_batches]
    int *tokens;           // [n_batches] of the translations
    ramus_status *status;
    ramus_error *errors; // [threads]
} ramus_bench_search;

/* s->is names a shape, or with `path` is filled in from that file. seed: of weights, ids and branch
 * choices. Translates everything once and records it. The caller ends it with
 * ramus_bench_search_free(), also after a failure. */
RAMUS_CHECKED ramus_status ramus_bench_search_init(ramus_bench_search *s,
                                                   const ramus_bench_translate *bench,
                                                   const char *path, uint64_t seed,
                                                   ramus_pool *pool, ramus_error *err);
void ramus_bench_search_free(ramus_bench_search *s); // {0} is fine

/* Translates all sentences; or does the products of that again, alone. */
RAMUS_CHECKED ramus_status ramus_bench_search_translate(ramus_bench_search *s, ramus_pool *pool,
                                                        ramus_error *err);
void ramus_bench_search_multiply(ramus_bench_search *s, ramus_pool *pool);

#endif
