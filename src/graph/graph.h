/* graph.h - a model as a list of coarse operations: tensors, nodes, and the functions that emit
 * them.
 *
 * Building touches no data: a graph is a description (parameters, shapes, Mult-Adds) until a
 * ramus_run (run.h) gives it memory. Activations have one row per token of an axis. The number of
 * rows is a run-time value, so one graph serves every batch up to its limits. Rows are packed:
 * sentence after sentence, no padding.
 *
 * A full graph has all positions at once (training, encoding, scoring). A step graph has one
 * position of each live hypothesis (decoding); ramus_history() is the only difference.
 *
 * A graph is built and used by one thread; it owns its nodes and names, not the weights. */
#ifndef RAMUS_GRAPH_GRAPH_H
#define RAMUS_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/status.h"
#include "kernels/half.h"
#include "kernels/real.h"

#include <stdbool.h>
#include <stddef.h>

#define RAMUS_MAX_DIMS 3
#define RAMUS_MAX_IN   5
#define RAMUS_MAX_OUT  4
#define RAMUS_MAX_NAME 128

typedef struct ramus_node ramus_node;
typedef struct ramus_run ramus_run;

/* The rows of one side, source or target: what a batch or a set of live hypotheses looks like now.
 */
#define RAMUS_MAX_TIMES 3

typedef struct ramus_axis {
    int max_rows, max_sequences, max_length;
    int rows, sequences;
    int *start;    // [sequences + 1] first row of each sentence; of the source also in step graphs
    int *sequence; // [rows] the sentence of each row
    int *position; // [rows] its place in the sentence
    int times;     // 1; of an axis of ramus_axis_times(): what its sentences are longer
    struct ramus_axis *longer[RAMUS_MAX_TIMES - 1]; // those axes, of 2 times and so on, or NULL

    /* Step, target: the history has row r at position p in its row p * stride + r, and the past of
     * row r is in ancestor[r * span] and behind. Stride and span may be chosen anew for each source
     * batch, within `positions`. */
    int positions; // rows of the history; entries of `ancestor`
    int stride;    // max_rows unless chosen
    int span;      // max_length unless chosen
    int *ancestor; // where in the history each position lies
} ramus_axis;

/* Lays out n sentences one after the other. Longer axes follow. */
void ramus_axis_set(ramus_axis *axis, const int *lengths, int n);

/* When a node runs: when the weights change, once per source batch, at every target position.
 * Derived from what it reads. */
typedef enum ramus_phase { RAMUS_WEIGHTS, RAMUS_SOURCE, RAMUS_TARGET, RAMUS_PHASES } ramus_phase;

/* RAMUS_I8, RAMUS_I4: matrices of 8-bit integers in tiles with a scale per output (kernels/i8.h),
 * of 4-bit integers with one per output and group of inputs (kernels/i4.h). Parameters only, not in
 * training. */
typedef enum ramus_dtype { RAMUS_REAL, RAMUS_INT, RAMUS_I8, RAMUS_I4 } ramus_dtype;

/* How a parameter starts. */
typedef enum ramus_init {
    RAMUS_INIT_ZERO,
    RAMUS_INIT_ONE,
    RAMUS_INIT_CONSTANT,
    RAMUS_INIT_NORMAL,
    RAMUS_INIT_UNIFORM,
    RAMUS_INIT_ALIKE // uniform, the same for each of its dims[0] parts
} ramus_init;

/* Where a parameter stands in the model. The graph carries it; model/param.h has its words. */
typedef struct ramus_site {
    int stack, layer, sublayer, place;
} ramus_site;

/* Fields that running reads come first and fit a cache line: a translation step touches hundreds of
 * tensors, and the weights between them evict them from the nearest caches. */
typedef struct ramus_tensor {
    void *data; // given by ramus_run_create (activations) or ramus_weights_bind (parameters)
    const ramus_real *scale;          // of RAMUS_I8: one per output, branch after branch
    const ramus_half *half;           // of RAMUS_I4: its scales, in the same order
    ramus_axis *axis;                 // whose rows these are; NULL: the shape is fixed
    ramus_dtype dtype;                // of a parameter: as ramus_weights_bind finds it
    int dims[RAMUS_MAX_DIMS], n_dims; // dims[0] is the largest number of rows when there is an axis
    ramus_phase phase;
    bool history; // keeps its values from run to run
    bool param;
    bool kept;         // its values stay until the next run
    bool saved;        // only for the maker's backward rule: no gradient goes through it
    bool needs_grad;   // set by the plan
    int number;        // place in the graph's list
    const char *name;  // of a parameter or a kept tensor, else NULL
    ramus_node *maker; // NULL for parameters and inputs
    ramus_init init;
    double init_scale; // the constant, standard deviation or half width
    ramus_real *grad;  // NULL where no gradient is needed
    size_t data_offset, grad_offset;
    int last_reader; // place of the last node in running order that reads it; -1: none
    int role;        // of a parameter of a model, like `site`: model/param.h
    ramus_site site;
} ramus_tensor;

/* What an operation is. A new one is a row of this kind and its functions. */
typedef struct ramus_op {
    const char *name;
    void (*forward)(ramus_run *run, const ramus_node *n);
    double (*cost)(const ramus_node *n);    // Mult-Adds for the current rows; NULL: none
    size_t (*scratch)(const ramus_node *n); // bytes each thread needs; NULL: none
    unsigned saves;                         // what backward reads: RAMUS_SAVES_IN/OUT bits
    bool multiplies; // in[0] by the matrix in[1], which may be RAMUS_I8 or RAMUS_I4
} ramus_op;

#define RAMUS_SAVES_IN(i)  (1u << (i))
#define RAMUS_SAVES_OUT(i) (1u << (8 + (i)))

struct ramus_node {
    const ramus_op *op;
    const void *attr; // the op's own settings
    ramus_tensor *in[RAMUS_MAX_IN];
    ramus_tensor *out[RAMUS_MAX_OUT];
    int number; // place in the order of emission; the key of its random numbers
    int turn;   // set by the plan: this node's backward rule runs right after that of nodes[turn]
    ramus_phase phase;
};

/* A scalar that training minimises. */
typedef struct ramus_loss {
    const char *name;
    ramus_tensor *value; // [1]
    double weight;
} ramus_loss;

typedef enum ramus_graph_kind { RAMUS_FULL, RAMUS_STEP } ramus_graph_kind;

typedef struct ramus_limits {
    int rows, sequences, length; // of one axis, at most
} ramus_limits;

typedef struct ramus_graph_spec {
    ramus_graph_kind kind;
    bool training; // gradients, dropout, noise
    int max_nodes;
    ramus_limits source, target;
    int positions; // step: rows of the history; 0: target.rows * target.length
    int times;     // the longest axis of ramus_axis_times(); 0: none
} ramus_graph_spec;

typedef struct ramus_graph {
    ramus_graph_spec spec;
    ramus_axis source, target;
    ramus_node **nodes;
    int phase_start[RAMUS_PHASES + 1]; // set by the plan: where the nodes of each phase begin
    ramus_tensor **tensors, **params, **named; // named: kept tensors, not parameters
    ramus_loss *losses;
    int *slots; // by the hash of a name: the number of its tensor, from 1 on; 0: free
    size_t n_slots;
    int n_nodes, n_tensors, n_params, n_named, n_losses;
    ramus_arena *arena;
} ramus_graph;

RAMUS_CHECKED ramus_status ramus_graph_create(ramus_graph **out, const ramus_graph_spec *spec,
                                              ramus_error *err);
void ramus_graph_destroy(ramus_graph *g); // NULL is fine

/* The parameter of that name. Asking twice for one name gives the same tensor. */
ramus_tensor *ramus_param(ramus_graph *g, const char *name, int n_dims, const int *dims,
                          ramus_init init, double init_scale);

/* Integers, one per row, that the caller fills in before a run. */
ramus_tensor *ramus_input(ramus_graph *g, ramus_axis *axis, const char *name);

/* Names a tensor; it keeps its values until the next run. */
void ramus_keep(ramus_graph *g, ramus_tensor *t, const char *name);

/* The parameter or kept tensor of that name, or NULL. */
ramus_tensor *ramus_graph_find(const ramus_graph *g, const char *name);

void ramus_loss_add(ramus_graph *g, const char *name, ramus_tensor *value, double weight);

/* The axis whose sentences are those of `axis`, the source, but `times` as long, 2 to spec.times.
 * Asking twice gives the same one. */
ramus_axis *ramus_axis_times(ramus_graph *g, ramus_axis *axis, int times);

/* Mult-Adds of one run of everything with the rows that the axes have now. */
double ramus_graph_cost(const ramus_graph *g);

/* For ops: a node of this op; attr is copied. */
ramus_node *ramus_node_add(ramus_graph *g, const ramus_op *op, const void *attr, size_t attr_size);
/* For ops: names an input (may be NULL) and moves the node to the phase that it needs. */
void ramus_node_read(ramus_node *n, int i, ramus_tensor *t);
/* For ops: a new tensor made by the node, with a row per row of `axis` (NULL: dims[0] rows). */
ramus_tensor *ramus_node_make(ramus_graph *g, ramus_node *n, int i, ramus_dtype dtype,
                              ramus_axis *axis, int n_dims, const int *dims);

int ramus_tensor_rows(const ramus_tensor *t);       // now
size_t ramus_tensor_width(const ramus_tensor *t);   // elements of a row
size_t ramus_tensor_count(const ramus_tensor *t);   // elements at most
size_t ramus_tensor_element(const ramus_tensor *t); // bytes of an element

/* Whether a node, a backward rule or, where it is kept, the caller reads its values; of a graph
 * that has a run. */
bool ramus_tensor_is_read(const ramus_tensor *t);

#endif
