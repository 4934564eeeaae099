/* Hashes the text files, vocabularies and filters to a key; a cache file of that key is mapped,
 * else made first. */
#include "data/corpus.h"

#include "base/folder.h"
#include "base/hash.h"
#include "data/corpus_file.h"
#include "data/corpus_make.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ramus_corpus {
    uint64_t key;
    ramus_corpus_file file;
};

static ramus_status check_vocab(const ramus_vocab *vocab, const char *side, ramus_error *err)
{
    if (ramus_vocab_eos(vocab) >= 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "the %s vocabulary has no piece for the end of a sentence (EOS), training "
                      "needs one",
                      side);
}

static ramus_status check_spec(const ramus_corpus_spec *spec, ramus_error *err)
{
    const ramus_status st = check_vocab(spec->source_vocab, "source", err);
    if (st) return st;
    if (!spec->target && (spec->source_column < 1 || spec->target_column < 1))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s: columns %d and %d, a file with both sides has columns 1, 2, ..",
                          spec->source, spec->source_column, spec->target_column);
    if (spec->max_length < 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "sentences of at most %d tokens, at least 2 are needed: one and EOS",
                          spec->max_length);
    return check_vocab(spec->target_vocab, "target", err);
}

/* Everything that the pairs depend on. */
static ramus_status make_key(uint64_t *out, const ramus_corpus_spec *spec, ramus_error *err)
{
    const double ratio = spec->max_ratio > 0 ? spec->max_ratio : 0;
    const int64_t numbers[] = {
        RAMUS_CORPUS_FORMAT,
        spec->text,
        spec->max_length,
        spec->target ? 0 : spec->source_column,
        spec->target ? 0 : spec->target_column,
        ramus_vocab_count(spec->source_vocab),
        ramus_vocab_count(spec->target_vocab),
        ramus_vocab_eos(spec->source_vocab),
        ramus_vocab_eos(spec->target_vocab),
    };
    uint64_t key = ramus_hash(spec->vocab_key, numbers, sizeof numbers);
    key = ramus_hash(key, &ratio, sizeof ratio);
    ramus_status st = ramus_hash_file(&key, spec->source, err);
    if (!st && spec->target) st = ramus_hash_file(&key, spec->target, err);
    if (!st) *out = key;
    return st;
}

static bool are_ids(const int *ids, int n, const ramus_vocab *vocab)
{
    int least = 0, most = 0;
    for (int i = 0; i < n; i++) {
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
    }
    return least >= 0 && most < ramus_vocab_count(vocab);
}

/* Whether the pairs are of these vocabularies and lengths: a hash can be right by intent. */
static bool pairs_fit(const ramus_corpus_file *file, const ramus_corpus_spec *spec)
{
    for (int64_t i = 0; i < file->counts.kept; i++) {
        const ramus_pair p = ramus_corpus_file_pair(file, i);
        if (p.source_length > spec->max_length || p.target_length > spec->max_length ||
            !are_ids(p.source, p.source_length, spec->source_vocab) ||
            !are_ids(p.target, p.target_length, spec->target_vocab))
            return false;
    }
    return file->text == spec->text;
}

static ramus_status open_or_make(ramus_corpus *c, const char *path, const ramus_corpus_spec *spec,
                                 ramus_error *err)
{
    if (!ramus_corpus_file_open(&c->file, path, c->key, NULL)) {
        if (pairs_fit(&c->file, spec)) return RAMUS_OK;
        ramus_corpus_file_close(&c->file);
    }
    ramus_status st = ramus_folder_make(spec->folder, err);
    if (!st) st = ramus_corpus_make(path, c->key, spec, err);
    return st ? st : ramus_corpus_file_open(&c->file, path, c->key, err);
}

ramus_status ramus_corpus_open(ramus_corpus **out, const ramus_corpus_spec *spec, ramus_error *err)
{
    char *path = NULL;
    ramus_corpus *c = NULL;
    ramus_status st = check_spec(spec, err);
    if (st) return st;
    const size_t size = strlen(spec->folder) + 32;
    c = calloc(1, sizeof *c);
    path = malloc(size);
    if (!c || !path) {
        st = ramus_fail_memory(err, "a corpus");
        goto done;
    }
    st = make_key(&c->key, spec, err);
    if (st) goto done;
    (void)snprintf(path, size, "%s/%016" PRIx64 ".pairs", spec->folder, c->key);
    st = open_or_make(c, path, spec, err);
    if (st) goto done;
    *out = c;
    c = NULL;
done:
    ramus_corpus_close(c);
    free(path);
    return st;
}

void ramus_corpus_close(ramus_corpus *c)
{
    if (!c) return;
    ramus_corpus_file_close(&c->file);
    free(c);
}

uint64_t ramus_corpus_key(const ramus_corpus *c)
{
    return c->key;
}

const ramus_corpus_counts *ramus_corpus_count(const ramus_corpus *c)
{
    return &c->file.counts;
}

ramus_pair ramus_corpus_pair(const ramus_corpus *c, int64_t i)
{
    RAMUS_ASSERT(i >= 0 && i < c->file.counts.kept);
    return ramus_corpus_file_pair(&c->file, i);
}

bool ramus_corpus_has_text(const ramus_corpus *c)
{
    return c->file.text;
}

void ramus_corpus_text(const ramus_corpus *c, int64_t i, const char **source, size_t *source_size,
                       const char **target, size_t *target_size)
{
    RAMUS_ASSERT(c->file.text && i >= 0 && i < c->file.counts.kept);
    const ramus_pair_text text = ramus_corpus_file_text(&c->file, i);
    *source = text.source;
    *source_size = text.source_size;
    *target = text.target;
    *target_size = text.target_size;
}
