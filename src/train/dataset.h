/* dataset.h - what a run learns from: its vocabularies and its corpora, opened together. */
#ifndef RAMUS_TRAIN_DATASET_H
#define RAMUS_TRAIN_DATASET_H

#include "data/corpus.h"
#include "model/arch.h"
#include "train/settings.h"

typedef struct ramus_dataset {
    ramus_buffer vocab_bytes[2]; // of the .model files; the second empty: one for both sides
    ramus_vocab *vocabs[2];      // the second NULL: one for both sides
    ramus_corpus_files *files;
    ramus_corpus **corpora;
    double *weights;
    int n;
    uint64_t key; // of all that is learned from and how often
} ramus_dataset;

const ramus_vocab *ramus_dataset_vocab(const ramus_dataset *d, int side); // 0 source, 1 target

typedef struct ramus_dataset_spec {
    const ramus_training *training;
    ramus_pool *pool;
    void (*reading)(void *arg, const char *file, double lines); // may be NULL
    void *arg;
} ramus_dataset_spec;

/* Starts from {0}; the caller ends it with ramus_dataset_close() in any case. */
RAMUS_CHECKED ramus_status ramus_dataset_open(ramus_dataset *d, const ramus_dataset_spec *spec,
                                              ramus_error *err);
void ramus_dataset_close(ramus_dataset *d); // {0} is fine

/* Completes a model's shape with what follows from the vocabularies, and checks it. */
RAMUS_CHECKED ramus_status ramus_dataset_fit(const ramus_dataset *d, ramus_arch *a,
                                             ramus_error *err);

#endif
