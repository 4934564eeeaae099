/* Pairs are sorted by length. Batches give the cross-entropy, sentences the translations; ranks
 * take every n-th of both and exchange sums. */
#include "train/validation.h"

#include "base/clock.h"
#include "base/list.h"
#include "convert/quantize.h"
#include "data/pair_lines.h"
#include "eval/bleu.h"
#include "graph/run.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/batcher.h"
#include "runtime/decoder.h"
#include "text/tokenizer.h"
#include "train/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS       2048 // of either side in a batch, at least one sentence
#define EXTRA_LENGTH 50   // of a translation over its source

/* Offsets into `ids` and `text`, which move while they grow. */
typedef struct {
    int source, target; // first id
    int source_length, target_length;
    size_t text, source_size, reference_size; // the source's, then the reference's
} entry;

struct ramus_validation {
    ramus_validation_spec spec;
    ramus_ids ids;
    ramus_buffer text; // sources and references
    entry *entries;
    ramus_batch_item *items; // entries sorted by length, for the loss
    ramus_pair *pairs;       // in that order
    int n, left_out;
    size_t room;
    ramus_buffer *shares; // [ranks] translations of the last run, a line each; rank 0 has them all
    bool translated;
    ramus_weights *folded, *tiles; // tiles: folded as it is deployed, during a validation; or NULL
};

static ramus_status add_ids(ramus_validation *v, ramus_tokenizer *tok, const ramus_vocab *vocab,
                            const char *text, size_t size, ramus_error *err)
{
    ramus_status st = ramus_tokenizer_encode(tok, text, size, &v->ids, err);
    if (!st) st = ramus_ids_add(&v->ids, ramus_vocab_eos(vocab), err);
    return st;
}

static ramus_status add_entry(ramus_validation *v, ramus_tokenizer *tok[2],
                              const ramus_pair_text *text, ramus_error *err)
{
    entry e = {.source = v->ids.n,
               .text = v->text.size,
               .source_size = text->source_size,
               .reference_size = text->target_size};
    ramus_status st =
        RAMUS_LIST_RESERVE(v->entries, v->room, (size_t)v->n + 1, "the validation set", err);
    if (!st) st = add_ids(v, tok[0], v->spec.source_vocab, text->source, text->source_size, err);
    e.target = v->ids.n;
    if (!st) st = add_ids(v, tok[1], v->spec.target_vocab, text->target, text->target_size, err);
    if (st) return st;
    e.source_length = e.target - e.source;
    e.target_length = v->ids.n - e.target;
    if (e.source_length < 2 || e.target_length < 2 || e.source_length > v->spec.max_length ||
        e.target_length > v->spec.max_length) {
        v->left_out++;
        v->ids.n = e.source;
        return RAMUS_OK;
    }
    ramus_buffer_add(&v->text, text->source, text->source_size);
    ramus_buffer_add(&v->text, text->target, text->target_size);
    v->entries[v->n++] = e;
    return ramus_buffer_check(&v->text, err);
}

static ramus_status read_files(ramus_validation *v, ramus_error *err)
{
    const ramus_corpus_files *f = v->spec.files;
    const ramus_corpus_spec corpus = {.source = f->source,
                                      .target = f->target,
                                      .source_column = f->source_column,
                                      .target_column = f->target_column};
    ramus_pair_lines *lines = NULL;
    ramus_tokenizer *tok[2] = {NULL, NULL};
    ramus_status st = ramus_pair_lines_open(&lines, &corpus, err);
    if (!st) st = ramus_tokenizer_create(&tok[0], v->spec.source_vocab, err);
    if (!st) st = ramus_tokenizer_create(&tok[1], v->spec.target_vocab, err);
    while (!st) {
        ramus_pair_text text = {0};
        st = ramus_pair_lines_next(lines, &text, err);
        if (st || !text.source) break;
        st = add_entry(v, tok, &text, err);
    }
    if (!st && v->n == 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT,
                        "%s: no pair to validate on is left (%d are empty or have more than %d "
                        "tokens)",
                        f->source, v->left_out, v->spec.max_length);
    ramus_tokenizer_destroy(tok[0]);
    ramus_tokenizer_destroy(tok[1]);
    ramus_pair_lines_close(lines);
    return st;
}

static ramus_status sort_pairs(ramus_validation *v, ramus_error *err)
{
    v->pairs = calloc((size_t)v->n, sizeof *v->pairs);
    v->items = calloc((size_t)v->n, sizeof *v->items);
    if (!v->pairs || !v->items) return ramus_fail_memory(err, "the validation set");
    for (int i = 0; i < v->n; i++)
        v->items[i] =
            (ramus_batch_item){v->entries[i].source_length, v->entries[i].target_length, i};
    ramus_batch_sort_shortest(v->items, v->n);
    for (int i = 0; i < v->n; i++) {
        const entry *e = &v->entries[v->items[i].number];
        v->pairs[i] = (ramus_pair){v->ids.data + e->source, v->ids.data + e->target,
                                   e->source_length, e->target_length};
    }
    return RAMUS_OK;
}

ramus_status ramus_validation_create(ramus_validation **out, const ramus_validation_spec *spec,
                                     ramus_error *err)
{
    ramus_validation *v = calloc(1, sizeof *v);
    if (!v) return ramus_fail_memory(err, "the validation set");
    v->spec = *spec;
    v->shares = calloc((size_t)ramus_comm_ranks(spec->comm), sizeof *v->shares);
    ramus_status st = v->shares ? RAMUS_OK : ramus_fail_memory(err, "the validation set");
    if (!st) st = read_files(v, err);
    if (!st) st = ramus_transformer_weights(&v->folded, spec->arch, false, err);
    if (!st) st = sort_pairs(v, err);
    if (st)
        ramus_validation_destroy(v);
    else
        *out = v;
    return st;
}

void ramus_validation_destroy(ramus_validation *v)
{
    if (!v) return;
    ramus_ids_free(&v->ids);
    ramus_buffer_free(&v->text);
    for (int i = 0; v->shares && i < ramus_comm_ranks(v->spec.comm); i++)
        ramus_buffer_free(&v->shares[i]);
    free(v->shares);
    ramus_weights_destroy(v->folded);
    free(v->entries);
    free(v->pairs);
    free(v->items);
    free(v);
}

int ramus_validation_pairs(const ramus_validation *v)
{
    return v->n;
}

int ramus_validation_left_out(const ramus_validation *v)
{
    return v->left_out;
}

static const ramus_weights *deployed(const ramus_validation *v)
{
    return v->tiles ? v->tiles : v->folded;
}

/* Whether batch or sentence i is in this rank's share. */
static bool is_mine(const ramus_validation *v, int i)
{
    return i % ramus_comm_ranks(v->spec.comm) == ramus_comm_rank(v->spec.comm);
}

/* sums: of the cross-entropy and of the target tokens, in this rank's share of the batches. */
static ramus_status add_losses(const ramus_validation *v, double sums[2], ramus_error *err)
{
    const int most = v->spec.max_length > TOKENS ? v->spec.max_length : TOKENS;
    const ramus_limits limits = {most, most, v->spec.max_length};
    const ramus_batch_limits fill = {.tokens = most};
    const ramus_build build = {
        .kind = RAMUS_FULL, .head = RAMUS_HEAD_LOSS, .source = limits, .target = limits};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    int *lengths = calloc((size_t)most, sizeof *lengths);
    ramus_status st = lengths ? RAMUS_OK : ramus_fail_memory(err, "a validation");
    if (!st) st = ramus_transformer_create(&g, v->spec.arch, &build, err);
    if (!st) st = ramus_run_create(&run, g, v->spec.pool, err);
    if (!st) {
        ramus_weights_bind(g, deployed(v), NULL);
        for (int first = 0, number = 0; first < v->n; number++) {
            const ramus_batch batch = {.pairs = v->pairs + first,
                                       .n =
                                           ramus_batch_fill(v->items + first, v->n - first, &fill)};
            first += batch.n;
            if (!is_mine(v, number)) continue;
            ramus_batch_set(g, &batch, lengths);
            ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
            sums[0] += (double)((const ramus_real *)g->losses[0].value->data)[0];
            sums[1] += g->target.rows;
        }
    }
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
    free(lengths);
    return st;
}

static ramus_status measure_nll(const ramus_validation *v, double *nll, ramus_error *err)
{
    double sums[2] = {0};
    const ramus_status st = ramus_comm_agree(v->spec.comm, add_losses(v, sums, err), err);
    if (st) return st;
    ramus_comm_sum(v->spec.comm, sums, 2);
    *nll = sums[0] / sums[1];
    return RAMUS_OK;
}

static ramus_line source_of(const ramus_validation *v, const entry *e)
{
    return (ramus_line){v->text.data + e->text, e->source_size};
}

static ramus_line reference_of(const ramus_validation *v, const entry *e)
{
    return (ramus_line){v->text.data + e->text + e->source_size, e->reference_size};
}

/* The line of a text that begins at *at, which moves to the next one. */
static ramus_line next_line(const ramus_buffer *text, size_t *at)
{
    const char *begin = text->data + *at;
    const char *end = memchr(begin, '\n', text->size - *at);
    RAMUS_ASSERT(end);
    *at += (size_t)(end - begin) + 1;
    return (ramus_line){begin, (size_t)(end - begin)};
}

/* The translation of sentence i, on rank 0. */
static ramus_line translation_of(const ramus_validation *v, int i)
{
    const int ranks = ramus_comm_ranks(v->spec.comm);
    size_t at = 0;
    ramus_line line = next_line(&v->shares[i % ranks], &at);
    for (int k = 0; k < i / ranks; k++)
        line = next_line(&v->shares[i % ranks], &at);
    return line;
}

int ramus_validation_samples(const ramus_validation *v, ramus_sample out[RAMUS_SAMPLES])
{
    for (int k = 0; k < RAMUS_SAMPLES && v->translated; k++) {
        const int i = (int)((int64_t)k * v->n / RAMUS_SAMPLES);
        const entry *e = &v->entries[i];
        out[k] = (ramus_sample){source_of(v, e), reference_of(v, e), translation_of(v, i)};
    }
    return v->translated ? RAMUS_SAMPLES : 0;
}

/* Adds a text as one line: what would end it, or a string, becomes a space. */
static void add_line(ramus_buffer *out, ramus_line text)
{
    const size_t begin = out->size;
    ramus_buffer_add(out, text.data, text.size);
    for (size_t i = begin; i < out->size; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r' || out->data[i] == '\0')
            out->data[i] = ' ';
    ramus_buffer_text(out, "\n");
}

ramus_status ramus_validation_texts(const ramus_validation *v, ramus_buffer *translations,
                                    ramus_buffer *references, ramus_error *err)
{
    const int ranks = ramus_comm_ranks(v->spec.comm);
    size_t *at = calloc((size_t)ranks, sizeof *at);
    if (!at) return ramus_fail_memory(err, "translations");
    for (int i = 0; i < v->n && v->translated; i++) {
        add_line(translations, next_line(&v->shares[i % ranks], &at[i % ranks]));
        add_line(references, reference_of(v, &v->entries[i]));
    }
    free(at);
    const ramus_status st = ramus_buffer_check(translations, err);
    return st ? st : ramus_buffer_check(references, err);
}

/* Adds the counts of sentence i, and its translation to this rank's share. */
static ramus_status score(ramus_validation *v, ramus_bleu *b, int i, const ramus_decoded *decoded,
                          ramus_error *err)
{
    const ramus_line reference = reference_of(v, &v->entries[i]);
    ramus_buffer text = {0};
    ramus_buffer_text(&text, "");
    ramus_status st =
        ramus_vocab_decode(v->spec.target_vocab, decoded->ids, decoded->length, &text, err);
    const ramus_line hypothesis = {text.data, text.size};
    if (!st) st = ramus_buffer_check(&text, err);
    if (!st) st = ramus_bleu_add(b, hypothesis, &reference, 1, err);
    if (!st) {
        ramus_buffer *share = &v->shares[ramus_comm_rank(v->spec.comm)];
        add_line(share, hypothesis);
        st = ramus_buffer_check(share, err);
    }
    ramus_buffer_free(&text);
    return st;
}

/* Translates this rank's share of the sentences and adds their counts. */
static ramus_status translate(ramus_validation *v, ramus_bleu *b, ramus_error *err)
{
    const ramus_decoder_spec spec = {
        .arch = v->spec.arch,
        .weights = deployed(v),
        .max_length = v->spec.max_length,
        .search = {.beam = v->spec.beam,
                   .greedy = v->spec.beam == 1,
                   .length_penalty = 0.6,
                   .length_ratio = 1,
                   .extra_length = EXTRA_LENGTH,
                   .eos = ramus_vocab_eos(v->spec.target_vocab)},
        .pool = v->spec.pool,
    };
    ramus_decoder *d = NULL;
    int n = 0;
    ramus_source *sentences = calloc((size_t)v->n, sizeof *sentences);
    ramus_decoded *decoded = calloc((size_t)v->n, sizeof *decoded);
    ramus_status st = RAMUS_OK;
    if (!sentences || !decoded) {
        st = ramus_fail_memory(err, "a validation");
        goto done;
    }
    for (int i = 0; i < v->n; i++)
        if (is_mine(v, i))
            sentences[n++] = (ramus_source){.ids = v->ids.data + v->entries[i].source,
                                            .length = v->entries[i].source_length};
    st = ramus_decoder_create(&d, &spec, err);
    if (!st) st = ramus_decoder_run(d, sentences, n, decoded, err);
    for (int i = 0, at = 0; i < v->n && !st; i++)
        if (is_mine(v, i)) st = score(v, b, i, &decoded[at++], err);
done:
    for (int i = 0; decoded && i < n; i++)
        free(decoded[i].ids);
    free(decoded);
    free(sentences);
    ramus_decoder_destroy(d);
    return st;
}

/* Gives rank 0 the shares of all. */
static void gather(ramus_validation *v)
{
    ramus_comm *comm = v->spec.comm;
    const int rank = ramus_comm_rank(comm);
    const ramus_buffer *mine = &v->shares[rank];
    if (rank > 0) ramus_comm_send(comm, 0, mine->data, mine->size);
    for (int from = 1; rank == 0 && from < ramus_comm_ranks(comm); from++)
        ramus_comm_receive(comm, from, &v->shares[from]);
    v->translated = rank == 0;
}

static ramus_status measure_bleu(ramus_validation *v, double *bleu, ramus_error *err)
{
    const ramus_bleu_options options = {
        .tokenization = v->spec.tokenization,
        .lowercase = v->spec.lowercase,
    };
    ramus_bleu *b = NULL;
    ramus_status st = ramus_bleu_create(&b, &options, err);
    v->translated = false;
    ramus_buffer_clear(&v->shares[ramus_comm_rank(v->spec.comm)]);
    if (!st) st = translate(v, b, err);
    st = ramus_comm_agree(v->spec.comm, st, err);
    if (!st) {
        gather(v);
        const ramus_stats *stats = ramus_bleu_stats(b);
        int64_t counts[RAMUS_STATS_MAX];
        double sums[RAMUS_STATS_MAX];
        ramus_stats_sum(stats, counts);
        for (int i = 0; i < stats->width; i++)
            sums[i] = (double)counts[i];
        ramus_comm_sum(v->spec.comm, sums, stats->width);
        for (int i = 0; i < stats->width; i++)
            counts[i] = (int64_t)sums[i];
        *bleu = stats->score(stats->metric, counts);
    }
    ramus_bleu_destroy(b);
    return st;
}

/* The weights as they will be deployed. */
static ramus_status deploy(ramus_validation *v, const ramus_weights *trained, ramus_error *err)
{
    const ramus_objective *o = v->spec.objective;
    const ramus_quantize_spec how = {
        .layers = o->quantize == RAMUS_BITS_4 ? RAMUS_I4 : RAMUS_I8,
        .words = o->quantize_embeddings ? RAMUS_I4 : RAMUS_I8,
    };
    ramus_weights_fold(v->folded, trained);
    return o->quantize == RAMUS_BITS_NONE ? RAMUS_OK
                                          : ramus_quantize(&v->tiles, v->folded, how, err);
}

ramus_status ramus_validation_run(ramus_validation *v, const ramus_weights *trained,
                                  ramus_validated *out, ramus_error *err)
{
    const double start = ramus_clock_now();
    ramus_validated result = {.bleu = -1};
    ramus_status st = ramus_comm_agree(v->spec.comm, deploy(v, trained, err), err);
    if (!st) st = measure_nll(v, &result.nll, err);
    if (!st && v->spec.beam > 0) st = measure_bleu(v, &result.bleu, err);
    ramus_weights_destroy(v->tiles);
    v->tiles = NULL;
    if (st) return st;
    result.perplexity = exp(result.nll);
    result.seconds = ramus_clock_now() - start;
    *out = result;
    return RAMUS_OK;
}
