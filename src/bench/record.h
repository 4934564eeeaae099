/* record.h - the matrix products of a run, kept so that they can be done again alone.
 *
 * For benchmarks: what the rest of a run costs. A record points into the weights and the memory of
 * its run, so it is of use only while both last. Starts as {0}; one record has one thread. */
#ifndef RAMUS_BENCH_RECORD_H
#define RAMUS_BENCH_RECORD_H

#include "graph/graph.h"
#include "graph/probe.h"

/* One call of a kernel. */
typedef struct ramus_product {
    const ramus_node *node;
    ramus_dtype dtype; // of the weights: RAMUS_REAL, or one that is packed
    union {
        ramus_linear_job f32;
        ramus_linear_i8_job packed;
    } job;
    size_t first_row; // of its list, if it has one
} ramus_product;

typedef struct ramus_record {
    ramus_product *items;
    size_t n, room;
    int *rows; // the lists of all of them
    size_t n_rows, rows_room;
    bool failed;
} ramus_record;

void ramus_record_free(ramus_record *r); // back to {0}

/* Tells the record of every product: with a copy of its list of rows. Running out of memory is
 * remembered. */
ramus_probe ramus_record_probe(ramus_record *r);

/* To be called once, when everything is recorded. */
RAMUS_CHECKED ramus_status ramus_record_finish(ramus_record *r, ramus_error *err);

/* Does all products again, with the current values of their inputs. seconds: NULL, or one value per
 * node of the graph, to which its products' time is added. */
void ramus_record_replay(const ramus_record *r, const ramus_kernels *k, double *seconds);

/* Bytes of weights that the products read, when a node reads a branch once each time it runs. */
double ramus_record_bytes(const ramus_record *r);

/* How often a routed sublayer ran at a target position, and the sum of how many different branches
 * it needed. */
typedef struct ramus_branch_count {
    double sublayers, branches;
} ramus_branch_count;

ramus_branch_count ramus_record_branches(const ramus_record *r);

#endif
