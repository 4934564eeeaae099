/* run.h - a graph with memory: plans it, allocates it once, runs its nodes.
 *
 * The plan gives every activation (and, when training, every gradient) a place in one block, shared
 * with others that are not alive at the same time. Nothing is allocated after creation. A graph has
 * at most one run; the run borrows graph and pool. */
#ifndef RAMUS_GRAPH_RUN_H
#define RAMUS_GRAPH_RUN_H

#include "base/pool.h"
#include "graph/graph.h"
#include "graph/probe.h"
#include "kernels/kernels.h"

/* The rows of one tensor as 8-bit integers, as the kernel `quantize` makes them. */
typedef struct ramus_quantized {
    const ramus_tensor *of; // NULL: of none yet
    int8_t *x;              // rows ramus_i8_stride() apart
    ramus_real *scale;      // of each row
    int32_t *sum;
    int32_t *group_sum; // of each group of each row, for RAMUS_I4
    bool grouped;       // it has been filled in
} ramus_quantized;

typedef struct ramus_train_run ramus_train_run;

/* What running a graph needs. What its owners need besides is theirs: train_run.h, probe.h. What a
 * search changes from run to run is a struct that its node points to (ramus_wanted in ops.h). */
struct ramus_run {
    ramus_graph *graph;
    ramus_pool *pool;
    const ramus_kernels *kernels; // points to `chosen`
    ramus_kernels chosen;
    ramus_arena *memory;
    char *scratch;
    size_t scratch_stride;
    ramus_quantized quantized; // of the tensor that was multiplied last
    ramus_train_run *train;    // NULL: it only runs forward
    const ramus_probe *probe;  // NULL: nobody watches
};

/* Orders the graph's nodes by phase, finds out which tensors need gradients and when each is alive,
 * and sets all offsets. Returns the bytes of the block. */
size_t ramus_graph_plan(ramus_graph *g);

RAMUS_CHECKED ramus_status ramus_run_create(ramus_run **out, ramus_graph *g, ramus_pool *pool,
                                            ramus_error *err);

/* The same with more room than the ops ask for. */
typedef struct ramus_run_room {
    size_t scratch; // bytes of each thread, at least
    size_t more;    // bytes that the caller takes from run->memory
} ramus_run_room;
RAMUS_CHECKED ramus_status ramus_run_create_with(ramus_run **out, ramus_graph *g, ramus_pool *pool,
                                                 const ramus_run_room *room, ramus_error *err);

void ramus_run_destroy(ramus_run *run); // NULL is fine

/* Runs the nodes of the phases from .. to forward. Parameters must be bound, inputs and axes set.
 */
void ramus_run_forward(ramus_run *run, ramus_phase from, ramus_phase to);

/* For ops: does the rows (or columns, or branches) first .. last - 1 of a node's work. */
typedef void ramus_rows_body(ramus_run *run, const ramus_node *n, int first, int last, int thread);

/* For ops: cuts 0 .. rows into blocks of at most `block` and shares them out among the threads.
 * Where the blocks lie depends on `rows` and `block` alone, so the thread count changes no result.
 */
void ramus_run_rows(ramus_run *run, const ramus_node *n, int rows, int block,
                    ramus_rows_body *body);

/* For ops that multiply: quantises the rows of in[0] where in[1] is RAMUS_I8 or RAMUS_I4, and
 * returns whether it is. Maps that read one tensor in turn (q, k, v) quantise it once. */
bool ramus_run_quantize(ramus_run *run, const ramus_node *n);
/* The product of the rows from `row` on with branch `branch` of in[1]; the destination is left
 * open. Fills *job in place: returning it by value costs a store-forwarding stall. */
void ramus_run_packed(ramus_linear_i8_job *job, const ramus_run *run, const ramus_node *n,
                      int branch, int row);

/* For ops that multiply: calls the kernel, and records the product for benchmarks. */
void ramus_run_linear(ramus_run *run, const ramus_node *n, const ramus_linear_job *job);
void ramus_run_linear_packed(ramus_run *run, const ramus_node *n, const ramus_linear_i8_job *job);

void *ramus_run_scratch(const ramus_run *run, int thread); // the op's own scratch of one thread

#endif
