/* corpora.h - three small corpora with weights, and batches of them, for tests. */
#ifndef RAMUS_TESTS_DATA_CORPORA_H
#define RAMUS_TESTS_DATA_CORPORA_H

#include "base/buffer.h"
#include "data/batches.h"

#include "check.h"
#include "data/texts.h"

#define MAX_LENGTH 60

static ramus_vocab *vocab;

/* Corpora of the golden sample: pair i of corpus c has the words "c i" in front. */
static inline ramus_corpus *make_corpus(int c, int n)
{
    ramus_error err = {0};
    ramus_corpus *out = NULL;
    ramus_buffer b = {0};
    texts_sample s = texts_load_sample();
    char name[32], path[128], folder[128];
    for (int i = 0; i < n; i++)
        ramus_buffer_print(&b, "%d %d %s\t%d %d %s\n", c, i, s.lines[2 * i % s.n], c, i,
                           s.lines[2 * i % s.n + 1]);
    (void)snprintf(name, sizeof name, "%d.tsv", c);
    texts_write(name, b.data, b.size);
    (void)snprintf(path, sizeof path, "%s", texts_path(name));
    (void)snprintf(folder, sizeof folder, "%s", texts_path("cache"));
    const ramus_corpus_spec spec = {.source = path,
                                    .source_column = 1,
                                    .target_column = 2,
                                    .source_vocab = vocab,
                                    .target_vocab = vocab,
                                    .max_length = MAX_LENGTH,
                                    .text = true,
                                    .folder = folder};
    REQUIRE_OK(ramus_corpus_open(&out, &spec, &err), err);
    EXPECT_INT(ramus_corpus_count(out)->kept, n, "pairs kept");
    ramus_buffer_free(&b);
    free(s.bytes);
    return out;
}

#define N_CORPORA 3
static const int sizes[N_CORPORA] = {500, 120, 301};
static ramus_corpus *corpora[N_CORPORA];
static const double weights[N_CORPORA] = {1, 0.5, 2};
static const int uses[N_CORPORA] = {500, 60, 602}; // in an epoch

static inline void begin(void)
{
    texts_begin();
    vocab = texts_vocab("unigram-8k");
    for (int c = 0; c < N_CORPORA; c++)
        corpora[c] = make_corpus(c, sizes[c]);
}

static inline void end(void)
{
    for (int c = 0; c < N_CORPORA; c++)
        ramus_corpus_close(corpora[c]);
    ramus_vocab_destroy(vocab);
    texts_end();
}

static inline ramus_batches_spec usual(void)
{
    return (ramus_batches_spec){.corpora = (const ramus_corpus *const *)corpora,
                                .weights = weights,
                                .n_corpora = N_CORPORA,
                                .source_vocab = vocab,
                                .target_vocab = vocab,
                                .seed = check_seed(),
                                .batch_tokens = 1000,
                                .micro_tokens = 200,
                                .pool_pairs = 400,
                                .max_length = MAX_LENGTH};
}

static inline ramus_batches *make_batches(const ramus_batches_spec *spec)
{
    ramus_error err = {0};
    ramus_batches *b = NULL;
    REQUIRE_OK(ramus_batches_create(&b, spec, &err), err);
    return b;
}

static inline ramus_update next(ramus_batches *b)
{
    ramus_error err = {0};
    ramus_update u = {0};
    REQUIRE_OK(ramus_batches_next(b, &u, &err), err);
    return u;
}

/* Which pair of which corpus lies here in a map. */
static inline int find(const ramus_pair *p, int *corpus)
{
    for (int c = 0; c < N_CORPORA; c++)
        for (int i = 0; i < sizes[c]; i++)
            if (ramus_corpus_pair(corpora[c], i).source == p->source) {
                *corpus = c;
                return i;
            }
    *corpus = -1;
    return -1;
}

#endif
