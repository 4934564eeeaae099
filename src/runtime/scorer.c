/* Pairs are sorted by length and fill batches. A loss graph runs on each batch, and the loss of
 * every row is read from it. */
#include "runtime/scorer.h"

#include "graph/run.h"
#include "model/transformer.h"

#include <stdlib.h>
#include <string.h>

#define TOKENS 2048 // of either side in a batch, at least one sentence

struct ramus_scorer {
    int tokens; // of either side in a batch
    ramus_graph *graph;
    ramus_run *run;
    int *lengths;
};

ramus_status ramus_scorer_create(ramus_scorer **out, const ramus_scorer_spec *spec,
                                 ramus_error *err)
{
    ramus_scorer *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "a scorer");
    s->tokens = spec->max_length > TOKENS ? spec->max_length : TOKENS;
    const ramus_limits limits = {s->tokens, s->tokens, spec->max_length};
    const ramus_build build = {
        .kind = RAMUS_FULL, .head = RAMUS_HEAD_LOSS, .source = limits, .target = limits};
    s->lengths = calloc((size_t)s->tokens, sizeof *s->lengths);
    ramus_status st = s->lengths ? RAMUS_OK : ramus_fail_memory(err, "a scorer");
    if (!st) st = ramus_transformer_create(&s->graph, spec->arch, &build, err);
    if (!st) st = ramus_run_create(&s->run, s->graph, spec->pool, err);
    if (st) {
        ramus_scorer_destroy(s);
        return st;
    }
    ramus_weights_bind(s->graph, spec->weights, NULL);
    ramus_run_forward(s->run, RAMUS_WEIGHTS, RAMUS_WEIGHTS);
    *out = s;
    return RAMUS_OK;
}

void ramus_scorer_destroy(ramus_scorer *s)
{
    if (!s) return;
    ramus_run_destroy(s->run);
    ramus_graph_destroy(s->graph);
    free(s->lengths);
    free(s);
}

/* A pair and where its numbers go. */
typedef struct {
    ramus_pair pair;
    size_t at;
} entry;

static int by_length(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int tx = x->pair.target_length, ty = y->pair.target_length;
    return tx != ty ? tx - ty : x->at < y->at ? -1 : x->at > y->at;
}

/* Of the pairs from `first` on, as many as fit a batch together. */
static ramus_batch batch_at(const ramus_scorer *s, const ramus_pair *pairs, int first, int n)
{
    ramus_batch b = {.pairs = pairs + first};
    for (; first + b.n < n; b.n++) {
        const ramus_pair *p = &b.pairs[b.n];
        if (b.source_tokens + p->source_length > s->tokens ||
            b.target_tokens + p->target_length > s->tokens)
            break;
        b.source_tokens += p->source_length;
        b.target_tokens += p->target_length;
    }
    return b;
}

static void score_batch(ramus_scorer *s, const ramus_batch *batch, const entry *entries,
                        ramus_real *log_probs)
{
    ramus_batch_set(s->graph, batch, s->lengths);
    ramus_run_forward(s->run, RAMUS_SOURCE, RAMUS_TARGET);
    const ramus_real *losses = s->graph->losses[0].value->maker->out[1]->data; // ops/project.h
    for (int i = 0; i < batch->n; i++) {
        const int length = batch->pairs[i].target_length;
        for (int j = 0; j < length; j++)
            log_probs[entries[i].at + (size_t)j] = 0 - losses[j];
        losses += length;
    }
}

ramus_status ramus_scorer_run(ramus_scorer *s, const ramus_pair *pairs, int n,
                              ramus_real *log_probs, ramus_error *err)
{
    entry *entries = calloc((size_t)n + 1, sizeof *entries);
    ramus_pair *sorted = calloc((size_t)n + 1, sizeof *sorted);
    ramus_status st = RAMUS_OK;
    if (!entries || !sorted) {
        st = ramus_fail_memory(err, "a batch");
        goto done;
    }
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        entries[i] = (entry){pairs[i], at};
        at += (size_t)pairs[i].target_length;
    }
    qsort(entries, (size_t)n, sizeof *entries, by_length);
    for (int i = 0; i < n; i++)
        sorted[i] = entries[i].pair;
    for (int first = 0; first < n;) {
        const ramus_batch batch = batch_at(s, sorted, first, n);
        RAMUS_ASSERT(batch.n > 0); // the caller kept to max_length
        score_batch(s, &batch, entries + first, log_probs);
        first += batch.n;
    }
done:
    free(entries);
    free(sorted);
    return st;
}
