/* optimizer.h - from gradients to weights: Adam, AdamW, Muon or plain descent, with a schedule of
 * the learning rate, clipping by the norm, and a running average of the weights.
 *
 * The work is cut into blocks that do not depend on the thread count, so that no bit does either.
 * Nothing is allocated after creation. */
#ifndef RAMUS_TRAIN_OPTIMIZER_H
#define RAMUS_TRAIN_OPTIMIZER_H

#include "base/pool.h"
#include "base/settings.h"
#include "graph/weights.h"
#include "kernels/kernels.h"

typedef struct ramus_optimizer_options {
    int kind;     // adam, adamw, muon, sgd
    int schedule; // inverse-sqrt, linear, cosine, constant, stable
    double rate;  // the largest
    double end_rate;
    double own_rate;   // of the branches' own parts, times the rate of the rest
    int warmup;        // updates until it is reached
    int decay_updates; // the last ones, in which it falls: stable; 0: a fifth of all
    double beta1, beta2, epsilon;
    double momentum; // of Muon
    double decay;    // of the weights, adamw and muon
    double clip;     // largest norm of the gradient; 0: any
    double ema;      // decay of the running average; 0: none
    int products;    // ramus_products of the objective, for those of Muon; no setting of its own
} ramus_optimizer_options;

ramus_settings ramus_optimizer_settings(ramus_optimizer_options *o);

/* The learning rate of update s = 1, 2, .. of `updates`, where linear, cosine and stable end. */
double ramus_learning_rate(const ramus_optimizer_options *o, int s, int updates);

/* The last update before the rate of the schedule `stable` falls: the rates up to it are the same
 * for every larger `updates`. -1 for other schedules. */
int ramus_decay_start(const ramus_optimizer_options *o, int updates);

typedef struct ramus_optimizer ramus_optimizer;

/* For weights like `weights`, which starts the running average. The caller ends *out with
 * ramus_optimizer_destroy(). */
RAMUS_CHECKED ramus_status ramus_optimizer_create(ramus_optimizer **out,
                                                  const ramus_optimizer_options *options,
                                                  const ramus_weights *weights, ramus_pool *pool,
                                                  ramus_error *err);
void ramus_optimizer_destroy(ramus_optimizer *o); // NULL is fine

/* The norm of all gradients together; not finite if one of them is not. */
double ramus_optimizer_norm(ramus_optimizer *o, const ramus_weights *grads);

/* Moves the weights by one update with the learning rate `rate` and zeroes the gradients, whose
 * norm is `norm`. A norm that is not finite: zeroes the gradients and returns false. */
bool ramus_optimizer_step(ramus_optimizer *o, ramus_weights *weights, ramus_weights *grads,
                          double rate, double norm);

/* What it remembers: blocks like the weights, NULL where the options need none. */
typedef struct ramus_optimizer_state {
    ramus_weights *first;   // moment
    ramus_weights *second;  // of the weights that Adam moves
    ramus_weights *average; // running average of the weights
    int steps;              // done, those skipped not counted
} ramus_optimizer_state;

ramus_optimizer_state *ramus_optimizer_remembers(ramus_optimizer *o);

#endif
