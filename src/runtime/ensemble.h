/* ensemble.h - the further models of a search.
 *
 * Each has a step graph with the limits of the search's own and follows its rows. project_search
 * takes the mean of all logits: the probability of a token is the geometric mean of the models'
 * probabilities, normalised. Belongs to one search. */
#ifndef RAMUS_RUNTIME_ENSEMBLE_H
#define RAMUS_RUNTIME_ENSEMBLE_H

#include "graph/run.h"
#include "graph/weights.h"
#include "model/arch.h"

/* Starts as {0}. */
typedef struct ramus_ensemble {
    ramus_run *own;              // of the search
    ramus_run **runs;            // of the other models
    const ramus_tensor **logits; // their logits
    int n;
    size_t runs_room, logits_room;
} ramus_ensemble;

void ramus_ensemble_free(ramus_ensemble *e); // back to {0}

/* Adds a model with the vocabularies of `own`, the run of a step graph. The weights stay the
 * caller's. */
RAMUS_CHECKED ramus_status ramus_ensemble_add(ramus_ensemble *e, ramus_run *own,
                                              const ramus_arch *a, const ramus_weights *weights,
                                              ramus_error *err);

/* Runs the other models' step, before the search's own. */
void ramus_ensemble_forward(const ramus_ensemble *e, ramus_phase phase);

#endif
