/* Pairs are sorted by length and fill batches. A loss graph runs on each batch, and the loss of
 * every row is read from it. */
#include "runtime/scorer.h"

#include "graph/run.h"
#include "model/transformer.h"
#include "runtime/batcher.h"

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

/* Scores the pairs of a batch. Those of pair i go to log_probs[place[i]] and behind. */
static void score_batch(ramus_scorer *s, const ramus_batch *batch, const ramus_batch_item *items,
                        const size_t *place, ramus_real *log_probs)
{
    ramus_batch_set(s->graph, batch, s->lengths);
    ramus_run_forward(s->run, RAMUS_SOURCE, RAMUS_TARGET);
    const ramus_real *losses = s->graph->losses[0].value->maker->out[1]->data; // ops/project.h
    for (int i = 0; i < batch->n; i++) {
        const int length = batch->pairs[i].target_length;
        for (int j = 0; j < length; j++)
            log_probs[place[items[i].number] + (size_t)j] = 0 - losses[j];
        losses += length;
    }
}

ramus_status ramus_scorer_run(ramus_scorer *s, const ramus_pair *pairs, int n,
                              ramus_real *log_probs, ramus_error *err)
{
    const ramus_batch_limits limits = {.tokens = s->tokens};
    ramus_batch_item *items = calloc((size_t)n + 1, sizeof *items);
    ramus_pair *sorted = calloc((size_t)n + 1, sizeof *sorted);
    size_t *place = calloc((size_t)n + 1, sizeof *place);
    ramus_status st = RAMUS_OK;
    if (!items || !sorted || !place) {
        st = ramus_fail_memory(err, "a batch");
        goto done;
    }
    for (int i = 0; i < n; i++) {
        items[i] = (ramus_batch_item){pairs[i].source_length, pairs[i].target_length, i};
        place[i + 1] = place[i] + (size_t)pairs[i].target_length;
    }
    ramus_batch_sort_shortest(items, n);
    for (int i = 0; i < n; i++)
        sorted[i] = pairs[items[i].number];
    for (int first = 0; first < n;) {
        const ramus_batch batch = {.pairs = sorted + first,
                                   .n = ramus_batch_fill(items + first, n - first, &limits)};
        score_batch(s, &batch, items + first, place, log_probs);
        first += batch.n;
    }
done:
    free(items);
    free(sorted);
    free(place);
    return st;
}
