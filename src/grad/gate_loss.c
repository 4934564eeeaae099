/* Derivatives of the auxiliary losses by the gate's probabilities (by its logits where there is
 * noise). */
#include "graph/ops/train/gate_loss.h"
#include "grad/grad.h"
#include "graph/ops.h"
#include "graph/ops/route.h"
#include "graph/ops/train/noise.h"

#define TINY 1e-10 // as in the losses themselves

static void diversity_backward(ramus_run *run, const ramus_node *n)
{
    const ramus_diversity_attr *a = n->attr;
    const ramus_tensor *probs = n->in[0];
    const int branches = probs->dims[1];
    double *total = ramus_run_scratch(run, 0), *d = total + branches;
    const double mean = ramus_branch_totals(total, probs), seed = (double)n->out[0]->grad[0];
    ramus_spread_gradient(d, total, mean, branches);
    for (int r = 0; r < ramus_tensor_rows(probs); r++)
        for (int i = 0; i < branches; i++)
            probs->grad[(size_t)r * (size_t)branches + (size_t)i] +=
                (ramus_real)(seed * a->factor * d[i]);
}

static void entropy_backward(ramus_run *run, const ramus_node *n)
{
    (void)run;
    const ramus_tensor *probs = n->in[0];
    const size_t count = (size_t)ramus_tensor_rows(probs) * (size_t)probs->dims[1];
    const double scale = (double)n->out[0]->grad[0] / ramus_tensor_rows(probs);
    const ramus_real *data = probs->data;
    for (size_t i = 0; i < count; i++) {
        const double p = (double)data[i];
        probs->grad[i] -= (ramus_real)(scale * (log(p + TINY) + p / (p + TINY)));
    }
}

static void switch_load_backward(ramus_run *run, const ramus_node *n)
{
    (void)run;
    const ramus_tensor *probs = n->in[0];
    const int branches = probs->dims[1], *offset = n->in[1]->data;
    const double rows = ramus_tensor_rows(probs), seed = (double)n->out[0]->grad[0];
    for (int r = 0; r < ramus_tensor_rows(probs); r++)
        for (int i = 0; i < branches; i++) {
            const double share = (offset[i + 1] - offset[i]) / rows;
            probs->grad[(size_t)r * (size_t)branches + (size_t)i] +=
                (ramus_real)(seed * branches * share / rows);
        }
}

static void noisy_load_backward(ramus_run *run, const ramus_node *n)
{
    const ramus_route_attr *a = n->attr;
    const int branches = a->branches;
    const ramus_real *width = n->in[1]->data;
    double *total = ramus_run_scratch(run, 0), *d = total + branches;
    const double mean = ramus_noisy_loads(total, n), seed = (double)n->out[0]->grad[0] / branches;
    ramus_spread_gradient(d, total, mean, branches);
    for (int r = 0; r < ramus_tensor_rows(n->in[0]); r++)
        for (int i = 0; i < branches; i++) {
            const ramus_load_term t = ramus_noisy_load_term(n, r, i);
            const size_t row = (size_t)r * (size_t)branches, at = row + (size_t)i;
            const double density = 0.39894228040143267794 * exp(-0.5 * t.z * t.z);
            const double dz = seed * d[i] * density / t.deviation;
            n->in[0]->grad[at] += (ramus_real)dz;
            n->in[2]->grad[row + (size_t)t.rival] -= (ramus_real)dz;
            n->in[1]->grad[at] -= (ramus_real)(dz * t.z / (1 + exp(-(double)width[at])));
        }
}

const ramus_grad_rule ramus_grad_diversity = {.op = &ramus_op_diversity,
                                              .backward = diversity_backward};
const ramus_grad_rule ramus_grad_entropy = {.op = &ramus_op_entropy, .backward = entropy_backward};
const ramus_grad_rule ramus_grad_switch_load = {.op = &ramus_op_switch_load,
                                                .backward = switch_load_backward};
const ramus_grad_rule ramus_grad_noisy_load = {.op = &ramus_op_noisy_load,
                                               .backward = noisy_load_backward};
