/* Vocabularies first, then each corpus through its cache. The key chains the keys and weights of
 * all corpora. */
#include "train/dataset.h"

#include "base/folder.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

const ramus_vocab *ramus_dataset_vocab(const ramus_dataset *d, int side)
{
    return d->vocabs[side] ? d->vocabs[side] : d->vocabs[0];
}

static ramus_status open_vocab(ramus_dataset *d, int side, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    ramus_buffer_add(&d->vocab_bytes[side], file.data, file.size);
    ramus_file_unmap(&file);
    st = ramus_buffer_check(&d->vocab_bytes[side], err);
    if (!st) st = ramus_vocab_load(&d->vocabs[side], path, err);
    return st;
}

typedef struct {
    const ramus_dataset_spec *spec;
    const char *file;
} reader;

static void tell(void *arg, double lines)
{
    const reader *r = arg;
    if (r->spec->reading) r->spec->reading(r->spec->arg, r->file, lines);
}

static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 32;
}

static ramus_status open_corpora(ramus_dataset *d, const ramus_dataset_spec *spec,
                                 uint64_t vocab_key, const char *cache, ramus_error *err)
{
    const ramus_training *t = spec->training;
    const bool text = t->upper_noise + t->title_noise + t->typo_noise > 0 ||
                      t->source_sampling > 0 || t->target_sampling > 0;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < d->n && !st; i++) {
        const ramus_corpus_files *f = &d->files[i];
        reader r = {spec, f->source};
        const ramus_corpus_spec corpus = {
            .source = f->source,
            .target = f->target,
            .source_column = f->source_column,
            .target_column = f->target_column,
            .source_vocab = ramus_dataset_vocab(d, 0),
            .target_vocab = ramus_dataset_vocab(d, 1),
            .vocab_key = vocab_key,
            .max_length = t->max_length,
            .max_ratio = t->max_ratio,
            .text = text,
            .folder = cache,
            .pool = spec->pool,
            .progress = tell,
            .arg = &r,
        };
        st = ramus_corpus_open(&d->corpora[i], &corpus, err);
        if (st) break;
        d->weights[i] = f->weight;
        d->key = mix(d->key, ramus_corpus_key(d->corpora[i]));
        d->key = mix(d->key, (uint64_t)(f->weight * 1e6));
    }
    return st;
}

ramus_status ramus_dataset_open(ramus_dataset *d, const ramus_dataset_spec *spec, ramus_error *err)
{
    const ramus_training *t = spec->training;
    const size_t most = (size_t)t->train.n;
    uint64_t vocab_key = 0;
    ramus_buffer cache = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < t->vocab.n && !st; i++) {
        st = open_vocab(d, i, t->vocab.items[i], err);
        if (!st) st = ramus_hash_file(&vocab_key, t->vocab.items[i], err);
    }
    if (st) return st;
    d->files = calloc(most, sizeof *d->files);
    d->corpora = calloc(most, sizeof(ramus_corpus *));
    d->weights = calloc(most, sizeof *d->weights);
    if (!d->files || !d->corpora || !d->weights) return ramus_fail_memory(err, "the corpora");
    st = ramus_corpus_files_read(d->files, &d->n, &t->train, &t->weights, t->columns, err);
    if (!st)
        st = ramus_folder_path(&cache, t->cache ? t->cache : t->out, t->cache ? "" : "cache", err);
    if (!st) st = open_corpora(d, spec, vocab_key, cache.data, err);
    ramus_buffer_free(&cache);
    return st;
}

void ramus_dataset_close(ramus_dataset *d)
{
    for (int i = 0; i < d->n; i++)
        ramus_corpus_close(d->corpora[i]);
    for (int i = 0; i < 2; i++) {
        ramus_vocab_destroy(d->vocabs[i]);
        ramus_buffer_free(&d->vocab_bytes[i]);
    }
    free(d->files);
    free(d->corpora);
    free(d->weights);
    *d = (ramus_dataset){0};
}

static ramus_status match_vocab_size(int *size, const ramus_vocab *vocab, const char *side,
                                     ramus_error *err)
{
    const int count = ramus_vocab_count(vocab);
    if (*size && *size != count)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s-vocab is %d but the vocabulary file has %d pieces", side, *size,
                          count);
    *size = count;
    return RAMUS_OK;
}

ramus_status ramus_dataset_fit(const ramus_dataset *d, ramus_arch *a, ramus_error *err)
{
    ramus_status st = match_vocab_size(&a->source_vocab, ramus_dataset_vocab(d, 0), "source", err);
    if (!st) st = match_vocab_size(&a->target_vocab, ramus_dataset_vocab(d, 1), "target", err);
    if (!st && a->tie == RAMUS_TIE_AUTO && d->vocabs[1]) a->tie = RAMUS_TIE_TARGET;
    return st ? st : ramus_arch_check(a, err);
}
