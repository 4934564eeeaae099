/* validation.h - the quality of a model on held-out sentences: cross-entropy, and BLEU of real
 * translations. A model trained with rounding is measured with the weights rounded as for
 * deployment. */
#ifndef RAMUS_TRAIN_VALIDATION_H
#define RAMUS_TRAIN_VALIDATION_H

#include "base/pool.h"
#include "eval/words.h"
#include "graph/weights.h"
#include "model/arch.h"
#include "ranks/comm.h"
#include "text/vocab.h"
#include "train/settings.h"

typedef struct ramus_validation_spec {
    const ramus_corpus_files *files;
    const ramus_arch *arch;
    const ramus_objective *objective; // how the weights are rounded
    const ramus_vocab *source_vocab, *target_vocab;
    int max_length; // tokens; pairs with a longer side are left out
    int beam;       // 1: greedy; 0: no BLEU
    const ramus_tokenization *tokenization;
    bool lowercase;
    ramus_pool *pool;
    ramus_comm *comm; // the ranks that share the work; NULL: alone
} ramus_validation_spec;

typedef struct ramus_validated {
    double nll;        // cross-entropy per target token, without smoothing or dropout
    double perplexity; // its exponential
    double bleu;       // -1: not asked for
    double seconds;
} ramus_validated;

#define RAMUS_SAMPLES 5 // sentences whose translations are shown over time

/* Texts are borrowed from the validation, until its next run. */
typedef struct ramus_sample {
    ramus_line source, reference, text; // text: the translation
} ramus_sample;

typedef struct ramus_validation ramus_validation;

/* Reads the files. Borrows arch, objective, vocabularies, pool and comm. */
RAMUS_CHECKED ramus_status ramus_validation_create(ramus_validation **out,
                                                   const ramus_validation_spec *spec,
                                                   ramus_error *err);
void ramus_validation_destroy(ramus_validation *v); // NULL is fine

int ramus_validation_pairs(const ramus_validation *v);    // that are used
int ramus_validation_left_out(const ramus_validation *v); // that are too long or empty

/* Sentences spread over the files, with their translations of the last run; of rank 0 alone.
 * Returns how many there are: 0 before the first run and where there is no BLEU. */
int ramus_validation_samples(const ramus_validation *v, ramus_sample out[RAMUS_SAMPLES]);

/* Adds all translations of the last run and their references, a line each; of rank 0 alone. Nothing
 * where there are none. */
RAMUS_CHECKED ramus_status ramus_validation_texts(const ramus_validation *v,
                                                  ramus_buffer *translations,
                                                  ramus_buffer *references, ramus_error *err);

/* Of the weights of a training graph, the same on all ranks; so is the result. */
RAMUS_CHECKED ramus_status ramus_validation_run(ramus_validation *v, const ramus_weights *trained,
                                                ramus_validated *out, ramus_error *err);

#endif
