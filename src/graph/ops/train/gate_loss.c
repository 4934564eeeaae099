/* The auxiliary losses of a gate: all branches are used, each token is sure of one (docs/MODEL.md).
 * Sums over rows are in double and in order, so the thread count changes no bit. */
#include "graph/ops.h"
#include "graph/ops/route.h"
#include "graph/ops/train/noise.h"
#include "graph/run.h"

#include "graph/ops/train/gate_loss.h"

#define TINY 1e-10 // the authors' code adds it inside the logarithm and to the squared mean

/* total[i] = sum over rows of probs[r, i]; returns the mean of the totals */
double ramus_branch_totals(double *total, const ramus_tensor *probs)
{
    const int rows = ramus_tensor_rows(probs), n = probs->dims[1];
    const ramus_real *p = probs->data;
    double mean = 0;
    for (int i = 0; i < n; i++)
        total[i] = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            total[i] += (double)p[(size_t)r * (size_t)n + (size_t)i];
    for (int i = 0; i < n; i++)
        mean += total[i] / n;
    return mean;
}

double ramus_spread(const double *total, double mean, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (total[i] - mean) * (total[i] - mean);
    return sum / (mean * mean + TINY);
}

void ramus_spread_gradient(double *d, const double *total, double mean, int n)
{
    const double below = mean * mean + TINY, spread = ramus_spread(total, mean, n);
    for (int i = 0; i < n;
         i++) // the deviations add up to 0, so the mean acts through the divisor only
        d[i] = (2 * (total[i] - mean) - spread * 2 * mean / n) / below;
}

static void set_result(const ramus_node *n, double value)
{
    *(ramus_real *)n->out[0]->data = (ramus_real)value;
}

static void diversity_forward(ramus_run *run, const ramus_node *n)
{
    const ramus_diversity_attr *a = n->attr;
    double *total = ramus_run_scratch(run, 0);
    const double mean = ramus_branch_totals(total, n->in[0]);
    set_result(n, ramus_spread(total, mean, n->in[0]->dims[1]) * a->factor);
}

static void entropy_forward(ramus_run *run, const ramus_node *n)
{
    (void)run;
    const ramus_tensor *probs = n->in[0];
    const size_t count = (size_t)ramus_tensor_rows(probs) * (size_t)probs->dims[1];
    const ramus_real *p = probs->data;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum -= (double)p[i] * log((double)p[i] + TINY);
    set_result(n, sum / ramus_tensor_rows(probs));
}

static void switch_load_forward(ramus_run *run, const ramus_node *n)
{
    const ramus_tensor *probs = n->in[0];
    const int branches = probs->dims[1], *offset = n->in[1]->data;
    const double rows = ramus_tensor_rows(probs);
    double *total = ramus_run_scratch(run, 0), sum = 0;
    ramus_branch_totals(total, probs);
    for (int i = 0; i < branches; i++)
        sum += (offset[i + 1] - offset[i]) / rows * (total[i] / rows);
    set_result(n, branches * sum);
}

ramus_load_term ramus_noisy_load_term(const ramus_node *n, int r, int i)
{
    const ramus_route_attr *a = n->attr;
    const size_t at = (size_t)r * (size_t)a->branches;
    const ramus_real *clean = (const ramus_real *)n->in[0]->data + at;
    const ramus_real *width = (const ramus_real *)n->in[1]->data + at;
    const ramus_real *noisy = (const ramus_real *)n->in[2]->data + at;
    int best[RAMUS_MAX_TOP_K + 1];
    ramus_kernels_ref.top_k(best, noisy, a->branches, a->top_k + 1);
    bool kept = false;
    for (int j = 0; j < a->top_k; j++)
        kept |= best[j] == i;
    ramus_load_term t = {.rival = kept ? best[a->top_k] : best[a->top_k - 1]};
    t.deviation = ramus_softplus((double)width[i]);
    t.z = ((double)clean[i] - (double)noisy[t.rival]) / t.deviation;
    return t;
}

double ramus_noisy_loads(double *total, const ramus_node *n)
{
    const ramus_route_attr *a = n->attr;
    double mean = 0;
    for (int i = 0; i < a->branches; i++) {
        total[i] = 0;
        for (int r = 0; r < ramus_tensor_rows(n->in[0]); r++)
            total[i] += 0.5 * erfc(-ramus_noisy_load_term(n, r, i).z * 0.70710678118654752440);
        mean += total[i] / a->branches;
    }
    return mean;
}

static void noisy_load_forward(ramus_run *run, const ramus_node *n)
{
    const ramus_route_attr *a = n->attr;
    double *total = ramus_run_scratch(run, 0);
    const double mean = ramus_noisy_loads(total, n);
    set_result(n, ramus_spread(total, mean, a->branches) / a->branches);
}

static size_t scratch(const ramus_node *n)
{
    return 2 * (size_t)n->in[0]->dims[1] * sizeof(double);
}

const ramus_op ramus_op_diversity = {.name = "diversity",
                                     .forward = diversity_forward,
                                     .scratch = scratch,
                                     .saves = RAMUS_SAVES_IN(0)};
const ramus_op ramus_op_entropy = {
    .name = "entropy", .forward = entropy_forward, .saves = RAMUS_SAVES_IN(0)};
const ramus_op ramus_op_switch_load = {.name = "switch_load",
                                       .forward = switch_load_forward,
                                       .scratch = scratch,
                                       .saves = RAMUS_SAVES_IN(1)};
const ramus_op ramus_op_noisy_load = {.name = "noisy_load",
                                      .forward = noisy_load_forward,
                                      .scratch = scratch,
                                      .saves = RAMUS_SAVES_IN(0) | RAMUS_SAVES_IN(1) |
                                               RAMUS_SAVES_IN(2)};

static ramus_tensor *make_number(ramus_graph *g, ramus_node *n)
{
    return ramus_node_make(g, n, 0, RAMUS_REAL, NULL, 1, (int[]){1});
}

ramus_tensor *ramus_diversity(ramus_graph *g, ramus_tensor *probs, bool sum)
{
    const ramus_diversity_attr attr = {sum ? 1 : 1.0 / probs->dims[1]};
    ramus_node *n = ramus_node_add(g, &ramus_op_diversity, &attr, sizeof attr);
    ramus_node_read(n, 0, probs);
    return make_number(g, n);
}

ramus_tensor *ramus_entropy(ramus_graph *g, ramus_tensor *probs)
{
    ramus_node *n = ramus_node_add(g, &ramus_op_entropy, NULL, 0);
    ramus_node_read(n, 0, probs);
    return make_number(g, n);
}

ramus_tensor *ramus_switch_load(ramus_graph *g, const ramus_route *route)
{
    ramus_node *n = ramus_node_add(g, &ramus_op_switch_load, NULL, 0);
    ramus_node_read(n, 0, route->probs);
    ramus_node_read(n, 1, route->order);
    return make_number(g, n);
}

ramus_tensor *ramus_noisy_load(ramus_graph *g, const ramus_route *route, ramus_tensor *logits,
                               ramus_tensor *noise_width)
{
    const ramus_route_attr attr = {.branches = route->branches, .top_k = route->top_k};
    RAMUS_ASSERT(route->noisy && route->top_k < route->branches);
    ramus_node *n = ramus_node_add(g, &ramus_op_noisy_load, &attr, sizeof attr);
    ramus_node_read(n, 0, logits);
    ramus_node_read(n, 1, noise_width);
    ramus_node_read(n, 2, route->noisy);
    return make_number(g, n);
}
