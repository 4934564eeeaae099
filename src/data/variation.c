/* Each use draws from a key of its own whether its text is changed and how; changed or sampled
 * text is encoded anew by the tokenizers of the thread. */
#include "data/variation.h"

#include "base/hash.h"
#include "data/corpus_file.h"
#include "data/noise.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ALPHA 1e6 // of ramus_sampling

/* What random numbers are for. */
enum { CHOICE, SLIPS, SOURCE_SEGMENTS, TARGET_SEGMENTS, N_PURPOSES };

typedef struct side {
    const ramus_vocab *vocab;
    double alpha; // of sampling
} side;

/* What a thread needs for itself. */
typedef struct worker {
    ramus_tokenizer *tokenizers[2]; // source, target
    ramus_buffer texts[2], codes;
} worker;

struct ramus_variation {
    double upper, title, typo;
    side sides[2]; // source, target
    int max_length;
    uint64_t seed;
    int threads;
    worker workers[];
};

static ramus_status check_side(const side *s, const char *name, ramus_error *err)
{
    if (!(s->alpha >= 0 && s->alpha <= MOST_ALPHA))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s sampling with alpha %g, expected one from 0 to %g", name, s->alpha,
                          MOST_ALPHA);
    if (ramus_vocab_eos(s->vocab) < 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "the %s vocabulary has no EOS", name);
    const char *type = ramus_vocab_type(s->vocab);
    if (s->alpha > 0 && strcmp(type, "unigram") != 0 && strcmp(type, "bpe") != 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s sampling: a vocabulary of type %s cannot be sampled from, unigram "
                          "and bpe can",
                          name, type);
    return RAMUS_OK;
}

static ramus_status check_spec(const ramus_batches_spec *spec, ramus_error *err)
{
    if (!(spec->upper >= 0 && spec->title >= 0 && spec->typo >= 0 &&
          spec->upper + spec->title + spec->typo <= 1))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "shares of noise: upper %g, title %g, typo %g; expected none below 0 and "
                          "at most 1 together",
                          spec->upper, spec->title, spec->typo);
    for (int i = 0; i < spec->n_corpora; i++)
        if (!ramus_corpus_has_text(spec->corpora[i]))
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "noise and sampling need the text, corpus %d was made without",
                              i + 1);
    return RAMUS_OK;
}

ramus_status ramus_variation_create(ramus_variation **out, const ramus_batches_spec *spec,
                                    ramus_error *err)
{
    *out = NULL;
    if (spec->upper == 0 && spec->title == 0 && spec->typo == 0 && spec->source_sampling == 0 &&
        spec->target_sampling == 0)
        return RAMUS_OK;
    const int threads = ramus_pool_threads(spec->pool);
    ramus_variation *v = calloc(1, sizeof *v + (size_t)threads * sizeof *v->workers);
    if (!v) return ramus_fail_memory(err, "noise");
    v->upper = spec->upper;
    v->title = spec->title;
    v->typo = spec->typo;
    v->sides[0] = (side){spec->source_vocab, spec->source_sampling};
    v->sides[1] = (side){spec->target_vocab, spec->target_sampling};
    v->max_length = spec->max_length;
    v->seed = ramus_hash(spec->seed, "variation", 9);
    v->threads = threads;
    ramus_status st = check_spec(spec, err);
    if (!st) st = check_side(&v->sides[0], "source", err);
    if (!st) st = check_side(&v->sides[1], "target", err);
    for (int i = 0; i < 2 * threads && !st; i++)
        st = ramus_tokenizer_create(&v->workers[i / 2].tokenizers[i % 2], v->sides[i % 2].vocab,
                                    err);
    if (st)
        ramus_variation_destroy(v);
    else
        *out = v;
    return st;
}

void ramus_variation_destroy(ramus_variation *v)
{
    if (!v) return;
    for (int i = 0; i < v->threads; i++) {
        worker *w = &v->workers[i];
        for (int s = 0; s < 2; s++) {
            ramus_tokenizer_destroy(w->tokenizers[s]);
            ramus_buffer_free(&w->texts[s]);
        }
        ramus_buffer_free(&w->codes);
    }
    free(v);
}

/* One use of a pair, and what is at hand for it. */
typedef struct job {
    const ramus_variation *v;
    worker *worker;
    const ramus_use *use;
    ramus_ids *ids;
} job;

static ramus_rng rng_for(const job *j, uint32_t purpose)
{
    const uint64_t place = (uint64_t)j->use->place;
    return (ramus_rng){j->v->seed, (uint32_t)j->use->epoch, (uint32_t)place,
                       (uint32_t)(place >> 32) * N_PURPOSES + purpose};
}

/* Puts both texts in capitals. A source that has none stays, and its target with it: nothing would
 * tell the model why the target has them. */
static void change_both(worker *w, ramus_pair_text *text)
{
    ramus_noise_upper(&w->texts[0], text->source, text->source_size);
    if (w->texts[0].size == text->source_size &&
        memcmp(w->texts[0].data, text->source, text->source_size) == 0)
        return;
    ramus_noise_upper(&w->texts[1], text->target, text->target_size);
    *text =
        (ramus_pair_text){w->texts[0].data, w->texts[1].data, w->texts[0].size, w->texts[1].size};
}

/* Draws the noise for this use and changes *text. Headlines with initials are a habit of English:
 * translations do not follow it. */
static ramus_status add_noise(const job *j, ramus_pair_text *text, ramus_error *err)
{
    const ramus_variation *v = j->v;
    worker *w = j->worker;
    const ramus_rng choice = rng_for(j, CHOICE);
    const double chance = ramus_rng_uniform(&choice, 0);
    if (chance < v->upper) {
        change_both(w, text);
    } else if (chance < v->upper + v->title + v->typo) {
        const ramus_rng slips = rng_for(j, SLIPS);
        if (chance < v->upper + v->title)
            ramus_noise_title(&w->texts[0], text->source, text->source_size);
        else
            ramus_noise_typo(&w->texts[0], &w->codes, text->source, text->source_size, &slips);
        text->source = w->texts[0].data;
        text->source_size = w->texts[0].size;
    }
    const ramus_status st = ramus_buffer_check(&w->texts[0], err);
    return st ? st : ramus_buffer_check(&w->texts[1], err);
}

/* Adds the ids of a text of side `s`, and EOS; returns how many through *length. */
static ramus_status encode(const job *j, int s, const char *text, size_t size, int *length,
                           ramus_error *err)
{
    const side *kind = &j->v->sides[s];
    ramus_tokenizer *tokenizer = j->worker->tokenizers[s];
    const int before = j->ids->n;
    ramus_status st = RAMUS_OK;
    if (kind->alpha > 0) {
        const ramus_sampling how = {kind->alpha, rng_for(j, s ? TARGET_SEGMENTS : SOURCE_SEGMENTS)};
        st = ramus_tokenizer_sample(tokenizer, text, size, &how, j->ids, err);
    } else {
        st = ramus_tokenizer_encode(tokenizer, text, size, j->ids, err);
    }
    if (!st) st = ramus_ids_add(j->ids, ramus_vocab_eos(kind->vocab), err);
    *length = j->ids->n - before;
    return st;
}

/* One pair. Ids that are new lie at the end of the others, source first; their pointers are NULL.
 */
static ramus_status vary(const job *j, ramus_pair *pair, ramus_error *err)
{
    const ramus_variation *v = j->v;
    const int before = j->ids->n;
    ramus_pair_text old, new;
    ramus_corpus_text(j->use->corpus, j->use->pair, &old.source, &old.source_size, &old.target,
                      &old.target_size);
    new = old;
    *pair = ramus_corpus_pair(j->use->corpus, j->use->pair);
    const ramus_pair cached = *pair;

    ramus_status st = add_noise(j, &new, err);
    if (!st && (new.source != old.source || v->sides[0].alpha > 0)) {
        pair->source = NULL;
        st = encode(j, 0, new.source, new.source_size, &pair->source_length, err);
    }
    if (!st && (new.target != old.target || v->sides[1].alpha > 0)) {
        pair->target = NULL;
        st = encode(j, 1, new.target, new.target_size, &pair->target_length, err);
    }
    if (pair->source_length < 2 || pair->source_length > v->max_length || pair->target_length < 2 ||
        pair->target_length > v->max_length) {
        *pair = cached;
        j->ids->n = before;
    }
    return st;
}

ramus_status ramus_variation_run(ramus_variation *v, ramus_uses *uses, int thread, ramus_error *err)
{
    uses->ids.n = 0;
    for (int i = 0; i < uses->n; i++) {
        const job j = {v, &v->workers[thread], &uses->items[i], &uses->ids};
        const ramus_status st = vary(&j, &uses->pairs[i], err);
        if (st) return st;
    }
    const int *at = uses->ids.data; // it does not move any more
    for (int i = 0; i < uses->n; i++) {
        ramus_pair *pair = &uses->pairs[i];
        if (!pair->source) {
            pair->source = at;
            at += pair->source_length;
        }
        if (!pair->target) {
            pair->target = at;
            at += pair->target_length;
        }
    }
    return RAMUS_OK;
}
