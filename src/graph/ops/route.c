/* Per row: softmax, the k best branches. Then one counting sort groups the rows by branch, which
 * every map of the sublayer reads. */
#include "graph/ops/route.h"

#include "graph/ops.h"

#include <string.h>

#define BLOCK 256

double ramus_softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

/* p = softmax over the k kept logits, 0 elsewhere */
static void softmax_kept(const ramus_kernels *kernels, ramus_real *p, const ramus_real *logits,
                         const int *kept, int n, int k)
{
    for (int i = 0; i < n; i++)
        p[i] = 0;
    ramus_real value[RAMUS_MAX_TOP_K] = {0};
    for (int i = 0; i < k; i++)
        value[i] = logits[kept[i]];
    kernels->softmax(value, value, k);
    for (int i = 0; i < k; i++)
        p[kept[i]] = value[i];
}

/* A random integer in [0, n) that is fixed by the key and the element. SplitMix64 (Steele et al.,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014): Philox would take longer than the
 * arg-max that this replaces in benchmarks. */
static int draw(const ramus_rng *rng, uint64_t element, int n)
{
    uint64_t z = rng->seed * 0xD1342543DE82EF95u + ((uint64_t)rng->batch << 52) +
                 ((uint64_t)rng->op << 40) + element;
    z *= 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (int)(((z >> 33) * (uint64_t)n) >> 31);
}

/* k different branches of n, all sets equally likely; ascending. `element`: the first of k random
 * numbers.
 */
static void draw_branches(int *kept, int n, int k, const ramus_rng *rng, uint64_t element)
{
    for (int i = 0; i < k; i++) {
        int branch = draw(rng, element + (uint64_t)i, n - i), at = 0;
        for (; at < i && kept[at] <= branch; at++)
            branch++; // counted among those that are left
        for (int j = i; j > at; j--)
            kept[j] = kept[j - 1];
        kept[at] = branch;
    }
}

static void choose_branches(const ramus_run *run, const ramus_node *n, int row,
                            const ramus_real *logits)
{
    const ramus_route_attr *a = n->attr;
    const ramus_axis *axis = n->in[0]->axis;
    int *kept = (int *)n->out[2]->data + (size_t)row * (size_t)a->top_k;
    if (!run->random_routes) {
        run->kernels->top_k(kept, logits, a->branches, a->top_k);
        return;
    }
    const ramus_rng rng = ramus_run_rng(run, n);
    const uint64_t place = (uint64_t)axis->position[row] * (uint64_t)axis->max_rows + (uint64_t)row;
    draw_branches(kept, a->branches, a->top_k, &rng, place * (uint64_t)a->top_k);
}

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_route_attr *a = n->attr;
    const ramus_tensor *noise = n->in[1];
    const ramus_rng rng = ramus_run_rng(run, n);

    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)a->branches;
        const ramus_real *logits = (const ramus_real *)n->in[0]->data + at;
        ramus_real *p = (ramus_real *)n->out[0]->data + at;
        const int *kept = (const int *)n->out[2]->data + (size_t)r * (size_t)a->top_k;
        if (noise) {
            ramus_real *noisy = (ramus_real *)n->out[3]->data + at;
            const ramus_real *width = (const ramus_real *)noise->data + at;
            for (int i = 0; i < a->branches; i++)
                noisy[i] = logits[i] + (ramus_real)(ramus_rng_normal(&rng, at + (size_t)i) *
                                                    ramus_softplus((double)width[i]));
            logits = noisy;
        }
        choose_branches(run, n, r, logits);
        if (a->bare) continue;
        if (a->sparse)
            softmax_kept(run->kernels, p, logits, kept, a->branches, a->top_k);
        else
            run->kernels->softmax(p, logits, a->branches);
    }
}

/* Counting sort of the (row, branch) pairs: stable, so rows ascend within a branch. */
static void group_rows(const ramus_node *n, int rows)
{
    const ramus_route_attr *a = n->attr;
    const int *kept = n->out[2]->data;
    int *offset = n->out[1]->data, *list = offset + a->branches + 1;
    const int pairs = rows * a->top_k;

    memset(offset, 0, ((size_t)a->branches + 1) * sizeof *offset);
    for (int i = 0; i < pairs; i++)
        offset[kept[i] + 1]++;
    for (int b = 0; b < a->branches; b++)
        offset[b + 1] += offset[b];
    for (int i = 0; i < pairs; i++)
        list[offset[kept[i]]++] = i / a->top_k;
    for (int b = a->branches; b > 0; b--) // each offset has moved to its end: the next one's start
        offset[b] = offset[b - 1];
    offset[0] = 0;
}

static void forward(ramus_run *run, const ramus_node *n)
{
    const int rows = ramus_tensor_rows(n->in[0]);
    ramus_run_rows(run, n, rows, BLOCK, forward_rows);
    group_rows(n, rows);
}

const ramus_op ramus_op_route = {
    .name = "route",
    .forward = forward,
    .saves = RAMUS_SAVES_IN(1) | RAMUS_SAVES_OUT(0) | RAMUS_SAVES_OUT(2),
};

ramus_route ramus_route_tokens(ramus_graph *g, ramus_tensor *logits, ramus_tensor *noise_width,
                               const ramus_route_spec *spec)
{
    const int rows = logits->dims[0], branches = logits->dims[1], k = spec->top_k;
    const ramus_route_attr attr = {branches, k, spec->sparse, spec->bare};
    RAMUS_ASSERT(k >= 1 && k <= branches && k <= RAMUS_MAX_TOP_K);

    ramus_node *n = ramus_node_add(g, &ramus_op_route, &attr, sizeof attr);
    ramus_node_read(n, 0, logits);
    ramus_node_read(n, 1, noise_width);
    ramus_route route = {.branches = branches, .top_k = k};
    const int shape[] = {rows, branches};
    route.probs = ramus_node_make(g, n, 0, RAMUS_REAL, logits->axis, 2, shape);
    route.order = ramus_node_make(g, n, 1, RAMUS_INT, NULL, 1, (int[]){branches + 1 + rows * k});
    route.index = ramus_node_make(g, n, 2, RAMUS_INT, logits->axis, 2, (int[]){rows, k});
    if (noise_width) route.noisy = ramus_node_make(g, n, 3, RAMUS_REAL, logits->axis, 2, shape);
    return route;
}
