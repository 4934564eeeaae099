/* The op route with noise on its logits: it chooses and weighs by what it keeps in out[3]. One op,
 * not noise and route apart, since random numbers are keyed by the node that chooses. */
#include "graph/ops/train/noise.h"

#include "graph/ops/route.h"
#include "graph/train_run.h"

static void forward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int branches = n->in[0]->dims[1];
    const ramus_rng rng = ramus_train_rng(run, n);
    for (int r = first; r < last; r++) {
        const size_t at = (size_t)r * (size_t)branches;
        const ramus_real *logits = (const ramus_real *)n->in[0]->data + at;
        const ramus_real *width = (const ramus_real *)n->in[1]->data + at;
        ramus_real *noisy = (ramus_real *)n->out[3]->data + at;
        for (int i = 0; i < branches; i++)
            noisy[i] = logits[i] + (ramus_real)(ramus_rng_normal(&rng, at + (size_t)i) *
                                                ramus_softplus((double)width[i]));
        ramus_route_choose(run, n, r, noisy);
        ramus_route_weigh(run, n, r, noisy);
    }
}

static void forward(ramus_run *run, const ramus_node *n)
{
    ramus_route_run(run, n, forward_rows);
}

/* in: logits, noise width   out: those of route, noisy logits */
const ramus_op ramus_op_route_noisy = {
    .name = "route",
    .forward = forward,
    .saves = RAMUS_SAVES_IN(1) | RAMUS_SAVES_OUT(0) | RAMUS_SAVES_OUT(2),
};

ramus_route ramus_route_noisy(ramus_graph *g, ramus_tensor *logits, ramus_tensor *width,
                              const ramus_route_spec *spec)
{
    const ramus_route_attr attr = {logits->dims[1], spec->top_k, spec->sparse};
    ramus_node *n = ramus_node_add(g, &ramus_op_route_noisy, &attr, sizeof attr);
    ramus_route route = ramus_route_make(g, n, logits);
    ramus_node_read(n, 1, width);
    route.noisy = ramus_node_make(g, n, 3, RAMUS_REAL, logits->axis, 2, logits->dims);
    return route;
}
