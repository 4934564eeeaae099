/* gates.h - which branches tokens took: the gates of a model by name, and counts over a corpus.
 *
 * Memory is a count per gate, branch and piece of the vocabulary; it does not grow with the corpus.
 * One thread. Layers and branches count from 0. */
#ifndef RAMUS_RUNTIME_GATES_H
#define RAMUS_RUNTIME_GATES_H

#include "graph/graph.h"
#include "runtime/model.h"

#include <stdint.h>

/* A gate of the model, applied to one kind of token. */
typedef struct ramus_gate_site {
    char name[RAMUS_MAX_NAME]; // "encoder.3.attention", "decoder.0.cross.kv"
    ramus_site site;
    bool target;      // it is applied to target tokens; else to source tokens
    int place;        // in ramus_token.gates
    uint64_t *counts; // [branches, words of the side]
} ramus_gate_site;

typedef struct ramus_gates {
    const ramus_model *model;
    int branches;
    int n;
    ramus_gate_site *sites; // in the order of the model; all of source tokens first
    uint64_t *counts;       // of all
} ramus_gates;

/* The gates of a model, which stays the caller's. A model without any is an error. The caller ends
 * *out with ramus_gates_destroy(). */
RAMUS_CHECKED ramus_status ramus_gates_create(ramus_gates **out, const ramus_model *model,
                                              ramus_error *err);
void ramus_gates_destroy(ramus_gates *g); // NULL is fine

/* The gate of that name; NULL: the one that the paper shows, the attention of the fourth layer of
 * the encoder, or the nearest to it. A name that the model does not have is an error that lists
 * those it has. */
RAMUS_CHECKED ramus_status ramus_gates_find(const ramus_gate_site **out, const ramus_gates *g,
                                            const char *name, ramus_error *err);

/* Counts the tokens of a translation that has details. */
void ramus_gates_add(ramus_gates *g, const ramus_translation *t);

/* The tokens of a translation that a gate was applied to. */
const ramus_token *ramus_gate_tokens(const ramus_gate_site *s, const ramus_translation *t, int *n);

/* Tokens so far: those that took a branch, and all of a gate. */
uint64_t ramus_gates_taken(const ramus_gates *g, const ramus_gate_site *s, int branch);
uint64_t ramus_gates_total(const ramus_gates *g, const ramus_gate_site *s);

/* The entropy, in nats, of the branches' shares of the tokens so far: ln N when equal, 0 when one
 * branch has all. */
double ramus_gates_entropy(const ramus_gates *g, const ramus_gate_site *s);

/* A piece of the vocabulary in a branch. */
typedef struct ramus_gate_word {
    const char *piece;
    uint64_t count; // of it in the branch
    double share;   // of all of it that the gate saw
} ramus_gate_word;

/* The most frequent pieces of a branch, at most n, the most frequent first. Returns how many. */
int ramus_gates_frequent(const ramus_gates *g, const ramus_gate_site *s, int branch,
                         ramus_gate_word *out, int n);

#endif
