/* corpus.h - parallel text for training, tokenised once into a file that is mapped.
 *
 * The cache holds the ids of every pair that passed the filters (and its text, if asked), and what
 * was dropped and why. It is found by a key made of the content of the text files, both
 * vocabularies and the filters, and made again when one of them changed. A corpus is read-only once
 * open and serves any number of threads; memory does not grow with its size. */
#ifndef RAMUS_DATA_CORPUS_H
#define RAMUS_DATA_CORPUS_H

#include "base/pool.h"
#include "base/status.h"
#include "model/batch.h"
#include "text/vocab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ramus_corpus_spec {
    const char *source;               // file of the source sentences, or a file with columns
    const char *target;               // file of the target sentences; NULL: both are in `source`
    int source_column, target_column; // 1, 2, ..: the columns when target is NULL
    const ramus_vocab *source_vocab, *target_vocab;
    uint64_t vocab_key; // identifies the vocabularies: part of the cache's key
    int max_length;     // tokens of a sentence, EOS included; longer pairs are dropped
    double max_ratio;   // of the lengths of the two sides, EOS included; 0: any
    bool text;          // also keep the text, for noise and sampling
    const char *folder; // of the cache; made if missing
    ramus_pool *pool;   // tokenises; may be NULL
    void (*progress)(void *arg,
                     double lines); // called now and then while the cache is made; or NULL
    void *arg;
} ramus_corpus_spec;

/* Pairs that were read, kept and dropped. */
typedef struct ramus_corpus_counts {
    int64_t read, kept, empty, too_long, ratio;
    int64_t source_tokens, target_tokens; // of those kept, EOS included
    int64_t not_utf8; // of those read: a side has wrong bytes, which count as U+FFFD
} ramus_corpus_counts;

typedef struct ramus_corpus ramus_corpus;

/* Finds or makes the cache and maps it. Files of different lengths, a line without the columns, and
 * a corpus of which no pair is kept are errors. The caller ends *out with ramus_corpus_close();
 * vocabularies must outlive it. */
RAMUS_CHECKED ramus_status ramus_corpus_open(ramus_corpus **out, const ramus_corpus_spec *spec,
                                             ramus_error *err);
void ramus_corpus_close(ramus_corpus *c); // NULL is fine

/* What the cache was made from: equal keys mean equal pairs. */
uint64_t ramus_corpus_key(const ramus_corpus *c);

const ramus_corpus_counts *ramus_corpus_count(const ramus_corpus *c);

/* Pair i of 0 .. kept - 1; the ids lie in the map. */
ramus_pair ramus_corpus_pair(const ramus_corpus *c, int64_t i);

/* The text of pair i, without a zero at its end; only where the spec asked for text. */
bool ramus_corpus_has_text(const ramus_corpus *c);
void ramus_corpus_text(const ramus_corpus *c, int64_t i, const char **source, size_t *source_size,
                       const char **target, size_t *target_size);

#endif
