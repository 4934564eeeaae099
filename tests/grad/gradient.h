/* gradient.h - compares gradients with central differences, in double. */
#ifndef RAMUS_TESTS_GRAD_GRADIENT_H
#define RAMUS_TESTS_GRAD_GRADIENT_H

#include "base/rng.h"
#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/weights.h"

#include "check.h"

#define STEP  1e-5
#define BOUND 1e-6

/* What is differentiated: the losses of the graph plus, if there is one, random numbers times
 * `out`. */
typedef struct subject {
    ramus_graph *graph;
    ramus_run *run;
    ramus_weights *weights, *grads;
    ramus_tensor *out; // NULL: losses only
    double *factors;   // for the elements of out
} subject;

static inline double subject_value(const subject *s)
{
    double total = 0;
    ramus_grad_forward(s->run);
    for (int i = 0; i < s->graph->n_losses; i++) {
        const ramus_loss *loss = &s->graph->losses[i];
        const int is_main = loss->value->maker->op == &ramus_op_project_loss;
        total += loss->weight * *(ramus_real *)loss->value->data *
                 (is_main ? s->run->train->loss_scale : s->run->train->aux_scale);
    }
    if (!s->out) return total;
    const ramus_real *data = s->out->data;
    const size_t count = (size_t)ramus_tensor_rows(s->out) * ramus_tensor_width(s->out);
    for (size_t i = 0; i < count; i++)
        total += s->factors[i] * data[i];
    return total;
}

static inline void subject_backward(const subject *s)
{
    memset(s->grads->data, 0, s->grads->size * sizeof *s->grads->data);
    ramus_grad_forward(s->run);
    ramus_grad_seed(s->run);
    if (s->out) {
        const size_t count = (size_t)ramus_tensor_rows(s->out) * ramus_tensor_width(s->out);
        memcpy(s->out->grad, s->factors, count * sizeof *s->factors);
    }
    ramus_grad_backward(s->run);
}

/* Takes over a built graph whose axes are set. Parameters get random values: none starts at zero,
 * where a wrong factor would not show. */
static inline subject subject_create(ramus_graph *g, ramus_tensor *out, ramus_pool *pool)
{
    ramus_error err = {0};
    subject s = {.graph = g, .out = out};
    const ramus_rng rng = {check_seed(), 7, 7, 7};
    REQUIRE_OK(ramus_weights_create(&s.weights, g, &err), err);
    REQUIRE_OK(ramus_weights_create(&s.grads, g, &err), err);
    for (int i = 0; i < s.weights->n; i++) {
        const double spread = s.weights->items[i].n_dims == 1 ? 0.5 : 0.4;
        for (size_t j = 0; j < s.weights->items[i].count; j++)
            s.weights->items[i].data[j] =
                spread * ramus_rng_normal(&rng, (uint64_t)i * 1000003u + (uint64_t)j);
    }
    REQUIRE_OK(ramus_grad_run_create(&s.run, g, pool, &err), err);
    ramus_weights_bind(g, s.weights, s.grads);
    s.run->train->rng = (ramus_rng){check_seed(), 3, 1, 0};
    if (out) {
        s.factors = calloc(ramus_tensor_count(out), sizeof *s.factors);
        for (size_t i = 0; i < ramus_tensor_count(out); i++)
            s.factors[i] = ramus_rng_normal(&rng, 900000000u + (uint64_t)i);
    }
    return s;
}

static inline void subject_destroy(subject *s)
{
    free(s->factors);
    ramus_run_destroy(s->run);
    ramus_weights_destroy(s->grads);
    ramus_weights_destroy(s->weights);
    ramus_graph_destroy(s->graph);
}

/* Compares every `stride`-th number of every parameter; the bound is relative to the parameter's
 * largest gradient. Returns how many were compared. */
static inline int subject_check(const subject *s, const char *what, size_t stride)
{
    int compared = 0;
    subject_backward(s);
    ramus_real *rules =
        malloc(s->grads->size * sizeof *rules); // forward alone adds to gradients too
    memcpy(rules, s->grads->data, s->grads->size * sizeof *rules);
    for (int i = 0; i < s->weights->n; i++) {
        const ramus_weight *w = &s->weights->items[i];
        const ramus_real *d = rules + (w->data - s->weights->data);
        double most = 1e-3;
        for (size_t j = 0; j < w->count; j++)
            most = fmax(most, fabs(d[j]));
        for (size_t j = (size_t)i % stride; j < w->count; j += stride) {
            const double value = w->data[j];
            w->data[j] = value + STEP;
            const double up = subject_value(s);
            w->data[j] = value - STEP;
            const double down = subject_value(s);
            w->data[j] = value;
            const double want = (up - down) / (2 * STEP);
            EXPECT(fabs(d[j] - want) <= BOUND * most, "%s: %s[%zu]: rule %.10g, difference %.10g",
                   what, w->name, j, d[j], want);
            compared++;
        }
    }
    free(rules);
    EXPECT(compared > 0, "%s: nothing compared", what);
    return compared;
}

#endif
