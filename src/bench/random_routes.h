/* random_routes.h - a graph whose tokens take branches at random, whatever its gates say.
 *
 * With random weights gates hardly choose: benchmarks of such a model let all branches be equally
 * likely. The gates are computed as ever; only the choice is replaced. */
#ifndef RAMUS_BENCH_RANDOM_ROUTES_H
#define RAMUS_BENCH_RANDOM_ROUTES_H

#include "base/rng.h"
#include "graph/graph.h"

typedef struct ramus_random_routes ramus_random_routes;

/* Changes the routes of `g`, which has a run; the key's op is filled in per node. Destroy it after
 * the last run of the graph. */
RAMUS_CHECKED ramus_status ramus_random_routes_create(ramus_random_routes **out, ramus_graph *g,
                                                      const ramus_rng *key, ramus_error *err);
void ramus_random_routes_destroy(ramus_random_routes *r); // NULL is fine

#endif
