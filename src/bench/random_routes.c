/* The op of each route node is replaced by one that draws the branches and then goes on as route
 * does: probabilities where someone reads them, rows grouped by branch. Its settings begin with
 * route's. */
#include "bench/random_routes.h"

#include "graph/ops/route.h"

#include <stdlib.h>

typedef struct {
    ramus_route_attr route; // first: what route's own parts read
    ramus_rng key;
} random_attr;

struct ramus_random_routes {
    random_attr *attrs; // of each node
};

/* A random number in [0, n) that is fixed by the key and the element. SplitMix64 (Steele et al.,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014): Philox takes longer than the
 * arg-max in whose place this stands in benchmarks. */
static int draw(const ramus_rng *rng, uint64_t element, int n)
{
    uint64_t z = rng->seed * 0xD1342543DE82EF95u + ((uint64_t)rng->batch << 52) +
                 ((uint64_t)rng->op << 40) + element;
    z *= 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (int)(((z >> 33) * (uint64_t)n) >> 31);
}

/* k different branches of n, all sets alike; ascending. `element`: the first of k random numbers.
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

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const random_attr *a = n->attr;
    const ramus_axis *axis = n->in[0]->axis;
    const int k = a->route.top_k, branches = a->route.branches;
    for (int r = first; r < last; r++) {
        const uint64_t place = (uint64_t)axis->position[r] * (uint64_t)axis->max_rows + (uint64_t)r;
        draw_branches((int *)n->out[2]->data + (size_t)r * (size_t)k, branches, k, &a->key,
                      place * (uint64_t)k);
        ramus_route_weigh(run, n, r,
                          (const ramus_real *)n->in[0]->data + (size_t)r * (size_t)branches);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_route_run(run, n, forward_rows);
}

static const ramus_op op_random_route = {.name = "route", .forward = forward};

ramus_status ramus_random_routes_create(ramus_random_routes **out, ramus_graph *g,
                                        const ramus_rng *key, ramus_error *err)
{
    ramus_random_routes *r = calloc(1, sizeof *r);
    if (r) r->attrs = calloc((size_t)g->n_nodes, sizeof *r->attrs);
    if (!r || !r->attrs) {
        ramus_random_routes_destroy(r);
        return ramus_fail_memory(err, "random routes");
    }
    for (int i = 0; i < g->n_nodes; i++) {
        ramus_node *n = g->nodes[i];
        if (n->op != &ramus_op_route) continue;
        const ramus_route_attr *route = n->attr;
        r->attrs[i] = (random_attr){*route, *key};
        r->attrs[i].key.op = (uint32_t)n->number;
        n->op = &op_random_route;
        n->attr = &r->attrs[i];
    }
    *out = r;
    return RAMUS_OK;
}

void ramus_random_routes_destroy(ramus_random_routes *r)
{
    if (!r) return;
    free(r->attrs);
    free(r);
}
