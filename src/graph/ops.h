/* ops.h - the operations: one function each that emits a node and returns what it makes.
 *
 * Shapes: R rows of an axis, D width, V vocabulary, N branches, K kept branches of a token. */
#ifndef RAMUS_GRAPH_OPS_H
#define RAMUS_GRAPH_OPS_H

#include "graph/graph.h"

#define RAMUS_MAX_TOP_K 64 // branches that one token may take

/* What a gate decided for each row of x. All linear maps of a sublayer share it. */
typedef struct ramus_route {
    ramus_tensor *probs; // [R, N] the gate's probabilities; sparse: 0 where not kept
    ramus_tensor
        *order; // rows grouped by branch: N + 1 offsets, then R * K rows, ascending in a branch
    ramus_tensor *index; // [R, K] the kept branches, best first
    ramus_tensor *noisy; // [R, N] of ramus_route_noisy(), else NULL: logits with noise
    int branches, top_k;
} ramus_route;

typedef struct ramus_route_spec {
    int top_k;
    bool sparse; // probabilities over the kept branches only (mixture), else over all
} ramus_route_spec;

/* logits [R, N]. Ties go to the lowest branch. */
ramus_route ramus_route_tokens(ramus_graph *g, ramus_tensor *logits, const ramus_route_spec *spec);

/* The same of logits + eps * softplus(width), eps normal; width [R, N]. For training. */
ramus_route ramus_route_noisy(ramus_graph *g, ramus_tensor *logits, ramus_tensor *width,
                              const ramus_route_spec *spec);

typedef struct ramus_linear_spec {
    const ramus_route *route; // NULL: dense
    bool mix;                 // multiply each branch's result by its probability and add up
    bool relu;
} ramus_linear_spec;

/* x [R, k], weight [n, k] or [N, n, k], bias [n] or [N, n] or NULL -> [R, n]. spec NULL: dense, no
 * relu */
ramus_tensor *ramus_linear(ramus_graph *g, ramus_tensor *x, ramus_tensor *weight,
                           ramus_tensor *bias, const ramus_linear_spec *spec);

/* weight of branch i = own[i] + shared: the shared-private reparameterization. [N, ...] [...] ->
 * [N, ...] */
ramus_tensor *ramus_share(ramus_graph *g, ramus_tensor *own, ramus_tensor *shared);

/* Values as the runtime has them, integers times a scale. The gradient is straight-through: it
 * ignores the rounding. Asking twice for one tensor gives the same result. rows: activations, 8
 * bits and a scale per row, as the kernel `quantize` makes them. weight: [n, k] or [N, n, k] as
 * export writes it, with 8 bits and a scale per output, or with 4 bits and a scale for every 64
 * inputs of an output. */
ramus_tensor *ramus_round_rows(ramus_graph *g, ramus_tensor *x);
ramus_tensor *ramus_round_weight(ramus_graph *g, ramus_tensor *w, int bits);

/* Numbers clipped to a learned range r and rounded to whole steps of r / 127 (8 bits) or r / 7 (4
 * bits). Gradients pass straight through inside the range; r receives the sum of those above it
 * minus the sum of those below -r. range [N], or [1] without branches: of the branch of each row of
 * x, which takes one, and of each branch of the weight. */
ramus_tensor *ramus_clip_rows(ramus_graph *g, ramus_tensor *x, ramus_tensor *range,
                              const ramus_route *route, int bits);
ramus_tensor *ramus_clip_weight(ramus_graph *g, ramus_tensor *w, ramus_tensor *range, int bits);

typedef struct ramus_attention_spec {
    int heads;
    bool causal;    // a position sees itself and what came before
    double dropout; // of the probabilities, in training
    bool look;      // out[2] of the node tells where each row looks; not in training
} ramus_attention_spec;

/* q [Rq, D], k and v [Rk, D] (or their history) -> [Rq, D]. Each row looks at its own sentence. Its
 * look is the key with the largest sum of probabilities over the heads, the first of equal ones;
 * the last key, EOS, counts only when there is no other. Where keys are those of several layers
 * (ramus_behind()), it is a position, and the sum goes over them too. */
ramus_tensor *ramus_attention(ramus_graph *g, ramus_tensor *q, ramus_tensor *k, ramus_tensor *v,
                              const ramus_attention_spec *spec);

/* The softmax over each group of `kernel` numbers: the taps of a convolution. logits [R, H kernel],
 * or parameters [H kernel] or [N, H kernel] -> the same, with 1 row for the second */
ramus_tensor *ramus_taps(ramus_graph *g, ramus_tensor *logits, int kernel);

/* values [N, n] -> [R, n]: that of each row's branch; mix: the sum of those of its kept branches,
 * each times its probability. */
ramus_tensor *ramus_choose(ramus_graph *g, ramus_tensor *values, const ramus_route *route,
                           bool mix);

typedef struct ramus_convolution_spec {
    int heads, kernel;
    bool causal; // the last tap meets the row itself; else the middle one
} ramus_convolution_spec;

/* v [R, c] or its history, taps [R, H kernel] or [1, H kernel] -> [R, c]. Each row sums the rows
 * around it times its taps; c / H channels share those of a head. Outside the sentence is 0. */
ramus_tensor *ramus_convolution(ramus_graph *g, ramus_tensor *v, ramus_tensor *taps,
                                const ramus_convolution_spec *spec);

/* x [R, 2 n] -> [R, n]: its first half times the sigmoid of the second (gated linear unit). */
ramus_tensor *ramus_glu(ramus_graph *g, ramus_tensor *x);

/* Columns first .. first + n - 1 of x; zeros behind its last one. */
ramus_tensor *ramus_columns(ramus_graph *g, ramus_tensor *x, int first, int n);
/* The columns of a, then those of b. */
ramus_tensor *ramus_beside(ramus_graph *g, ramus_tensor *a, ramus_tensor *b);

/* Of each sentence its rows of x[0], then those of x[1], ... of the same axis and width. */
ramus_tensor *ramus_behind(ramus_graph *g, ramus_tensor *const *x, int n);

/* What came before, with x at its end: x itself in a full graph, a cache to which x is appended in
 * a step graph. */
ramus_tensor *ramus_history(ramus_graph *g, ramus_tensor *x);

/* Layer normalisation of x + residual (residual may be NULL); gain, bias [D]. */
ramus_tensor *ramus_norm(ramus_graph *g, ramus_tensor *x, ramus_tensor *residual,
                         ramus_tensor *gain, ramus_tensor *bias, double epsilon);

ramus_tensor *ramus_add(ramus_graph *g, ramus_tensor *a, ramus_tensor *b);

/* x * sigmoid(x); x * the normal distribution's share below x. Of each element. */
typedef enum ramus_smooth { RAMUS_SWISH, RAMUS_GELU } ramus_smooth;
ramus_tensor *ramus_activate(ramus_graph *g, ramus_tensor *x, ramus_smooth kind);

/* Zeroes a share `rate` and scales the rest by 1 / (1 - rate); x itself when not training or rate
 * 0. */
ramus_tensor *ramus_dropout(ramus_graph *g, ramus_tensor *x, double rate);

/* The rates of the position signal: pair i of D/2 turns by 10000^-x per position. */
typedef enum ramus_positions {
    RAMUS_POSITIONS_THUMT,     // x = i / (D/2 - 1): the reference's
    RAMUS_POSITIONS_MARIAN,    // x = i / (D/2): that of Vaswani et al. 2017
    RAMUS_POSITIONS_MARIAN_F16 // the same, in a table of 16-bit floats
} ramus_positions;

typedef struct ramus_signal_spec {
    int width;
    int whole; // the dimension that it is cut from; 0: width
    int first; // the position of the first token
    ramus_positions kind;
} ramus_signal_spec;

/* The position signal [length, D] for the sentences of `ids`: the first D channels of one with
 * sines in the first half of its channels and cosines in the second. */
ramus_tensor *ramus_signal(ramus_graph *g, ramus_tensor *ids, const ramus_signal_spec *spec);

typedef struct ramus_embed_spec {
    double scale;
    bool starts; // position 0 has row `start` of the table, whatever its id; -1: the zero vector
    int start;
} ramus_embed_spec;

/* ids [R], table [V, E], bias [D] or NULL, signal [length, D] -> [R, D]: the first D columns */
ramus_tensor *ramus_embed(ramus_graph *g, ramus_tensor *ids, ramus_tensor *table,
                          ramus_tensor *bias, ramus_tensor *signal, const ramus_embed_spec *spec);

/* What makes logits table x + bias. */
typedef struct ramus_output {
    ramus_tensor *table, *bias; // [V, D], [V] or NULL: none
    bool excludes;              // a search never gives the word `excluded`, which has no share of
    int excluded;               // the probabilities either
} ramus_output;

/* Sum over the rows of label-smoothed cross-entropy of the logits, minus its least value: [1]. No
 * buffer of [R, V] exists. x [R, D], labels [R] */
ramus_tensor *ramus_project_loss(ramus_graph *g, ramus_tensor *x, const ramus_output *output,
                                 ramus_tensor *labels, double smoothing);

typedef struct ramus_best {
    ramus_tensor *ids;    // [R, k] the k tokens with the largest logits, best first
    ramus_tensor *scores; // [R, k] their log-probabilities
    ramus_tensor *asked;  // [R] the log-probability of one more token
} ramus_best;

/* What a search changes from run to run; {0} is k tokens with log-probabilities, by these logits.
 */
typedef struct ramus_wanted {
    int words;                         // given per row, at most k; 0: k
    bool unscored;                     // no log-probabilities: they are 0
    const ramus_tensor *const *others; // [n_others] logits of other models, [R, V] each:
    int n_others;                      // the mean of theirs and these counts
} ramus_wanted;

/* asked [R]: a token of each row whose log-probability is wanted wherever it ranks. `wanted` is
 * read at every run and belongs to the caller, who keeps it as long as the graph; NULL: {0}. */
ramus_best ramus_project_search(ramus_graph *g, ramus_tensor *x, const ramus_output *output,
                                ramus_tensor *asked, int k, const ramus_wanted *wanted);

/* Losses of one gate application: [1] each. */
ramus_tensor *ramus_diversity(ramus_graph *g, ramus_tensor *probs,
                              bool sum); // sum or mean over branches
ramus_tensor *ramus_entropy(ramus_graph *g, ramus_tensor *probs);
ramus_tensor *ramus_switch_load(ramus_graph *g, const ramus_route *route);
/* Shazeer et al. 2017, appendix A; for a route with noise. */
ramus_tensor *ramus_noisy_load(ramus_graph *g, const ramus_route *route, ramus_tensor *logits,
                               ramus_tensor *noise_width);

/* The ops themselves, for their backward rules, and the settings that they keep with a node. */
extern const ramus_op ramus_op_route, ramus_op_route_noisy, ramus_op_linear, ramus_op_share,
    ramus_op_round, ramus_op_clip, ramus_op_attention, ramus_op_history, ramus_op_norm,
    ramus_op_taps, ramus_op_choose, ramus_op_convolution, ramus_op_glu, ramus_op_columns,
    ramus_op_beside, ramus_op_behind, ramus_op_add, ramus_op_activate, ramus_op_dropout,
    ramus_op_signal, ramus_op_embed, ramus_op_project_loss, ramus_op_project_search,
    ramus_op_diversity, ramus_op_entropy, ramus_op_switch_load, ramus_op_noisy_load;

#endif
