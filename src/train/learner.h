/* learner.h - a model that learns: its training graph with memory, its weights, their gradients.
 *
 * An update is a list of micro-batches. Each adds its part to the gradients, scaled so that their
 * sum is the gradient of the whole update: cross-entropy divided by the update's target tokens,
 * auxiliary losses averaged by token count. Nothing is allocated after creation. One thread calls
 * it; the pool's threads share the work. */
#ifndef RAMUS_TRAIN_LEARNER_H
#define RAMUS_TRAIN_LEARNER_H

#include "data/batches.h"
#include "graph/train_run.h"
#include "graph/weights.h"
#include "model/transformer.h"

#define RAMUS_MAX_LOSSES 8 // kinds of losses

typedef struct ramus_learner_spec {
    const ramus_arch *arch; // checked
    const ramus_objective *objective;
    int tokens;     // of either side in a micro-batch, at most
    int max_length; // of a sentence, EOS included
    uint64_t seed;
    ramus_pool *pool;
} ramus_learner_spec;

/* Sums of losses and tokens since the last ramus_learner_clear(). */
typedef struct ramus_learned {
    double sums[RAMUS_MAX_LOSSES]; // [0]: of all target tokens; the others: means times tokens
    double nll;                    // cross-entropy without smoothing, of all target tokens
    int64_t source_tokens, target_tokens;
} ramus_learned;

/* How a gate spread the rows of the last micro-batch. */
typedef struct ramus_gate_use {
    const char *name; // "encoder.0.attention.gate.x"
    double entropy;   // of its probabilities, in nats, mean over the rows
    int branches;
    double *share; // [branches] of the choices
} ramus_gate_use;

typedef struct ramus_learner {
    ramus_graph *graph;
    ramus_run *run;
    ramus_weights *weights, *grads;
    const char *losses[RAMUS_MAX_LOSSES]; // their names; the first is "cross_entropy"
    int n_losses;
    ramus_learned learned;
    ramus_gate_use *gates;
    int n_gates;

    uint64_t seed; // the rest is its own
    ramus_tensor *source, *previous, *labels;
    int *lengths;
    ramus_arena *arena;
} ramus_learner;

/* With initial weights that follow from the seed, and gradients of zero. */
RAMUS_CHECKED ramus_status ramus_learner_create(ramus_learner **out, const ramus_learner_spec *spec,
                                                ramus_error *err);
void ramus_learner_destroy(ramus_learner *l); // NULL is fine

/* Micro-batch i of `update`, which is update number `number` = 1, 2, ..: adds its gradients, losses
 * and tokens. */
void ramus_learner_batch(ramus_learner *l, const ramus_update *update, int i, int number);

/* The mean of loss i since the last clear: per target token, or per gate application. */
double ramus_learner_loss(const ramus_learner *l, int i);

/* The mean cross-entropy per target token since the last clear, with dropout, without smoothing. */
double ramus_learner_nll(const ramus_learner *l);
void ramus_learner_clear(ramus_learner *l);

/* Fills in the gates' shares and entropies of the last micro-batch. */
void ramus_learner_gates(ramus_learner *l);

#endif
