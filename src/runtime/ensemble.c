/* Each further model runs its own step graph on the rows, tokens and ancestors of the first
 * one's graph, so only its caches are its own. */
#include "runtime/ensemble.h"

#include "base/list.h"
#include "model/transformer.h"

#include <stdlib.h>

void ramus_ensemble_free(ramus_ensemble *e)
{
    for (int i = 0; i < e->n; i++) {
        ramus_graph *g = e->runs[i]->graph;
        ramus_run_destroy(e->runs[i]);
        ramus_graph_destroy(g);
    }
    free(e->runs);
    free(e->logits);
    *e = (ramus_ensemble){0};
}

ramus_status ramus_ensemble_add(ramus_ensemble *e, ramus_run *own, const ramus_arch *a,
                                const ramus_weights *weights, ramus_error *err)
{
    static const char *const inputs[] = {"source_ids", "previous_ids"};
    const ramus_graph *of = own->graph;
    const ramus_build build = {.kind = of->spec.kind,
                               .head = RAMUS_HEAD_LOGITS,
                               .source = of->spec.source,
                               .target = of->spec.target,
                               .positions = of->spec.positions};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    const size_t n = (size_t)e->n + 1;
    ramus_status st = RAMUS_LIST_RESERVE(e->runs, e->runs_room, n, "an ensemble", err);
    if (!st) st = RAMUS_LIST_RESERVE(e->logits, e->logits_room, n, "an ensemble", err);
    if (!st) st = ramus_transformer_create(&g, a, &build, err);
    if (st) return st;
    ramus_weights_bind(g, weights, NULL);
    st = ramus_run_create(&run, g, own->pool, err);
    if (st) {
        ramus_graph_destroy(g);
        return st;
    }
    for (int i = 0; i < 2; i++) // both read the same words
        ramus_graph_find(g, inputs[i])->data = ramus_graph_find(of, inputs[i])->data;
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_WEIGHTS);
    e->own = own;
    e->runs[e->n] = run;
    e->logits[e->n++] = ramus_graph_find(g, "logits");
    return RAMUS_OK;
}

void ramus_ensemble_forward(const ramus_ensemble *e, ramus_phase phase)
{
    for (int i = 0; i < e->n; i++) {
        ramus_graph *g = e->runs[i]->graph;
        g->source = e->own->graph->source; // the same rows; tables belong to the search's graph
        g->target = e->own->graph->target;
        ramus_run_forward(e->runs[i], phase, phase);
    }
}
