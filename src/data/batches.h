/* batches.h - the order of training: which pairs make up the micro-batches of which update.
 *
 * An epoch takes the pairs of all corpora in a random order (a corpus with weight 2 twice, one with
 * weight 0.5 half of it, the other half in the next epoch). Pool after pool of them is sorted by
 * length and cut into micro-batches, which are shuffled and shared out to updates of nearly equal
 * size. All of it is a function of the seed and the corpora, so a place in it is three integers. */
#ifndef RAMUS_DATA_BATCHES_H
#define RAMUS_DATA_BATCHES_H

#include "data/corpus.h"

typedef struct ramus_update {
    const ramus_batch *batches;
    int n;
    int64_t source_tokens, target_tokens;
} ramus_update;

/* A place in the order of training: update `update` of pool `pool` of epoch `epoch` comes next. */
typedef struct ramus_cursor {
    int64_t epoch, pool, update;
} ramus_cursor;

typedef struct ramus_batches_spec {
    const ramus_corpus *const *corpora;
    const double *weights; // of each corpus: how often an epoch takes a pair of it
    int n_corpora;
    const ramus_vocab *source_vocab, *target_vocab;
    uint64_t seed;
    int batch_tokens;   // of either side in an update, about; if at most micro_tokens, it is one
                        // micro-batch
    int micro_tokens;   // of either side in a micro-batch, at most
    int pool_pairs;     // sorted together
    int max_length;     // as in the corpora: a pair that noise makes longer is used unchanged
    double upper;       // share of the pairs that are put in capitals
    double title, typo; // shares whose source gets Initials, typing errors
    double source_sampling, target_sampling; // alpha of SentencePiece sampling, 0: none
    ramus_pool *pool;                        // for noise and sampling; may be NULL
} ramus_batches_spec;

typedef struct ramus_batches ramus_batches;

/* Starts at {0, 0, 0}. The caller ends *out with ramus_batches_destroy(); corpora and vocabularies
 * must outlive it. Noise and sampling need corpora with text. */
RAMUS_CHECKED ramus_status ramus_batches_create(ramus_batches **out, const ramus_batches_spec *spec,
                                                ramus_error *err);
void ramus_batches_destroy(ramus_batches *b); // NULL is fine

void ramus_batches_seek(ramus_batches *b, ramus_cursor to);
ramus_cursor ramus_batches_cursor(const ramus_batches *b); // of the next update

/* The next update, valid until the next call. */
RAMUS_CHECKED ramus_status ramus_batches_next(ramus_batches *b, ramus_update *out,
                                              ramus_error *err);

/* Epochs done so far, with the part of the current one; after a seek, and until the next update,
 * only with the whole pools of it. */
double ramus_batches_epochs(const ramus_batches *b);

#endif
