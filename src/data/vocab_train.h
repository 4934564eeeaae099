/* vocab_train.h - trains a vocabulary with the SentencePiece library, which is C++ and in a shared
 * object, ramus-sentencepiece.so: a program that only translates does not load it. */
#ifndef RAMUS_DATA_VOCAB_TRAIN_H
#define RAMUS_DATA_VOCAB_TRAIN_H

#include "base/buffer.h"
#include "base/status.h"

#include <stdbool.h>

typedef struct ramus_vocab_training {
    int size;           // pieces
    bool at_most;       // fewer where the text does not give so many; else that is an error
    const char *type;   // "unigram" or "bpe"
    double coverage;    // share of characters that get a piece of their own
    bool byte_fallback; // rare characters become bytes instead of the unknown piece
    bool split_digits;  // every digit is a piece
    const char *user;   // pieces that are never split, with commas between; NULL: none
    int threads;
    bool quiet; // no log on standard error

    /* Gives the next text, valid until the next call; NULL at the end or after a failure, which the
     * caller remembers itself. */
    const char *(*next)(void *arg, size_t *size);
    void *arg;
} ramus_vocab_training;

/* Adds the bytes of a .model file to *out: ids 0 unknown, 1 BOS, 2 EOS, no padding. */
RAMUS_CHECKED ramus_status ramus_vocab_train(ramus_buffer *out, const ramus_vocab_training *t,
                                             ramus_error *err);

/* The one function in the shared object. */
#define RAMUS_SENTENCEPIECE_TRAIN "ramus_sentencepiece_train"
typedef ramus_status ramus_sentencepiece_train_fn(ramus_buffer *out, const ramus_vocab_training *t,
                                                  ramus_error *err);

#endif
